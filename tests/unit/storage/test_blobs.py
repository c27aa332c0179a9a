"""The safetensors container: interchangeable with the safetensors package, and refused where its header lies."""

from __future__ import annotations

import io
import json
import struct
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import safetensors
import safetensors.numpy
from hypothesis import given
from hypothesis import strategies as st

from comgra_export.errors import DamagedRecordingError, MisuseError
from comgra_export.storage import Blob
from comgra_export.storage.arrays.safetensors import encode_blobs, read_array, read_index
from support.breadth import examples
from support.storage.strategies import NUMPY_DTYPES, raw_numbers

# The package's stub has no types for it.
parse: Callable[[bytes], list[tuple[str, dict[str, Any]]]] = vars(safetensors)["deserialize"]


def encoded(*blobs: tuple[str, Blob]) -> bytes:
    return b"".join(bytes(piece) for piece in encode_blobs(blobs))


def decoded(data: bytes) -> dict[str, Blob]:
    stream = io.BytesIO(data)
    return {name: read_array(stream, array, "file") for name, array in read_index(stream, "file").items()}


names = st.text(max_size=8).filter(lambda name: name != "__metadata__")
arrays = st.dictionaries(names, st.tuples(st.sampled_from(sorted(NUMPY_DTYPES)), st.integers(0, 9)), max_size=6)


@examples(60)
@given(arrays)
def test_the_package_parses_what_we_write_to_the_same_bytes(arrays: dict[str, tuple[str, int]]) -> None:
    generator = np.random.default_rng(0)
    blobs = {name: Blob(dtype, raw_numbers(generator, dtype, count)) for name, (dtype, count) in arrays.items()}
    data = encoded(*blobs.items())
    parsed = {name: (array["dtype"], array["shape"], bytes(array["data"])) for name, array in parse(data)}
    assert parsed == {name: (blob.dtype, [blob.data.size], blob.data.tobytes()) for name, blob in blobs.items()}
    ours = decoded(data)
    assert {name: (blob.dtype, blob.data.tobytes()) for name, blob in ours.items()} == {
        name: (blob.dtype, blob.data.tobytes()) for name, blob in blobs.items()
    }


@examples(60)
@given(arrays)
def test_we_write_the_same_file_as_the_package(arrays: dict[str, tuple[str, int]]) -> None:
    generator = np.random.default_rng(0)
    spelled = {"BF16": "U16", "BOOL": "U8"}
    blobs = {name: Blob(spelled.get(dtype, dtype), raw_numbers(generator, dtype, count)) for name, (dtype, count) in arrays.items()}
    theirs = safetensors.numpy.save({name: blob.data for name, blob in blobs.items()})
    assert decoded(theirs).keys() == blobs.keys()
    for name, blob in decoded(theirs).items():
        assert (blob.dtype, blob.data.tobytes()) == (blobs[name].dtype, blobs[name].data.tobytes())


def test_bytes_are_those_of_the_safetensors_format() -> None:
    header = b'{"a":{"dtype":"BF16","shape":[2],"data_offsets":[0,4]}}'
    header += b" " * (-len(header) % 8)
    expected = struct.pack("<Q", len(header)) + header + struct.pack("<HH", 0x3F80, 0x7FC0)
    assert encoded(("a", Blob("BF16", np.array([0x3F80, 0x7FC0], np.uint16)))) == expected


@pytest.mark.parametrize(
    "array",
    [
        np.asfortranarray(np.arange(6, dtype=np.float32).reshape(2, 3)),
        np.arange(12, dtype=np.float32).reshape(2, 6)[:, ::2],
        np.arange(6, dtype=">f4").reshape(2, 3),
        np.broadcast_to(np.float32(3), (2, 3)),
        np.arange(6, dtype=np.float32).reshape(2, 3)[::-1],
    ],
    ids=["Fortran", "strided", "big-endian", "broadcast", "reversed"],
)
def test_arrays_in_any_memory_order_are_written_in_c_order(array: np.ndarray[Any, Any]) -> None:
    read = decoded(encoded(("a", Blob("F32", array))))["a"].data
    assert read.shape == (2, 3)
    assert read.tolist() == array.tolist()


def test_booleans_are_bytes() -> None:
    read = decoded(encoded(("a", Blob("BOOL", np.array([True, False, True])))))["a"]
    assert (read.dtype, read.data.dtype.name, read.data.tolist()) == ("BOOL", "uint8", [1, 0, 1])


def test_every_array_begins_at_a_multiple_of_its_element_size() -> None:
    data = encoded(*[(dtype, Blob(dtype, np.ones(3, code))) for dtype, code in NUMPY_DTYPES.items()])
    for dtype, array in read_index(io.BytesIO(data), "file").items():
        assert array.begin % np.dtype(NUMPY_DTYPES[dtype]).itemsize == 0, dtype


def test_wrong_arrays_are_the_callers_fault() -> None:
    with pytest.raises(MisuseError, match="C64"):
        encoded(("a", Blob("C64", np.ones(2, np.complex64))))
    with pytest.raises(MisuseError, match="float64"):
        encoded(("a", Blob("F32", np.ones(2))))
    with pytest.raises(MisuseError, match="int16"):
        encoded(("a", Blob("F16", np.ones(2, np.int16))))
    with pytest.raises(MisuseError, match="twice"):
        encoded(("a", Blob("F32", np.ones(2, np.float32))), ("a", Blob("F32", np.ones(2, np.float32))))


def test_an_array_of_an_unknown_dtype_does_not_hide_the_others() -> None:
    data = with_header(lambda header: header["b"].update(dtype="F99"))
    index = read_index(io.BytesIO(data), "file")
    assert read_array(io.BytesIO(data), index["a"], "file").data.tolist() == [0.0, 1.0]


def with_header(change: Callable[[dict[str, Any]], object]) -> bytes:
    """A file with the arrays a and b, two float32 each, its header changed."""
    header: dict[str, Any] = {
        "__metadata__": {"x": "y"},
        "a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]},
        "b": {"dtype": "F32", "shape": [2], "data_offsets": [8, 16]},
    }
    change(header)
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + struct.pack("<4f", 0, 1, 2, 3)


def test_the_unchanged_header_is_accepted() -> None:
    assert [blob.data.tolist() for blob in decoded(with_header(dict.copy)).values()] == [[0, 1], [2, 3]]


BAD_HEADERS: dict[str, Callable[[dict[str, Any]], object]] = {
    "overlap": lambda header: header["b"].update(data_offsets=[4, 12]),
    "the same bytes": lambda header: header["b"].update(data_offsets=[0, 8]),
    "hole": lambda header: header["a"].update(data_offsets=[0, 4], shape=[1]),
    "beyond the end": lambda header: header["b"].update(data_offsets=[8, 24], shape=[4]),
    "before the beginning": lambda header: header["a"].update(data_offsets=[-8, 0]),
    "backwards": lambda header: header["b"].update(data_offsets=[16, 8]),
    "bytes at the end": lambda header: header.pop("b"),
    "shape does not fit": lambda header: header["a"].update(shape=[3]),
    "product overflows to the right size": lambda header: header["a"].update(shape=[2**62 + 1, 2]),
    "product overflows to zero": lambda header: header["a"].update(shape=[2**33, 2**33], data_offsets=[0, 0]),
    "negative sizes": lambda header: header["a"].update(shape=[-1, -2]),
    "shape is a number": lambda header: header["a"].update(shape=2),
    "shape of fractions": lambda header: header["a"].update(shape=[2.0]),
    "shape of truth values": lambda header: header["a"].update(shape=[2, True]),
    "too many dimensions": lambda header: header["a"].update(shape=[2] + [1] * 64),
    "three offsets": lambda header: header["a"].update(data_offsets=[0, 8, 8]),
    "offsets missing": lambda header: header["a"].pop("data_offsets"),
    "dtype is null": lambda header: header["a"].update(dtype=None),
    "array is a list": lambda header: header.update(a=[]),
}


@pytest.mark.parametrize("change", BAD_HEADERS.values(), ids=BAD_HEADERS.keys())
def test_a_header_that_lies_is_refused(change: Callable[[dict[str, Any]], object]) -> None:
    with pytest.raises(DamagedRecordingError, match=r"^the file\.safetensors cannot be used"):
        read_index(io.BytesIO(with_header(change)), "the file.safetensors")


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "do not hold the header"),
        (b"\x02\0\0\0\0\0\0", "do not hold the header"),
        (struct.pack("<Q", 2**64 - 1) + b"{}", "do not hold the header"),
        (struct.pack("<Q", 3) + b"{}", "do not hold the header"),
        (struct.pack("<Q", 2) + b"[]", "not a JSON object"),
        (struct.pack("<Q", 4) + b"\xff\xff{}", "not valid JSON"),
        (struct.pack("<Q", 5000) + b"[" * 5000, "not valid JSON"),
    ],
)
def test_a_file_that_is_no_safetensors_file_is_refused(data: bytes, words: str) -> None:
    with pytest.raises(DamagedRecordingError, match=words):
        read_index(io.BytesIO(data), "file")
