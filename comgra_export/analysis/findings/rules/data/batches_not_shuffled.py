"""The targets of a batch resemble each other more than those of a random batch would."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from comgra_export.analysis.findings.model.finding import Evidence, Finding, Place, Severity
from comgra_export.analysis.findings.model.rule import Explains, NotCheckedError, Rule, Threshold
from comgra_export.analysis.findings.rules.classes import class_counts
from comgra_export.analysis.findings.rules.losses import LossUse, moment
from comgra_export.analysis.findings.rules.operations import plain_name
from comgra_export.analysis.findings.rules.steps import LEAST_STEPS
from comgra_export.analysis.findings.rules.supervised import supervised_uses
from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import FORWARD, Floats, TensorKey

__all__ = ["RULE"]

_RATIO = Threshold("variance between batches / that between random batches", 3, "trials on 110 small programs: sorted data 60, others 1")
_RATIO_OF_FEW = Threshold("the same, with fewer than 10 batches", 6, "chance of a random result: about 1 in a million")
_SHARE = Threshold("share of the variance that lies between batches: classes", 0.2, "own choice")
_SHARE_OF_NUMBERS = Threshold("the same, for numbers", 0.5, "own choice")
_FEW = 10
_CHOSEN = frozenset({"gather", "index", "take_along_dim"})
_SMALLEST_BATCH = 4


class _Spread(NamedTuple):
    """The variance of targets between the means of batches, and within batches of so many samples."""

    between: float
    within: float
    batch: float
    are_classes: bool


def _check(run: Run) -> Iterator[Finding]:
    uses = [use for use in supervised_uses(run) if _samples_of_target(run, use) >= _SMALLEST_BATCH]
    if not uses:
        raise NotCheckedError("no loss with one target per sample was recorded, in batches of 4 samples or more", applies=False)
    uses = [next(use for use in uses if use.position == position) for position in sorted({use.position for use in uses})]
    if len(uses) < LEAST_STEPS:
        raise NotCheckedError(f"only {len(uses)} batches were recorded, and it needs {LEAST_STEPS}", lacks="training steps")
    spread = _of_classes(run, uses) or _of_numbers(run, uses)
    if spread is None or not spread.within + spread.between > 0:
        return
    ratio = spread.between * spread.batch / max(spread.within, 1e-9)
    share = spread.between / (spread.between + spread.within)
    limit = _RATIO_OF_FEW if len(uses) < _FEW else _RATIO
    if ratio <= limit.value or share <= (_SHARE if spread.are_classes else _SHARE_OF_NUMBERS).value:
        return
    target = TensorKey(*uses[0].call.target) if uses[0].call.target is not None else uses[0].prediction
    what = "classes" if spread.are_classes else "targets"
    yield RULE.finding(
        f"From batch to batch, the {what} in `{target.name}` differ {ratio:.3g} times as much as they would in random batches. It looks as "
        "if the samples are sorted, or come in groups.",
        Place("tensor", *target),
        step=uses[0].step,
        value=ratio,
        limit=limit.value,
        comparison="Random batches have a ratio of about 1.",
        evidence=(Evidence(FORWARD, *target, uses[0].step, "mean", "The mean of the targets over the steps."),),
    )


def _samples_of_target(run: Run, use: LossUse) -> int:
    """How many targets a batch has, if there is one per sample; else 0."""
    target = None if use.call.target is None else moment(run, TensorKey(*use.call.target), use.position)
    if target is None or not target.is_finite[0] or target.sizes[0] != target.samples[0]:
        return 0
    return int(target.samples[0])


def _of_classes(run: Run, uses: list[LossUse]) -> _Spread | None:
    counts = [class_counts(run, use) for use in uses]
    known = [each for each in counts if each and sum(each.values())]
    if len(known) < len(uses):
        return None
    names = sorted({name for each in known for name in each})
    table = np.array([[each.get(name, 0) for name in names] for each in known], np.float64)
    sizes = table.sum(axis=1)
    shares = table / sizes[:, None]
    pooled = table.sum(axis=0) / sizes.sum()
    total = float((pooled * (1 - pooled)).sum())
    between = float(shares.var(axis=0, ddof=1).sum())
    return _Spread(between, max(total - between, total / float(sizes.mean())), float(sizes.mean()), are_classes=True)


def _of_numbers(run: Run, uses: list[LossUse]) -> _Spread | None:
    if any(plain_name(use.entry.operation) in _CHOSEN for use in uses):
        raise NotCheckedError(
            "the predictions were chosen by an index, as in Q-learning, where targets change with the network", applies=False
        )
    moments = [moment(run, TensorKey(*use.call.target), use.position) for use in uses if use.call.target is not None]
    known = [series for series in moments if series is not None]
    means: Floats = np.array([series.mean[0] for series in known])
    deviations: Floats = np.array([series.standard_deviation[0] for series in known])
    batch = float(np.mean([series.samples[0] for series in known]))
    if not np.isfinite(means).all() or not np.isfinite(deviations).all():
        return None
    # From differences of batches that follow each other, so that a slow drift of all targets does not count.
    between = float((np.diff(means) ** 2).mean() / 2)
    return _Spread(between, float((deviations**2).mean()) * batch / (batch - 1), batch, are_classes=False)


RULE = Rule(
    name="batches-not-shuffled",
    title="Batches are not shuffled",
    severity=Severity.PROBLEM,
    formula="variance of the shares of classes, or of the mean target, between batches / that between random batches of the same size > 3 "
    "(> 6 with fewer than 10 batches), and > 20 % of the whole variance lies between batches (50 % for numbers). For one target per sample",
    source="Humbatova et al. (shuffling)",
    needs="calls of a loss function with given targets in 5 training steps; histograms of classes",
    advice=("Shuffle the samples: `DataLoader(..., shuffle=True)`.", "Mute this rule if batches are grouped on purpose."),
    wrong_if="A shuffled loader gives batches with as different targets.",
    check=_check,
    neighbours=("prediction", "input"),
    thresholds=(_RATIO, _RATIO_OF_FEW, _SHARE, _SHARE_OF_NUMBERS),
    explains=(
        Explains("oscillating-loss"),
        Explains("loss-does-not-fall"),
        Explains("predictions-ignore-input"),
        Explains("diverging-loss"),
        Explains("gradient-spike"),
        Explains("overfitting"),
    ),
    priority=2,
)
