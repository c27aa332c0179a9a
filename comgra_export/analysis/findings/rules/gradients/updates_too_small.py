"""Steps hardly change the weights, and the loss stays where it was; or they no longer change them at all."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from comgra_export.analysis.findings.model.finding import Finding, Place, Severity
from comgra_export.analysis.findings.model.rule import Explains, NotCheckedError, Rule, Threshold
from comgra_export.analysis.findings.rules.gradients.schedules import DECAY, LEAST_PAUSE, SHARE_OF_RUN, WARM
from comgra_export.analysis.findings.rules.gradients.slow import place_of_optimizer, size_of
from comgra_export.analysis.findings.rules.gradients.slow_schedules import end_of_schedule, pause_of_schedule, warm_up
from comgra_export.analysis.findings.rules.gradients.slow_weights import (
    EPSILON,
    damped,
    end_of_a_part,
    end_of_training,
    lost_to_rounding,
    set_back,
    undone,
)
from comgra_export.analysis.findings.rules.gradients.standstill import ROUNDING, ROUNDING_OF_HALF, SHARE_OF_WEIGHTS, has_no_gradient
from comgra_export.analysis.findings.rules.gradients.stopped import LEAST_GRADIENT, SHARE_AFTER
from comgra_export.analysis.findings.rules.gradients.undone import LEAST_RETURNS, UNDONE
from comgra_export.analysis.findings.rules.loss_curve import loss_at_start_and_end
from comgra_export.analysis.findings.rules.steps import require_training_steps
from comgra_export.analysis.findings.rules.weights import update_ratios, weight_histories
from comgra_export.analysis.history.parameters import ParameterHistory
from comgra_export.analysis.history.run import Run
from comgra_export.storage.text.steps import as_step

__all__ = ["RULE"]

_RATIO = 1e-5
_WAY = 0.03
_LEAST_SPAN = 100
_LOSS_OF_WAY = 0.5
_LOSS = 0.98
_USUAL_RATE = 1e-3
# The first reason is reported.
_REASONS = (
    end_of_training,
    end_of_schedule,
    pause_of_schedule,
    lost_to_rounding,
    undone,
    set_back,
    end_of_a_part,
    warm_up,
    damped,
)


def _check(run: Run) -> Iterator[Finding]:
    require_training_steps(run)
    for reason in _REASONS:
        slow = reason(run)
        if slow is not None:
            yield RULE.finding(
                slow.message,
                *slow.places,
                step=slow.step,
                value=slow.value,
                limit=slow.limit,
                comparison=slow.comparison,
                evidence=slow.evidence,
                severity=slow.severity,
            )
            return
    loss = loss_at_start_and_end(run)
    if loss is None:
        raise NotCheckedError("the loss was not recorded", lacks="loss")
    largest, way = {}, {}
    for name, history in weight_histories(run).items():
        if has_no_gradient(run, name) or (run.optimized is not None and name not in run.optimized):
            # That is what is wrong, and not the size of steps.
            continue
        steps, ratios = update_ratios(history)
        # An optimizer that steps outside the recorded steps, or in every n-th only, is not slow.
        if len(ratios):
            largest[name] = float("inf") if _moves_between(history) else float(np.quantile(ratios, 0.9))
        if len(ratios) and steps[-1] - steps[0] >= _LEAST_SPAN:
            way[name] = float("inf") if _moves_between(history) else float(np.trapezoid(ratios, steps))
    if not largest:
        raise NotCheckedError("no updates of weights were recorded", lacks="parameters")
    small = sorted((name for name, ratio in largest.items() if ratio < _RATIO), key=largest.__getitem__)
    # A loss that is not positive may be so small that its gradient vanishes. It cannot be told whether it falls, and nothing changes.
    is_still = bool(run.optimized and run.optimized.issuperset(small)) and not any(largest.values())
    falls = loss.end <= _LOSS * loss.start if loss.start > 0 else not is_still
    if len(small) < SHARE_OF_WEIGHTS * len(largest) or falls:
        if loss.start > 0 and loss.end > _LOSS_OF_WAY * loss.start:
            yield from _short_way(run, way)
        return
    ratio = float(np.median([largest[name] for name in small]))
    changes = f"change by {ratio:.1g} of their size" if ratio else "do not change"
    step = as_step(run.parameters[small[0]].steps[0])
    yield RULE.finding(
        f"In a step, {len(small)} of {len(largest)} weights {changes}. The loss is {loss.start:.3g} at the "
        f"start, and {loss.end:.3g} at the end.",
        *_places(run, small),
        step=step,
        value=ratio,
        limit=_RATIO,
        comparison="About 0.001 is typical.",
        evidence=(size_of(small[0], step),),
    )


def _places(run: Run, small: list[str]) -> list[Place]:
    """The optimizer first if its rate makes steps small. Plain gradient descent with a usual rate is slow where gradients are small."""
    weights = [Place("parameter", name) for name in small]
    optimizers = run.network.optimizers or ()
    rates = [rate for optimizer in optimizers for group in optimizer.groups if isinstance(rate := group.options.get("lr"), int | float)]
    are_gradients_small = bool(rates) and min(rates) >= _USUAL_RATE and all(optimizer.type == "SGD" for optimizer in optimizers)
    return [*weights, place_of_optimizer(run)] if are_gradients_small else [place_of_optimizer(run), *weights]


def _short_way(run: Run, way: dict[str, float]) -> Iterator[Finding]:
    """Weights that all steps of the run together cannot have changed by much, even if each went in the same direction."""
    short = sorted((name for name, length in way.items() if length < _WAY), key=way.__getitem__)
    if not short or len(short) < SHARE_OF_WEIGHTS * len(way):
        return
    length = float(np.median([way[name] for name in short]))
    step = as_step(run.parameters[short[0]].steps[0])
    yield RULE.finding(
        f"All steps together change {len(short)} of {len(way)} weights by at most {length:.1g} of their size, if they all go the same way.",
        place_of_optimizer(run),
        *(Place("parameter", name) for name in short),
        step=step,
        value=length,
        limit=_WAY,
        comparison="Healthy runs have at least 0.2.",
        evidence=(size_of(short[0], step),),
    )


def _moves_between(history: ParameterHistory) -> bool:
    """Whether the norm changes by more than small updates in every step of the loop could explain."""
    steps = int(history.steps[-1] - history.steps[0]) + 1
    return bool(np.ptp(history.norm) > _RATIO * steps * history.norm.max())


RULE = Rule(
    name="updates-too-small",
    title="Steps hardly change the weights",
    severity=Severity.PROBLEM,
    formula="norm(update) / norm(weight) < 1e-5 for 80 % of weights, its sum < 0.03 over 100 steps, no change in half the run, the very "
    "first values again in 5 steps, or a warm-up that ends below 0.1 of its goal; without a falling loss. Or 5 steps without a rate, or "
    "parameters stop (a symptom for all). A symptom: `eps` > 3 times the gradients",
    source="own trials: healthy runs have 9e-6 at least; TheDeepChecker has 1e-4",
    needs="norms of updates in 5 training steps, and the loss",
    advice=(
        "Raise the learning rate, or check what clips or scales the gradients, and what else sets weights.",
        "Check the schedule of the learning rate: what it returns, and how often it steps.",
        "Keep weights in float32, and compute in half precision with autocast.",
    ),
    wrong_if="A ten times higher learning rate gives no lower loss after as many steps.",
    check=_check,
    thresholds=(
        Threshold("update ratio", _RATIO, "own trials"),
        Threshold("sum of update ratios over the run", _WAY, "own trials: healthy runs have 0.2 at least"),
        Threshold("loss at the end, relative to the start, for that sum", _LOSS_OF_WAY, "own choice"),
        Threshold("learning rate, relative to the largest", DECAY, "own choice"),
        Threshold("learning rate at the end, relative to the goal of its warm-up", WARM, "own choice"),
        Threshold("`eps` / root mean square of gradients", EPSILON, "own choice; steps are a quarter of the usual ones"),
        Threshold("steps between the first and the last without a learning rate", LEAST_PAUSE, "own choice"),
        Threshold("update ratio that bfloat16 rounds away", ROUNDING_OF_HALF["BF16"], "the precision of bfloat16"),
        Threshold("update ratio that float16 rounds away", ROUNDING_OF_HALF["F16"], "the precision of float16"),
        Threshold("update ratio of a weight that does not change", ROUNDING, "the precision of float32"),
        Threshold("movement relative to updates", UNDONE, "own trials: healthy runs have 0.8 at least"),
        Threshold("steps that begin with the very first values", LEAST_RETURNS, "exact; own choice"),
        Threshold("share of the run without a change", SHARE_OF_RUN, "own choice"),
        Threshold("share of the run without a change of some parameters", SHARE_AFTER, "own choice"),
        Threshold("root mean square of their gradients", LEAST_GRADIENT, "trials on 110 small programs"),
        Threshold("share of the weights", SHARE_OF_WEIGHTS, "own trials"),
        Threshold("loss at the end, relative to the start", _LOSS, "own trials"),
    ),
    explains=(Explains("loss-does-not-fall"), Explains("predictions-ignore-input")),
    priority=4,
)
