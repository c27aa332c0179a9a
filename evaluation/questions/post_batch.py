"""Does deciding after the batch what is recorded catch rare events that a schedule misses, and what does it cost?

A network is trained in which one step is unusual. A schedule that decides before the batch records every 25th step. Deciding after the
batch is done with sentinels, and by hand with `decide_recording_of_batch`.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from time import process_time
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

import comgra_export
from comgra_export.storage import find_recordings, open_recording

__all__ = ["results"]

_STEPS, _EVERY, _BATCH = 300, 25, 32
_TIMES_THE_LOSS = 3.0
WAYS = ("before: every 25th step", "before: every step", "after: sentinels", "after: by the loss")


def _outlier(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    x[5] *= 1000
    return x, y


def _missing(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    x[5, 0] = float("nan")
    return x, y


def _wrong_labels(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    return x, (y + 1) % 3


EVENTS: dict[str, Callable[[Tensor, Tensor], tuple[Tensor, Tensor]]] = {
    "a sample 1,000 times too large": _outlier,
    "a missing value": _missing,
    "a batch with wrong labels": _wrong_labels,
}


class _Result(NamedTuple):
    """What a run recorded: whether the event is in it, how many steps and bytes, and the processor time of the run."""

    caught: bool
    steps: int
    bytes: int
    seconds: float


def results(seeds: int) -> str:
    """The tables."""
    lines = [
        "| recorded | " + " | ".join(EVENTS) + " | steps recorded | kB per run | processor time per step |",
        "|---|" + "---|" * (len(EVENTS) + 3),
    ]
    for way in WAYS:
        runs = {event: [_experiment(way, event, seed) for seed in range(seeds)] for event in EVENTS}
        every = [run for each in runs.values() for run in each]
        caught = [f"{sum(run.caught for run in each)} of {len(each)}" for each in runs.values()]
        cost = f"{np.mean([run.steps for run in every]):.0f} of {_STEPS} | {np.mean([run.bytes for run in every]) / 1000:.0f}"
        lines.append(f"| {way} | {' | '.join(caught)} | {cost} | {1000 * np.median([run.seconds for run in every]) / _STEPS:.2f} ms |")
    return "\n".join(lines) + "\n"


def _experiment(way: str, event: str, seed: int) -> _Result:
    torch.manual_seed(seed)
    at = int(torch.randint(_STEPS // 2, _STEPS - 5, ()))
    model = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 3))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    truth = torch.randn(16, 3)
    losses: list[float] = []
    frequency = comgra_export.DecisionMakerForRecordingsFrequencyPerType(1 if way in (WAYS[1], WAYS[3]) else _EVERY)
    with tempfile.TemporaryDirectory() as folder:
        begin = process_time()
        recorder = comgra_export.ComgraRecorder(folder, decision_maker_for_recordings=frequency, sentinels=way == WAYS[2])
        with recorder:
            recorder.watch(model, "model", histograms=False)
            for step in range(_STEPS):
                x = torch.randn(_BATCH, 16)
                y = (x @ truth).argmax(1)
                x, y = EVENTS[event](x, y) if step == at else (x, y)
                after = way == WAYS[3]
                recorder.start_batch(step, _BATCH, None if after else "train")
                recorder.start_iteration()
                loss = nn.functional.cross_entropy(model(x), y)
                optimizer.zero_grad()
                loss.backward()
                value = loss.item()
                is_unusual = len(losses) > 20 and not value <= _TIMES_THE_LOSS * float(np.median(losses[-50:]))
                if after:
                    recorder.decide_recording_of_batch("unusual" if is_unusual else None, None)
                recorder.record_current_gradients("gradients")
                recorder.finish_iteration()
                # The script itself goes on as if nothing was wrong, but for a loss that is not finite.
                if np.isfinite(value):
                    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
                    optimizer.step()
                recorder.finish_batch()
                losses.append(value if np.isfinite(value) else losses[-1])
        seconds = process_time() - begin
        (path,) = find_recordings(Path(folder))
        steps = open_recording(path).steps
        size = sum(file.stat().st_size for file in Path(folder).rglob("*") if file.is_file())
    return _Result(at in steps, len(steps), size, seconds)
