"""Whether one tensor is a constant multiple of another."""

from __future__ import annotations

import numpy as np

from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import TensorKey

__all__ = ["is_multiple"]

_SAME_RATIO = 1e-4


def is_multiple(run: Run, operand: TensorKey, quotient: TensorKey) -> bool:
    """Whether the quotient has one ratio to what is divided, while that changes from step to step: it is divided by a constant."""
    first, second = run.values(operand), run.values(quotient)
    if first is None or second is None or not np.array_equal(first.positions, second.positions):
        return False
    known = first.is_finite & second.is_finite & (first.root_mean_square > 0)
    divided = first.root_mean_square[known]
    ratios = second.root_mean_square[known] / divided
    return len(ratios) > 1 and bool(np.ptp(divided) > 0) and bool(np.ptp(ratios) <= _SAME_RATIO * ratios.max())
