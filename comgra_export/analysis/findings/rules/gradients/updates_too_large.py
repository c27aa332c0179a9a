"""Each step changes the weights by a large part of their size."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from comgra_export.analysis.findings.model.finding import Evidence, Finding, Place, Severity
from comgra_export.analysis.findings.model.rule import Explains, NotCheckedError, Rule, Threshold
from comgra_export.analysis.findings.rules.gradients.exploding_gradient import explodes_at_once
from comgra_export.analysis.findings.rules.gradients.schedules import ENDLESS, Rise, endless_rise
from comgra_export.analysis.findings.rules.gradients.slow import place_of_optimizer
from comgra_export.analysis.findings.rules.loss_curve import falls_from_the_start, has_converged, loss_of_training
from comgra_export.analysis.findings.rules.steps import require_training_steps, usual_training_steps
from comgra_export.analysis.findings.rules.weights import update_ratios, weight_histories
from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import FORWARD
from comgra_export.storage.text.steps import as_step

__all__ = ["RULE"]

_USUAL = 0.1
_FIRST = 0.5
_FIRST_STEPS = 12
_LEAST_STEP = 3
_SHARE = 0.5
# A single layer may well begin far from where it belongs.
_LEAST_WEIGHTS = 2
# In the first steps, two layers may: an adaptive optimizer moves each value as far as the learning rate says, and small weights far.
_LEAST_WEIGHTS_FIRST = 3
_LEAST_LOSSES = 5
_USUAL_RATE = 0.1


def _check(run: Run) -> Iterator[Finding]:
    require_training_steps(run)
    rise = endless_rise(run)
    if rise is not None and not has_converged(run):
        yield _of_rise(run, rise)
        return
    start = as_step(run.numbers[usual_training_steps(run)][0])
    usual: dict[str, float] = {}
    first: dict[str, float] = {}
    later: dict[str, float] = {}
    for name, history in weight_histories(run).items():
        steps, ratios = update_ratios(history)
        late, early = ratios[steps >= start + _LEAST_STEP], ratios[steps < start + _FIRST_STEPS]
        usual[name] = float(np.median(late)) if len(late) else 0.0
        # What begins at zero grows by as much as it is, as the second matrix of LoRA does.
        if steps.tolist()[:1] == history.steps.tolist()[:1]:
            first[name] = float(early.max()) if len(early) else 0.0
    if len(usual) < _LEAST_WEIGHTS:
        raise NotCheckedError("updates of fewer than two weights were recorded", lacks="parameters")
    if _recovers(run) or len(first) < _LEAST_WEIGHTS_FIRST or (_has_usual_rate(run) and explodes_at_once(run)):
        first = {}
    if len(usual) >= _LEAST_WEIGHTS_FIRST:
        later = _in_a_later_step(run, start + _FIRST_STEPS)
    for ratios_of, limit, when in (
        (usual, _USUAL, "a typical step"),
        (first, _FIRST, "one of the first steps"),
        (later, _FIRST, "one step, after which the loss does not come down again"),
    ):
        large = sorted((name for name in ratios_of if ratios_of[name] > limit), key=ratios_of.__getitem__, reverse=True)
        # One of two weights is half of them, and shows little.
        if len(large) >= max(_SHARE * len(ratios_of), _LEAST_WEIGHTS):
            yield _finding(run, large, len(ratios_of), ratios_of[large[0]], limit, when)
            return


def _in_a_later_step(run: Run, since: float) -> dict[str, float]:
    """The updates of the weights in the step with the largest one, if the loss is not lower after it than before; else nothing."""
    loss = loss_of_training(run)
    updates: dict[float, dict[str, float]] = {}
    for name, history in weight_histories(run).items():
        for step, ratio in zip(*(each.tolist() for each in update_ratios(history)), strict=True):
            if step >= since:
                updates.setdefault(step, {})[name] = ratio
    if loss is None or not updates:
        return {}
    worst = max(updates, key=lambda step: float(np.median(list(updates[step].values()))))
    steps, values = loss
    before, after = values[steps <= worst], values[steps > worst]
    if len(before) < _LEAST_LOSSES or len(after) < _LEAST_LOSSES:
        return {}
    is_lost = float(np.median(after[-_LEAST_LOSSES:])) >= float(np.median(before[-_LEAST_LOSSES:]))
    return updates[worst] if is_lost else {}


def _has_usual_rate(run: Run) -> bool:
    """Whether plain gradient descent has a rate that is small enough for gradients of a usual size."""
    optimizers = run.network.optimizers or ()
    rates = [rate for optimizer in optimizers for group in optimizer.groups if isinstance(rate := group.options.get("lr"), int | float)]
    return bool(rates) and max(rates) <= _USUAL_RATE and all(optimizer.type == "SGD" for optimizer in optimizers)


def _of_rise(run: Run, rise: Rise) -> Finding:
    """Only a symptom: CyclicLR without a cycle of the momentum also rises evenly, and keeps the rate that it leads to in itself."""
    return RULE.finding(
        f"The learning rate rises to the end of the run, to {rise.rate:.3g}, and the optimizer was given {rise.goal:.3g}. It looks as if a "
        "warm-up has no end: its factor should be at most 1.",
        place_of_optimizer(run),
        step=as_step(rise.since),
        value=rise.rate / rise.goal,
        limit=ENDLESS,
        comparison="This is the ratio of the two. A warm-up ends when it reaches that rate.",
        severity=Severity.SYMPTOM,
    )


def _recovers(run: Run) -> bool:
    """Whether large first steps do no harm: the loss falls, or the optimizer makes many updates in each of its steps.

    The first step of Adagrad moves each value by the learning rate, which is large for it, and each later one less.
    """
    return has_converged(run) or falls_from_the_start(run) or any(optimizer.type == "LBFGS" for optimizer in run.network.optimizers or ())


def _finding(run: Run, large: list[str], count: int, ratio: float, limit: float, when: str) -> Finding:
    worst = large[0]
    steps, ratios = update_ratios(weight_histories(run)[worst])
    step = as_step(steps[np.argmax(ratios > limit)])
    optimizers = run.network.optimizers or ()
    places = [*(Place("parameter", name) for name in large), Place("optimizer", optimizers[0].name if optimizers else "")]
    if len(large) == count:
        # No layer differs from the others.
        places.insert(0, places.pop())
    groups = [group for optimizer in optimizers for group in optimizer.groups]
    rates = {f"{rate:g}" for group in groups if isinstance(rate := group.options.get("lr"), float)}
    rate = f" The learning rate is {', '.join(sorted(rates))}." if rates else ""
    return RULE.finding(
        f"In {when}, `{worst}` changes by {ratio:.3g} times its size. {len(large)} of {count} weights change by more than {limit:.0%}. "
        f"About 0.1% is typical.{rate}",
        *places,
        step=step,
        value=ratio,
        limit=limit,
        comparison="Healthy runs change weights by 0.003 in the median step, by at most 0.013, and by up to 0.31 in the first steps.",
        evidence=(Evidence(FORWARD, worst, -1, step, "abs_mean", "The size of the weight over the steps."),),
    )


RULE = Rule(
    name="updates-too-large",
    title="Steps change the weights too much",
    severity=Severity.PROBLEM,
    formula="for half of the weights or more, at least two: median of norm(update) / norm(weight) from the third step on > 0.1. Or, for "
    "half of three weights or more, > 0.5 in one of the first 12 steps, unless the loss falls to 0.1, or to 0.9 without rising above "
    "1.1 first, or for LBFGS. Not for weights of about zero. Or the learning rate rises evenly to the end, to 5 times `initial_lr` (a "
    "symptom; not with `max_lr` or `max_momentum`)",
    source="CS231n (0.001 is typical); own trials: healthy runs reach 0.013, and 0.31 in the first steps; TheDeepChecker has 0.1",
    needs="norms of updates in 5 training steps",
    advice=(
        "Lower the learning rate, by a factor of 10 to begin with.",
        "Begin with a warm-up of the learning rate.",
        "Check the scale of the loss: a sum over the batch multiplies every gradient.",
    ),
    wrong_if="A ten times lower learning rate gives no lower loss after as many steps.",
    check=_check,
    thresholds=(
        Threshold("typical update ratio", _USUAL, "TheDeepChecker; own trials"),
        Threshold("update ratio in the first steps", _FIRST, "own trials"),
        Threshold("learning rate at the end / `initial_lr`, if it rises evenly", ENDLESS, "own choice"),
        Threshold("share of the weights", _SHARE, "own trials"),
        Threshold("weights, in the first steps", _LEAST_WEIGHTS_FIRST, "own choice"),
    ),
    explains=(
        Explains("rank-collapse"),
        Explains("updates-too-small"),
        Explains("nan-origin"),
        Explains("runaway-growth"),
        Explains("near-overflow"),
        Explains("exploding-gradient"),
        Explains("gradient-spike"),
        Explains("vanishing-gradient"),
        Explains("zero-gradient"),
        Explains("dead-relu"),
        Explains("saturated-units"),
        Explains("dormant-units"),
        Explains("same-for-all-samples"),
        Explains("same-for-all-tokens"),
        Explains("branch-without-effect"),
        Explains("attention-collapse"),
        Explains("logit-growth"),
        Explains("always-clipped"),
        Explains("diverging-loss"),
        Explains("oscillating-loss"),
        Explains("loss-does-not-fall"),
        Explains("predictions-ignore-input"),
    ),
    priority=3,
)
