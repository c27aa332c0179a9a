"""The flows that vnittest's files hold or imply, as compressed sparse rows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from comgra_export.analysis.gradient_flow import compress_blocks, residuals_of
from comgra_export.importers.vnittest.data import PLANES, Links
from comgra_export.storage import PairNumbers
from comgra_export.storage.model.gradient_flows import compress_rows

__all__ = ["as_float32", "given_flows", "links_to_neighbours"]

Array = NDArray[np.generic]


def given_flows(flows: Array | Links, source_size: int, gradients: NDArray[np.float32] | None) -> PairNumbers:
    """The flows that a file holds.

    Args:
        flows: A matrix `[elements of the source, elements of the target]`, or links, which have the value 1.
        source_size: The number of elements of the source.
        gradients: Gradients of the source, `[1, source_size]`. None: the result has no residuals.
    """
    if isinstance(flows, Links):
        pair = _compressed(flows.sources, flows.targets, np.ones(len(flows.sources), np.float32), source_size)
    else:
        pair = compress_blocks([as_float32(flows)])
    return pair if gradients is None else replace(pair, residuals=residuals_of(pair, gradients))


def links_to_neighbours(source: Array, target_shape: tuple[int, ...]) -> PairNumbers:
    """The flows of the explicit mode: plane `j` of a pixel leads to its neighbour `j`.

    A flow has the value 1, and there is one for each gradient that is not zero. Neighbours are counted row by row, from the upper left, so
    that the pixel itself is the fifth. Flows that would leave the target are left out.

    Args:
        source: Gradients `[9, rows, columns]`.
        target_shape: `[9, rows, columns]`, and flows stay in their plane, or the shape of a single plane.
    """
    rows, columns = target_shape[-2:]
    planes, row, column = np.nonzero(np.abs(source.astype(np.float64)) > 0)
    to_row, to_column = row + planes // 3 - 1, column + planes % 3 - 1
    inside = (to_row >= 0) & (to_row < rows) & (to_column >= 0) & (to_column < columns)
    to_plane = planes if target_shape[:-2] == (PLANES,) else np.zeros_like(planes)
    sources = np.ravel_multi_index((planes, row, column), source.shape)
    targets = (to_plane * rows + to_row) * columns + to_column
    return _compressed(sources[inside], targets[inside], np.ones(int(inside.sum()), np.float32), source.size)


def as_float32(numbers: Array) -> NDArray[np.float32]:
    """The numbers as float32 in native byte order. Numbers that are too large become infinite."""
    with np.errstate(all="ignore"):
        return np.ascontiguousarray(numbers.astype(np.float32))


def _compressed(sources: NDArray[np.int64], targets: NDArray[np.int64], flows: NDArray[np.float32], source_size: int) -> PairNumbers:
    return PairNumbers(*compress_rows(sources, targets, flows, source_size))
