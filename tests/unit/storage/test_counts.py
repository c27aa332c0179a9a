"""Counts are stored as narrow columns. Version 1 of the format, with a row of five per record, is still read."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
import safetensors.numpy
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from comgra_export.errors import DamagedRecordingError
from comgra_export.storage import (
    Blob,
    Group,
    Header,
    Layout,
    RecordedSamples,
    RecordingWriter,
    StepDescription,
    open_recording,
)
from support.breadth import examples
from support.storage.entries import tensor_entry
from support.storage.strategies import Step, recorded_steps, write_example

quick = examples(40)

COLUMNS = ["counts.nan", "counts.positive_infinity", "counts.negative_infinity", "counts.zero", "counts.flags"]
LARGEST = {"U8": 2**8 - 1, "U16": 2**16 - 1, "I32": 2**31 - 1, "I64": 2**63 - 1}
NUMPY_DTYPES = {"U8": "uint8", "U16": "uint16", "I32": "int32", "I64": "int64"}


def blob_of(folder: Path, step: int) -> Path:
    return folder / "steps" / f"{step:012d}.safetensors"


def write_counts(folder: Path, counts: NDArray[Any]) -> None:
    """Writes step 1, which holds single numbers with these counts, `[R, 5]`."""
    names = [f"x{record}" for record in range(len(counts))]
    entries = tuple(tensor_entry(name, type="loss", kind="single_value") for name in names)
    writer = RecordingWriter(folder, Header("g", "t"))
    layout = writer.write_layout(Layout(entries, (Group("forward", tuple(range(len(entries)))),)))
    numbers = np.zeros(2 * len(entries), np.float32)
    blobs = [("extrema.F32", Blob("F32", numbers)), ("statistics.F32", Blob("F32", numbers[::2].copy()))]
    counted = Blob("I64" if counts.dtype == np.int64 else "I32", counts)
    writer.write_step(StepDescription(1, "t", 1, layout, (), RecordedSamples(())), [("counts", counted), *blobs])
    writer.close()


def as_version_1(folder: Path) -> None:
    """Rewrites a recording as version 1 of the format has it: `counts`, `[R, 5]`, in place of columns."""
    header = folder / "recording.json"
    header.write_text(json.dumps({**json.loads(header.read_text()), "version": 1}))
    for description in (folder / "steps").glob("*.json"):
        file = description.with_suffix(".safetensors")
        content = file.read_bytes() if file.exists() else (2).to_bytes(8, "little") + b"{}"
        begin = 8 + int.from_bytes(content[:8], "little")
        arrays = {}
        for name, array in json.loads(content[8:begin]).items():
            first, last = array["data_offsets"]
            arrays[name] = array["dtype"], array["shape"], content[begin + first : begin + last]
        layout = json.loads((folder / "layouts" / f"{json.loads(description.read_text())['layout']}.json").read_text())
        records = sum(len(group["tensors"]) for group in layout["groups"])
        counts = np.zeros((records, 5), np.int32)
        for column, name in enumerate(COLUMNS):
            if name in arrays:
                dtype, _, data = arrays.pop(name)
                counts[:, column] = np.frombuffer(data, NUMPY_DTYPES[dtype])
        if records:
            arrays["counts"] = "I32", [records, 5], counts.tobytes()
        index, position = {}, 0
        for name, (dtype, shape, data) in arrays.items():
            index[name] = {"dtype": dtype, "shape": shape, "data_offsets": [position, position := position + len(data)]}
        text = json.dumps(index).encode()
        file.write_bytes(len(text).to_bytes(8, "little") + text + b"".join(data for _, _, data in arrays.values()))


def numbers_around(limit: int) -> st.SearchStrategy[int]:
    return st.sampled_from([limit, min(limit + 1, 2**63 - 1)])


counts_of_a_column = st.one_of(st.just(0), st.integers(0, 300), *map(numbers_around, LARGEST.values()))


@quick
@given(st.lists(st.tuples(*[st.just(0) | counts_of_a_column] * 5), min_size=1, max_size=4))
def test_a_column_is_as_narrow_as_it_can_be_and_is_left_out_where_it_is_zero(rows: list[tuple[int, ...]]) -> None:
    counts = np.array(rows, np.int64)
    with TemporaryDirectory() as root:
        folder = Path(root)
        write_counts(folder, counts)
        stored = safetensors.numpy.load_file(blob_of(folder, 1))
        largest = dict(zip(COLUMNS, counts.max(axis=0).tolist(), strict=True))
        narrowest = {name: next(dtype for dtype, limit in LARGEST.items() if number <= limit) for name, number in largest.items() if number}
        assert {name: array.dtype.name for name, array in stored.items() if name.startswith("counts")} == {
            name: NUMPY_DTYPES[dtype] for name, dtype in narrowest.items()
        }
        read = open_recording(folder).blobs(1, ["counts"])["counts"]
    assert read.dtype == ("I64" if counts.max() > 2**31 - 1 else "I32")
    assert read.data.tolist() == counts.tolist()


@quick
@given(recorded_steps())
def test_a_recording_of_version_1_reads_the_same(step: Step) -> None:
    with TemporaryDirectory() as root:
        folder = Path(root)
        writer = RecordingWriter(folder, Header("g", "t"))
        description = StepDescription(1, "t", 3, writer.write_layout(step.layout), (), RecordedSamples(tuple(range(step.samples))))
        writer.write_step(description, step.blobs())
        writer.close()
        written = open_recording(folder).blobs(1)
        as_version_1(folder)
        recording = open_recording(folder)
        assert recording.header.version == 1
        assert recording.check_step(1), recording.problems
        read = recording.blobs(1)
    assert list(read) == list(written)
    for name, blob in read.items():
        assert (name, blob.dtype, blob.data.shape) == (name, written[name].dtype, written[name].data.shape)
        assert blob.data.tobytes() == written[name].data.tobytes()


def test_a_recording_of_version_1_can_be_appended_to(tmp_path: Path) -> None:
    write_example(tmp_path)
    as_version_1(tmp_path)
    before = {number: open_recording(tmp_path).blobs(number) for number in (0, 7, 1200)}
    header = open_recording(tmp_path).header
    assert header.version == 1

    recording = open_recording(tmp_path)
    last = recording.step(1200)
    writer = RecordingWriter(tmp_path, Header("group", "trial"), append=True)
    assert writer.header == dataclasses.replace(header, version=3)
    # As soon as the writer opens the recording: an older reader could not read what is written from now on.
    assert json.loads((tmp_path / "recording.json").read_text())["version"] == 3
    histograms = {name: Blob(f"{array.dtype.kind}{8 * array.dtype.itemsize}".upper(), array)
                  for name, array in arrays_of(blob_of(tmp_path, 1200)).items() if name.startswith("histograms")}  # fmt: skip
    writer.write_step(dataclasses.replace(last, step=1201, flows=(), session=1), [*before[1200].items(), *histograms.items()])
    writer.close()

    recording = open_recording(tmp_path)
    assert not {"counts"} & set(arrays_of(blob_of(tmp_path, 1201)))
    assert "counts" in arrays_of(blob_of(tmp_path, 1200))
    assert all(recording.check_step(number) for number in (0, 7, 1200, 1201)), recording.problems
    for number, of in ((0, 0), (7, 7), (1200, 1200), (1201, 1200)):
        np.testing.assert_array_equal(recording.blobs(number)["counts"].data, before[of]["counts"].data)


def arrays_of(file: Path) -> dict[str, NDArray[Any]]:
    return dict(safetensors.numpy.load_file(file))


def test_version_1_cannot_do_without_counts(tmp_path: Path) -> None:
    write_example(tmp_path)
    as_version_1(tmp_path)
    arrays = arrays_of(blob_of(tmp_path, 7))
    del arrays["counts"]
    safetensors.numpy.save_file(arrays, blob_of(tmp_path, 7))
    with pytest.raises(DamagedRecordingError, match="the array counts is missing"):
        open_recording(tmp_path).blobs(7)


@pytest.mark.parametrize(
    ("column", "words"),
    [
        (np.zeros(4, np.uint8), r"counts\.zero has the shape \[4\], but the layout implies \[5\]"),
        (np.zeros((5, 1), np.uint8), r"counts\.zero has the shape \[5, 1\]"),
        (np.zeros(5, np.float32), r"counts\.zero has the dtype 'F32' and not U8 or U16 or I32 or I64"),
        (np.zeros(5, np.uint32), r"counts\.zero has the dtype 'U32'"),
    ],
)
def test_a_column_that_contradicts_the_layout_is_refused(tmp_path: Path, column: NDArray[Any], words: str) -> None:
    write_example(tmp_path)
    safetensors.numpy.save_file({**arrays_of(blob_of(tmp_path, 7)), "counts.zero": column}, blob_of(tmp_path, 7))
    recording = open_recording(tmp_path)
    with pytest.raises(DamagedRecordingError, match=words):
        recording.blobs(7)
    assert [recording.check_step(number) for number in (0, 7, 1200)] == [True, False, True]
