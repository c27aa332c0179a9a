"""A minimal training for tests that kill it. It records every step and reports its progress."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from comgra_export import ComgraRecorder, DecisionMakerForRecordingsFrequencyPerType
from comgra_export.storage import Gap, Recording, iterate_records

BATCH = 4


def input_of(number: int) -> NDArray[np.float32]:
    """The network's input in a step: `[B, 3]`."""
    return np.random.default_rng(number).standard_normal((BATCH, 3), np.float32)


def train(root: Path, first: int, end: int, say: Callable[[str], object]) -> None:
    """Trains from a step on, like a resumed run, and reports `N finished` or `N flushed` after step N."""
    network = nn.Linear(3, 2)
    optimizer = torch.optim.SGD(network.parameters(), lr=0.01)
    decision_maker = DecisionMakerForRecordingsFrequencyPerType(1)
    recorder = ComgraRecorder(root, "g", "t", decision_maker, existing_trial="append", sentinels=True)
    assert recorder._output is not None
    recorder.track_module("net", network)
    recorder.track_optimizers(optimizer)
    for number in range(first, end):
        with recorder.batch(number, BATCH):
            with recorder.iteration():
                x = torch.from_numpy(input_of(number))
                recorder.register_tensor("x", x, is_input=True)
                loss = network(x).square().mean()
                recorder.register_tensor("loss", loss, is_loss=True)
                optimizer.zero_grad()
                if torch.is_grad_enabled():
                    loss.backward()
                recorder.record_current_gradients("gradients")
                optimizer.step()
            recorder.record_kpi_in_graph("loss", "train", loss)
            recorder.add_note("x" * (number * 97 % 5000))
        say(f"{number} finished")
        recorder._output.gaps.report("test", Gap("a gap between steps"))
        if number % 7 == 0:
            recorder.flush()
            say(f"{number} flushed")
    recorder.finalize()


def is_whole(recording: Recording, number: float) -> bool:
    """Whether a step can be read, has its input bit for bit, and lacks nothing."""
    step = recording.step(number)
    layout = recording.layout(step.layout)
    (graph,) = step.structures
    (place,) = (place for place in iterate_records(layout) if place.entry.name == "x" and place.group == "forward")
    values = recording.blobs(number)["values.F32"].data[place.values : place.values + place.entry.values_count]
    return (
        [group.name for group in layout.groups] == ["forward", "gradients"]
        and graph is not None
        and len(recording.structure(graph).dependencies) == 3
        and values.tobytes() == input_of(int(number)).tobytes()
    )
