"""What tests of losses share: training under watch, and what the recording says of the loss."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

import pytest
import torch
from torch import Tensor, nn

import comgra_export
from comgra_export import ComgraRecorder, DecisionMakerForRecordingsFrequencyPerType
from comgra_export.storage import LossCall, StepDescription, TensorReference, open_recording
from support.recorder.reading import folder_of, read_records

__all__ = ["CLASSES", "LABELS", "B", "Train", "here", "kinds_of", "only_loss", "step_of", "train"]

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


def step_of(recorder: ComgraRecorder, step: float = 1) -> StepDescription:
    recording = open_recording(folder_of(recorder))
    assert recording.problems == []
    return recording.step(step)


def only_loss(recorder: ComgraRecorder) -> LossCall:
    (loss,) = step_of(recorder).losses
    return loss


def kinds_of(recorder: ComgraRecorder, step: float = 1) -> dict[str, tuple[str, str]]:
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
