"""Writes pickles of arrays and containers that old and new versions of Python and numpy can read.

Python's own writer names the modules of the installed numpy, and numpy 1 does not know the names that numpy 2 uses. This writer uses the
names of numpy 1, which all versions know.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

__all__ = ["PickledContent", "write_pickle"]

PickledContent = (
    str
    | NDArray[np.generic]
    | tuple["PickledContent", ...]
    | Mapping[str, "PickledContent"]
    | Mapping[tuple[str, str], "PickledContent"]
    | None
)
"""The values that `write_pickle` takes."""

_RECONSTRUCT = b"cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\nK\x00\x85C\x01b\x87R"
_DTYPE = b"cnumpy\ndtype\n"
_BUILD_DTYPE = b"(K\x03X\x01\x00\x00\x00<NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00tb"


def write_pickle(content: PickledContent) -> bytes:
    """Writes a pickle of protocol 3.

    Args:
        content: Arrays must be of plain numbers and have less than 4 GiB. They are written little-endian and row by row.
    """
    parts: list[bytes] = [b"\x80\x03"]
    _write(content, parts)
    return b"".join([*parts, b"."])


def _write(content: PickledContent, parts: list[bytes]) -> None:
    if content is None:
        parts.append(b"N")
    elif isinstance(content, str):
        parts.append(_text(content))
    elif isinstance(content, np.ndarray):
        _write_array(content, parts)
    elif isinstance(content, tuple):
        parts.append(b"(")
        for member in content:
            _write(member, parts)
        parts.append(b"t")
    else:
        parts.append(b"}(")
        for key, value in content.items():
            _write(key, parts)
            _write(value, parts)
        parts.append(b"u")


def _write_array(array: NDArray[np.generic], parts: list[bytes]) -> None:
    code = f"{array.dtype.kind}{array.dtype.itemsize}"
    octets = array.astype(array.dtype.newbyteorder("<")).tobytes()
    shape = b"(" + b"".join(struct.pack("<ci", b"J", size) for size in array.shape) + b"t"
    dtype = _DTYPE + _text(code) + b"\x89\x88\x87R" + _BUILD_DTYPE
    parts += [_RECONSTRUCT, b"(K\x01", shape, dtype, b"\x89", struct.pack("<cI", b"B", len(octets)), octets, b"tb"]


def _text(text: str) -> bytes:
    octets = text.encode("utf-8", "surrogatepass")
    return struct.pack("<cI", b"X", len(octets)) + octets
