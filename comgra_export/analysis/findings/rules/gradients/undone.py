"""Updates that something other than the optimizer undoes: each step moves the weights, and they stay where they are."""

from __future__ import annotations

from math import prod, sqrt

import numpy as np

from comgra_export.analysis.findings.rules.steps import LEAST_STEPS, values_in_training
from comgra_export.analysis.findings.rules.weights import weight_histories
from comgra_export.analysis.history.parameters import ParameterHistory
from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import TensorKey

__all__ = ["UNDONE", "way_left"]

UNDONE = 0.1
"""What is left of the updates is at most this part, if they are undone. Healthy runs have 0.8 at least."""

# Smaller updates, relative to the weight, are lost in the rounding of what is recorded.
_LEAST_RATIO = 1e-3


def way_left(run: Run) -> dict[str, float]:
    """How far each weight moves per step between recorded steps, relative to its updates: the median over these times.

    What moves is its norm, its smallest and its largest value. Random updates move each of them by about the root mean square of an update
    in a step. Weights of which that is not known in five times are left out.
    """
    left = {name: _of_weight(run, name, history) for name, history in weight_histories(run).items()}
    return {name: ratio for name, ratio in left.items() if ratio is not None}


def _of_weight(run: Run, name: str, history: ParameterHistory) -> float | None:
    values = values_in_training(run, TensorKey(name, -1))
    # If all values are equal, statistics say nothing about single ones.
    if values is None or (values.extrema[:, 0] == values.extrema[:, 1]).any():
        return None
    steps, in_values, in_history = np.intersect1d(values.steps, history.steps, return_indices=True)
    norms, updates = history.norm[in_history], history.update_norm[in_history]
    moved = np.abs(np.diff(norms)) + np.abs(np.diff(values.extrema[in_values], axis=0)).sum(axis=1)
    typical = np.diff(steps) * updates[:-1] / sqrt(prod(history.entry.shape))
    known = np.isfinite(moved) & np.isfinite(typical) & (updates[:-1] > _LEAST_RATIO * norms[:-1])
    return float(np.median(moved[known] / typical[known])) if known.sum() >= LEAST_STEPS else None
