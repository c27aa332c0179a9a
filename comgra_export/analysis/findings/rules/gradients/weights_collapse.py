"""Weights shrink to a fraction of what they were."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from comgra_export.analysis.findings.model.finding import Evidence, Finding, Place, Severity
from comgra_export.analysis.findings.model.rule import Explains, NotCheckedError, Rule, Threshold
from comgra_export.analysis.findings.rules.steps import require_training_steps
from comgra_export.analysis.findings.rules.weights import weight_histories
from comgra_export.analysis.history.parameters import ParameterHistory
from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import FORWARD
from comgra_export.storage.text.steps import as_step

__all__ = ["RULE"]

_SHRUNK = 0.1
_SHARE = 0.5
_ZERO = 1e-3


def _check(run: Run) -> Iterator[Finding]:
    require_training_steps(run)
    known = {name: history for name, history in weight_histories(run).items() if _starts_above_zero(history)}
    if not known:
        raise NotCheckedError("norms of weights were not recorded", lacks="parameters")
    ratios = {name: _final(history) / history.norm[0] for name, history in known.items()}
    shrunk = sorted((name for name in ratios if ratios[name] < _SHRUNK), key=ratios.__getitem__)
    if not shrunk or len(shrunk) < _SHARE * len(ratios):
        return
    worst = shrunk[0]
    step = as_step(known[worst].steps[0])
    others = f" {len(shrunk)} of {len(ratios)} weights shrink like this." if len(shrunk) > 1 else ""
    yield RULE.finding(
        f"`{worst}` shrinks to {ratios[worst]:.2%} of its first norm.{others}{_decay(run)}",
        *(Place("parameter", name) for name in shrunk),
        step=step,
        value=ratios[worst],
        limit=_SHRUNK,
        comparison=f"The norm is {known[worst].norm[0]:.3g} at the start.",
        evidence=(Evidence(FORWARD, worst, -1, step, "abs_mean", "The size of the weight over the steps."),),
    )


def _starts_above_zero(history: ParameterHistory) -> bool:
    """Whether a weight has a size to compare with. Those that begin at zero, or near it, are meant to grow."""
    return bool(history.norm[0] > _ZERO * np.sqrt(np.prod(history.entry.shape)))


def _final(history: ParameterHistory) -> float:
    finite = history.norm[np.isfinite(history.norm)]
    return float(finite[-1])


def _decay(run: Run) -> str:
    options = [group.options.get("weight_decay") for optimizer in run.network.optimizers or () for group in optimizer.groups]
    decays = sorted({float(decay) for decay in options if isinstance(decay, int | float) and decay})
    return f" The weight decay is {', '.join(f'{decay:g}' for decay in decays)}." if decays else ""


RULE = Rule(
    name="weights-collapse",
    title="Weights shrink to almost nothing",
    severity=Severity.PROBLEM,
    formula="norm(weight) at the end / at the start < 0.1, for half of the weights or more; not for weights that start at zero",
    source="own trials; TheDeepChecker has 95 % of the values below 1e-5",
    needs="norms of weights in 5 training steps",
    advice=(
        "Lower the weight decay, or leave it out.",
        "Check the weight of regularization in the loss.",
    ),
    wrong_if="The loss ends no lower with a weight decay of 0.",
    check=_check,
    thresholds=(
        Threshold("norm relative to the start", _SHRUNK, "own trials"),
        Threshold("share of the weights", _SHARE, "own trials"),
    ),
    explains=(
        Explains("nan-origin"),
        # Decay so strong is a large update too.
        Explains("updates-too-large"),
        Explains("dormant-units"),
        Explains("same-for-all-samples"),
        Explains("branch-without-effect"),
        Explains("loss-does-not-fall"),
        Explains("predictions-ignore-input"),
    ),
    priority=2,
)
