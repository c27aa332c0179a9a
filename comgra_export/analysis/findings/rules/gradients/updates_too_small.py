"""Steps hardly change the weights, and the loss stays where it was."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from comgra_export.analysis.findings.model.finding import Evidence, Finding, Place, Severity
from comgra_export.analysis.findings.model.rule import Explains, NotCheckedError, Rule, Threshold
from comgra_export.analysis.findings.rules.loss_curve import loss_at_start_and_end
from comgra_export.analysis.findings.rules.steps import require_training_steps
from comgra_export.analysis.findings.rules.weights import update_ratios, weight_histories
from comgra_export.analysis.history.parameters import ParameterHistory
from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import FORWARD

__all__ = ["RULE"]

_RATIO = 1e-5
_SHARE = 0.8
_LOSS = 0.98
_MOST_PLACES = 10


def _check(run: Run) -> Iterator[Finding]:
    require_training_steps(run)
    loss = loss_at_start_and_end(run)
    if loss is None:
        raise NotCheckedError("the loss was not recorded")
    largest = {}
    for name, history in weight_histories(run).items():
        _, ratios = update_ratios(history)
        # An optimizer that steps outside the recorded steps, or in every n-th only, is not slow.
        if len(ratios):
            largest[name] = float("inf") if _moves_between(history) else float(np.quantile(ratios, 0.9))
    if not largest:
        raise NotCheckedError("no updates of weights were recorded")
    small = sorted((name for name, ratio in largest.items() if ratio < _RATIO), key=largest.__getitem__)
    if len(small) < _SHARE * len(largest) or loss.start <= 0 or loss.end <= _LOSS * loss.start:
        return
    ratio = float(np.median([largest[name] for name in small]))
    step = int(run.parameters[small[0]].steps[0])
    optimizers = run.network.optimizers or ()
    yield RULE.finding(
        f"A step changes {len(small)} of {len(largest)} weights by {ratio:.1g} of their size, and the loss stays at {loss.end:.3g}.",
        Place("optimizer", optimizers[0].name if optimizers else ""),
        *(Place("parameter", name) for name in small[:_MOST_PLACES]),
        step=step,
        value=ratio,
        limit=_RATIO,
        comparison=f"about 1e-3 is typical; the loss began at {loss.start:.3g}",
        evidence=(Evidence(FORWARD, small[0], -1, step, "abs_mean", "The size of the weight over the steps."),),
    )


def _moves_between(history: ParameterHistory) -> bool:
    """Whether the norm changes by more than small updates in every step of the loop could explain."""
    steps = int(history.steps[-1] - history.steps[0]) + 1
    return bool(np.ptp(history.norm) > _RATIO * steps * history.norm.max())


RULE = Rule(
    name="updates-too-small",
    title="Steps hardly change the weights",
    severity=Severity.PROBLEM,
    formula="norm(update) / norm(weight) < 1e-5 in nine of ten steps, for at least 80 % of the weights, and the loss over the last 20 % of "
    "the steps > 0.98 of that over the first 5 %",
    source="own trials: healthy runs have 9e-6 at least; TheDeepChecker has 1e-4",
    needs="norms of updates in 5 training steps, and the loss",
    advice=(
        "Raise the learning rate.",
        "Check that the schedule of the learning rate does not end at 0.",
        "Check that clipping is not far below the usual norm of the gradient.",
    ),
    check=_check,
    thresholds=(
        Threshold("update ratio", _RATIO, "own trials"),
        Threshold("share of the weights", _SHARE, "own trials"),
        Threshold("loss at the end, relative to the start", _LOSS, "own trials"),
    ),
    explains=(Explains("loss-does-not-fall"), Explains("predictions-ignore-input")),
    priority=4,
)
