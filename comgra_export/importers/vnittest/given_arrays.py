"""Turns values of a pickle, which may be anything, into arrays and positions."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod

import numpy as np
from numpy.typing import NDArray

from comgra_export.importers.pickles.reader import PickleValue
from comgra_export.importers.vnittest.data import Links

__all__ = ["as_array", "described", "links_of"]

Array = NDArray[np.generic]

_LINKS = ("indices_in", "indices_out")


def as_array(value: PickleValue) -> Array | None:
    """An array of numbers, also from nested lists of numbers. None: the value is neither."""
    if isinstance(value, np.ndarray):
        return value
    # Checked first, because numpy would make every element as wide as the longest text.
    if not isinstance(value, (list, tuple)) or not _holds_numbers(value):
        return None
    try:
        array = np.array(value)
    except ValueError:
        # The lists have different lengths.
        return None
    return array if array.dtype.kind in "biuf" else None


def _holds_numbers(value: PickleValue) -> bool:
    if isinstance(value, (list, tuple)):
        return all(map(_holds_numbers, value))
    return isinstance(value, (bool, int, float, np.ndarray))


def links_of(flows: Mapping[object, PickleValue], source: tuple[int, ...], target: tuple[int, ...]) -> Links | str:
    """Links from lists of positions, or what is wrong with them, as the end of a sentence."""
    if set(flows) != set(_LINKS):
        return f"are a dict without exactly {_LINKS[0]} and {_LINKS[1]}"
    positions = []
    for key, shape in zip(_LINKS, (source, target), strict=True):
        flat = _flat_positions(flows[key], shape)
        if flat is None:
            return f"have {key} that are not positions in {list(shape)}, neither flat nor (rows, columns)"
        positions.append(flat)
    if len(positions[0]) != len(positions[1]):
        return f"have {len(positions[0])} {_LINKS[0]} and {len(positions[1])} {_LINKS[1]}"
    pairs = np.unique(np.stack(positions, axis=1), axis=0)
    return Links(pairs[:, 0], pairs[:, 1])


def _flat_positions(value: PickleValue, shape: tuple[int, ...]) -> NDArray[np.int64] | None:
    """Positions in a flattened layer, from flat positions, or from rows and columns in a layer `[..., rows, columns]` of one plane."""
    array = as_array(value)
    if array is None:
        return None
    if not array.size:
        return np.zeros(0, np.int64)
    if array.dtype.kind not in "iu":
        return None
    indices: NDArray[np.int64] = array.astype(np.int64)
    if array.ndim == 2 and len(array) == 2 and len(shape) > 1:
        rows, columns = indices[0], indices[1]
        if prod(shape[:-2]) != 1 or rows.min() < 0 or rows.max() >= shape[-2] or columns.min() < 0 or columns.max() >= shape[-1]:
            return None
        return np.asarray(rows * shape[-1] + columns)
    flat: NDArray[np.int64] = indices.reshape(-1)
    return flat if flat.min() >= 0 and flat.max() < prod(shape) else None


def described(value: PickleValue) -> str:
    """A value in words."""
    if isinstance(value, np.ndarray):
        return f"an array of the shape {list(value.shape)}"
    return "nothing" if value is None else f"a {type(value).__name__}"
