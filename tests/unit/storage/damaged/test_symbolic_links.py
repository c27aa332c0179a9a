"""Symbolic links to a recording are followed; links within a recording are refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from comgra_export.errors import DamagedRecordingError
from comgra_export.storage import Header, Network, Note, RecordingWriter, find_recordings, open_recording
from support.storage.strategies import write_example


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The example, in a folder of the shape that a recorder makes."""
    rank = tmp_path / "group" / "trial" / "rank-0"
    write_example(rank)
    return rank


def test_a_link_in_place_of_the_header_is_refused(tmp_path: Path) -> None:
    write_example(tmp_path / "theirs")
    (tmp_path / "runs" / "t" / "rank-0").mkdir(parents=True)
    (tmp_path / "runs" / "t" / "rank-0" / "recording.json").symlink_to(tmp_path / "theirs" / "recording.json")
    (folder,) = find_recordings(tmp_path / "runs")
    with pytest.raises(DamagedRecordingError, match="symbolic link"):
        open_recording(folder)


def test_a_recording_may_be_reached_through_a_link(tmp_path: Path) -> None:
    write_example(tmp_path / "elsewhere" / "trial" / "rank-0")
    (tmp_path / "linked").symlink_to(tmp_path / "elsewhere" / "trial", target_is_directory=True)
    (folder,) = find_recordings(tmp_path / "linked")
    recording = open_recording(folder)
    assert all(recording.check_step(step) for step in recording.steps)
    assert len(recording.notes) == 3
    assert recording.problems == []


@pytest.mark.parametrize("name", ["notes.jsonl", "curves.jsonl", "gaps.jsonl", "network.json"])
def test_files_behind_links_are_not_read(folder: Path, tmp_path: Path, name: str) -> None:
    (folder / name).rename(tmp_path / "private")
    (folder / name).symlink_to(tmp_path / "private")
    recording = open_recording(folder)
    lines = {"notes.jsonl": recording.notes, "curves.jsonl": recording.curve_points, "gaps.jsonl": recording.gaps}
    assert [part for part, content in lines.items() if not content] == [name] * (name in lines)
    assert (recording.network == Network()) == (name == "network.json")
    (problem,) = recording.problems
    assert problem.startswith(f"group/trial/rank-0/{name} cannot be used: it is a symbolic link")


@pytest.mark.parametrize("name", ["layouts", "steps/000000000007.json", "steps/000000000007.safetensors"])
def test_steps_behind_links_are_not_read(folder: Path, tmp_path: Path, name: str) -> None:
    (folder / name).rename(tmp_path / "private")
    (folder / name).symlink_to(tmp_path / "private")
    recording = open_recording(folder)
    assert recording.steps == (0, 7, 1200)
    assert not recording.check_step(7)
    assert "symbolic link" in recording.problems[0]
    with pytest.raises(DamagedRecordingError, match="symbolic link"):
        recording.blobs(7)


def test_a_linked_folder_of_steps_is_reported(folder: Path, tmp_path: Path) -> None:
    (folder / "steps").rename(tmp_path / "private")
    (folder / "steps").symlink_to(tmp_path / "private")
    recording = open_recording(folder)
    assert recording.steps == ()
    assert recording.problems == [
        "group/trial/rank-0/steps cannot be used: it is a symbolic link, or behind one, and a recording has none. "
        "Restore it from a copy, or record again."
    ]


def test_a_dangling_link_is_not_taken_for_a_missing_file(folder: Path) -> None:
    (folder / "notes.jsonl").unlink()
    (folder / "notes.jsonl").symlink_to("nowhere")
    recording = open_recording(folder)
    assert recording.notes == ()
    assert len(recording.problems) == 1


@pytest.mark.parametrize("name", ["notes.jsonl", "journal.jsonl", "config.json", "steps", "flows", "recording.json.tmp"])
def test_nothing_is_written_through_links(folder: Path, tmp_path: Path, name: str) -> None:
    theirs = tmp_path / "theirs"
    if name in ("steps", "flows"):
        theirs.mkdir()
    else:
        theirs.write_text("private")
    if (folder / name).exists():
        (folder / name).rename(tmp_path / "moved")
    (folder / name).symlink_to(theirs)
    with pytest.raises(DamagedRecordingError, match="it is a symbolic link"):
        RecordingWriter(folder, Header("group", "trial"), append=True)
    assert theirs.is_dir() or theirs.read_text() == "private"
    assert not theirs.is_dir() or list(theirs.iterdir()) == []


@pytest.mark.parametrize("name", ["notes.jsonl", "network.json.tmp"])
def test_a_link_that_comes_later_is_not_followed(folder: Path, tmp_path: Path, name: str) -> None:
    writer = RecordingWriter(folder, Header("group", "trial"), append=True)
    (tmp_path / "theirs").write_text("private")
    (folder / name).unlink(missing_ok=True)
    (folder / name).symlink_to(tmp_path / "theirs")
    if name == "notes.jsonl":
        with pytest.raises(OSError, match="symbolic link"):
            writer.add_note(Note("more", 7))
    else:
        writer.write_network(Network())
        assert not (folder / "network.json").is_symlink()
    writer.close()
    assert (tmp_path / "theirs").read_text() == "private"


def test_a_lock_behind_a_link_is_not_made(tmp_path: Path) -> None:
    (tmp_path / "writing.lock").symlink_to(tmp_path / "theirs")
    with pytest.raises(OSError, match="symbolic link"):
        RecordingWriter(tmp_path, Header("group", "trial"))
    assert not (tmp_path / "theirs").exists()
