"""Updates that something other than the optimizer undoes: each step moves the weights, and they stay or come back where they were."""

from __future__ import annotations

from math import prod, sqrt

import numpy as np

from comgra_export.analysis.findings.rules.steps import LEAST_STEPS, values_in_training
from comgra_export.analysis.findings.rules.weights import weight_histories
from comgra_export.analysis.history.parameters import ParameterHistory
from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import TensorKey

__all__ = ["LEAST_RETURNS", "UNDONE", "returns", "way_left"]

UNDONE = 0.1
"""What is left of the updates is at most this part, if they are undone. Healthy runs have 0.8 at least."""

LEAST_RETURNS = 5
"""So many recorded steps must begin with the very first values."""

# Smaller updates, relative to the weight, are lost in the rounding of what is recorded.
_LEAST_RATIO = 1e-3
_MOST_AT_FIRST = 0.5


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


def returns(run: Run) -> dict[str, list[float]]:
    """The later recorded steps at whose beginning a weight is exactly as it was at first, by name, if there are enough.

    The norm, the smallest and the largest value show it. The weight must move in between: in most of all recorded steps it is another.
    """
    returned = {}
    for name, history in weight_histories(run).items():
        values = values_in_training(run, TensorKey(name, -1))
        if values is None or not len(history.steps):
            continue
        steps, in_values, in_history = np.intersect1d(values.steps, history.steps, return_indices=True)
        numbers = np.column_stack([history.norm[in_history], values.extrema[in_values]])
        is_first = (numbers == numbers[:1]).all(axis=1)
        back = steps[1:][is_first[1:] & ~is_first[:-1]].tolist()
        if len(back) >= LEAST_RETURNS and is_first.mean() < _MOST_AT_FIRST:
            returned[name] = back
    return returned
