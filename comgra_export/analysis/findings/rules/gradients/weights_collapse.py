"""Weights shrink to a fraction of what they were, or grow without bounds."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from comgra_export.analysis.findings.model.finding import Evidence, Finding, Place, Severity
from comgra_export.analysis.findings.model.rule import Explains, NotCheckedError, Rule, Threshold
from comgra_export.analysis.findings.rules.steps import require_training_steps
from comgra_export.analysis.findings.rules.weights import update_ratios, weight_histories
from comgra_export.analysis.history.parameters import ParameterHistory
from comgra_export.analysis.history.run import Run

__all__ = ["RULE"]

_SHRUNK = 0.1
_GROWN = 10.0
_UPDATE = 0.1
_SHARE = 0.5
_ZERO = 1e-3
_MOST_PLACES = 10


def _check(run: Run) -> Iterator[Finding]:
    require_training_steps(run)
    known = {name: history for name, history in weight_histories(run).items() if _starts_above_zero(history)}
    if not known:
        raise NotCheckedError("norms of weights were not recorded")
    ratios = {name: _final(history) / history.norm[0] for name, history in known.items()}
    shrunk = sorted((name for name in ratios if ratios[name] < _SHRUNK), key=ratios.__getitem__)
    grown = sorted((name for name in ratios if ratios[name] > _GROWN and _moves_a_lot(known[name])), key=ratios.__getitem__, reverse=True)
    for names, limit, verb in ((shrunk, _SHRUNK, "shrinks"), (grown, _GROWN, "grows")):
        if not names or len(names) < _SHARE * len(ratios):
            continue
        worst = names[0]
        step = _first_step(known[worst], limit)
        yield RULE.finding(
            f"{worst} {verb} to {ratios[worst]:.2%} of its first norm, and {len(names) - 1} more of {len(ratios)} weights go the same way."
            f"{_decay(run)}",
            *(Place("parameter", name) for name in names[:_MOST_PLACES]),
            step=step,
            value=ratios[worst],
            limit=limit,
            comparison=f"norm at the start: {known[worst].norm[0]:.3g}",
            evidence=(Evidence("forward", worst, -1, step, "abs_mean", "The size of the weight over the steps."),),
        )


def _starts_above_zero(history: ParameterHistory) -> bool:
    """Whether a weight has a size to compare with. Those that begin at zero, or near it, are meant to grow."""
    return bool(history.norm[0] > _ZERO * np.sqrt(np.prod(history.entry.shape)))


def _final(history: ParameterHistory) -> float:
    finite = history.norm[np.isfinite(history.norm)]
    return float(finite[-1])


def _moves_a_lot(history: ParameterHistory) -> bool:
    _, ratios = update_ratios(history)
    return bool(len(ratios) and np.median(ratios) > _UPDATE)


def _first_step(history: ParameterHistory, limit: float) -> int:
    ratio = history.norm / history.norm[0]
    return int(history.steps[np.argmax(ratio < limit if limit < 1 else ratio > limit)])


def _decay(run: Run) -> str:
    options = [group.options.get("weight_decay") for optimizer in run.network.optimizers or () for group in optimizer.groups]
    decays = sorted({float(decay) for decay in options if isinstance(decay, int | float) and decay})
    return f" The weight decay is {', '.join(f'{decay:g}' for decay in decays)}." if decays else ""


RULE = Rule(
    name="weights-collapse",
    title="Weights shrink to almost nothing, or grow without bounds",
    severity=Severity.PROBLEM,
    formula="norm(weight) at the end / at the start < 0.1, or > 10 with a median update of more than 10 %, for half of the weights or "
    "more; not for weights that start at zero",
    source="own trials; TheDeepChecker has 95 % of the values below 1e-5",
    needs="norms of weights in 5 training steps",
    advice=(
        "Lower the weight decay, or leave it out.",
        "Check the weight of regularization in the loss.",
        "Lower the learning rate if weights grow.",
    ),
    check=_check,
    thresholds=(
        Threshold("norm relative to the start, shrinking", _SHRUNK, "own trials"),
        Threshold("norm relative to the start, growing", _GROWN, "own trials"),
        Threshold("share of the weights", _SHARE, "own trials"),
    ),
    explains=(
        Explains("nan-origin"),
        Explains("vanishing-gradient"),
        Explains("dormant-units"),
        Explains("same-for-all-samples"),
        Explains("branch-without-effect"),
        Explains("loss-does-not-fall"),
        Explains("predictions-ignore-input"),
    ),
    priority=3,
)
