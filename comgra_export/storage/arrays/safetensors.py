"""Arrays as a safetensors file: eight bytes of header length, a JSON header, then the arrays one after another.

The container is written and read here and not by the `safetensors` package, whose files and ours are interchangeable (the tests
hold them together). The package has no numpy type for bfloat16, copies every array twice on reading, reports a full disk without its
error number, makes files that only their owner can read, and takes raw addresses on writing, in a call that changed between
its versions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import BinaryIO, TypeGuard

import numpy as np
from numpy.typing import NDArray

from comgra_export.errors import MisuseError
from comgra_export.storage.model.layout import Blob
from comgra_export.storage.text.json_codec import damaged, dumps, loads

__all__ = ["ARRAY_DTYPES", "StoredArray", "encode_blobs", "part_of", "read_array", "read_index", "widened"]

ARRAY_DTYPES: dict[str, np.dtype[np.generic]] = {
    name: np.dtype(code)
    for name, code in {
        "F64": "<f8",
        "F32": "<f4",
        "F16": "<f2",
        "BF16": "<u2",
        "I64": "<i8",
        "I32": "<i4",
        "I16": "<i2",
        "I8": "i1",
        "U64": "<u8",
        "U32": "<u4",
        "U16": "<u2",
        "U8": "u1",
        "BOOL": "u1",
    }.items()
}
"""The dtypes of arrays, and how numpy holds them: BF16 as uint16 and BOOL as uint8, with the same bits."""

_LENGTH_BYTES = 8
_MAX_DIMENSIONS = 64


@dataclass(frozen=True)
class StoredArray:
    """Where an array is in a file: `begin` and `end` count bytes from the start of the file."""

    dtype: str
    shape: tuple[int, ...]
    begin: int
    end: int


def widened(stored: str, numbers: NDArray[np.generic]) -> NDArray[np.generic]:
    """Stored numbers as what they mean: BF16 as float32, in an array of its own, and all others as they are."""
    if stored != "BF16":
        return numbers
    wide: NDArray[np.generic] = (numbers.astype(np.uint32) << 16).view(np.float32)
    return wide


def encode_blobs(blobs: Sequence[tuple[str, Blob]]) -> Iterator[bytes | memoryview]:
    """Yields the bytes of a safetensors file, piece by piece, without copying arrays that are contiguous and little-endian.

    Arrays with large elements come first, then by name, so that every array is aligned to its element size.

    Args:
        blobs: Names and arrays; an array keeps its shape.

    Raises:
        MisuseError: A dtype is unknown or does not fit its array, or a name occurs twice.
    """
    ordered = sorted(((name, blob.dtype, _as_stored(name, blob)) for name, blob in blobs), key=lambda item: (-item[2].itemsize, item[0]))
    header: dict[str, object] = {}
    position = 0
    for name, dtype, data in ordered:
        if name in header:
            raise MisuseError(f"The array {name} is given twice. Give each array of a step once.")
        header[name] = {"dtype": dtype, "shape": list(data.shape), "data_offsets": [position, position + data.nbytes]}
        position += data.nbytes
    text = dumps(header)
    text += b" " * (-len(text) % 8)
    yield len(text).to_bytes(_LENGTH_BYTES, "little") + text
    for _, _, data in ordered:
        yield data.reshape(-1).view(np.uint8).data


def _as_stored(name: str, blob: Blob) -> NDArray[np.generic]:
    expected = ARRAY_DTYPES.get(blob.dtype)
    if expected is None:
        raise MisuseError(
            f"The array {name} has the dtype {blob.dtype}, which a recording cannot hold. Use one of {', '.join(ARRAY_DTYPES)}."
        )
    data = blob.data.view(np.uint8) if blob.data.dtype == np.bool_ else blob.data
    if (data.dtype.kind, data.dtype.itemsize) != (expected.kind, expected.itemsize):
        raise MisuseError(f"The array {name} is called {blob.dtype}, but numpy holds it as {blob.data.dtype}. Convert one to the other.")
    return np.ascontiguousarray(data.astype(expected, copy=False))


def read_index(stream: BinaryIO, file: str) -> dict[str, StoredArray]:
    """Reads which arrays a safetensors file holds, and checks every size and offset against the file's length.

    Returns:
        The arrays by name. One whose dtype is unknown here is among them; it cannot be read.

    Raises:
        DamagedRecordingError: The header is cut off or is no safetensors header; or arrays overlap, leave holes, or do not end where
            the file ends.
    """
    length = stream.seek(0, 2)
    stream.seek(0)
    header_bytes = int.from_bytes(stream.read(_LENGTH_BYTES), "little")
    data_begin = _LENGTH_BYTES + header_bytes
    if data_begin > length:
        raise damaged(file, f"its {length} bytes do not hold the header that they announce; it may have been cut off")
    header = loads(stream.read(header_bytes), file)
    if not isinstance(header, dict):
        raise damaged(file, "its header is not a JSON object")
    arrays = {name: _stored_array(name, entry, data_begin, file) for name, entry in header.items() if name != "__metadata__"}
    position = data_begin
    for name, array in sorted(arrays.items(), key=lambda item: (item[1].begin, item[1].end)):
        if array.begin != position:
            raise damaged(file, f"the array {name[:60]!a} does not begin where the one before it ends")
        position = array.end
    if position != length:
        raise damaged(file, f"its arrays end at byte {position}, but the file has {length} bytes; it may have been cut off")
    return arrays


def _stored_array(name: str, entry: object, data_begin: int, file: str) -> StoredArray:
    label = f"the array {name[:60]!a}"
    members = entry if isinstance(entry, dict) else {}
    dtype, shape, offsets = members.get("dtype"), members.get("shape"), members.get("data_offsets")
    if not isinstance(dtype, str) or not _are_sizes(shape) or not _are_sizes(offsets) or len(offsets) != 2:
        raise damaged(file, f"{label} has no proper dtype, shape and data_offsets")
    begin, end = offsets
    known = ARRAY_DTYPES.get(dtype)
    # Python's integers do not overflow, so the product is the true one, however hostile the shape is.
    if begin > end or (known is not None and prod(shape) * known.itemsize != end - begin):
        raise damaged(file, f"{label} has a shape that does not fit its {end - begin} bytes")
    return StoredArray(dtype, tuple(shape), data_begin + begin, data_begin + end)


def _are_sizes(value: object) -> TypeGuard[list[int]]:
    return isinstance(value, list) and len(value) <= _MAX_DIMENSIONS and all(type(size) is int and 0 <= size < 2**63 for size in value)


def read_array(stream: BinaryIO, array: StoredArray, file: str) -> Blob:
    """Reads one array into memory of its own, with one copy. Its dtype is one of `ARRAY_DTYPES`.

    Raises:
        DamagedRecordingError: The file became shorter since its index was read.
    """
    data = np.empty(array.shape, ARRAY_DTYPES[array.dtype])
    stream.seek(array.begin)
    if stream.readinto(data.reshape(-1).view(np.uint8)) != data.nbytes:  # type: ignore[attr-defined]
        raise damaged(file, "it was cut off while it was being read")
    return Blob(array.dtype, data)


def part_of(array: StoredArray, first: int, count: int) -> StoredArray:
    """Some elements of an array, one after another, as an array of one dimension. They must be in it."""
    size = ARRAY_DTYPES[array.dtype].itemsize
    return StoredArray(array.dtype, (count,), array.begin + first * size, array.begin + (first + count) * size)
