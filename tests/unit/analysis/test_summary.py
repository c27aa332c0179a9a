"""What is in a recording, counted."""

from __future__ import annotations

from pathlib import Path

from comgra_export.analysis import summarize
from comgra_export.storage import open_recording
from support.exporter.recordings import write_trial


def test_everything_in_a_recording_is_counted(tmp_path: Path) -> None:
    steps = write_trial(tmp_path, steps=(0, 7, 1200))
    folder = tmp_path / "group" / "trial" / "rank-0"
    summary = summarize(open_recording(folder))
    assert (summary.trial, summary.rank, summary.steps, summary.steps_by_type) == ("trial", 0, 3, {"even": 2, "odd": 1})
    assert (summary.numbers, summary.groups) == ((0, 7, 1200), ("forward", "gradients"))
    assert (summary.tensors, summary.parameters, summary.triggered, summary.left_behind) == (5, 1, 0, 0)
    # Two curves, a note before each step, and a gap in each step besides one outside.
    assert (summary.curves, summary.notes, summary.gaps) == (2, 3, 4)
    assert (summary.sessions, summary.is_closed, summary.missing_steps, summary.problems) == (1, True, (), ())
    kept = ("statistics.", "aggregates.", "values.")
    assert summary.values == sum(blob.data.size for step in steps.values() for name, blob in step.blobs() if name.startswith(kept))
    assert summary.bytes == sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
    assert summary.bytes_per_value == summary.bytes / summary.values


def test_what_is_damaged_is_named_and_not_counted(tmp_path: Path) -> None:
    write_trial(tmp_path, steps=(0, 7))
    folder = tmp_path / "group" / "trial" / "rank-0"
    next((folder / "steps").glob("*7.json")).write_text("{")
    for structure in (folder / "structures").iterdir():
        structure.write_text("{")
    summary = summarize(open_recording(folder))
    assert (summary.steps, summary.numbers) == (1, (0,))
    assert len(summary.problems) == 2
    assert "Step 7 is damaged" in summary.problems[0]


def test_an_empty_recording_has_no_ratio(tmp_path: Path) -> None:
    write_trial(tmp_path, steps=())
    summary = summarize(open_recording(tmp_path / "group" / "trial" / "rank-0"))
    assert (summary.steps, summary.numbers, summary.values, summary.bytes_per_value) == (0, (), 0, None)
