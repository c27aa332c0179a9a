"""A full disk, a read-only folder, no more files or threads: the training goes on, and what is missing is named."""

from __future__ import annotations

import errno
import os
import resource
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from comgra_export import ComgraRecordingWarning
from comgra_export.storage import CurvePoint, open_recording
from comgra_export.storage.writer import RecordingWriter
from support.processes import Ended
from support.recorder.finished_steps import finished_step, is_whole, make_output
from support.recorder.writing import full_disk, limit, write, write_failing

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("method", ["write_layout", "write_step", "add_finished_step"])
def test_a_full_disk_is_a_gap_and_one_warning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, method: str) -> None:
    output = make_output(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(RecordingWriter, method, full_disk)
        with pytest.warns(ComgraRecordingWarning, match="No space left") as caught:
            write(output, 0, 1, 2)
    assert len(caught) == 1
    output.write_step(finished_step(3))
    output.close()
    recording = open_recording(output.folder)
    assert recording.steps == (3,)
    assert [gap.step for gap in recording.gaps] == [0, 1, 2]
    # What is recorded is made to be shared.
    assert "private" not in (output.folder / "gaps.jsonl").read_text()


def test_gaps_that_find_no_room_are_kept_until_there_is_some(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    output = make_output(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(RecordingWriter, "write_step", full_disk)
        patch.setattr(RecordingWriter, "add_gap", full_disk)
        with pytest.warns(ComgraRecordingWarning):
            write(output, 0, 1, 2)
    output.close()
    assert [gap.step for gap in open_recording(output.folder).gaps] == [0, 1, 2]


def test_a_file_that_may_not_grow(tmp_path: Path) -> None:
    """The system refuses to write more than the limit, as it does on a full disk. It sends a signal too, which Python ignores."""
    output = make_output(tmp_path)
    output.write_step(finished_step(0))
    output.flush()
    length = (output.folder / "journal.jsonl").stat().st_size

    def add_point() -> None:
        output.add_curve_point(CurvePoint("g", "n" * 1000, "t", 2, 1.0), 2)

    with limit(resource.RLIMIT_FSIZE, length + 10), pytest.warns(ComgraRecordingWarning) as caught:
        write(output, 1, 2, then=add_point)
    assert len(caught) == 1
    output.write_step(finished_step(3))
    output.close()
    recording = open_recording(output.folder)
    assert recording.steps == (0, 3)
    assert all(is_whole(recording, number) for number in recording.steps)
    assert {gap.step for gap in recording.gaps} == {1, 2}
    assert not list(output.folder.rglob("*.tmp"))


def test_no_more_open_files(tmp_path: Path) -> None:
    output = make_output(tmp_path)
    output.write_step(finished_step(0))
    output.flush()
    lowest_free = os.dup(0)
    os.close(lowest_free)
    with limit(resource.RLIMIT_NOFILE, lowest_free), pytest.warns(ComgraRecordingWarning, match="Too many open files") as caught:
        write(output, 1, 2)
    assert len(caught) == 1
    output.write_step(finished_step(3))
    output.close()
    recording = open_recording(output.folder)
    assert recording.steps == (0, 3)
    assert [missing.step for missing in recording.missing_steps] == [1, 2]
    assert all("Too many open files" in (missing.reason or "") for missing in recording.missing_steps)


@pytest.mark.parametrize("closes", [True, False])
def test_a_missing_step_whose_reason_could_not_be_written_does_not_blame_its_process(
    closes: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    output = make_output(tmp_path)

    def fail(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(output._writer, "add_gap", fail)
    with pytest.warns(ComgraRecordingWarning):
        write_failing(output, 2 if closes else 3, {1}, ValueError("no such numbers"))
    if closes:
        output.close()
    (missing,) = open_recording(output.folder).missing_steps
    assert missing.step == 1
    assert "neither could the reason" in (missing.reason or "")


READ_ONLY = """
import os, sys, warnings
from pathlib import Path
sys.path[:0] = [{tests!r}]
from support.recorder.finished_steps import finished_step, make_output
from comgra_export.storage import Note
root = Path(sys.argv[1])
output = make_output(root)
output.write_step(finished_step(0))
output.flush()
for folder in (output.folder, *(part for part in output.folder.iterdir() if part.is_dir())):
    folder.chmod(0o500)
if os.getuid() == 0:
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    for number in (1, 2):
        output.write_step(finished_step(number))
        output.add_note(Note("lost"))
    output.close()
print(len({{str(warning.message) for warning in caught}}), *(warning.message for warning in caught), sep="\\n")
"""


def test_a_folder_that_becomes_read_only(tmp_path: Path, run_script: Callable[..., Ended]) -> None:
    tmp_path.chmod(0o755)
    done = run_script(READ_ONLY, tmp_path / "root")
    assert done.returncode == 0, done.stderr
    # One for notes, one for steps.
    assert done.stdout.startswith("2\n")
    assert done.stdout.count("Permission denied") == 2
    for folder in (tmp_path / "root").rglob("*"):
        if folder.is_dir():
            folder.chmod(0o700)
    recording = open_recording(tmp_path / "root" / "g" / "t" / "rank-0")
    assert recording.steps == (0,)
    assert [missing.step for missing in recording.missing_steps] == [1, 2]
    assert recording.is_closed


def test_a_thread_that_cannot_be_started_is_done_without(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    attempts = []

    def no_thread(thread: threading.Thread) -> None:
        attempts.append(thread)
        raise RuntimeError("can't start new thread")

    output = make_output(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", no_thread)
        with pytest.warns(ComgraRecordingWarning, match="can't start new thread") as caught:
            write(output, 0, 1, 2)
    assert (len(caught), len(attempts)) == (1, 1)
    output.write_step(finished_step(3))
    output.close()
    recording = open_recording(output.folder)
    assert (recording.steps, recording.gaps) == ((0, 1, 2, 3), ())
