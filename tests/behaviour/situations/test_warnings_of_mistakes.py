"""Mistakes that warn instead of raising: a recording without steps, gradients recorded too early, an unused input."""

from __future__ import annotations

import gc
import linecache
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from torch import Tensor, nn

from comgra_export import ComgraRecorder, ComgraRecordingWarning, DecisionMakerForRecordingsHardcoded, TrialExistsError, watch
from comgra_export.storage import open_recording
from support.recorder.fixtures import MakeRecorder
from support.recorder.reading import folder_of, read_gaps

B = 4


def warnings_of(action: Callable[[], object]) -> list[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        action()
    return [str(warning.message) for warning in caught if warning.category is ComgraRecordingWarning]


def step_of(recorder: ComgraRecorder, number: int) -> None:
    with recorder.batch(number, B), recorder.iteration():
        recorder.register_tensor("x", torch.ones(B, 2))


def test_a_recorder_without_start_batch_warns_once(make_recorder: MakeRecorder) -> None:
    recorder = make_recorder()
    recorder.register_tensor("x", torch.ones(B, 2))
    (message,) = warnings_of(recorder.finalize)
    assert "no step was recorded, since start_batch was never called" in message
    assert warnings_of(recorder.finalize) == []


def test_a_schedule_that_is_never_due_is_reported(make_recorder: MakeRecorder) -> None:
    recorder = make_recorder(decision_maker_for_recordings=DecisionMakerForRecordingsHardcoded({1000}))

    def train() -> None:
        with recorder:
            for number in range(3):
                step_of(recorder, number)

    (message,) = warnings_of(train)
    assert "no step was due" in message


def test_dropping_every_step_is_reported(make_recorder: MakeRecorder) -> None:
    recorder = make_recorder()
    recorder.start_batch(0, B)
    recorder.abandon_batch()
    (message,) = warnings_of(recorder.finalize)
    assert "all steps were dropped" in message


def test_a_recording_with_a_step_and_an_unused_recorder_give_no_warning(make_recorder: MakeRecorder) -> None:
    with_step, unused, curves_alone = make_recorder(), make_recorder(), make_recorder()
    step_of(with_step, 0)
    with_step.register_tensor("late", torch.ones(B, 2))
    unused.add_note("nothing happened")
    with curves_alone.batch(0, B, override__recording_is_active=False), curves_alone.iteration():
        curves_alone.record_kpi_in_graph("loss", "total", 1.0, record_even_if_recording_is_inactive=True)
    for recorder in (with_step, unused, curves_alone):
        assert warnings_of(recorder.finalize) == []


def test_an_exception_of_the_script_is_enough(make_recorder: MakeRecorder) -> None:
    def train() -> None:
        with pytest.raises(ZeroDivisionError), make_recorder() as recorder, recorder.batch(0, B):
            raise ZeroDivisionError

    assert warnings_of(train) == []


def test_gradients_before_any_backward_pass_are_reported_once(make_recorder: MakeRecorder) -> None:
    recorder, layer = make_recorder(strict=False), nn.Linear(2, 1)
    recorder.track_module("layer", layer)

    def train() -> None:
        for number in range(2):
            with recorder.batch(number, B), recorder.iteration():
                loss = layer(torch.ones(B, 2)).sum()
                recorder.record_current_gradients("too early")
                layer.zero_grad()
                loss.backward()
                recorder.record_current_gradients("in time")
                layer.zero_grad()

    (message,) = warnings_of(train)
    assert "Call record_current_gradients after loss.backward()" in message
    assert [(gap.step, gap.group) for gap in open_recording(folder_of(recorder)).step(0).gaps] == [(0, "too early")]


@pytest.mark.parametrize("way", ["no_grad", "frozen", "autograd.grad"])
def test_impossible_gradients_are_not_reported(recorder: ComgraRecorder, way: str) -> None:
    layer = nn.Linear(2, 1).requires_grad_(way != "frozen")
    recorder.track_module("layer", layer)
    with torch.set_grad_enabled(way != "no_grad"), recorder.batch(0, B), recorder.iteration():
        result = layer(torch.ones(B, 2))
        recorder.register_tensor("result", result)
        if way == "autograd.grad":
            torch.autograd.grad(result.sum(), list(layer.parameters()))
        recorder.record_current_gradients("gradients")
    assert read_gaps(recorder) == []


def run_cell(recorder: ComgraRecorder, used: Callable[[Tensor, int], Tensor], *, connected: bool = False) -> None:
    """A recurrent network that registers `x[:, 0]` and uses what `used` returns."""
    x, cell = torch.ones(B, 3, 2), nn.Linear(2, 2)
    with recorder.batch(0, B), recorder.iteration():
        now = x[:, 0]
        recorder.register_tensor("now", now, is_input=True)
        hidden = cell(now if used is own else used(x, 0))
        recorder.register_tensor("hidden", hidden)
        if connected:
            recorder.add_tensor_connection("now", "hidden")


def test_a_warning_points_to_the_line_of_the_script(tmp_path: Path) -> None:
    """Past the recorder, and past the hooks and the modules of PyTorch between the two."""

    class Net(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            recorder.register_tensor("strange", torch.zeros(B, 2, device="meta"))
            return x

    recorder = ComgraRecorder(tmp_path)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with recorder.batch(0, B), recorder.iteration():
            nn.Sequential(Net())(torch.ones(B, 2))
        recorder.register_tensor("late", torch.ones(B, 2))
        recorder.finalize()
        with watch(nn.Linear(2, 2), tmp_path, trial_id="other"):
            pass
    places = [(Path(each.filename).name, linecache.getline(each.filename, each.lineno).strip()) for each in caught]
    assert places == [
        (Path(__file__).name, 'recorder.register_tensor("strange", torch.zeros(B, 2, device="meta"))'),
        (Path(__file__).name, 'with watch(nn.Linear(2, 2), tmp_path, trial_id="other"):'),
    ]


def own(x: Tensor, t: int) -> Tensor:
    return x[:, t]


def test_another_view_of_an_input_is_reported(recorder: ComgraRecorder) -> None:
    (message,) = warnings_of(lambda: run_cell(recorder, lambda x, t: x[:, t]))
    assert "The input 'now' was not used by anything that was seen in step 0" in message


@pytest.mark.parametrize("connected", [False, True])
def test_an_input_that_is_used_or_connected_is_not_reported(recorder: ComgraRecorder, connected: bool) -> None:
    used = (lambda x, t: x[:, t]) if connected else own
    assert warnings_of(lambda: run_cell(recorder, used, connected=connected)) == []


@pytest.mark.parametrize("existing_trial", ["error", "append", "replace"])
def test_an_open_recorder_of_this_process_is_named(tmp_path: Path, existing_trial: str) -> None:
    recorder = watch(nn.Linear(2, 2), tmp_path)
    step_of(recorder, 0)
    with pytest.raises(TrialExistsError, match=r"A recorder of this process still has .* open. Call its finalize\(\) first") as raised:
        ComgraRecorder(tmp_path, existing_trial=existing_trial)  # type: ignore[arg-type]
    assert "replace" not in str(raised.value)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ComgraRecordingWarning)
        recorder.finalize()
    ComgraRecorder(tmp_path, existing_trial="replace").finalize()


def test_a_recording_that_has_ended_can_be_replaced_and_the_error_says_how(tmp_path: Path) -> None:
    with ComgraRecorder(tmp_path) as recorder:
        step_of(recorder, 0)
    with pytest.raises(TrialExistsError, match=r"already.*existing_trial='replace'"):
        watch(nn.Linear(2, 2), tmp_path)


def test_an_unfinished_recorder_that_nobody_refers_to_is_not_told_to_be_closed(tmp_path: Path) -> None:
    def leave() -> None:
        recorder = ComgraRecorder(tmp_path)
        recorder.itself = recorder  # type: ignore[attr-defined]
        step_of(recorder, 0)

    gc.disable()
    try:
        leave()
        with pytest.raises(TrialExistsError, match="existing_trial='replace'"):
            ComgraRecorder(tmp_path)
    finally:
        gc.enable()


@pytest.mark.parametrize("existing_trial", ["replace", "append"])
def test_a_recorder_that_nobody_refers_to_is_no_obstacle(tmp_path: Path, existing_trial: str) -> None:
    def cell(first: int) -> ComgraRecorder:
        recorder = ComgraRecorder(tmp_path, existing_trial=existing_trial)  # type: ignore[arg-type]
        model = nn.Linear(2, 2)
        model.recorder = recorder  # type: ignore[assignment]
        recorder.model = model  # type: ignore[attr-defined]
        for number in range(first, first + 2):
            recorder.start_batch(number, B, override__recording_is_active=True)
            recorder.start_iteration()
            recorder.register_tensor("x", torch.ones(B, 2))
            recorder.finish_iteration()
            recorder.finish_batch()
        return recorder

    # The two refer to each other, so that only the collector frees them.
    gc.disable()
    try:
        cell(0)
        second = cell(2)
    finally:
        gc.enable()
    second.finalize()
    assert open_recording(folder_of(second)).steps == ((2, 3) if existing_trial == "replace" else (0, 1, 2, 3))
