from __future__ import annotations

from comgra_export import (
    ComgraRecorder,
    DecisionMakerForRecordings,
    DecisionMakerForRecordingsFrequencyPerType,
    DecisionMakerForRecordingsHardcoded,
)
from comgra_export.storage import open_recording
from support.recorder.fixtures import MakeRecorder
from support.recorder.reading import folder_of


def run(recorder: ComgraRecorder, types: list[str]) -> list[int]:
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
    # The distance is 1.15 steps, then 1.32, 1.52, 1.75, 2.01 and so on, and a step is due once it is that far away.
    assert run(recorder, ["a"] * 60) == [0, 2, 4, 6, 8, 11, 14, 17, 21, 25, 30, 35, 41, 48, 56]


def test_overriding_the_schedule(make_recorder: MakeRecorder) -> None:
    recorder = make_recorder(decision_maker_for_recordings=DecisionMakerForRecordingsFrequencyPerType(10))
    for step, override in enumerate([False, None, None, True, None]):
        with recorder.batch(step, 1, override__recording_is_active=override), recorder.iteration():
            assert recorder.recording_is_active() == (step in {1, 3})
    assert open_recording(folder_of(recorder)).steps == (1, 3)


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
