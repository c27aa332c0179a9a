"""Dropout by a function. On a CPU, what it computes is a product like any other: its effect on the values shows it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from comgra_export.analysis.findings.rules.operations import plain_name
from comgra_export.analysis.findings.rules.steps import LEAST_STEPS, training_graph, values_in_training
from comgra_export.analysis.history.run import Run, once_per_run
from comgra_export.analysis.history.series import TensorKey

__all__ = ["FunctionalDropout", "functional_dropout"]

_LEAST_ZEROS = 0.02
_LEAST_SCALE = 1.02
_DIFFERENCE = 0.1
_PART_OF_ZEROS = 1 / 3


class FunctionalDropout(NamedTuple):
    """What a dropout was applied to, perhaps after a ReLU, and a lower bound of the share of values that it drops."""

    source: TensorKey
    share: float


@once_per_run
def functional_dropout(run: Run, key: TensorKey) -> FunctionalDropout | None:
    """The dropout that made a tensor in training; None if none did.

    A dropout sets some values to 0 in every step and makes the others larger, so that the mean stays what it was. A mask makes none larger.
    """
    parents = training_graph(run).parents.get(key, ())
    if key not in run.tensors or plain_name(run.tensors[key].operation) != "mul" or len(parents) != 1:
        return None
    before, after = values_in_training(run, parents[0]), values_in_training(run, key)
    if before is None or after is None or len(after) < LEAST_STEPS or not np.array_equal(before.steps, after.steps):
        return None
    zeros = after.zero_share
    with np.errstate(divide="ignore", invalid="ignore"):
        scale = float(np.max(after.largest_magnitude / before.largest_magnitude))
    if (before.sizes != after.sizes).any() or not (zeros > _LEAST_ZEROS).all() or not _LEAST_SCALE < scale < np.inf:
        return None
    # The mean of what a ReLU leaves follows from the mean and the mean magnitude.
    is_positive = bool((after.extrema[:, 0] >= 0).all())
    expected = (before.absolute_mean + before.mean) / 2 if is_positive else before.absolute_mean
    if not is_positive and (before.zero_share > _LEAST_ZEROS / 2).any():
        return None
    difference = abs(float(after.absolute_mean.sum() / expected.sum()) - 1)
    if not difference < min(_DIFFERENCE, _PART_OF_ZEROS * float(np.median(zeros))):
        return None
    return FunctionalDropout(parents[0], 1 - 1 / scale)
