"""Targets of classes that are numbered anew in each batch: a number means another class in the next one."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from comgra_export.analysis.findings.model.finding import Evidence, Finding, Place, Severity
from comgra_export.analysis.findings.model.rule import Explains, NotCheckedError, Rule, Threshold
from comgra_export.analysis.findings.rules.classes import OWN_RANGES, class_counts
from comgra_export.analysis.findings.rules.losses import LossUse, loss_uses
from comgra_export.analysis.findings.rules.steps import LEAST_STEPS, usual_training_steps
from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import FORWARD, TensorKey

__all__ = ["RULE"]

_FUNCTIONS = frozenset({"cross_entropy", "nll_loss"})
_CHANCE = Threshold("probability that no step has a gap in its classes", 1e-6, "own choice")


def _check(run: Run) -> Iterator[Finding]:
    by_target: dict[TensorKey, list[LossUse]] = {}
    for use in loss_uses(run, _FUNCTIONS):
        if use.call.target is not None and usual_training_steps(run)[use.position]:
            by_target.setdefault(TensorKey(*use.call.target), []).append(use)
    if all(len({use.position for use in of_target}) < LEAST_STEPS for of_target in by_target.values()):
        raise NotCheckedError(f"fewer than {LEAST_STEPS} training steps have a loss of classes", lacks="training steps")
    for target, of_target in by_target.items():
        chance = _chance(run, of_target)
        if chance is None or not chance < _CHANCE.value:
            continue
        first = of_target[0]
        yield RULE.finding(
            f"In each of {len(of_target)} recorded steps, `{target.name}` has the classes 0, 1 and so on up to a largest one, without a "
            "gap, and that is another one from step to step. It looks as if classes are numbered in each batch anew, so that a number "
            "means another class in the next one.",
            Place("tensor", *target),
            Place("tensor", *first.prediction),
            step=first.step,
            value=max(chance, np.finfo(np.float64).tiny),
            limit=_CHANCE.value,
            comparison="This is how probable it is by chance, with the frequencies that classes have in all steps.",
            evidence=(Evidence(FORWARD, *target, first.step, None, "The targets of a step."),),
        )


def _chance(run: Run, uses: list[LossUse]) -> float | None:
    """How probable it is that no class below the largest one of a step is missing in it, in any step; None if one is, or it is not known.

    None too if all steps have equally many classes, as where each batch is drawn to hold all of them, or so many in an episode. The last
    batch of an epoch may be shorter, and have fewer.

    Targets are taken to be drawn one by one, with the frequencies that classes have in all steps together. So classes that are rare
    because they come late in the order, as in a list sorted by frequency, do not speak for new numbers.
    """
    counts = [class_counts(run, use) for use in uses]
    known = [{each.first: count for each, count in of_step.items() if count} for of_step in counts if of_step is not None]
    # Beyond the first ones, several classes share a range, and gaps cannot be seen.
    if len(known) < len(uses) or any(sorted(of_step) != list(range(len(of_step))) or len(of_step) > OWN_RANGES for of_step in known):
        return None
    full = max((sum(of_step.values()) for of_step in known), default=0)
    if len({len(of_step) for of_step in known if sum(of_step.values()) == full}) == 1:
        return None
    together = np.array([sum(of_step.get(number, 0) for of_step in known) for number in range(OWN_RANGES)], np.float64)
    shares = together / max(together.sum(), 1)
    logarithm = 0.0
    for of_step in known:
        missing = (1 - shares[: max(len(of_step) - 1, 0)]) ** sum(of_step.values())
        logarithm += float(np.log1p(-missing).sum())
    return float(np.exp(logarithm))


RULE = Rule(
    name="renumbered-classes",
    title="Classes are numbered in each batch anew",
    severity=Severity.PROBLEM,
    formula="in all recorded training steps, five at least, the targets of cross_entropy or nll_loss are 0, 1 and so on up to "
    "the largest one without a gap, which differs between steps of full batches; and that has a probability below 1e-6, with the "
    "frequencies that classes have in all steps together",
    source="own choice; GitHub issues on labels that are mapped anew each time they are read",
    needs="calls of cross_entropy or nll_loss, and histograms of their targets, in 5 training steps",
    advice=("Number all classes once, for the whole data set, and keep that numbering for validation and test.",),
    wrong_if="A sample has the same target in two batches that contain different classes.",
    check=_check,
    neighbours=("prediction", "input"),
    thresholds=(_CHANCE,),
    explains=(
        Explains("predictions-ignore-input"),
        Explains("loss-does-not-fall"),
        Explains("oscillating-loss"),
        Explains("batches-not-shuffled"),
    ),
    priority=1,
)
