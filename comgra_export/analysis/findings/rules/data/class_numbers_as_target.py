"""Targets of a regression are whole numbers from 0 on, as those of classes are."""

from __future__ import annotations

from collections.abc import Iterator
from math import sqrt

import numpy as np

from comgra_export.analysis.findings.model.finding import Evidence, Finding, Place, Severity
from comgra_export.analysis.findings.model.rule import NotCheckedError, Rule, Threshold
from comgra_export.analysis.findings.rules.losses import REGRESSIONS
from comgra_export.analysis.findings.rules.steps import LEAST_STEPS, require_training_steps, values_in_training
from comgra_export.analysis.findings.rules.supervised import supervised_uses
from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import FORWARD, Series, TensorKey

__all__ = ["RULE"]

_LEAST = Threshold("classes", 3, "own choice: two classes may well be fitted as 0 and 1")
_MOST = Threshold("most classes", 20, "own choice")
_SAMPLES = Threshold("targets in a step", 8, "own choice: sums of so many numbers that are not whole are hardly ever whole")
_EVEN = Threshold(
    "difference of mean or deviation from those of classes that are equally frequent",
    0.15,
    "own choice: bell-shaped grades have 0.2 at least",
)
_MANY = Threshold("targets in all steps, to know that they are equally frequent", 200, "own choice")
# Statistics are float32.
_ROUNDING = 1e-4


def _check(run: Run) -> Iterator[Finding]:
    require_training_steps(run)
    use = supervised_uses(run)[0]
    if use.call.function not in REGRESSIONS or use.call.target is None:
        raise NotCheckedError("what is minimized is no regression with recorded targets", applies=False)
    target = TensorKey(*use.call.target)
    series = values_in_training(run, target)
    if series is None or len(series) < LEAST_STEPS or not series.entry.is_floating or series.values_per_sample != 1:
        return
    classes = int(series.extrema[:, 1].max()) + 1 if np.isfinite(series.extrema).all() else 0
    if not _LEAST.value <= classes <= _MOST.value or series.extrema[:, 0].min() != 0 or not _are_whole(series):
        return
    are_even = _are_even(series, classes)
    frequent = ", about equally often, as balanced classes are" if are_even else ""
    yield RULE.finding(
        f"All recorded targets of {use.call.function} are whole numbers from 0 to {classes - 1}{frequent}. If they are numbers of "
        "classes, this loss treats class 2 as the middle of classes 1 and 3. If they are counts or grades, all is well.",
        Place("tensor", *target),
        Place("tensor", *use.prediction),
        step=use.step,
        severity=Severity.SYMPTOM if are_even else None,
        evidence=(Evidence(FORWARD, *target, use.step, None, "The targets."),),
    )


def _are_whole(series: Series) -> bool:
    """Whether all values of a series are whole, as the smallest, the largest, the sum and the sum of the squares of each step show it."""
    if (series.sizes < _SAMPLES.value).any():
        return False
    sums, squares = series.mean * series.sizes, series.root_mean_square**2 * series.sizes
    numbers = [series.extrema, sums, squares]
    return all(bool((np.abs(each - np.round(each)) <= _ROUNDING * np.maximum(np.abs(each), 1)).all()) for each in numbers)


def _are_even(series: Series, classes: int) -> bool:
    """Whether numbers from 0 on have the mean and the deviation of equally frequent ones. Counts and grades seldom do."""
    total = series.sizes.sum()
    if total < _MANY.value:
        return False
    mean = float((series.mean * series.sizes).sum() / total)
    deviation = sqrt(float((series.root_mean_square**2 * series.sizes).sum() / total) - mean**2)
    of_even = (classes - 1) / 2, sqrt((classes**2 - 1) / 12)
    return all(abs(known / even - 1) < _EVEN.value for known, even in zip((mean, deviation), of_even, strict=True))


RULE = Rule(
    name="class-numbers-as-target",
    title="Targets of a regression look like numbers of classes",
    severity=Severity.INFORMATION,
    formula="the targets of mse_loss, l1_loss, smooth_l1_loss or huber_loss, one for each sample, are whole numbers in all recorded "
    "training steps, the smallest is 0 and the largest lies between 2 and 19; a symptom if their mean and deviation are within 15 % of "
    "those of equally frequent classes, over 200 targets",
    source="Humbatova et al. (wrong selection of the loss function)",
    needs="calls of a regression loss with targets in 5 training steps of 8 samples or more",
    advice=(
        "For classes, use `cross_entropy` with one output for each class.",
        "Mute this finding if the targets count or grade something.",
    ),
    wrong_if="The order of the numbers means something: they are counts, grades or ranks.",
    check=_check,
    neighbours=("prediction", "input"),
    thresholds=(_LEAST, _MOST, _SAMPLES, _EVEN, _MANY),
    priority=6,
)
