"""Gradients of earlier steps that nobody cleared."""

from __future__ import annotations

from collections.abc import Iterator
from math import gcd

import numpy as np

from comgra_export.analysis.findings.model.finding import Evidence, Finding, Place, Severity
from comgra_export.analysis.findings.model.rule import Explains, NotCheckedError, Rule, Threshold
from comgra_export.analysis.findings.rules.parameters import received_gradients
from comgra_export.analysis.findings.rules.wording import share_of
from comgra_export.analysis.history.run import Run

__all__ = ["RULE"]

_LEFTOVER = Threshold("norm of what is left, relative to that of the gradient", 1e-6, "exact up to rounding")
_PARAMETERS = Threshold("share of parameters", 0.5, "TrainCheck (Stack Overflow 60335387)")
_SHARE = Threshold("share of steps", 0.5, "own choice, for an update after each batch of an accumulation")
_SHARE_OF_SEVERAL = Threshold("share of steps, with several optimizers or parameters without an update", 0.9, "TrainCheck")
_MANY_STEPS = Threshold("steps, if gradients are clear in some of them", 8, "own choice")
_STEPS = Threshold("steps", 3, "TrainCheck (Stack Overflow 60335387)")


def _check(run: Run) -> Iterator[Finding]:
    # Per step: for each parameter that it updates, how much was left, relative to the gradient.
    ratios: dict[int, list[float]] = {}
    not_updated: set[str] = set()
    names: dict[str, None] = {}
    first = next((int(number) for number, trains in zip(run.numbers, run.is_training, strict=True) if trains), None)
    for name, history in run.parameters.items():
        received = received_gradients(run, name)
        norms = dict(zip(received.steps.tolist(), received.norm.tolist(), strict=True))
        for step, update, leftover in zip(history.steps.tolist(), history.update_norm, history.leftover, strict=True):
            if update == 0 and norms.get(step, 0) > 0:
                not_updated.add(name)
            # Nothing can be left of earlier steps in the first.
            if update > 0 and step != first and step in norms and not np.isnan(leftover):
                ratios.setdefault(step, []).append(float(leftover) / norms[step] if norms[step] > 0 else 0.0)
                if leftover > 0:
                    names[name] = None
    if len(ratios) < _STEPS.value:
        raise NotCheckedError(f"fewer than {_STEPS.value} training steps after the first say what gradients held of earlier steps")
    left = {step: bool(np.mean(np.array(row) > _LEFTOVER.value) > _PARAMETERS.value) for step, row in ratios.items()}
    # A step with a gradient and no update belongs to an accumulation over several steps.
    held = [name for name in names if name not in not_updated]
    # Several networks clear their gradients at different times. If all that is updated holds some, fewer steps will do.
    is_strict = not_updated or len(run.network.optimizers or ()) > 1 or len(ratios) < _MANY_STEPS.value
    limit = (_SHARE_OF_SEVERAL if is_strict else _SHARE).value
    if not held or len(held) <= len(names) / 2 or np.mean(list(left.values())) < limit:
        return
    step = min(step for step, is_left in left.items() if is_left)
    value = float(np.median(ratios[step]))
    is_sparse = gcd(*(int(number) for number in np.diff(np.array(sorted({*ratios, first or 0}))))) > 1
    caution = " It is right if the script accumulates gradients over several steps on purpose." if is_sparse else ""
    yield RULE.finding(
        f"When the backward pass of step {step} began, gradients still held those of earlier steps, although updates had already used "
        f"them. This is so in {share_of(float(np.mean(list(left.values()))), 'recorded steps')}.{caution}",
        Place("optimizer"),
        *(Place("parameter", name) for name in held),
        step=step,
        value=value,
        limit=_LEFTOVER.value,
        comparison="This is what was left, relative to the gradient. With `zero_grad` in every step, nothing is left.",
        evidence=(Evidence(run.gradient_groups[0], held[0], -1, step, "abs_mean", "The gradient, with what was left of earlier steps."),),
        severity=Severity.PROBLEM if is_sparse else None,
    )


RULE = Rule(
    name="gradients-left-over",
    title="Gradients of earlier steps are still there",
    severity=Severity.BUG,
    formula="what a gradient held when the backward pass reached it > 1e-6 of the gradient, for more than half of the updated parameters, "
    "in 90 % of at least 3 steps after the first; in half of at least 8, with one optimizer and no parameter that gets no update. "
    "Parameters that get gradients and no update in some step are left out. A problem instead of a bug if recorded steps are so far apart "
    "that they cannot rule out an accumulation over steps",
    source="exact; TrainCheck (Stack Overflow 60335387)",
    needs="gradients, and norms of updates",
    advice=("Call `optimizer.zero_grad()` before every backward pass that is not an accumulation.",),
    check=_check,
    thresholds=(_LEFTOVER, _PARAMETERS, _SHARE, _SHARE_OF_SEVERAL, _MANY_STEPS, _STEPS),
    explains=(
        Explains("exploding-gradient"),
        Explains("updates-too-large"),
        Explains("diverging-loss"),
        Explains("oscillating-loss"),
        Explains("loss-does-not-fall"),
        Explains("always-clipped"),
        Explains("gradient-spike"),
        Explains("runaway-growth"),
        Explains("dead-relu"),
        Explains("same-for-all-samples"),
        Explains("predictions-ignore-input"),
        Explains("saturated-units"),
        Explains("nan-origin"),
    ),
    priority=0,
    while_training=0,
)
