"""What a recording says about its end: how many training steps there were, and which exception ended it."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

import comgra_export
from comgra_export import (
    ComgraRecorder,
    ComgraRecordingWarning,
    DecisionMakerForRecordings,
    DecisionMakerForRecordingsFrequencyPerType,
    DecisionMakerForRecordingsHardcoded,
)
from comgra_export.recorder.session.training_steps import TrainingSteps
from comgra_export.storage import SessionEnd, open_recording
from support.recorder.fixtures import MakeRecorder
from support.recorder.reading import folder_of

Schedule = Callable[[], DecisionMakerForRecordings]


def every_step() -> DecisionMakerForRecordings:
    return DecisionMakerForRecordingsFrequencyPerType(1)


def some_steps() -> DecisionMakerForRecordings:
    return DecisionMakerForRecordingsHardcoded({0, 4})


def no_step() -> DecisionMakerForRecordings:
    return DecisionMakerForRecordingsHardcoded(set())


def end_of(recorder: ComgraRecorder) -> SessionEnd | None:
    return open_recording(folder_of(recorder)).journal[-1].end


def step_by_hand(recorder: ComgraRecorder, number: int, *, type_: str = "train", trains: bool = True, asks: bool = False) -> None:
    """A step of a script. `asks`: it asks for gradients only if the recorder is active."""
    weight = torch.ones(3, requires_grad=True)
    with recorder.batch(number, 2, type_), recorder.iteration():
        loss = (torch.ones(2, 3) * weight).sum()
        recorder.register_tensor("loss", loss, is_loss=True)
        if trains:
            loss.backward()
            if not asks or recorder.recording_is_active():
                recorder.record_current_gradients("gradients")


@pytest.mark.parametrize("schedule", [every_step, some_steps])
@pytest.mark.parametrize("asks", [False, True])
def test_steps_by_hand_are_counted_and_evaluations_are_not(make_recorder: MakeRecorder, schedule: Schedule, asks: bool) -> None:
    recorder = make_recorder(decision_maker_for_recordings=schedule())
    for number in range(10):
        is_evaluation = number in (3, 7, 8)
        step_by_hand(recorder, number, type_="test" if is_evaluation else "train", trains=not is_evaluation, asks=asks)
    recorder.finalize()
    assert end_of(recorder) == SessionEnd(7)


@pytest.mark.parametrize("schedule", [every_step, some_steps])
def test_a_type_for_both_is_counted_step_by_step(make_recorder: MakeRecorder, schedule: Schedule) -> None:
    recorder = make_recorder(decision_maker_for_recordings=schedule())
    for number in range(10):
        step_by_hand(recorder, number, trains=number % 2 == 0)
    recorder.finalize()
    assert end_of(recorder) == SessionEnd(5)


def test_without_gradients_the_number_is_not_known(make_recorder: MakeRecorder) -> None:
    recorder = make_recorder()
    step_by_hand(recorder, 0, trains=False)
    recorder.finalize()
    assert end_of(recorder) == SessionEnd(None)
    untouched = make_recorder()
    untouched.finalize()
    assert end_of(untouched) == SessionEnd(0)


def test_a_step_that_was_dropped_is_not_counted(make_recorder: MakeRecorder) -> None:
    recorder = make_recorder()
    step_by_hand(recorder, 0)
    recorder.start_batch(1, 2)
    recorder.record_kpi_in_graph("a", "b", 1.0)
    recorder.abandon_batch()
    recorder.finalize()
    assert end_of(recorder) == SessionEnd(1)


def test_each_session_counts_its_own(make_recorder: MakeRecorder) -> None:
    recorder = make_recorder()
    step_by_hand(recorder, 0)
    step_by_hand(recorder, 1)
    recorder.finalize()
    step_by_hand(recorder, 2)
    recorder.finalize()
    ends = [entry.end for entry in open_recording(folder_of(recorder)).journal if entry.end is not None]
    assert ends == [SessionEnd(2), SessionEnd(1)]


class Script:
    def __init__(self) -> None:
        self.net = nn.Linear(3, 1)
        self.optimizer = torch.optim.SGD(self.net.parameters(), 0.1)

    def train(self, steps: int) -> None:
        for _ in range(steps):
            self.optimizer.zero_grad()
            self.net(torch.randn(4, 3)).mean().backward()
            self.optimizer.step()

    def evaluate(self) -> None:
        self.net.eval()
        with torch.no_grad():
            self.net(torch.randn(4, 3))
        self.net.train()


@pytest.fixture
def watch(tmp_path: Path) -> Callable[..., ComgraRecorder]:
    numbers = itertools.count()

    def make(net: nn.Module, **arguments: Any) -> ComgraRecorder:  # noqa: ANN401
        return comgra_export.watch(
            net, tmp_path, trial_id=str(next(numbers)), **{"decision_maker_for_recordings": every_step(), **arguments}
        )

    return make


@pytest.mark.parametrize("schedule", [every_step, some_steps, no_step])
@pytest.mark.filterwarnings("ignore:finalize. no step was recorded")
def test_detected_steps_are_counted(watch: Callable[..., ComgraRecorder], schedule: Schedule) -> None:
    script = Script()
    with watch(script.net, decision_maker_for_recordings=schedule(), first_step=100) as recorder:
        script.train(3)
        script.evaluate()
        script.evaluate()
        script.train(4)
        script.evaluate()
    assert end_of(recorder) == SessionEnd(7)


def test_steps_of_both_kinds_add_up(watch: Callable[..., ComgraRecorder]) -> None:
    script = Script()
    with watch(script.net) as recorder:
        step_by_hand(recorder, 0)
        script.train(2)
    assert end_of(recorder) == SessionEnd(3)


def test_steps_whose_ends_are_not_seen_are_not_known(watch: Callable[..., ComgraRecorder]) -> None:
    net = nn.Linear(3, 1)
    recorder = watch(net)
    for _ in range(3):
        net(torch.randn(4, 3)).mean().backward()
    with pytest.warns(ComgraRecordingWarning, match="all calls count as one training step"):
        recorder.finalize()
    assert end_of(recorder) == SessionEnd(None)


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (RuntimeError("boom\nand more"), "RuntimeError: boom"),
        (KeyboardInterrupt(), "KeyboardInterrupt"),
        (ValueError("no /home/author/x.pt"), "ValueError: no …"),
        (RuntimeError("x" * 2000), f"RuntimeError: {'x' * 986}"),
        (SystemExit(3), "SystemExit: 3"),
        (SystemExit(0), None),
        (SystemExit(), None),
    ],
)
@pytest.mark.parametrize("way", ["by hand", "watch"])
def test_the_exception_that_ends_a_run_is_in_the_journal(
    make_recorder: MakeRecorder, watch: Callable[..., ComgraRecorder], way: str, error: BaseException, text: str | None
) -> None:
    script = Script()

    def run(recorder: ComgraRecorder) -> None:
        with recorder:
            if way == "watch":
                script.train(2)
                script.net(torch.randn(4, 3))
                raise error
            step_by_hand(recorder, 0)
            step_by_hand(recorder, 1)
            with recorder.batch(2, 2), recorder.iteration():
                raise error

    recorder = make_recorder() if way == "by hand" else watch(script.net)
    with pytest.raises(type(error)):
        run(recorder)
    assert end_of(recorder) == SessionEnd(2, text, None if text is None else 2)


@pytest.mark.parametrize(("steps", "expected"), [(0, None), (2, 1)])
def test_between_steps_the_last_step_counts(make_recorder: MakeRecorder, steps: int, expected: int | None) -> None:
    recorder = make_recorder()

    def run() -> None:
        with recorder:
            for number in range(steps):
                step_by_hand(recorder, number)
            raise ValueError

    with pytest.raises(ValueError):  # noqa: PT011
        run()
    assert end_of(recorder) == SessionEnd(steps, "ValueError", expected, between_steps=steps > 0)


def test_a_step_that_was_dropped_before_is_not_that_of_the_exception(make_recorder: MakeRecorder) -> None:
    recorder = make_recorder()

    def run() -> None:
        with recorder:
            recorder.start_batch(5, 2)
            recorder.abandon_batch()
            step_by_hand(recorder, 1)
            raise ValueError

    with pytest.raises(ValueError):  # noqa: PT011
        run()
    assert end_of(recorder) == SessionEnd(1, "ValueError", 1, between_steps=True)


def test_finalize_by_hand_means_finished_whatever_is_caught(make_recorder: MakeRecorder) -> None:
    recorder = make_recorder()
    step_by_hand(recorder, 0)
    try:
        raise RuntimeError
    except RuntimeError:
        recorder.finalize()
    assert end_of(recorder) == SessionEnd(1)


def test_steps_that_ask_are_told_from_others_of_their_type() -> None:
    steps = TrainingSteps()
    for is_active in (True, False, False):
        steps.begin_step()
        if is_active:
            steps.note_gradients()
        steps.end_step("asks", is_active=is_active)
    for trains in (True, False, True):
        steps.begin_step()
        if trains:
            steps.note_gradients()
        steps.end_step("mixed", is_active=False)
    assert steps.take() == 3 + 2
    assert steps.take() == 0


def test_parameters_have_the_kind_of_their_device(make_recorder: MakeRecorder) -> None:
    recorder = make_recorder()
    recorder.track_module("here", nn.Linear(2, 1))
    recorder.track_module("nowhere", nn.Linear(2, 1, device="meta"))
    parameters = open_recording(folder_of(recorder)).network.parameters
    assert [(parameter.name.split(".")[0], parameter.device) for parameter in parameters[::2]] == [("here", "cpu"), ("nowhere", "meta")]
