"""The flows that vnittest's files hold or imply, as compressed rows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from comgra_export.analysis.gradient_flow import compress_blocks, residuals_of
from comgra_export.importers.vnittest.data import PLANES, Links
from comgra_export.storage import PairNumbers
from comgra_export.storage.flow_model import compress_rows

__all__ = ["as_float32", "given_flows", "links_to_neighbours"]

Array = NDArray[np.generic]


def given_flows(flows: Array | Links, source_size: int, gradients: NDArray[np.float32] | None) -> PairNumbers:
    """What a file holds.

    Args:
        flows: A matrix `[elements of the source, elements of the target]`, or links, which have the value 1.
        source_size: How many elements the source has.
        gradients: Of the source, `[1, source_size]`, or None: without residuals.
    """
    if isinstance(flows, Links):
        pair = _compressed(flows.sources, flows.targets, np.ones(len(flows.sources), np.float32), source_size)
    else:
        pair = compress_blocks([as_float32(flows)])
    return pair if gradients is None else replace(pair, residuals=residuals_of(pair, gradients))


def links_to_neighbours(source: Array, target_shape: tuple[int, ...]) -> PairNumbers:
    """The flows of the explicit mode: plane `j` of a pixel leads to its neighbour `j`, with value 1 where its gradient is not zero.

    Neighbours count row by row from the one above and to the left, so that the pixel itself is the fifth. What would lead out of the target
    is left out.

    Args:
        source: Gradients `[9, rows, columns]`.
        target_shape: `[9, rows, columns]`, where a flow stays in its plane, or a shape of one plane.
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
    """Numbers in the machine's order of bytes; what is too large becomes infinite."""
    with np.errstate(all="ignore"):
        return np.ascontiguousarray(numbers.astype(np.float32))


def _compressed(sources: NDArray[np.int64], targets: NDArray[np.int64], flows: NDArray[np.float32], source_size: int) -> PairNumbers:
    return PairNumbers(*compress_rows(sources, targets, flows, source_size))
