"""The numbers of float32 tensors on the CPU, by the way that is fastest for them: compiled, or with torch.

Both give the same to six digits. Where a way has none, as it mostly has for values that are not finite, `statistics` has them.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from comgra_export.recorder.numbers import fallback, kernels, side_by_side
from comgra_export.recorder.numbers.buffers import Scratch
from comgra_export.recorder.numbers.parts import CpuSummary, RowSums

__all__ = ["calm_summary", "look_at_rows", "summarize_side_by_side"]


def look_at_rows(rows: Tensor, scratch: Scratch) -> RowSums | None:
    """Looks at every value of `[R, N]`; or returns None where one is not finite, or too large.

    Args:
        rows: float32 on the CPU, contiguous; neither `R` nor `N` is 0.
        scratch: Where intermediate results lie.
    """
    if kernels.are_worthwhile(rows.numel()):
        return kernels.look_at_rows(rows, len(rows))
    return fallback.look_at_rows(rows, scratch)


def calm_summary(stack: Tensor, of_batch: bool, of_values: bool, scratch: Scratch) -> CpuSummary | None:
    """Computes the numbers of `[T, B, N]` on the CPU, or returns None where that needs more care.

    Args:
        stack: The values, of any dtype.
        of_batch: Whether to compute `over_batch`.
        of_values: Whether to compute `aggregates`.
        scratch: Where intermediate results lie.
    """
    if stack.dtype != torch.float32 or not stack.numel():
        return None
    if kernels.are_worthwhile(stack[0].numel()):
        return kernels.summarize_stack(stack.contiguous().resolve_neg(), of_batch, of_values)
    return fallback.calm_summary(stack.contiguous().resolve_neg(), of_batch, of_values, scratch)


def summarize_side_by_side(matrix: Tensor, sizes: Sequence[int], of_batch: bool, of_values: bool, scratch: Scratch) -> CpuSummary | None:
    """Computes the numbers of small tensors that lie side by side, as `side_by_side` says; or returns None where a value is not finite."""
    if kernels.are_worthwhile(1):
        return kernels.summarize_side_by_side(matrix.to(torch.float32), sizes, of_batch, of_values)
    return side_by_side.summarize_side_by_side(matrix, sizes, of_batch, of_values, scratch)
