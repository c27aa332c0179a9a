"""Checksums: whatever changes in a recording after it was written is noticed."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import safetensors

from comgra_export.errors import RecordingError
from comgra_export.storage import Header, Note, RecordingWriter, iterate_records, open_recording, verify
from comgra_export.storage.text.checksums import checksum_of, has_checksum, with_checksum
from support.breadth import at_breadth
from support.storage.small_step import small_step
from support.storage.strategies import write_example


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A recording with everything in it, whose files have checksums."""
    rank = tmp_path / "group" / "trial" / "rank-0"
    write_example(rank, checksums=True)
    return rank


def _faults(folder: Path) -> tuple[str, ...]:
    try:
        return verify(open_recording(folder))
    except RecordingError as error:
        return (str(error),)


def _files(folder: Path) -> Iterator[Path]:
    # What is in the lock means nothing.
    return (file for file in sorted(folder.rglob("*")) if file.is_file() and file.name != "writing.lock")


def test_the_checksum_is_xxh3_of_64_bits() -> None:
    # From the test vectors of xxHash 0.8.
    assert checksum_of(b"") == "2d06800538d394c2"


@pytest.mark.parametrize(("text", "before"), [(b'{"a":1}', b'{"a":1,'), (b"{}", b"{")])
def test_the_checksum_is_that_of_all_bytes_before_it(text: bytes, before: bytes) -> None:
    assert not has_checksum(text)
    assert with_checksum(text) == before + b'"xxh3_64":"' + checksum_of(before).encode() + b'"}'
    assert has_checksum(with_checksum(text))


def test_what_nobody_changed_has_no_faults(folder: Path) -> None:
    assert _faults(folder) == ()
    for file in _files(folder):
        if file.suffix == ".json":
            assert ("xxh3_64" in json.loads(file.read_bytes())) == (len(file.stem) != 16), file
        elif file.suffix == ".jsonl":
            assert all("xxh3_64" in json.loads(line) for line in file.read_bytes().splitlines()), file


def test_other_programs_read_the_numbers(folder: Path) -> None:
    file = folder / "steps" / "000000000007.safetensors"
    blobs = open_recording(folder).blobs(7)
    with safetensors.safe_open(file, "numpy") as opened:
        assert list(opened.metadata()) == ["xxh3_64"]
        np.testing.assert_array_equal(opened.get_tensor("extrema.F32"), blobs["extrema.F32"].data)


def test_every_flipped_bit_is_noticed(folder: Path) -> None:
    random_numbers = random.Random(0)
    for file in _files(folder):
        content = file.read_bytes()
        for _ in range(at_breadth(quick=5, ci=25, full=2000)):
            place, bit = random_numbers.randrange(len(content)), random_numbers.randrange(8)
            changed = bytearray(content)
            changed[place] ^= 1 << bit
            file.write_bytes(changed)
            faults = _faults(folder)
            assert faults, (file.name, place, bit)
            assert any(f"group/trial/rank-0/{file.relative_to(folder)}" in fault for fault in faults), (file.name, place, bit, faults)
        file.write_bytes(content)
    assert _faults(folder) == ()


@pytest.mark.parametrize("name", ["notes.jsonl", "journal.jsonl"])
def test_a_line_that_lost_its_end_is_named(folder: Path, name: str) -> None:
    file = folder / name
    file.write_bytes(file.read_bytes()[:-1])
    (fault,) = _faults(folder)
    assert f"group/trial/rank-0/{name}, line" in fault
    assert "cut off" in fault


@pytest.mark.parametrize("name", ["network.json", "steps/000000000007.json", "recording.json"])
def test_a_file_without_its_checksum_is_damaged(folder: Path, name: str) -> None:
    content = json.loads((folder / name).read_bytes())
    del content["xxh3_64"]
    (folder / name).write_text(json.dumps(content))
    fault, *_ = _faults(folder)
    assert "it does not end with its checksum" in fault


def test_empty_lines_are_skipped(folder: Path) -> None:
    with (folder / "notes.jsonl").open("ab") as stream:
        stream.write(b"\n\n")
    assert _faults(folder) == ()


def test_a_recording_that_was_begun_without_checksums_is_continued_without_them(tmp_path: Path) -> None:
    write_example(tmp_path)
    writer = RecordingWriter(tmp_path, Header("group", "trial", checksums=True), append=True)
    description, blobs = small_step(writer, 1300, session=1)
    writer.add_finished_step(1300)
    writer.write_step(description, blobs)
    writer.add_note(Note("continued", 1300))
    writer.close()
    recording = open_recording(tmp_path)
    assert not recording.header.checksums
    assert verify(recording) == ()
    assert recording.notes[-1].text == "continued"
    assert "xxh3_64" not in (tmp_path / "notes.jsonl").read_text()


def test_values_of_a_part_are_checked_too(folder: Path) -> None:
    recording = open_recording(folder)
    blobs = recording.blobs(7)
    (values,) = (name for name in blobs if name == "values.F32")
    file = folder / "steps" / "000000000007.safetensors"
    content = bytearray(file.read_bytes())
    at = bytes(content).index(blobs[values].data.tobytes())
    content[at] ^= 1
    file.write_bytes(content)
    layout = recording.layout(recording.step(7).layout)
    places = [place for place in iterate_records(layout) if place.entry.values_count and place.entry.stored == "F32"]
    with pytest.raises(RecordingError, match="checksum of an array"):
        open_recording(folder).values(7, places[-1:])
