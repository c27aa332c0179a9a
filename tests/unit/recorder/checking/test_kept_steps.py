"""Which steps rules read while a run goes on, and when."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from comgra_export.recorder.checking.kept_steps import MOST_STEPS, KeptSteps, RecordingInProgress
from comgra_export.storage import Blob, LossCall, RecordedSamples, StepDescription, open_recording
from support.exporter.recordings import write_trial


def test_what_grows_with_a_run_is_not_read(tmp_path: Path) -> None:
    write_trial(tmp_path, steps=(0, 7, 1200))
    folder = tmp_path / "group" / "trial" / "rank-0"
    whole = open_recording(folder)
    assert all((whole.journal, whole.notes, whole.curve_points, whole.gaps))
    for name in ("journal", "notes", "curves", "gaps", "sentinels"):
        (folder / f"{name}.jsonl").unlink(missing_ok=True)
        (folder / f"{name}.jsonl").mkdir()
    few = RecordingInProgress(folder, whole.header, [7])
    assert few.steps == (7,)
    assert few.step(7) == whole.step(7)
    assert (few.journal, few.notes, few.curve_points, few.gaps, few.sentinel_points, few.missing_steps) == ((),) * 6
    assert few.problems == []


def _step(number: int, layout: str = "a", losses: tuple[LossCall, ...] = ()) -> StepDescription:
    return StepDescription(number, "train", 1, layout, (None,), RecordedSamples((0,)), losses=losses)


def _arrays(*not_finite: int) -> Mapping[str, Blob]:
    """The counts of four records, of which some hold a NaN."""
    counts = np.zeros((4, 5), np.int32)
    counts[list(not_finite), 0] = 1
    return {"counts": Blob("I32", counts.reshape(-1))}


def test_few_steps_are_kept_the_first_and_the_last_ones_among_them() -> None:
    kept = KeptSteps()
    for number in range(10_000):
        kept.add(_step(number), _arrays())
        assert len(kept.numbers) <= MOST_STEPS
    numbers = list(kept.numbers)
    assert numbers == sorted(set(numbers))
    assert numbers[0] == 0
    assert numbers[-12:] == list(range(9_988, 10_000))


def test_steps_with_findings_stay() -> None:
    kept = KeptSteps()
    for number in range(10_000):
        kept.add(_step(number), _arrays())
        if number in (7, 5_000):
            kept.pin(number)
    assert {7, 5_000} <= set(kept.numbers)
    assert len(kept.numbers) <= MOST_STEPS + 2


@pytest.mark.slow
def test_rules_are_due_less_and_less_often() -> None:
    kept = KeptSteps()
    due = [number for number in range(1, 100_001) if kept.add(_step(number), _arrays())]
    # Each comes a quarter later than the one before, counted in whole steps.
    assert due[:12] == [1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 18]
    assert len(due) < 60


def test_a_step_of_a_new_kind_is_due_at_once_unless_there_are_many_kinds() -> None:
    kept = KeptSteps()
    for number in range(100):
        kept.add(_step(number), _arrays())
    loss = LossCall("mse_loss")
    cases = [_step(100, "b"), _step(101, "b"), _step(102, "b", (loss,)), _step(103, "a")]
    assert [kept.add(step, _arrays()) for step in cases] == [True, False, True, False]
    due = [number for number in range(1_000, 2_000) if kept.add(_step(number, str(number)), _arrays())]
    assert len(due) < 40


def test_values_that_stop_being_finite_are_due_at_once() -> None:
    kept = KeptSteps()
    for number in range(1_000):
        kept.add(_step(number), _arrays())
    assert [kept.add(_step(1_000 + k), _arrays(*rows)) for k, rows in enumerate([(), (2,), (2,), (2, 3), (2,)])] == [
        False,
        True,
        False,
        True,
        False,
    ]
    assert not kept.add(_step(1_005), {})
