"""Gradients of earlier steps that nobody cleared."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile
from math import gcd

import numpy as np

from comgra_export.analysis.findings.model.finding import Evidence, Finding, Place, Severity
from comgra_export.analysis.findings.model.rule import Explains, NotCheckedError, Rule, Threshold
from comgra_export.analysis.findings.rules.parameters import received_gradients
from comgra_export.analysis.findings.rules.wording import names_of, share_of
from comgra_export.analysis.history.run import Run
from comgra_export.storage.text.steps import as_step

__all__ = ["RULE"]

_LEFTOVER = Threshold("norm of what is left, relative to that of the gradient", 1e-6, "exact up to rounding")
_PARAMETERS = Threshold("share of parameters", 0.5, "TrainCheck (Stack Overflow 60335387)")
_SHARE = Threshold("share of steps", 0.5, "own choice, for an update after each batch of an accumulation")
_SHARE_OF_SEVERAL = Threshold("share of steps, with several optimizers or parameters without an update", 0.9, "TrainCheck")
_MANY_STEPS = Threshold("steps, if gradients are clear in some of them", 8, "own choice")
_STEPS = Threshold("steps", 3, "TrainCheck (Stack Overflow 60335387)")


def _check(run: Run) -> Iterator[Finding]:
    of_all = _of_all(run)
    if of_all is not None:
        yield of_all
    else:
        yield from _of_one_optimizer(run)


def _of_all(run: Run) -> Finding | None:
    """Gradients that nobody clears, whichever optimizer holds them."""
    # Per step: for each parameter that it updates, how much was left, relative to the gradient.
    ratios: dict[float, list[float]] = {}
    not_updated: set[str] = set()
    names: dict[str, None] = {}
    first = next((as_step(number) for number, trains in zip(run.numbers, run.is_training, strict=True) if trains), None)
    for name, history in run.parameters.items():
        received = received_gradients(run, name)
        norms = dict(zip(received.steps.tolist(), received.norm.tolist(), strict=True))
        for step, update, leftover in zip(history.steps.tolist(), history.update_norm, history.leftover, strict=True):
            if update == 0 and norms.get(step, 0) > 0:
                not_updated.add(name)
            # Nothing can be left of earlier steps in the first.
            if update > 0 and step != first and step in norms and not np.isnan(leftover):
                ratios.setdefault(as_step(step), []).append(float(leftover) / norms[step] if norms[step] > 0 else 0.0)
                if leftover > 0:
                    names[name] = None
    if len(ratios) < _STEPS.value:
        raise NotCheckedError(
            f"fewer than {_STEPS.value} training steps after the first say what gradients held of earlier steps", lacks="training steps"
        )
    left = {step: bool(np.mean(np.array(row) > _LEFTOVER.value) > _PARAMETERS.value) for step, row in ratios.items()}
    # A step with a gradient and no update belongs to an accumulation over several steps.
    held = [name for name in names if name not in not_updated]
    # Several networks clear their gradients at different times. If all that is updated holds some, fewer steps will do.
    is_strict = not_updated or len(run.network.optimizers or ()) > 1 or len(ratios) < _MANY_STEPS.value
    limit = (_SHARE_OF_SEVERAL if is_strict else _SHARE).value
    if not held or len(held) <= len(names) / 2 or np.mean(list(left.values())) < limit:
        return None
    step = min(step for step, is_left in left.items() if is_left)
    value = float(np.median(ratios[step]))
    is_sparse = gcd(*(int(number) for number in np.diff(np.array(sorted({*ratios, first or 0}))))) > 1
    caution = " It is right if the script accumulates gradients over several steps on purpose." if is_sparse else ""
    return RULE.finding(
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


def _of_one_optimizer(run: Run) -> Iterator[Finding]:
    """Parameters of one optimizer that keep gradients: those of the turns of others, or those that their own updates have used."""
    first = next((as_step(number) for number, trains in zip(run.numbers, run.is_training, strict=True) if trains), None)
    moved = {as_step(step) for history in run.parameters.values() for step in history.steps[history.update_norm > 0]}
    for optimizer in run.network.optimizers or ():
        held = [run.network.parameters[position].name for group in optimizer.groups for position in group.parameters]
        used = [name for name in held if name in run.parameters and _outlives_updates(run, name, first)]
        kept = used or [name for name in held if name in run.parameters and _is_never_clear(run, name, first, moved)]
        if not used and len(kept) <= _PARAMETERS.value * len(held):
            continue
        history = run.parameters[kept[0]]
        step = as_step(history.steps[history.leftover > 0][0])
        what = "although updates have used them" if used else "also of the steps of other optimizers"
        yield RULE.finding(
            f"The gradients of {names_of(kept)} are never clear. When a backward pass begins, they still hold those of earlier steps, "
            f"{what}.",
            _place_of(kept, optimizer.name),
            *(Place("parameter", name) for name in kept),
            step=step,
            evidence=(
                Evidence(run.gradient_groups[0], kept[0], -1, step, "abs_mean", "The gradient, with what was left of earlier steps."),
            ),
        )


def _place_of(parameters: list[str], optimizer: str) -> Place:
    """The smallest module that holds some parameters; the optimizer if there is none."""
    module = [
        names[0]
        for names in takewhile(lambda names: len(set(names)) == 1, zip(*(name.split(".")[:-1] for name in parameters), strict=False))
    ]
    return Place("module", ".".join(module)) if module else Place("optimizer", optimizer)


def _is_never_clear(run: Run, name: str, first: float | None, moved: set[float]) -> bool:
    """Whether a gradient held something in every later step, in those that update its parameter and in those that update only others.

    A step with a gradient and no update may belong to an accumulation. Then it updates nothing else either, or gradients are clear in some.
    """
    history = run.parameters[name]
    known = ~np.isnan(history.leftover) & (history.steps != first)
    updates = known & (history.update_norm > 0)
    of_others = known & (history.update_norm == 0) & np.isin(history.steps, list(moved))
    is_enough = min(updates.sum(), of_others.sum()) >= _STEPS.value and (updates | of_others).sum() >= _MANY_STEPS.value
    return bool(is_enough and (history.leftover[updates | of_others] > 0).all())


def _outlives_updates(run: Run, name: str, first: float | None) -> bool:
    """Whether every step updates a parameter after its one backward pass, and the gradient held something in every later step.

    Without a step between two updates, no accumulation is left to explain it. A second backward pass, as that of a GAN, could.
    """
    history = run.parameters[name]
    later = history.steps != first
    known = history.leftover[later]
    is_single = all(len(run.steps[position].backward_roots) == 1 for position in history.positions.tolist())
    is_each = bool((history.update_norm > 0).all() and (np.diff(history.steps) == 1).any())
    return is_single and is_each and len(known) >= _MANY_STEPS.value and bool((known > 0).all())


RULE = Rule(
    name="gradients-left-over",
    title="Gradients of earlier steps are still there",
    severity=Severity.BUG,
    formula="gradient left at a backward pass > 1e-6 of the new one, for more than half of the updated parameters, in 90 % of 3 steps; in "
    "half of 8 with one optimizer. Or parameters of one optimizer in all of 8 steps, with turns of others or one pass and update in each. "
    "A problem if unrecorded steps may accumulate",
    source="exact; TrainCheck (Stack Overflow 60335387)",
    needs="gradients, and norms of updates",
    advice=("Call `optimizer.zero_grad()` before every backward pass that is not an accumulation.",),
    wrong_if="The updates stay the same when `zero_grad` is called before every backward pass.",
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
