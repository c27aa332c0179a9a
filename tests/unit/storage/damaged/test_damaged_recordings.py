"""Damaged recordings: files that are cut off, lost or replaced. What is damaged is named, and the rest stays."""

from __future__ import annotations

import hashlib
import os
import random
import shutil
from pathlib import Path

import numpy as np
import pytest

from comgra_export.errors import DamagedRecordingError, RecordingError
from comgra_export.storage import Network, Note, open_recording
from support.storage.damage import STEPS, edit, only, read_everything, step_files


def test_an_undamaged_recording_has_no_problems(folder: Path) -> None:
    recording = open_recording(folder)
    assert read_everything(recording) == dict.fromkeys(STEPS, True)
    assert recording.problems == []


@pytest.mark.parametrize("kind", [0, 1], ids=["description", "blob"])
def test_a_step_cut_off_anywhere_is_reported_and_the_others_stay(folder: Path, kind: int) -> None:
    file = step_files(folder, 7)[kind]
    whole = file.read_bytes()
    for length in {*range(0, len(whole), 29), *range(16), len(whole) - 1}:
        file.write_bytes(whole[:length])
        recording = open_recording(folder)
        assert read_everything(recording) == {0: True, 7: False, 1200: True}, length
        assert len(recording.problems) == 1
        assert f"group/trial/rank-0/steps/{file.name}" in recording.problems[0]
        assert "Step 7" in recording.problems[0]


def test_a_blob_with_more_bytes_than_announced_is_refused(folder: Path) -> None:
    with step_files(folder, 7)[1].open("ab") as stream:
        stream.write(b"\0")
    assert not open_recording(folder).check_step(7)


@pytest.mark.parametrize("name", ["notes.jsonl", "curves.jsonl", "gaps.jsonl", "journal.jsonl", "sentinels.jsonl"])
def test_a_cut_off_last_line_is_ignored_silently(folder: Path, name: str) -> None:
    file = folder / name
    whole = file.read_bytes()
    ends = [position for position, byte in enumerate(whole, start=1) if byte == ord("\n")]
    for length in range(len(whole)):
        file.write_bytes(whole[:length])
        recording = open_recording(folder)
        lines = {
            "notes.jsonl": recording.notes,
            "curves.jsonl": recording.curve_points,
            "gaps.jsonl": recording.gaps,
            "journal.jsonl": recording.journal,
            "sentinels.jsonl": recording.sentinel_points,
        }[name]
        whole_lines = sum(end <= length for end in ends)
        # The first line of the sentinels says what the others are about.
        assert len(lines) == (max(0, whole_lines - 1) if name == "sentinels.jsonl" else whole_lines)
        assert recording.problems == []


def test_a_bad_line_in_the_middle_is_skipped_and_reported(folder: Path) -> None:
    lines = (folder / "notes.jsonl").read_bytes().split(b"\n")
    (folder / "notes.jsonl").write_bytes(b"\n".join([lines[0], b'{"text": 3}', b"\xff\xfe", lines[2], b""]))
    recording = open_recording(folder)
    assert recording.notes == (Note("before 0", 0), Note("before 1200", 1200))
    (problem,) = recording.problems
    assert "2 of 4 lines of group/trial/rank-0/notes.jsonl" in problem
    assert "line 2 cannot be used: text is not a string" in problem


@pytest.mark.parametrize("mark", [b'"yes"', b"1", b"[]", b"{}"])
def test_a_gap_whose_mark_is_no_boolean_is_skipped_and_reported(folder: Path, mark: bytes) -> None:
    with (folder / "gaps.jsonl").open("ab") as stream:
        stream.write(b'{"step":7,"reason":"marked","whole_step":true}\n{"step":7,"reason":"damaged","whole_step":' + mark + b"}\n")
        stream.write(b'{"step":7,"reason":"plain","whole_step":null}\n{"step":7,"reason":"false","whole_step":false}\n')
    step_files(folder, 7)[0].unlink()
    recording = open_recording(folder)
    assert recording.missing_steps == ((7, "marked"),)
    assert [gap.reason for gap in recording.gaps[3:]] == ["marked", "plain", "false"]
    (problem,) = recording.problems
    assert "whole_step is neither true nor false" in problem


BAD_JOURNAL_LINES = [
    b"[]", b"\xff", b'{"event":"vanished","session":0}', b'{"event":"opened"}', b'{"event":"finished","session":0}',
    b'{"event":"finished","session":0,"step":-1}', b'{"event":"finished","session":0,"step":1000000000000}',
    b'{"event":"finished","session":-1,"step":3}', b'{"event":"finished","session":0,"step":3,"time":"noon"}',
]  # fmt: skip


@pytest.mark.parametrize("line", BAD_JOURNAL_LINES)
def test_a_damaged_line_of_the_journal_is_skipped_and_reported(folder: Path, line: bytes) -> None:
    journal = folder / "journal.jsonl"
    lines = journal.read_bytes().split(b"\n")
    journal.write_bytes(b"\n".join([lines[0], line, *lines[1:]]))
    recording = open_recording(folder)
    assert read_everything(recording) == dict.fromkeys(STEPS, True)
    assert len(recording.journal) == 5
    assert len(recording.problems) == 1
    assert "group/trial/rank-0/journal.jsonl" in recording.problems[0]


def test_a_step_without_description_is_missing(folder: Path) -> None:
    step_files(folder, 7)[0].unlink()
    recording = open_recording(folder)
    assert recording.steps == (0, 1200)
    assert recording.missing_steps == ((7, "It could not be written, and neither could the reason. The disk may have been full."),)
    assert recording.problems == []


def test_leftovers_of_a_killed_process_are_ignored(folder: Path) -> None:
    description, blob = step_files(folder, 7)
    description.rename(description.with_name(description.name + ".tmp"))
    blob.rename(blob.with_name(blob.name + ".tmp"))
    for name in ("0000000000001.json", "00000000001.json", "00000000000x.json", "+00000000001.json", "٠٠٠٠٠٠٠٠٠٠٠١.json", "notes.txt"):
        (folder / "steps" / name).write_text("{}")
    (folder / "something new").mkdir()
    recording = open_recording(folder)
    assert recording.steps == (0, 1200)
    assert read_everything(recording) == {0: True, 1200: True}


def test_a_recording_killed_before_its_first_step_is_readable(folder: Path) -> None:
    shutil.rmtree(folder / "steps")
    (folder / "network.json").unlink()
    (folder / "notes.jsonl").unlink()
    recording = open_recording(folder)
    assert recording.steps == ()
    assert recording.network == Network()
    assert recording.notes == ()
    assert recording.problems == []


@pytest.mark.parametrize("lost", ["blob", "layout"])
def test_a_lost_file_is_reported_with_its_step(folder: Path, lost: str) -> None:
    file = step_files(folder, 0)[1] if lost == "blob" else only(folder / "layouts")
    file.unlink()
    recording = open_recording(folder)
    assert not recording.check_step(0)
    assert recording.problems == [
        f"Step 0 is damaged. group/trial/rank-0/{file.parent.name}/{file.name} cannot be used: it is missing. "
        "Restore it from a copy, or record again."
    ]
    with pytest.raises(DamagedRecordingError, match="is missing"):
        recording.blobs(0)


def test_a_lost_structure_costs_only_the_graph(folder: Path) -> None:
    only(folder / "structures").unlink()
    recording = open_recording(folder)
    assert recording.check_step(7)
    with pytest.raises(DamagedRecordingError, match="is missing"):
        recording.structure(recording.step(7).structures[0] or "")


def test_lost_calls_cost_only_themselves(folder: Path) -> None:
    only(folder / "calls").unlink()
    recording = open_recording(folder)
    assert recording.check_step(7)
    with pytest.raises(DamagedRecordingError, match="is missing"):
        recording.calls(recording.step(7).calls[0] or "")


def test_calls_of_an_older_network_are_left_out(folder: Path) -> None:
    edit(folder / "network.json", lambda network: network.update(session=1))
    recording = open_recording(folder)
    assert recording.step(7).calls == ()
    assert any("does not hold what calls of some steps refers to" in problem for problem in recording.problems)


@pytest.mark.parametrize("where", ["layouts", "structures", "calls"])
def test_content_that_does_not_have_its_hash_is_refused(folder: Path, where: str) -> None:
    file = only(folder / where)
    file.write_bytes(file.read_bytes().replace(b'"count"', b'"Count"'))
    recording = open_recording(folder)
    with pytest.raises(DamagedRecordingError, match="hash"):
        {"layouts": recording.layout, "structures": recording.structure, "calls": recording.calls}[where](file.stem)


def test_folders_and_pipes_in_place_of_files_are_reported(folder: Path) -> None:
    for name in ("notes.jsonl", "curves.jsonl", "network.json"):
        (folder / name).unlink()
    (folder / "notes.jsonl").mkdir()
    os.mkfifo(folder / "curves.jsonl")
    os.mkfifo(folder / "network.json")
    description = step_files(folder, 7)[0]
    description.unlink()
    description.mkdir()
    recording = open_recording(folder)
    assert read_everything(recording) == {0: True, 7: False, 1200: True}
    assert recording.notes == ()
    assert len(recording.problems) == 4
    assert all("it is not a file" in problem for problem in recording.problems)


def test_steps_that_are_no_folder_are_reported(folder: Path) -> None:
    shutil.rmtree(folder / "steps")
    (folder / "steps").write_text("")
    recording = open_recording(folder)
    assert recording.steps == ()
    assert len(recording.problems) == 1


@pytest.mark.slow
def test_random_damage_never_causes_another_error(folder: Path, tmp_path: Path) -> None:
    """Flips, removes and inserts bytes in every file. Hashes are corrected, so that the checks behind them are reached."""
    dice = random.Random(1)
    files = sorted(file.relative_to(folder) for file in folder.rglob("*") if file.is_file() and file.name != "writing.lock")
    damaged_steps = 0
    for round_ in range(250):
        copy = tmp_path / f"copy-{round_}"
        shutil.copytree(folder, copy)
        file = copy / files[round_ % len(files)]
        data = bytearray(file.read_bytes())
        for _ in range(dice.randint(1, 4)):
            position = dice.randrange(len(data))
            removed = dice.choice([0, 1, 1, dice.randint(1, 20)])
            inserted = dice.choice([b"", bytes([dice.randrange(256)]), b"9", b"-", b"null", b"[", b'"', b"1e99", b"{}"])
            data[position : position + removed] = inserted
        file.write_bytes(data)
        if len(file.stem) == 16:
            digest = hashlib.sha256(data).hexdigest()[:16]
            for step in (copy / "steps").glob("*.json"):
                step.write_bytes(step.read_bytes().replace(file.stem.encode(), digest.encode()))
            file.rename(file.with_stem(digest))
        try:
            recording = open_recording(copy)
        except RecordingError:
            continue
        recording.name = "group/trial/rank-0"
        damaged_steps += list(read_everything(recording).values()).count(False)
        shutil.rmtree(copy)
    assert damaged_steps > 100


def test_a_step_too_large_for_memory_is_refused_in_words(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A sparse file takes no room on disk, whatever its length."""

    def no_memory(*_: object) -> None:
        raise MemoryError

    recording = open_recording(folder)
    monkeypatch.setattr(np, "empty", no_memory)
    with pytest.raises(DamagedRecordingError, match=r"group/trial/rank-0/steps/000000000007\.safetensors .* too large for the memory"):
        recording.blobs(7)
