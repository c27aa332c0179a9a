"""What a script computes from what a watched model returns: losses, and where backward passes begin."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

import comgra_export
from comgra_export import ComgraRecorder, DecisionMakerForRecordingsFrequencyPerType
from comgra_export.storage import LossCall, StepDescription, TensorReference, open_recording
from support.recorder.reading import folder_of, read_edges, read_gaps, read_records

B, CLASSES = 6, 4


class Train(Protocol):
    def __call__(self, loss_of: Callable[[Tensor], Tensor | None], **arguments: Any) -> ComgraRecorder: ...  # noqa: ANN401


@pytest.fixture
def train(tmp_path: Path) -> Train:
    """Makes two training steps of a watched model, strictly. The script computes the loss from what the model returns."""
    numbers = itertools.count()

    def make(loss_of: Callable[[Tensor], Tensor | None], **arguments: Any) -> ComgraRecorder:  # noqa: ANN401
        torch.manual_seed(0)
        model = nn.Linear(3, CLASSES)
        optimizer = torch.optim.SGD(model.parameters(), 0.1)
        every = DecisionMakerForRecordingsFrequencyPerType(1)
        defaults = {"trial_id": f"trial-{next(numbers)}", "decision_maker_for_recordings": every, "strict": True}
        with comgra_export.watch(model, tmp_path, **{**defaults, **arguments}) as recorder:
            for _ in range(2):
                optimizer.zero_grad()
                loss = loss_of(model(torch.rand(B, 3)))
                if loss is not None:
                    loss.backward()
                optimizer.step()
        return recorder

    return make


def step_of(recorder: ComgraRecorder, step: int = 1) -> StepDescription:
    recording = open_recording(folder_of(recorder))
    assert recording.problems == []
    return recording.step(step)


def only_loss(recorder: ComgraRecorder) -> LossCall:
    (loss,) = step_of(recorder).losses
    return loss


def kinds_of(recorder: ComgraRecorder, step: int = 1) -> dict[str, tuple[str, str]]:
    """The type and the kind of everything of the first iteration that is no port of a module."""
    records = read_records(recorder, step)
    return {
        name: (kept.entry.type, kept.entry.kind)
        for (group, name, iteration), kept in records.items()
        if group == "forward" and iteration == 0 and not name.startswith("model")
    }


def here(name: str) -> TensorReference:
    return TensorReference(name, 0)


LABELS = torch.arange(B) % CLASSES


def test_a_loss_after_a_softmax_has_its_call_its_tensors_and_its_root(train: Train) -> None:
    recorder = train(lambda out: F.cross_entropy(torch.softmax(out, 1), LABELS, label_smoothing=0.25))
    loss = only_loss(recorder)
    assert loss.function == "cross_entropy"
    assert (loss.prediction, loss.target, loss.result) == (here("softmax"), here("cross_entropy: target"), here("cross_entropy"))
    assert loss.options == {
        "weight": None, "size_average": None, "ignore_index": -100, "reduce": None, "reduction": "mean", "label_smoothing": 0.25
    }  # fmt: skip
    assert step_of(recorder).backward_roots == (here("cross_entropy"),)
    assert kinds_of(recorder) == {
        "softmax": ("calculated", "kpis"), "cross_entropy: target": ("target", "kpis"), "cross_entropy": ("loss", "single_value"),
    }  # fmt: skip
    assert read_edges(recorder, 1) >= {
        ("model: output", "softmax"), ("softmax", "cross_entropy"), ("cross_entropy: target", "cross_entropy"),
    }  # fmt: skip
    assert read_gaps(recorder) == []


def test_their_numbers_and_gradients_are_those_that_torch_computes(train: Train) -> None:
    seen: list[Tensor] = []

    def loss_of(out: Tensor) -> Tensor:
        probabilities = torch.softmax(out, 1)
        probabilities.retain_grad()
        seen[:] = [probabilities, F.cross_entropy(probabilities, LABELS)]
        return seen[1]

    records = read_records(train(loss_of), 1)
    probabilities, loss = seen
    assert probabilities.grad is not None
    softmax, gradient = records["forward", "softmax", 0], records["gradients", "softmax", 0]
    assert softmax.entry.batch_dimension == 0
    assert softmax.extrema == [probabilities.min().item(), probabilities.max().item()]
    assert gradient.extrema == [probabilities.grad.min().item(), probabilities.grad.max().item()]
    assert records["forward", "cross_entropy", 0].extrema == [loss.item()] * 2
    assert records["gradients", "cross_entropy", 0].extrema == [1.0, 1.0]
    assert records["forward", "cross_entropy: target", 0].extrema == [0.0, 3.0]
    assert ("gradients", "cross_entropy: target", 0) not in records
    assert softmax.entry.histogram
    assert records["forward", "cross_entropy: target", 0].entry.histogram
