"""The writer: when files appear, what happens on a full disk, and what it refuses."""

from __future__ import annotations

import json
import os
from io import FileIO
from pathlib import Path

import numpy as np
import pytest

from comgra_export.errors import MisuseError
from comgra_export.storage import (
    Blob,
    CurvePoint,
    Gap,
    Header,
    Layout,
    Note,
    RecordingWriter,
    open_recording,
)
from comgra_export.storage.files import writing
from support.storage.small_step import small_step
from support.storage.strategies import example_layout


def test_the_files_are_where_the_page_says(tmp_path: Path) -> None:
    writer = RecordingWriter(tmp_path, Header("g", "t"))
    description, blobs = small_step(writer, 12)
    writer.write_step(description, blobs)
    writer.close()
    assert json.loads((tmp_path / "recording.json").read_text()) == {
        "format": "comgra-recording", "version": 3, "writer": "", "group": "g", "trial": "t", "rank": 0, "world_size": 1,
        "torch_version": "", "started": "", "prefixes_for_grouping_module_parameters_visually": [""],
        "max_num_batch_size_to_record": None, "checksums": False,
    }  # fmt: skip
    assert json.loads((tmp_path / "steps" / "000000000012.json").read_text()) == {
        "step": 12, "type_of_execution": "t", "batch_size": 1, "layout": description.layout, "structures": [],
        "samples": {"index": []},
    }  # fmt: skip
    assert json.loads((tmp_path / "layouts" / f"{description.layout}.json").read_text()) == {
        "tensors": {
            "name": ["w"], "iteration": [-1], "node": ["w"], "role": [""], "type": ["parameter"], "kind": ["neuron"], "dtype": ["F32"],
            "stored": ["F32"], "shape": [[2]], "batch_dimension": [None], "samples": [0], "operation": [None], "module": [None],
        },
        "groups": [{"name": "forward", "tensors": [0]}],
    }  # fmt: skip
    assert not list(tmp_path.rglob("*.tmp"))


def test_lines_are_on_disk_as_soon_as_they_are_added(tmp_path: Path) -> None:
    writer = RecordingWriter(tmp_path, Header("g", "t"))
    writer.add_note(Note("one\ntwo", 3))
    writer.add_curve_point(CurvePoint("g", "n", "t", 1200, float("-inf")))
    writer.add_gap(Gap("why"))
    writer.add_gap(Gap("lost", 7, whole_step=True))
    assert (tmp_path / "notes.jsonl").read_text() == '{"text":"one\\ntwo","step":3}\n'
    assert (tmp_path / "curves.jsonl").read_text() == '{"group":"g","name":"n","type":"t","t":1200,"v":"-Infinity"}\n'
    assert (tmp_path / "gaps.jsonl").read_text().splitlines() == [
        '{"step":null,"iteration":null,"group":null,"tensor":null,"reason":"why"}',
        '{"step":7,"iteration":null,"group":null,"tensor":null,"reason":"lost","whole_step":true}',
    ]
    writer.close()
    writer.close()


def test_equal_layouts_are_written_once(tmp_path: Path) -> None:
    writer = RecordingWriter(tmp_path, Header("g", "t"))
    first = writer.write_layout(example_layout())
    written = os.stat(tmp_path / "layouts" / f"{first}.json").st_ino
    assert writer.write_layout(example_layout()) == first
    assert os.stat(tmp_path / "layouts" / f"{first}.json").st_ino == written
    other = writer.write_layout(Layout(example_layout().tensors, ()))
    assert other != first
    assert {file.stem for file in (tmp_path / "layouts").iterdir()} == {first, other}


def test_a_step_whose_description_cannot_be_written_does_not_exist(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    writer = RecordingWriter(tmp_path, Header("g", "t"))
    writer.write_step(*small_step(writer, 1))
    rename = os.replace

    def full_disk(source: Path, target: Path) -> None:
        if target.name == "000000000002.json":
            raise OSError(28, "No space left on device")
        rename(source, target)

    monkeypatch.setattr(os, "replace", full_disk)
    with pytest.raises(OSError, match="No space left"):
        writer.write_step(*small_step(writer, 2))
    writer.write_step(*small_step(writer, 3))
    assert not list(tmp_path.rglob("*.tmp"))
    recording = open_recording(tmp_path)
    assert [number for number in recording.steps if recording.check_step(number)] == [1, 3]
    assert recording.problems == []


def test_a_description_is_written_after_its_numbers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    writer = RecordingWriter(tmp_path, Header("g", "t"))
    step = small_step(writer, 1)
    renamed: list[str] = []
    rename = os.replace

    def watched(source: Path, target: Path) -> None:
        renamed.append(target.name)
        rename(source, target)

    monkeypatch.setattr(os, "replace", watched)
    writer.write_step(*step)
    assert renamed == ["000000000001.safetensors", "000000000001.json"]


def test_a_line_cut_off_by_a_full_disk_does_not_spoil_the_next(tmp_path: Path) -> None:
    writer = RecordingWriter(tmp_path, Header("g", "t"))
    writer.add_note(Note("first"))

    class FullDisk:
        def write(self, line: bytes) -> int:
            return os.write(stream.fileno(), line[:5])

    stream = writer._lines._streams["notes.jsonl"]
    writer._lines._streams["notes.jsonl"] = FullDisk()  # type: ignore[assignment]
    with pytest.raises(OSError, match="could not be written whole"):
        writer.add_note(Note("second"))
    writer._lines._streams["notes.jsonl"] = stream
    writer.add_note(Note("third"))
    writer.add_note(Note("fourth"))
    writer.close()
    recording = open_recording(tmp_path)
    assert [note.text for note in recording.notes] == ["first", "third", "fourth"]
    assert len(recording.problems) == 1


def test_a_place_that_cannot_be_written_to_is_an_os_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for folder in (tmp_path / "file", tmp_path / "file" / "trial"):
        with pytest.raises(OSError, match="file"):
            RecordingWriter(folder, Header("g", "t"))
    writer = RecordingWriter(tmp_path / "trial", Header("g", "t"))
    (tmp_path / "trial" / "notes.jsonl").mkdir()
    with pytest.raises(IsADirectoryError):
        writer.add_note(Note("x"))
    (tmp_path / "trial" / "layouts").rmdir()
    with pytest.raises(FileNotFoundError):
        writer.write_layout(example_layout())
    writer.add_gap(Gap("the disk was full"))
    writer.close()
    assert open_recording(tmp_path / "trial").gaps == (Gap("the disk was full"),)


@pytest.mark.parametrize("number", [-1, 1_000_000_000_000])
def test_a_step_number_out_of_range_is_refused(tmp_path: Path, number: int) -> None:
    writer = RecordingWriter(tmp_path, Header("g", "t"))
    with pytest.raises(MisuseError, match=str(number)):
        writer.write_step(*small_step(writer, number))


def test_a_table_of_counts_with_a_wrong_length_is_refused(tmp_path: Path) -> None:
    writer = RecordingWriter(tmp_path, Header("g", "t"))
    description, blobs = small_step(writer, 1)
    with pytest.raises(MisuseError, match="counts"):
        writer.write_step(description, [("counts", Blob("I32", np.zeros(7, np.int32))), *blobs[1:]])
    assert open_recording(tmp_path).steps == ()


class InterruptedFile(FileIO):
    """A file whose first write is followed by an interrupt: all bytes are in it, or only some."""

    kept: int | None = None
    is_over = False

    def write(self, data: bytes) -> int:  # type: ignore[override]
        if self.is_over:
            return super().write(data)
        self.is_over = True
        super().write(data[: self.kept])
        raise KeyboardInterrupt


@pytest.mark.parametrize(("kept", "lines"), [(None, ["first", "second"]), (-1, ["first", "second"]), (5, ["second"])])
def test_an_interrupt_while_a_line_is_added_damages_nothing(
    kept: int | None, lines: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer = RecordingWriter(tmp_path, Header("g", "t", checksums=True))
    monkeypatch.setattr(InterruptedFile, "kept", kept)
    monkeypatch.setattr(writing, "FileIO", InterruptedFile)
    with pytest.raises(KeyboardInterrupt):
        writer.add_note(Note("first", 1))
    writer.add_note(Note("second", 2))
    writer.close()
    content = (tmp_path / "notes.jsonl").read_bytes()
    assert not content.startswith(b"\n")
    assert b"\n\n" not in content
    assert [note.text for note in open_recording(tmp_path).notes] == lines


def test_a_clock_that_is_set_back_gives_no_negative_times(tmp_path: Path) -> None:
    writer = RecordingWriter(tmp_path, Header("g", "t", started="2999-01-01T00:00:00Z"))
    writer.add_finished_step(1)
    writer.close()
    times = [entry.time for entry in open_recording(tmp_path).journal]
    assert times == [0.0, 0.0, 0.0]
