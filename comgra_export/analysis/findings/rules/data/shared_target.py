"""Regressions in which all samples of a batch have one and the same target, as if it was made once and repeated."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from comgra_export.analysis.findings.rules.losses import REGRESSIONS, LossUse, moment
from comgra_export.analysis.findings.rules.steps import LEAST_STEPS
from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import Series, TensorKey

__all__ = ["SharedTarget", "shared_targets"]

_EQUAL = 1e-6
_TWO_VALUES = 1e-3


class SharedTarget(NamedTuple):
    """A target that is the same for all samples of a batch.

    Attributes:
        use: The call of the loss function in the first step.
        target: The target.
        steps: In how many steps.
        is_constant: Whether it also is the same in all of these steps.
    """

    use: LossUse
    target: TensorKey
    steps: int
    is_constant: bool


def shared_targets(run: Run, uses: Sequence[LossUse]) -> list[SharedTarget]:
    """The targets of regressions whose samples are all alike, in every one of five steps or more.

    Statistics of samples show it. Those of one-hot vectors, of ranks and of other orders of the same numbers agree as well, so that targets
    of two values or of whole numbers say nothing.
    """
    calls: defaultdict[TensorKey, list[LossUse]] = defaultdict(list)
    for use in uses:
        if use.call.function in REGRESSIONS and use.call.target is not None:
            calls[TensorKey(*use.call.target)].append(use)
    shared = []
    for target, of_target in calls.items():
        moments = [moment(run, target, use.position) for use in of_target]
        known = [series for series in moments if series is not None]
        if len({use.position for use in of_target}) < LEAST_STEPS or len(known) < len(moments) or not all(map(_is_shared, known)):
            continue
        numbers = {(*series.extrema[0].tolist(), float(series.mean[0])) for series in known}
        shared.append(SharedTarget(of_target[0], target, len(known), len(numbers) == 1))
    return shared


def _is_shared(series: Series) -> bool:
    """Whether all samples of the only step are alike, and have several values that are no whole numbers."""
    if series.samples[0] < 2 or series.values_per_sample < 2 or not series.is_finite[0] or not series.entry.is_floating:
        return False
    smallest, largest = series.extrema[0].tolist()
    mean, variance = float(series.mean[0]), float(series.standard_deviation[0]) ** 2
    are_whole = smallest == round(smallest) and largest == round(largest)
    has_two_values = abs(variance - (mean - smallest) * (largest - mean)) <= _TWO_VALUES * variance
    # Two numbers always are two values. Those of a code add up to 1 or 0.
    if series.values_per_sample == 2:
        has_two_values = bool(np.isclose(smallest + largest, (0, 1), atol=_TWO_VALUES).any())
    deviates = series.deviation_over_batch[0] > _EQUAL * series.root_mean_square[0]
    return bool(smallest < largest and not are_whole and not has_two_values and not deviates)
