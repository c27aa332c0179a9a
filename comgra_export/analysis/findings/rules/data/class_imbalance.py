"""Nearly all targets are of one class."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator

from comgra_export.analysis.findings.model.finding import Evidence, Finding, Place, Severity
from comgra_export.analysis.findings.model.rule import Explains, Rule, Threshold
from comgra_export.analysis.findings.rules.classes import class_counts
from comgra_export.analysis.findings.rules.losses import LossUse, has_class_weights, loss_uses, moment
from comgra_export.analysis.findings.rules.steps import LEAST_STEPS, require_training_steps, usual_training_steps
from comgra_export.analysis.findings.rules.supervised import is_contrastive
from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import FORWARD, TensorKey

__all__ = ["RULE"]

_SHARE = Threshold("share of one class", 0.95, "own choice; SageMaker Debugger: ten times as many as of another class")
_TARGETS = Threshold("targets in the recorded steps", 200, "own choice: as for the other rules about targets")
_FUNCTIONS = frozenset({"cross_entropy", "nll_loss", "binary_cross_entropy", "binary_cross_entropy_with_logits"})


def _check(run: Run) -> Iterator[Finding]:
    require_training_steps(run)
    by_target: defaultdict[str, list[tuple[LossUse, TensorKey, Counter[int]]]] = defaultdict(list)
    for use in loss_uses(run, _FUNCTIONS):
        is_plain = not has_class_weights(use.call) and not is_contrastive(use)
        if use.call.target is not None and is_plain and usual_training_steps(run)[use.position]:
            key = TensorKey(*use.call.target)
            by_target[key.name].append((use, key, _counts(run, use, key)))
    for uses in by_target.values():
        together = sum((counts for _, _, counts in uses), Counter[int]())
        if len(uses) < LEAST_STEPS or together.total() < _TARGETS.value or not all(counts for _, _, counts in uses):
            continue
        ((most, count),) = together.most_common(1)
        share = count / together.total()
        first, target, _ = uses[0]
        # If there is one class only, that is another finding.
        if most < 0 or not _SHARE.value < share < 1:
            continue
        yield RULE.finding(
            f"{share:.1%} of the {together.total():,} recorded targets of {first.call.function} are {most}. A network that always "
            f"predicts {most} is right as often.",
            Place("tensor", *target),
            Place("tensor", *first.prediction),
            step=first.step,
            value=share,
            limit=_SHARE.value,
            comparison="This is the share of the most frequent class.",
            evidence=(Evidence(FORWARD, *target, first.step, None, "The targets."),),
        )


def _counts(run: Run, use: LossUse, target: TensorKey) -> Counter[int]:
    """How often each class is among the targets of a call; classes that cannot be distinguished count as -1. Empty if it is not known."""
    if use.call.function in {"cross_entropy", "nll_loss"}:
        known = class_counts(run, use) or {}
        return sum((Counter({each.first if each.classes == 1 else -1: count}) for each, count in known.items()), Counter[int]())
    series = moment(run, target, use.position)
    if series is None or not series.sizes[0] or not series.is_finite[0] or series.extrema[0, 0] < 0 or series.extrema[0, 1] > 1:
        return Counter()
    zeros, ones = int(series.counts[0, 3]), round(float(series.mean[0] * series.sizes[0]))
    # Probabilities between 0 and 1 are no classes.
    return Counter({0: zeros, 1: ones}) if zeros + ones == int(series.sizes[0]) else Counter()


RULE = Rule(
    name="class-imbalance",
    title="Nearly all targets are of one class",
    severity=Severity.INFORMATION,
    formula="over 95 % of the targets of a loss for classes without weights are of one class, of 200 targets in 5 training steps; a "
    "symptom if predictions are no better than the same answer for all inputs, and nothing else explains it",
    source="SageMaker Debugger (ClassImbalance), Humbatova et al. (unbalanced training data)",
    needs="calls of loss functions for classes, with histograms of targets, in 5 training steps",
    advice=(
        "Give rare classes a larger weight: `weight` or `pos_weight` of the loss.",
        "Draw rare classes more often: `WeightedRandomSampler`.",
    ),
    wrong_if="The network finds the rare classes too: their recall is high.",
    check=_check,
    neighbours=("prediction", "input"),
    thresholds=(_SHARE, _TARGETS),
    explains=(Explains("predictions-ignore-input"), Explains("loss-does-not-fall")),
    priority=5,
)
