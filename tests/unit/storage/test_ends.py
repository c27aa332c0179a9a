"""How a session ended, in the journal; and whether somebody writes the recording now."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from comgra_export.storage import Header, RecordingWriter, SessionEnd, open_recording
from comgra_export.storage.files.lock import LockTakenError, WritingLock, is_locked

HEADER = Header("g", "t", started="2025-01-02T03:04:05Z")

HOLD = """
import sys
from pathlib import Path
from comgra_export.storage.files.lock import WritingLock

held = WritingLock(Path(sys.argv[1]))
print("held", flush=True)
sys.stdin.read()
"""


def closed_line(folder: Path) -> dict[str, object]:
    line: dict[str, object] = json.loads((folder / "journal.jsonl").read_text().splitlines()[-1])
    return line


def test_the_end_of_a_session_is_read_as_it_was_written(tmp_path: Path) -> None:
    end = SessionEnd(1219, "RuntimeError: boom", 1218, between_steps=True)
    writer = RecordingWriter(tmp_path, HEADER)
    writer.close(end=end)
    line = closed_line(tmp_path)
    assert (line["event"], line["step"]) == ("closed", None)
    assert (line["trained"], line["error"], line["error_step"], line["between_steps"]) == (1219, "RuntimeError: boom", 1218, True)
    recording = open_recording(tmp_path)
    assert [entry.end for entry in recording.journal] == [None, end]
    # The step of an exception is not a step that was finished.
    assert (recording.is_closed, recording.steps, recording.missing_steps) == (True, (), ())


def test_an_end_of_which_nothing_is_known(tmp_path: Path) -> None:
    RecordingWriter(tmp_path, HEADER).close()
    journal = tmp_path / "journal.jsonl"
    assert open_recording(tmp_path).journal[-1].end == SessionEnd()
    # As earlier versions wrote it.
    journal.write_text('{"event":"closed","session":0,"step":null,"time":1.5}\n')
    (entry,) = open_recording(tmp_path).journal
    assert (entry.time, entry.end) == (1.5, SessionEnd(None, None, None))


@pytest.mark.parametrize(
    "members", ['"trained":-1', '"trained":1.5', '"error":7', f'"error":"{"x" * 1001}"', '"error_step":1e12', '"error_step":-1']
)
def test_a_damaged_end_is_left_out_and_reported(tmp_path: Path, members: str) -> None:
    RecordingWriter(tmp_path, HEADER).close()
    (tmp_path / "journal.jsonl").write_text('{"event":"opened","session":0}\n{"event":"closed","session":0,' + members + "}\n")
    recording = open_recording(tmp_path)
    assert [entry.event for entry in recording.journal] == ["opened"]
    assert len(recording.problems) == 1


def test_a_recording_is_being_written_until_it_is_closed(tmp_path: Path) -> None:
    writer = RecordingWriter(tmp_path, HEADER)
    recording = open_recording(tmp_path)
    assert recording.is_being_written()
    writer.close(ended=False)
    assert not recording.is_being_written()
    (tmp_path / "writing.lock").unlink()
    assert not recording.is_being_written()


def test_the_lock_of_another_process_is_seen_and_stays_its_own(tmp_path: Path) -> None:
    path = tmp_path / "writing.lock"
    with subprocess.Popen([sys.executable, "-c", HOLD, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        assert is_locked(path)
        with pytest.raises(LockTakenError):
            WritingLock(path)
        process.stdin.close()
    assert not is_locked(path)
    WritingLock(path).release()


def test_who_only_looks_for_an_instant_keeps_nobody_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "writing.lock"
    path.touch()
    fcntl = pytest.importorskip("fcntl")
    looking = os.open(path, os.O_RDONLY)
    fcntl.flock(looking, fcntl.LOCK_SH)
    assert not is_locked(path), "two may look at once"
    monkeypatch.setattr("comgra_export.storage.files.lock.time.sleep", lambda _: fcntl.flock(looking, fcntl.LOCK_UN))
    held = WritingLock(path)
    assert is_locked(path)
    held.release()
    os.close(looking)


@pytest.mark.parametrize("kind", ["link", "pipe", "folder"])
def test_what_is_no_lock_is_not_opened(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "writing.lock"
    held = WritingLock(tmp_path / "other.lock")
    if kind == "link":
        path.symlink_to(held.path)
    elif kind == "pipe":
        os.mkfifo(path)
    else:
        path.mkdir()
    assert not is_locked(path)
    held.release()
