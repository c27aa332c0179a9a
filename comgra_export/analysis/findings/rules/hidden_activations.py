"""Activations that are not recorded, as the values before and after them show."""

from __future__ import annotations

from collections.abc import Callable
from math import exp, tanh

import numpy as np

from comgra_export.analysis.findings.rules.losses import entries_of
from comgra_export.analysis.findings.rules.operations import ACTIVATIONS, is_view, plain_name
from comgra_export.analysis.findings.rules.steps import LEAST_STEPS, values_in_training
from comgra_export.analysis.history.run import Run, once_per_run
from comgra_export.analysis.history.series import TensorKey

__all__ = ["MONOTONE", "activation_of", "is_result_of"]

MONOTONE: dict[str, Callable[[float], float]] = {
    "sigmoid": lambda x: 1 / (1 + exp(-max(x, -700.0))),
    "tanh": tanh,
    "relu": lambda x: max(x, 0.0),
}
"""Activations that keep the order of values, so that the extremes show them."""

# The values have to differ, since a constant may be anything.
_EXACT = 1e-5
_RANGE = 0.1


def activation_of(run: Run, position: int, key: TensorKey) -> str:
    """The operation that made a tensor, under the name of its activation if it is one; also if a view was taken of it."""
    operation = plain_name(entries_of(run, position)[key].operation)
    parents = run.graph(position).parents.get(key, ())
    if is_view(operation) and len(parents) == 1:
        operation = next((name for name in MONOTONE if is_result_of(run, parents[0], key, name)), operation)
    return ACTIVATIONS.get(operation, operation)


def is_result_of(run: Run, parent: TensorKey, child: TensorKey, function: str, *, of_relu: bool = False) -> bool:
    """Whether a tensor is an activation of its parent: in every training step, five at least, its extremes are those of the result.

    Args:
        run: The run.
        parent: What the tensor was computed from.
        child: The tensor.
        function: One of `MONOTONE`.
        of_relu: Whether a ReLU of the parent, which has negative values, is in between.
    """
    return _is_result(run, parent, child, function, "relu" if of_relu else "")


@once_per_run
def _is_result(run: Run, parent: TensorKey, child: TensorKey, function: str, first: str) -> bool:
    """The same. `first` is what is applied to the parent before: `relu` or nothing."""
    before, after = values_in_training(run, parent), values_in_training(run, child)
    if before is None or after is None or not np.array_equal(before.steps, after.steps) or (before.sizes != after.sizes).any():
        return False
    extrema = np.maximum(before.extrema, 0) if first else before.extrema
    expected = np.array([[MONOTONE[function](value) for value in row] for row in extrema.tolist()])
    # If the ReLU is dead, all values are the same.
    is_cut = (before.extrema[:, 0] < -_RANGE) & (before.extrema[:, 1] > 0).any()
    varies = is_cut if first or function == "relu" else np.ptp(extrema, axis=1) > _RANGE
    return bool(varies.sum() >= LEAST_STEPS and (np.abs(after.extrema - expected) <= _EXACT).all())
