"""Reads `.npy` files that may be hostile: an array of plain numbers, or an error."""

from __future__ import annotations

from io import BytesIO
from math import prod

import numpy as np
from numpy.typing import NDArray

from comgra_export.errors import ForeignDataError

__all__ = ["read_npy"]

_PLAIN_KINDS = "biuf"
_LARGEST_ITEM = 8
_MAX_ELEMENTS = 2**53


def read_npy(data: bytes, file: str) -> NDArray[np.generic]:
    """Reads the content of a `.npy` file of version 1 or 2.

    numpy's own reader allocates the array that the header announces before it checks how many bytes follow. Here numpy reads the header
    only, and the array is a view of the bytes after it.

    Args:
        data: The file's content.
        file: How messages name the file.

    Returns:
        A read-only array, with the byte order and the memory layout of the file.

    Raises:
        ForeignDataError: It is no `.npy` file, is cut off, or holds anything but booleans, integers and floats of at most 8 bytes.
    """
    stream = BytesIO(data)
    try:
        version = np.lib.format.read_magic(stream)
        if version not in ((1, 0), (2, 0)):
            raise ForeignDataError(
                f"{file} is not read: it has version {version[0]}.{version[1]}, and only versions 1 and 2 hold arrays of plain numbers."
            )
        read_header = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        shape, is_fortran, dtype = read_header(stream)
    except ForeignDataError:
        raise
    except Exception:
        # On a hostile header, numpy's parsers raise many errors: of values, types, syntax, tokens, recursion and memory.
        raise ForeignDataError(f"{file} is not read: it does not begin as numpy.save writes it.") from None
    if dtype.kind not in _PLAIN_KINDS or dtype.itemsize > _LARGEST_ITEM:
        raise ForeignDataError(
            f"{file} is not read: it holds {dtype.name}; only booleans, integers and floats of at most 8 bytes are read."
        )
    octets = data[stream.tell() :]
    has_impossible_size = min(shape, default=0) < 0 or prod(max(1, size) for size in shape) > _MAX_ELEMENTS
    if has_impossible_size or prod(shape) * dtype.itemsize != len(octets):
        raise ForeignDataError(
            f"{file} is not read: it holds {len(octets):,} bytes of numbers, which do not fill an array of the shape "
            f"{list(shape)} and the dtype {dtype.name}; it may have been cut off."
        )
    if not octets:
        return np.zeros(shape, dtype)
    return np.frombuffer(octets, dtype).reshape(shape, order="F" if is_fortran else "C")
