from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

from comgra_export import (
    ComgraRecorder,
    ComgraRecordingWarning,
    DecisionMakerForRecordings,
    DecisionMakerForRecordingsFrequencyPerType,
    DecisionMakerForRecordingsHardcoded,
    watch,
)
from comgra_export.errors import MisuseError
from comgra_export.recorder.session.schedules import choose_schedule
from comgra_export.storage import open_recording
from support.recorder.fixtures import MakeRecorder
from support.recorder.reading import folder_of


def run(recorder: ComgraRecorder, types: list[str]) -> list[float]:
    for step, type_of_execution in enumerate(types):
        with recorder.batch(step, 1, type_of_execution), recorder.iteration():
            pass
    return list(open_recording(folder_of(recorder)).steps)


def test_fixed_steps(make_recorder: MakeRecorder) -> None:
    recorder = make_recorder(decision_maker_for_recordings=DecisionMakerForRecordingsHardcoded({1, 4, 99}))
    assert run(recorder, ["a"] * 6) == [1, 4]


def test_every_few_steps(make_recorder: MakeRecorder) -> None:
    recorder = make_recorder(decision_maker_for_recordings=DecisionMakerForRecordingsFrequencyPerType(3))
    assert run(recorder, ["a"] * 10) == [0, 3, 6, 9]


def test_every_type_at_its_own_pace(make_recorder: MakeRecorder) -> None:
    recorder = make_recorder(decision_maker_for_recordings=DecisionMakerForRecordingsFrequencyPerType(4))
    # `b` is due when it is first met, at 2, and again from 6 on, which is at 8. `a` is due at 0, 4 and from 8 on, which is at 9.
    assert run(recorder, ["a", "a", "b", "a", "a", "b", "a", "a", "b", "a"]) == [0, 2, 4, 8, 9]


def test_the_pace_slows_down_by_the_factor(make_recorder: MakeRecorder) -> None:
    recorder = make_recorder(decision_maker_for_recordings=DecisionMakerForRecordingsFrequencyPerType(1, exponential_backoff_factor=2))
    # The first recording doubles the difference already: 2, 4, 8, 16.
    assert run(recorder, ["a"] * 32) == [0, 2, 6, 14, 30]


def test_the_default_schedule(make_recorder: MakeRecorder) -> None:
    recorder = make_recorder(decision_maker_for_recordings=None)
    # Behind 10, the next step is a tenth further, rounded to whole steps: 10 + 1, ..., 15 + 2 (1.5), ..., 25 + 3 (2.5), ...
    assert run(recorder, ["a"] * 60) == [*range(16), 17, 19, 21, 23, 25, 28, 31, 34, 37, 41, 45, 50, 55]


def test_how_many_steps_the_default_schedule_records() -> None:
    schedule = choose_schedule(None, None)
    steps = []
    for step in range(100_000):
        if schedule.is_record_on_this_step(step, "a"):
            schedule.mark_recording_on_this_step(step, "a")
            steps.append(step)
    assert [sum(step < limit for step in steps) for limit in (200, 1000, 100_000)] == [42, 59, 107]
    # A run that is resumed meets the same steps again, behind its first.
    resumed = choose_schedule(None, None)
    resumed.mark_recording_on_this_step(31_415, "a")
    assert next(step for step in range(31_416, 60_000) if resumed.is_record_on_this_step(step, "a")) in steps


def test_rare_types_are_recorded_at_their_next_step_by_default(make_recorder: MakeRecorder) -> None:
    recorder = make_recorder(decision_maker_for_recordings=None)
    types = ["eval" if step % 30 == 29 else "train" for step in range(180)]
    # The marks behind 29, 59, 89, 119 and 149 are 31, 61, 98, 131 and 158.
    assert [step for step in run(recorder, types) if types[int(step)] == "eval"] == [29, 59, 89, 119, 149, 179]


def test_every_few_steps_by_a_number(make_recorder: MakeRecorder) -> None:
    assert run(make_recorder(decision_maker_for_recordings=None, every=5), ["a"] * 12) == [0, 5, 10]


@pytest.mark.parametrize("every", [0, -1, 2.5, True, "5"])
def test_a_number_that_is_no_distance_is_refused(tmp_path: Path, every: Any) -> None:  # noqa: ANN401
    with pytest.raises(MisuseError, match="Give how many steps apart"):
        ComgraRecorder(tmp_path, every=every)
    assert not any(tmp_path.iterdir())


def test_two_schedules_at_once_are_refused(tmp_path: Path) -> None:
    with pytest.raises(MisuseError, match="Give one of the two"):
        watch(torch.nn.Linear(1, 1), tmp_path, every=5, decision_maker_for_recordings=DecisionMakerForRecordingsHardcoded({1}))


def test_overriding_the_schedule(make_recorder: MakeRecorder) -> None:
    recorder = make_recorder(decision_maker_for_recordings=DecisionMakerForRecordingsFrequencyPerType(10))
    for step, override in enumerate([False, None, None, True, None]):
        with recorder.batch(step, 1, override__recording_is_active=override), recorder.iteration():
            assert recorder.recording_is_active() == (step in {1, 3})
    assert open_recording(folder_of(recorder)).steps == (1, 3)


def test_recorders_that_are_given_one_schedule_count_their_own_steps(make_recorder: MakeRecorder) -> None:
    """As in a sweep, one trial after another, and two at the same time."""
    schedule = DecisionMakerForRecordingsFrequencyPerType(10)
    expected = [0, 10, 20]
    assert steps_of(make_recorder, schedule, "one") == steps_of(make_recorder, schedule, "two") == expected
    assert schedule == DecisionMakerForRecordingsFrequencyPerType(10)


def steps_of(make_recorder: MakeRecorder, schedule: DecisionMakerForRecordingsFrequencyPerType, trial: str) -> list[float]:
    with make_recorder(decision_maker_for_recordings=schedule, trial_id=trial) as recorder:
        for step in range(30):
            with recorder.batch(step, 1), recorder.iteration():
                pass
    return list(open_recording(folder_of(recorder)).steps)


def test_a_schedule_of_ones_own_hears_only_of_steps_that_were_recorded(make_recorder: MakeRecorder) -> None:
    class Odd(DecisionMakerForRecordings):
        def __init__(self) -> None:
            self.marked: list[tuple[int, str]] = []

        def is_record_on_this_step(self, training_step: int, type_of_execution: str) -> bool:  # noqa: ARG002
            return training_step % 2 == 1

        def mark_recording_on_this_step(self, training_step: int, type_of_execution: str) -> None:
            self.marked.append((training_step, type_of_execution))

    schedule = Odd()
    recorder = make_recorder(decision_maker_for_recordings=schedule)
    recorder.start_batch(1, 1, "a")
    recorder.abandon_batch()
    for step in range(2, 6):
        with recorder.batch(step, 1, "b"), recorder.iteration():
            pass
    assert schedule.marked == [(3, "b"), (5, "b")]


def test_a_schedule_that_may_count_how_often_it_is_asked(make_recorder: MakeRecorder) -> None:
    """comgra asks at every call, so that a schedule of a script for comgra may rely on that."""

    class EveryThirdQuestion(DecisionMakerForRecordings):
        questions = 0

        def is_record_on_this_step(self, training_step: int, type_of_execution: str) -> bool:  # noqa: ARG002
            self.questions += 1
            return self.questions % 3 == 1

        def mark_recording_on_this_step(self, training_step: int, type_of_execution: str) -> None:
            pass

    schedule = EveryThirdQuestion()
    recorder = make_recorder(decision_maker_for_recordings=schedule)
    with pytest.warns(ComgraRecordingWarning, match="EveryThirdQuestion.*called once per step") as caught:
        assert run(recorder, ["a"] * 7) == [0, 3, 6]
    assert (schedule.questions, len(caught), caught[0].filename) == (7, 1, __file__)


def test_a_pace_that_goes_on_where_an_earlier_run_ended(make_recorder: MakeRecorder) -> None:
    state: dict[str, tuple[int, float]] = {"a": (3, 4.0)}
    recorder = make_recorder(decision_maker_for_recordings=DecisionMakerForRecordingsFrequencyPerType(4, 2.0, state))
    # `a` is due 4 steps after 3, and then 8 steps after that.
    assert run(recorder, ["a"] * 16) == [7, 15]
    assert state == {"a": (15, 16.0)}
