"""Scripts for comgra may give a number below 0 to what comes before the training."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest
import torch
from torch import nn

import comgra_export
from comgra_export import ComgraRecorder, ComgraRecordingWarning
from comgra_export.storage.text.steps import step_in_words
from support.recorder.fixtures import MakeRecorder

B = 4


def _step(recorder: ComgraRecorder, net: nn.Module, step: int, kind: str, x: float) -> None:
    recorder.start_batch(step, B, kind)
    recorder.start_iteration()
    value = torch.full((B, 3), x)
    recorder.register_tensor("x", value, is_input=True)
    loss = net(value).mean()
    recorder.register_tensor("loss", loss, is_loss=True)
    if kind == "train":
        loss.backward()
        recorder.record_current_gradients("gradients")
    recorder.record_kpi_in_graph("loss", "mean", loss)
    recorder.finish_iteration()
    recorder.finish_batch()


def test_they_are_evaluations_before_training(make_recorder: MakeRecorder, tmp_path: Path) -> None:
    recorder, net = make_recorder(), nn.Linear(3, 1)
    recorder.track_module("net", net)
    with pytest.warns(ComgraRecordingWarning, match="-3 is below 0.*recorded as evaluation 1 before training") as given:
        _step(recorder, net, -3, "eval", 10.0)
    assert len(given) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        _step(recorder, net, -1, "eval", 20.0)
        _step(recorder, net, 0, "train", 30.0)
        _step(recorder, net, 1, "train", 40.0)
    recorder.finalize()
    trial = comgra_export.read(tmp_path).trial
    words = [step_in_words(step) for step in trial.steps["step"]]
    assert words == ["evaluation 1 before training", "evaluation 2 before training", "step 0", "step 1"]
    assert [trial.values("x", step)[0, 0] for step in trial.steps["step"]] == [10.0, 20.0, 30.0, 40.0]
    assert trial.curves["t"].tolist() == trial.steps["step"].tolist()


def test_the_schedule_gets_the_number_of_the_script(make_recorder: MakeRecorder) -> None:
    asked: list[float] = []

    class Asked:
        def is_record_on_this_step(self, training_step: int, type_of_execution: str) -> bool:  # noqa: ARG002
            asked.append(training_step)
            return False

        def mark_recording_on_this_step(self, training_step: int, type_of_execution: str) -> None:  # noqa: ARG002
            raise AssertionError

    recorder = make_recorder(decision_maker_for_recordings=Asked())
    with pytest.warns(ComgraRecordingWarning, match="below 0"):
        recorder.start_batch(-2, B)
    recorder.finish_batch()
    recorder.start_batch(0, B)
    recorder.finish_batch()
    assert asked == [-2, 0]


def test_a_dropped_one_may_come_again(recorder: ComgraRecorder) -> None:
    with pytest.warns(ComgraRecordingWarning, match="evaluation 1 before"):
        recorder.start_batch(-1, B)
    recorder.abandon_batch()
    with recorder.batch(-1, B, override__recording_is_active=False):
        assert recorder.training_step == -0.999999
