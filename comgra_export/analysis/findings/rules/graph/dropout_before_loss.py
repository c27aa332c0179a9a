"""Dropout behind the last layer: predictions are set to 0 at random."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from comgra_export.analysis.findings.model.finding import Evidence, Finding, Place, Severity
from comgra_export.analysis.findings.model.rule import Explains, Rule
from comgra_export.analysis.findings.rules.functional_dropout import functional_dropout
from comgra_export.analysis.findings.rules.losses import entries_of, loss_uses, through_views
from comgra_export.analysis.findings.rules.modes import is_dropout, modes_in
from comgra_export.analysis.findings.rules.operations import plain_name
from comgra_export.analysis.findings.rules.supervised import SUPERVISED
from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import FORWARD

__all__ = ["RULE"]

_DROPOUTS = frozenset({"dropout", "native_dropout", "feature_dropout", "alpha_dropout"})


def _check(run: Run) -> Iterator[Finding]:
    dropouts = {module.name: position for position, module in enumerate(run.network.modules) if is_dropout(module)}
    seen = set()
    for use in loss_uses(run, SUPERVISED):
        tensor = through_views(run, use.position, use.prediction)
        entry = entries_of(run, use.position)[tensor]
        number = dropouts.get(entry.module or "")
        is_module = number is not None and modes_in(run, use.position).get(number, False)
        drops = is_module or plain_name(entry.operation) in _DROPOUTS or functional_dropout(run, tensor) is not None
        if not drops or not bool(np.asarray(run.is_training)[use.position]) or tensor.name in seen:
            continue
        seen.add(tensor.name)
        yield RULE.finding(
            f"`{tensor.name}` is the result of dropout, and {use.call.function} takes it for the prediction. Dropout sets predictions to 0 "
            "at random and scales the others, whatever the network has computed.",
            Place("tensor", *tensor),
            step=use.step,
            evidence=(Evidence(FORWARD, *tensor, use.step, None, "The predictions, with those that were set to 0."),),
        )


RULE = Rule(
    name="dropout-before-loss",
    title="Dropout is applied to the predictions",
    severity=Severity.PROBLEM,
    formula="the prediction of a loss function that compares it with targets is the result of dropout in a training step, perhaps through "
    "views; or a product whose zeros and mean are those of dropout in 5 steps",
    source="exact; Srivastava et al. 2014 (dropout is for hidden and input units)",
    needs="calls of loss functions, and the network",
    advice=("Leave out the dropout after the last layer.", "Or put it in front of that layer."),
    wrong_if="The loss of training ends no lower when the dropout is left out.",
    check=_check,
    explains=(
        Explains("loss-does-not-fall"),
        Explains("predictions-ignore-input"),
        Explains("oscillating-loss"),
        Explains("gradient-spike"),
    ),
    priority=1,
)
