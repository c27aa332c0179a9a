"""The optimizer maximizes a loss that is to be small."""

from __future__ import annotations

from collections.abc import Iterator

from comgra_export.analysis.findings.model.finding import Evidence, Finding, Place, Severity
from comgra_export.analysis.findings.model.rule import Explains, NotCheckedError, Rule
from comgra_export.analysis.findings.rules.losses import moment
from comgra_export.analysis.findings.rules.supervised import minimized_uses
from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import FORWARD, TensorKey

__all__ = ["RULE"]


def _check(run: Run) -> Iterator[Finding]:
    if run.network.optimizers is None:
        raise NotCheckedError("no optimizer is known", lacks="optimizer")
    # An optimizer that holds no parameter of the network changes something else, such as an adversarial example.
    maximizing = [
        each
        for each in run.network.optimizers
        if any(group.parameters for group in each.groups) and all(group.options.get("maximize") for group in each.groups)
    ]
    if not maximizing:
        return
    use = minimized_uses(run)[0]
    for root in map(TensorKey._make, run.steps[use.position].backward_roots):
        series = moment(run, root, use.position)
        # With a minus before the loss, all is well.
        if series is None or not series.mean[0] > 0:
            continue
        yield RULE.finding(
            f"`{maximizing[0].name}` was created with `maximize=True`, and what it makes larger is {use.call.function}.",
            Place("optimizer", maximizing[0].name),
            Place("tensor", *root),
            step=use.step,
            evidence=(Evidence(FORWARD, *root, use.step, "mean", "The loss over the steps."),),
        )
        return


RULE = Rule(
    name="maximized-loss",
    title="The optimizer maximizes the loss",
    severity=Severity.BUG,
    formula="all groups of an optimizer of the network's parameters have `maximize=True`, and backward passes begin at a positive "
    "result of a loss function that compares predictions with targets, perhaps scaled",
    source="exact",
    needs="optimizers with their settings, and calls of loss functions",
    advice=("Leave `maximize=True` out.", "Or put a minus sign before the loss."),
    wrong_if="The loss is meant to be large, as for an adversary.",
    check=_check,
    explains=(
        Explains("diverging-loss"),
        Explains("runaway-growth"),
        Explains("logit-growth"),
        Explains("exploding-gradient"),
        Explains("growing-with-depth"),
        Explains("updates-too-large"),
        Explains("predictions-ignore-input"),
        Explains("loss-does-not-fall"),
    ),
    priority=0,
)
