"""The arrays of a step, strung together into lanes and cut into chunks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from comgra_export.exporter.format.constants import LANE_WIDTHS
from comgra_export.storage import Blob

__all__ = ["FLOATS", "INTEGERS", "LARGEST_INT32", "cut", "lanes_of", "little_endian_bytes"]

# The types of numbers in a lane, by its width.
INTEGERS = {4: np.int32, 8: np.int64}
FLOATS = {4: np.float32, 8: np.float64}

LARGEST_INT32 = 2**31 - 1


def lanes_of(arrays: Iterable[Blob]) -> dict[int, list[NDArray[np.uint8]]]:
    """Sorts the arrays of a step, in the order of its array set, into lanes by the width of their elements.

    Returns:
        For every width of `LANE_WIDTHS` the little-endian bytes of the arrays of that width. They share the arrays' memory.
    """
    lanes: dict[int, list[NDArray[np.uint8]]] = {width: [] for width in LANE_WIDTHS}
    for array in arrays:
        lanes[array.data.dtype.itemsize].append(little_endian_bytes(array.data))
    return lanes


def cut(lane: Iterable[NDArray[np.uint8]], size: int) -> Iterator[NDArray[np.uint8]]:
    """Cuts a lane into chunks. The bytes of its arrays follow one another without padding.

    Yields:
        The chunks: `size` bytes each, the last one shorter if it must be, none for an empty lane. Bytes are copied only where a chunk
        spans several arrays.
    """
    parts: list[NDArray[np.uint8]] = []
    room = size
    for array in lane:
        start = 0
        while start < array.size:
            part = array[start : start + room]
            parts.append(part)
            start += part.size
            room -= part.size
            if room == 0:
                yield _joined(parts)
                parts, room = [], size
    if parts:
        yield _joined(parts)


def _joined(parts: list[NDArray[np.uint8]]) -> NDArray[np.uint8]:
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def little_endian_bytes(array: NDArray[np.generic]) -> NDArray[np.uint8]:
    """The bytes of an array in the order of a lane, sharing its memory where they can."""
    little_endian = array.astype(array.dtype.newbyteorder("<"), copy=False)
    return np.ascontiguousarray(little_endian).reshape(-1).view(np.uint8)
