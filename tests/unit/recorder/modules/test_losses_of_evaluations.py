"""An evaluation has the loss that the script computes from its result, and training goes on after it."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
import torch
import torch.nn.functional as F
from torch import nn

import comgra_export
from comgra_export import ComgraRecorder, ComgraRecordingWarning, DecisionMakerForRecordingsFrequencyPerType
from comgra_export.storage import open_recording
from support.recorder.reading import folder_of, read_edges, read_records
from support.recorder.watched_losses import CLASSES, LABELS, B, here, kinds_of, step_of

FIRST_EVALUATION = -0.999999


@pytest.mark.parametrize("gradients", [torch.no_grad, torch.inference_mode, torch.enable_grad])
def test_an_evaluation_has_the_loss_that_the_script_computes_from_its_result(
    tmp_path: Path, gradients: Callable[[], AbstractContextManager[object]]
) -> None:
    model = nn.Linear(3, CLASSES).eval()
    with comgra_export.watch(model, tmp_path, strict=True) as recorder, gradients():
        out = model(torch.rand(B, 3))
        expected = F.cross_entropy(torch.softmax(out, 1), LABELS).item()
    assert kinds_of(recorder, FIRST_EVALUATION) == {
        "cross_entropy: prediction": ("calculated", "kpis"),
        "cross_entropy: target": ("target", "kpis"),
        "cross_entropy": ("loss", "single_value"),
    }
    step = step_of(recorder, FIRST_EVALUATION)
    (loss,) = step.losses
    assert (step.type_of_execution, step.backward_roots) == ("eval", ())
    assert (loss.prediction, loss.target, loss.result) == tuple(
        map(here, ("cross_entropy: prediction", "cross_entropy: target", "cross_entropy"))
    )
    assert read_records(recorder, FIRST_EVALUATION)["forward", "cross_entropy", 0].extrema == [expected] * 2
    assert read_edges(recorder, FIRST_EVALUATION) >= {
        ("model: output", "cross_entropy: prediction"),
        ("cross_entropy: prediction", "cross_entropy"),
    }


def test_every_evaluation_has_its_own_loss_and_training_goes_on(tmp_path: Path) -> None:
    model = nn.Linear(3, CLASSES)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    every = DecisionMakerForRecordingsFrequencyPerType(1)
    expected = []
    with comgra_export.watch(model, tmp_path, decision_maker_for_recordings=every, strict=True) as recorder:
        for _ in range(2):
            optimizer.zero_grad()
            F.cross_entropy(model(torch.rand(B, 3)), LABELS).backward()
            optimizer.step()
            with torch.no_grad():
                expected += [F.cross_entropy(model(torch.rand(B, 3)), LABELS).item() for _ in range(2)]
    recording = open_recording(folder_of(recorder))
    steps = [recording.step(number) for number in recording.steps]
    assert [step.type_of_execution for step in steps] == ["train", "eval", "eval", "train", "eval", "eval"]
    evaluations = [step.step for step in steps if step.type_of_execution == "eval"]
    assert [read_records(recorder, number)["forward", "cross_entropy", 0].extrema[0] for number in evaluations] == expected
    assert [len(step.losses) for step in steps] == [1] * 6


def test_what_follows_an_evaluation_changes_none_of_its_parameters(tmp_path: Path) -> None:
    model = nn.Linear(3, CLASSES).eval()
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    with comgra_export.watch(model, tmp_path, strict=True) as recorder:
        out = model(torch.rand(B, 3))
        assert not any(tensor._backward_hooks or tensor._post_accumulate_grad_hooks for tensor in (out, *model.parameters()))
        F.cross_entropy(out, LABELS).backward()
        optimizer.step()
    step = step_of(recorder, FIRST_EVALUATION)
    assert step.parameters is not None
    assert (step.backward_roots, step.gradients, step.parameters.update_norm) == ((), (), (0.0, 0.0))


@pytest.mark.parametrize(
    "follow",
    [
        lambda recorder: recorder.flush(),
        lambda recorder: recorder.watch(nn.Linear(2, 2), "other"),
        lambda recorder: recorder.track_optimizers(torch.optim.SGD([torch.zeros(2)], 0.1)),
        lambda recorder: recorder.step(),
        lambda recorder: recorder.start_batch(5, B),
    ],
    ids=["flush", "watch", "track_optimizers", "step", "start_batch"],
)
def test_whatever_the_script_asks_for_ends_an_evaluation(tmp_path: Path, follow: Callable[[ComgraRecorder], object]) -> None:
    model = nn.Linear(3, CLASSES).eval()
    recorder = comgra_export.watch(model, tmp_path, strict=True)
    model(torch.rand(B, 3))
    follow(recorder)
    recorder.flush()
    assert open_recording(folder_of(recorder)).steps == (FIRST_EVALUATION,)
    recorder.abandon_batch()
    recorder.finalize()


def test_training_in_another_thread_goes_on_after_an_evaluation(tmp_path: Path) -> None:
    model = nn.Linear(3, CLASSES)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)

    def train() -> None:
        F.cross_entropy(model(torch.rand(B, 3)), LABELS).backward()
        optimizer.step()

    with comgra_export.watch(model, tmp_path) as recorder:
        with torch.no_grad():
            model(torch.rand(B, 3))
        with pytest.warns(ComgraRecordingWarning, match="was dropped in a different thread"), ThreadPoolExecutor(1) as threads:
            threads.submit(train).result()
        with torch.no_grad():
            model(torch.rand(B, 3))
    recording = open_recording(folder_of(recorder))
    assert [recording.step(number).type_of_execution for number in recording.steps] == ["train", "eval"]
