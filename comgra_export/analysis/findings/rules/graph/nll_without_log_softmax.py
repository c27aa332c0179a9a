"""Something other than logarithms of probabilities is passed to `nll_loss`."""

from __future__ import annotations

from collections.abc import Iterator

from comgra_export.analysis.findings.model.finding import Evidence, Finding, Place, Severity
from comgra_export.analysis.findings.model.rule import Explains, Rule, Threshold
from comgra_export.analysis.findings.rules.losses import loss_uses, moment, through_views
from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import FORWARD

__all__ = ["RULE"]

# Rounding alone can make the logarithm of a probability slightly positive.
_POSITIVE = Threshold("largest value", 1e-2, "exact up to rounding: the logarithm of a probability is never positive")


def _check(run: Run) -> Iterator[Finding]:
    seen = set()
    for use in loss_uses(run, {"nll_loss"}):
        series = moment(run, use.prediction, use.position)
        if series is None or use.prediction.name in seen or not series.extrema[0, 1] > _POSITIVE.value:
            continue
        seen.add(use.prediction.name)
        largest = float(series.extrema[0, 1])
        tensor = through_views(run, use.position, use.prediction)
        yield RULE.finding(
            f"`{tensor.name}` is passed to nll_loss, and its largest value is {largest:.3g}. The logarithm of a probability is "
            "never positive, so no log_softmax comes before the loss.",
            Place("tensor", *tensor),
            step=use.step,
            value=largest,
            limit=_POSITIVE.value,
            comparison="Logarithms of probabilities are at most 0.",
            evidence=(Evidence(FORWARD, *tensor, use.step, None, "The values passed to nll_loss."),),
        )


RULE = Rule(
    name="nll-without-log-softmax",
    title="No log_softmax comes before nll_loss",
    severity=Severity.BUG,
    formula="a value of the prediction of nll_loss > 0.01",
    source="exact; TheDeepChecker (missing softmax)",
    needs="calls of loss functions",
    advice=("Pass the raw outputs to `cross_entropy` instead.", "Or apply `log_softmax` to them before `nll_loss`."),
    wrong_if="The exponentials of the prediction sum to 1 over the classes.",
    check=_check,
    thresholds=(_POSITIVE,),
    explains=(
        Explains("negative-loss"),
        Explains("diverging-loss"),
        Explains("runaway-growth"),
        Explains("loss-does-not-fall"),
        Explains("nan-origin"),
    ),
    priority=0,
    while_training=0,
)
