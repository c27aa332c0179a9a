"""Arrays as a safetensors file: eight bytes of header length, a JSON header, then the arrays one after another.

The container is written and read here and not by the `safetensors` package, whose files and ours are interchangeable (the tests
hold them together). The package has no numpy type for bfloat16, copies every array twice on reading, reports a full disk without its
error number, makes files that only their owner can read, and takes raw addresses on writing, in a call that changed between
its versions.

A file may hold checksums, as the first member of its header: that of the header's bytes after this member, then that of each array in
the order of their bytes.

    {"__metadata__":{"xxh3_64":"5a0f3cb5d1f7a6c2 0d1ae5b0e8a1ff2b"},"extrema.F32":{"dtype":"F32", ...}}
"""

from __future__ import annotations

import mmap
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from io import BufferedReader, UnsupportedOperation
from math import prod
from typing import BinaryIO, TypeGuard

import numpy as np
from numpy.typing import NDArray
from xxhash import xxh3_64

from comgra_export.errors import DamagedRecordingError, MisuseError
from comgra_export.storage.model.layout import Blob
from comgra_export.storage.text.checksums import CHECKSUM, checksum_of
from comgra_export.storage.text.json_codec import damaged, dumps, loads
from comgra_export.storage.text.limits import Limit, check_limit

__all__ = ["ARRAY_DTYPES", "StoredArray", "check_array", "encode_blobs", "map_array", "part_of", "read_array", "read_index", "widened"]

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
_BLOCK = 4 * 1024 * 1024
_CHECKSUMS = re.compile(rb'\{"__metadata__":\{"xxh3_64":"([0-9a-f ]*)"\}')
_MAX_DIMENSIONS = 64


@dataclass(frozen=True)
class StoredArray:
    """Where an array is in a file: `begin` and `end` count bytes from the start of the file.

    Attributes:
        checksum: That of its bytes; None if the file has none.
    """

    dtype: str
    shape: tuple[int, ...]
    begin: int
    end: int
    checksum: str | None = None


def widened(stored: str, numbers: NDArray[np.generic]) -> NDArray[np.generic]:
    """Stored numbers as what they mean: BF16 as float32, in an array of its own, and all others as they are."""
    if stored != "BF16":
        return numbers
    wide: NDArray[np.generic] = (numbers.astype(np.uint32) << 16).view(np.float32)
    return wide


def encode_blobs(blobs: Sequence[tuple[str, Blob]], *, checksums: bool = False) -> Iterator[bytes | memoryview]:
    """Yields the bytes of a safetensors file, piece by piece, without copying arrays that are contiguous and little-endian.

    Arrays with large elements come first, then by name, so that every array is aligned to its element size.

    Args:
        blobs: Names and arrays; an array keeps its shape.
        checksums: Whether to write checksums.

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
    arrays = [data.reshape(-1).view(np.uint8).data for _, _, data in ordered]
    text = _with_checksums(dumps(header), arrays) if checksums else _padded(dumps(header), 0)
    yield len(text).to_bytes(_LENGTH_BYTES, "little") + text
    yield from arrays


def _with_checksums(header: bytes, arrays: Sequence[memoryview]) -> bytes:
    """A header with its own checksum and those of the arrays as its first member."""
    begin, end = f'{{"__metadata__":{{"{CHECKSUM}":"'.encode(), b'"}'
    # A checksum and the space before it take 17 bytes.
    length = len(begin) + 17 * (len(arrays) + 1) - 1 + len(end)
    rest = _padded(b"," + header[1:] if arrays else header[1:], length)
    checksums = " ".join([checksum_of(rest), *(checksum_of(array) for array in arrays)])
    return begin + checksums.encode() + end + rest


def _padded(text: bytes, before: int) -> bytes:
    """Text with spaces behind it, so that with what comes before, its length is a multiple of eight."""
    return text + b" " * (-(before + len(text)) % 8)


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


def read_index(stream: BinaryIO, file: str, *, checksums: bool = False) -> dict[str, StoredArray]:
    """Reads which arrays a safetensors file holds, and checks every size and offset against the file's length.

    Args:
        stream: The file.
        file: What messages call it.
        checksums: Whether it must have checksums. The header's own is checked.

    Returns:
        The arrays by name. One whose dtype is unknown here is among them; it cannot be read.

    Raises:
        DamagedRecordingError: The header is cut off or is no safetensors header; or arrays overlap, leave holes, or do not end where
            the file ends; or the header is not what was written.
    """
    length = stream.seek(0, 2)
    check_limit(Limit.NUMBERS_FILE_BYTES, length, file)
    stream.seek(0)
    header_bytes = int.from_bytes(stream.read(_LENGTH_BYTES), "little")
    data_begin = _LENGTH_BYTES + header_bytes
    if data_begin > length:
        raise damaged(file, f"its {length} bytes do not hold the header that they announce; it may have been cut off")
    check_limit(Limit.JSON_BYTES, header_bytes, file)
    text = stream.read(header_bytes)
    header = loads(text, file)
    if not isinstance(header, dict):
        raise damaged(file, "its header is not a JSON object")
    arrays = {name: _stored_array(name, entry, data_begin, file) for name, entry in header.items() if name != "__metadata__"}
    position = data_begin
    ordered = sorted(arrays.items(), key=lambda item: (item[1].begin, item[1].end))
    for name, array in ordered:
        if array.begin != position:
            raise damaged(file, f"the array {name[:60]!a} does not begin where the one before it ends")
        position = array.end
    if position != length:
        raise damaged(file, f"its arrays end at byte {position}, but the file has {length} bytes; it may have been cut off")
    if not checksums:
        return arrays
    of_arrays = _read_checksums(text, len(ordered), file)
    return {name: replace(array, checksum=checksum) for (name, array), checksum in zip(ordered, of_arrays, strict=True)}


def _read_checksums(header: bytes, arrays: int, file: str) -> list[str]:
    """Checks a header, and reads the checksums of the arrays, in the order of their bytes."""
    member = _CHECKSUMS.match(header)
    own, *of_arrays = member[1].decode().split(" ") if member is not None else [""]
    if member is None or len(of_arrays) != arrays or checksum_of(header[member.end() :]) != own:
        raise damaged(file, "its header does not fit its checksum, so something changed it")
    return of_arrays


def _stored_array(name: str, entry: object, data_begin: int, file: str) -> StoredArray:
    members = entry if isinstance(entry, dict) else {}
    dtype, shape, offsets = members.get("dtype"), members.get("shape"), members.get("data_offsets")
    if not isinstance(dtype, str) or not _are_sizes(shape) or not _are_sizes(offsets) or len(offsets) != 2:
        raise damaged(file, f"the array {name[:60]!a} has no proper dtype, shape and data_offsets")
    begin, end = offsets
    known = ARRAY_DTYPES.get(dtype)
    # Python's integers do not overflow, so the product is the true one, however hostile the shape is.
    if begin > end or (known is not None and prod(shape) * known.itemsize != end - begin):
        raise damaged(file, f"the array {name[:60]!a} has a shape that does not fit its {end - begin} bytes")
    return StoredArray(dtype, tuple(shape), data_begin + begin, data_begin + end)


def _changed(file: str) -> DamagedRecordingError:
    return damaged(file, "the checksum of an array is that of other bytes, so something changed it")


def _are_sizes(value: object) -> TypeGuard[list[int]]:
    return isinstance(value, list) and len(value) <= _MAX_DIMENSIONS and all(type(size) is int and 0 <= size < 2**63 for size in value)


def read_array(stream: BinaryIO, array: StoredArray, file: str) -> Blob:
    """Reads one array into memory of its own, with one copy, and checks its checksum if it has one. Its dtype is one of `ARRAY_DTYPES`.

    Raises:
        DamagedRecordingError: The array is not what was written, or the file became shorter since its index was read; or it has more
            bytes than the limits allow.
    """
    check_limit(Limit.NUMBERS_BYTES, array.end - array.begin, file)
    data = np.empty(array.shape, ARRAY_DTYPES[array.dtype])
    stream.seek(array.begin)
    if stream.readinto(data.reshape(-1).view(np.uint8)) != data.nbytes:  # type: ignore[attr-defined]
        raise damaged(file, "it was cut off while it was being read")
    if array.checksum is not None and checksum_of(data.reshape(-1).view(np.uint8).data) != array.checksum:
        raise _changed(file)
    return Blob(array.dtype, data)


def check_array(stream: BinaryIO, array: StoredArray, file: str) -> None:
    """Checks the checksum of an array of which a part is to be read, if it has one.

    Raises:
        DamagedRecordingError: The array is not what was written.
    """
    if array.checksum is None:
        return
    stream.seek(array.begin)
    checksum = xxh3_64()
    for begin in range(array.begin, array.end, _BLOCK):
        checksum.update(stream.read(min(_BLOCK, array.end - begin)))
    if checksum.hexdigest() != array.checksum:
        raise _changed(file)


def map_array(stream: BufferedReader, array: StoredArray) -> NDArray[np.generic]:
    """One array where it lies in its file, as numpy holds it: read-only, and read when it is used. It outlives the stream.

    A file at an address cannot be mapped, so its array is read now.
    """
    dtype = ARRAY_DTYPES[array.dtype]
    if array.begin == array.end:
        return np.zeros(array.shape, dtype)
    try:
        descriptor = stream.fileno()
    except UnsupportedOperation:
        stream.seek(array.begin)
        return np.frombuffer(stream.read(array.end - array.begin), dtype).reshape(array.shape)
    mapped = mmap.mmap(descriptor, 0, access=mmap.ACCESS_READ)
    return np.frombuffer(mapped, dtype, prod(array.shape), array.begin).reshape(array.shape)


def part_of(array: StoredArray, first: int, count: int) -> StoredArray:
    """Some elements of an array, one after another, as an array of one dimension. They must be in it."""
    size = ARRAY_DTYPES[array.dtype].itemsize
    return StoredArray(array.dtype, (count,), array.begin + first * size, array.begin + (first + count) * size)
