"""A loss is negative that cannot be."""

from __future__ import annotations

from collections.abc import Iterator

from comgra_export.analysis.findings.model.finding import Evidence, Finding, Place, Severity
from comgra_export.analysis.findings.model.rule import Explains, NotCheckedError, Rule, Threshold
from comgra_export.analysis.findings.rules.losses import LossUse, loss_uses, moment
from comgra_export.analysis.findings.rules.supervised import SUPERVISED, supervised_uses, value_of
from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import FORWARD, TensorKey

__all__ = ["RULE"]

_LIMIT = Threshold("loss", -1e-6, "exact; TheDeepChecker (flipped sign)")

_DIVERGENCE = "kl_div"
# It is a difference of large sums.
_DIVERGENCE_LIMIT = Threshold("loss, for kl_div", -1e-4, "own choice")


def _check(run: Run) -> Iterator[Finding]:
    for use in loss_uses(run, SUPERVISED | {_DIVERGENCE}):
        value = value_of(run, use)
        limit = _DIVERGENCE_LIMIT if use.call.function == _DIVERGENCE else _LIMIT
        if value < limit.value and use.call.result is not None:
            yield _finding(run, use, TensorKey(*use.call.result), value, f"{use.call.function} is {value:.3g}. {_cause(run, use)}")
            return
    try:
        minimized = supervised_uses(run)
    except NotCheckedError:
        # Every loss function returned what it can. What else is minimized may well be negative.
        return
    for use in minimized:
        for root in map(TensorKey._make, run.steps[use.position].backward_roots):
            series = moment(run, root, use.position)
            if series is not None and float(series.mean[0]) < _LIMIT.value:
                value = float(series.mean[0])
                yield _finding(
                    run,
                    use,
                    root,
                    value,
                    f"The script minimizes {use.call.function} with its sign flipped, so it maximizes the loss. The value is {value:.3g}.",
                )
                return


def _cause(run: Run, use: LossUse) -> str:
    """What is known about the target that makes the loss negative."""
    target = None if use.call.target is None else moment(run, TensorKey(*use.call.target), use.position)
    if use.call.function.startswith("binary") and target is not None:
        low, high = target.extrema[0]
        return f"It cannot be negative for targets from 0 to 1. These are from {low:.3g} to {high:.3g}."
    if use.call.function == _DIVERGENCE:
        return "It cannot be negative for distributions: its first argument must be logarithms of probabilities, and its targets sum to 1."
    if use.call.function == "nll_loss":
        return "It cannot be negative for logarithms of probabilities."
    return "It cannot be negative unless targets or weights are negative."


def _finding(run: Run, use: LossUse, loss: TensorKey, value: float, message: str) -> Finding:
    step = int(run.numbers[use.position])
    return RULE.finding(
        message,
        Place("tensor", *loss),
        Place("tensor", *use.prediction),
        step=step,
        value=value,
        limit=_LIMIT.value,
        comparison="It is at least 0.",
        evidence=(Evidence(FORWARD, *loss, step, "mean", "The loss over the steps."),),
    )


RULE = Rule(
    name="negative-loss",
    title="A loss is negative that cannot be",
    severity=Severity.PROBLEM,
    formula=(
        "the result of a loss function that compares predictions with targets < -1e-6 (kl_div: < -1e-4); or what is minimized is, and it "
        "is such a result up to a factor"
    ),
    source="exact; TheDeepChecker (flipped sign), AUTOTRAINER (abnormal loss)",
    needs="calls of loss functions; roots of backward passes and the graph for a flipped sign",
    advice=("Check the sign of the loss.", "Give targets from 0 to 1 to binary cross entropy.", "Use cross_entropy for raw scores."),
    check=_check,
    thresholds=(_LIMIT, _DIVERGENCE_LIMIT),
    explains=(
        Explains("diverging-loss"),
        Explains("runaway-growth"),
        Explains("logit-growth"),
        Explains("exploding-gradient"),
        Explains("updates-too-large"),
        Explains("initial-loss"),
        Explains("predictions-ignore-input"),
        Explains("loss-does-not-fall"),
    ),
    priority=1,
)
