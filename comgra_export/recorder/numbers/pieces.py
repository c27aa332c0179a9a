"""The statistics of tensors so large that a copy of all of their values, in a wider dtype, would take too much memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import reduce

import numpy as np
import torch
from torch import Tensor

from comgra_export.recorder.numbers.parts import RowSums, Summary

__all__ = ["PIECE_VALUES", "join_row_sums", "read_in_pieces", "summarize_in_pieces"]

PIECE_VALUES = 16_777_216
"""So many values are copied at once at most: 64 MB in float32, and 128 MB in float64."""


def read_in_pieces(matrix: Tensor, read: Callable[[Tensor], RowSums | None]) -> RowSums | None:
    """Adds up every row of `[R, N]` on the CPU, piece by piece; None if a value is not finite. `read` does it for a piece."""
    blocks = []
    for rows in _row_blocks(matrix):
        pieces = []
        for piece in rows.split(PIECE_VALUES, dim=1):
            sums = read(piece)
            if sums is None:
                return None
            pieces.append(sums)
        blocks.append(join_row_sums(pieces))
    together = np.concatenate([block.sums.reshape(5, -1) for block in blocks], axis=1)
    return RowSums(matrix.shape[1], together.reshape(-1), sum(block.zeros for block in blocks))


def join_row_sums(pieces: Sequence[RowSums]) -> RowSums:
    """The sums over rows, from the sums over consecutive pieces of the same rows."""
    smallest, largest, total, of_magnitudes, spread = np.stack([piece.sums.reshape(5, -1) for piece in pieces], axis=1)
    sizes = np.array([[piece.size] for piece in pieces])
    size = int(sizes.sum())
    deviations = total / sizes - total.sum(axis=0) / size
    sums = [smallest.min(axis=0), largest.max(axis=0), total.sum(axis=0), of_magnitudes.sum(axis=0)]
    sums.append(spread.sum(axis=0) + (sizes * np.square(deviations)).sum(axis=0))
    return RowSums(size, np.concatenate(sums), sum(piece.zeros for piece in pieces))


def summarize_in_pieces(stack: Tensor, summarize: Callable[[Tensor], Summary]) -> Summary:
    """Computes the numbers of tensors of one shape, `[T, B, N]`, not empty, without those over the batch. Nothing waits for an accelerator.

    `summarize` computes those of a piece. There is one statistic of each row: the kind is neither `neuron` nor `single_value`.
    """
    parts: list[Summary] = []
    items: list[Tensor] = []
    for rows in _row_blocks(stack, dim=1):
        pieces = rows.split(PIECE_VALUES, dim=2)
        of_pieces = [summarize(piece) for piece in pieces]
        parts += of_pieces
        items.append(_join_items([part.items for part in of_pieces], [piece.shape[2] for piece in pieces]))
    return Summary(
        counts=torch.stack([part.counts for part in parts]).sum(dim=0),
        # They leave out NaN, which a piece without a finite value has.
        extrema=torch.stack(
            [reduce(torch.fmin, [part.extrema[:, 0] for part in parts]), reduce(torch.fmax, [part.extrema[:, 1] for part in parts])], dim=1
        ),
        items=torch.cat(items, dim=2),
        over_batch=None,
    )


def _join_items(items: Sequence[Tensor], sizes: Sequence[int]) -> Tensor:
    """`[T, 4, B]`: the statistics over rows, from those over consecutive pieces of the same rows, of these sizes."""
    if len(items) == 1:
        return items[0]
    wide = torch.stack(list(items)).to(torch.float32 if items[0].device.type == "mps" else torch.float64)
    mean, of_magnitudes, std, largest = wide.unbind(dim=2)
    # The sizes do not have to reach the device.
    size = sum(sizes)
    joined = _weighted(mean, [each / size for each in sizes])
    deviations = torch.stack([mean - joined, std])
    scale = deviations.abs().amax(dim=(0, 1))
    scale = torch.where((scale > 0) & scale.isfinite(), scale, 1.0)
    between, within = (deviations / scale).square()
    spread = _weighted(between, sizes) + _weighted(within, [each - 1 for each in sizes])
    columns = [joined, _weighted(of_magnitudes, [each / size for each in sizes]), (spread / (size - 1)).sqrt() * scale, largest.amax(dim=0)]
    return torch.stack(columns, dim=1).to(items[0].dtype)


def _weighted(rows: Tensor, weights: Sequence[float]) -> Tensor:
    total = rows[0] * weights[0]
    for row, weight in zip(rows[1:], weights[1:], strict=True):
        total = total + row * weight
    return total


def _row_blocks(values: Tensor, dim: int = 0) -> Iterator[Tensor]:
    """As many rows at a time as fit in a piece, at least one. The rows lie along `dim`, and their values along the last dimension."""
    yield from values.split(max(1, PIECE_VALUES // values.shape[-1]), dim=dim)
