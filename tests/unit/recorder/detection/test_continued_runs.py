"""Detected steps of a run that goes on with an earlier recording: their numbers, and what is kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from comgra_export import ComgraRecorder, DecisionMakerForRecordingsFrequencyPerType, DecisionMakerForRecordingsHardcoded
from comgra_export.errors import NotARecordingError
from comgra_export.storage import Recording, open_recording
from support.recorder.automatic_steps import Script, Watch, types_of

pytestmark = pytest.mark.slow


def folder_of(recorder: ComgraRecorder) -> Path:
    assert recorder.folder is not None
    return recorder.folder


def test_a_run_goes_on_with_its_numbers(watch: Watch) -> None:
    script = Script()
    with watch(script.net, trial_id="same"):
        script.train(2)
    with watch(script.net, trial_id="same", existing_trial="append", first_step=2) as recorder:
        script.train(2)
    assert types_of(recorder) == [(step, "train") for step in range(4)]


def test_a_run_goes_on_where_it_ended_unless_told_otherwise(watch: Watch) -> None:
    script = Script()
    some = DecisionMakerForRecordingsHardcoded({0, 1, 5, 6, 8})
    with watch(script.net, trial_id="same", decision_maker_for_recordings=some):
        script.train(5)
    with watch(script.net, trial_id="same", existing_trial="append", decision_maker_for_recordings=some):
        script.train(2)
    with watch(script.net, trial_id="same", existing_trial="append", decision_maker_for_recordings=some) as recorder:
        script.train(2)
    assert types_of(recorder) == [(step, "train") for step in (0, 1, 5, 6, 8)]
    assert not open_recording(folder_of(recorder)).left_behind


def test_a_killed_run_goes_on_behind_the_last_step_that_it_recorded(watch: Watch) -> None:
    script = Script()
    with watch(script.net, trial_id="same") as recorder:
        script.train(3)
        script.evaluate(1)
    journal = folder_of(recorder) / "journal.jsonl"
    lines = journal.read_text().splitlines(keepends=True)
    assert '"closed"' in lines[-1]
    journal.write_text("".join(lines[:-1]))
    with watch(script.net, trial_id="same", existing_trial="append") as recorder:
        script.train(1)
    assert types_of(recorder) == [(0, "train"), (1, "train"), (2, "train"), (2.000001, "eval"), (3, "train")]


def test_a_run_that_took_up_an_earlier_step_goes_on_behind_its_own_last_one(watch: Watch) -> None:
    script = Script()
    with watch(script.net, trial_id="same"):
        script.train(6)
    with watch(script.net, trial_id="same", existing_trial="append", first_step=2):
        script.train(1)
    with watch(script.net, trial_id="same", existing_trial="append") as recorder:
        script.train(1)
    assert types_of(recorder) == [(step, "train") for step in range(4)]


def test_a_run_that_goes_on_keeps_evaluations(watch: Watch) -> None:
    script = Script()
    with watch(script.net, trial_id="same"):
        script.evaluate(1)
        script.train(2)
        script.evaluate(2)
    with watch(script.net, trial_id="same", existing_trial="append", first_step=2) as recorder:
        script.evaluate(1)
        script.train(2)
    assert types_of(recorder) == [
        (-0.999999, "eval"), (0, "train"), (1, "train"), (1.000001, "eval"), (1.000002, "eval"), (1.000003, "eval"),
        (2, "train"), (3, "train"),
    ]  # fmt: skip


def test_a_run_that_goes_on_from_an_earlier_step_makes_those_behind_it_anew(watch: Watch) -> None:
    script = Script()
    every_fourth = DecisionMakerForRecordingsFrequencyPerType(4)
    with watch(script.net, trial_id="same", decision_maker_for_recordings=every_fourth):
        for _ in range(3):
            script.train(4)
            script.evaluate(1)
    # The training steps 0, 4 and 8, and the evaluations after 3, 7 and 11.
    first = DecisionMakerForRecordingsHardcoded({7})
    with watch(script.net, trial_id="same", existing_trial="append", first_step=7, decision_maker_for_recordings=first) as recorder:
        script.train(2)
    assert types_of(recorder) == [(0, "train"), (3.000001, "eval"), (4, "train"), (7, "train")]


def test_a_disk_that_fails_keeps_no_run_from_going_on(watch: Watch, monkeypatch: pytest.MonkeyPatch) -> None:
    script = Script()
    with watch(script.net, trial_id="same"):
        script.train(2)

    def fail(folder: Path) -> Recording:
        raise NotARecordingError(f"There is no recording.json in {folder}.")

    monkeypatch.setattr("comgra_export.recorder.output.recording_output.open_recording", fail)
    with watch(script.net, trial_id="same", existing_trial="append", first_step=2) as recorder:
        script.train(1)
    assert types_of(recorder) == [(0, "train"), (1, "train"), (2, "train")]
