"""Steps hardly change the weights, and the loss stays where it was; or they no longer change them at all."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from comgra_export.analysis.findings.model.finding import Evidence, Finding, Place, Severity
from comgra_export.analysis.findings.model.rule import Explains, NotCheckedError, Rule, Threshold
from comgra_export.analysis.findings.rules.gradients.damped import damped_by_epsilon
from comgra_export.analysis.findings.rules.gradients.schedules import (
    DECAY,
    LEAST_PAUSE,
    SHARE_OF_RUN,
    WARM,
    early_decay,
    pause,
    slow_warm_up,
)
from comgra_export.analysis.findings.rules.gradients.standstill import (
    ROUNDING,
    ROUNDING_OF_HALF,
    SHARE_OF_WEIGHTS,
    has_no_gradient,
    rounded_away,
    standstill,
)
from comgra_export.analysis.findings.rules.gradients.stopped import LEAST_GRADIENT, SHARE_AFTER, stopped_part
from comgra_export.analysis.findings.rules.gradients.undone import UNDONE, way_left
from comgra_export.analysis.findings.rules.loss_curve import has_converged, loss_at_start_and_end
from comgra_export.analysis.findings.rules.steps import require_training_steps
from comgra_export.analysis.findings.rules.weights import update_ratios, weight_histories
from comgra_export.analysis.findings.rules.wording import names_of
from comgra_export.analysis.history.parameters import ParameterHistory
from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import FORWARD
from comgra_export.storage.text.steps import as_step, step_in_words

__all__ = ["RULE"]

_RATIO = 1e-5
_WAY = 0.03
_LEAST_SPAN = 100
_LOSS_OF_WAY = 0.5
_LOSS = 0.98
_LOSS_OF_WARM_UP = 0.9
_LOSS_OF_DAMPED = 0.25
_EPSILON = 3.0
_USUAL_RATE = 1e-3


def _check(run: Run) -> Iterator[Finding]:
    require_training_steps(run)
    first = _end_of_training(run) or _end_of_schedule(run) or _pause_of_schedule(run) or _lost_to_rounding(run) or _undone(run)
    first = first or _end_of_a_part(run) or _warm_up(run) or _damped(run)
    if first is not None:
        yield first
        return
    loss = loss_at_start_and_end(run)
    if loss is None:
        raise NotCheckedError("the loss was not recorded")
    largest, way = {}, {}
    for name, history in weight_histories(run).items():
        if has_no_gradient(run, name):
            # That is what is wrong, and not the size of steps.
            continue
        steps, ratios = update_ratios(history)
        # An optimizer that steps outside the recorded steps, or in every n-th only, is not slow.
        if len(ratios):
            largest[name] = float("inf") if _moves_between(history) else float(np.quantile(ratios, 0.9))
        if len(ratios) and steps[-1] - steps[0] >= _LEAST_SPAN:
            way[name] = float("inf") if _moves_between(history) else float(np.trapezoid(ratios, steps))
    if not largest:
        raise NotCheckedError("no updates of weights were recorded")
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
        evidence=(_size_of(small[0], step),),
    )


def _place(run: Run) -> Place:
    optimizers = run.network.optimizers or ()
    return Place("optimizer", optimizers[0].name if optimizers else "")


def _places(run: Run, small: list[str]) -> list[Place]:
    """The optimizer first if its rate makes steps small. Plain gradient descent with a usual rate is slow where gradients are small."""
    weights = [Place("parameter", name) for name in small]
    optimizers = run.network.optimizers or ()
    rates = [rate for optimizer in optimizers for group in optimizer.groups if isinstance(rate := group.options.get("lr"), int | float)]
    are_gradients_small = bool(rates) and min(rates) >= _USUAL_RATE and all(optimizer.type == "SGD" for optimizer in optimizers)
    return [*weights, _place(run)] if are_gradients_small else [_place(run), *weights]


def _short_way(run: Run, way: dict[str, float]) -> Iterator[Finding]:
    """Weights that all steps of the run together cannot have changed by much, even if each went in the same direction."""
    short = sorted((name for name, length in way.items() if length < _WAY), key=way.__getitem__)
    if not short or len(short) < SHARE_OF_WEIGHTS * len(way):
        return
    length = float(np.median([way[name] for name in short]))
    step = as_step(run.parameters[short[0]].steps[0])
    yield RULE.finding(
        f"All steps together change {len(short)} of {len(way)} weights by at most {length:.1g} of their size, if they all go the same way.",
        _place(run),
        *(Place("parameter", name) for name in short),
        step=step,
        value=length,
        limit=_WAY,
        comparison="Healthy runs have at least 0.2.",
        evidence=(_size_of(short[0], step),),
    )


def _end_of_schedule(run: Run) -> Finding | None:
    decay = early_decay(run)
    if decay is None or has_converged(run):
        return None
    return RULE.finding(
        f"The learning rate is {decay.rate:.3g} in {step_in_words(decay.since)} of {int(run.numbers[-1])}, and does not rise again. It was "
        f"{decay.largest:.3g} in {step_in_words(decay.largest_step)}.",
        _place(run),
        step=decay.since,
        value=decay.rate / decay.largest,
        limit=DECAY,
        comparison="Schedules reach such a rate at the end of training.",
    )


def _warm_up(run: Run) -> Finding | None:
    warm_up, loss = slow_warm_up(run), loss_at_start_and_end(run)
    if warm_up is None or loss is None or not loss.end > _LOSS_OF_WARM_UP * loss.start > 0:
        return None
    return RULE.finding(
        f"The learning rate has only risen to {warm_up.rate:.3g} in {step_in_words(run.numbers[-1])}, and the schedule leads to "
        f"{warm_up.goal:.3g}. The loss is {loss.start:.3g} at the start, and {loss.end:.3g} at the end. If the warm-up counts steps, its "
        "`step()` must be called after each step, and not after each epoch.",
        _place(run),
        step=as_step(run.numbers[0]),
        value=warm_up.rate / warm_up.goal,
        limit=WARM,
        comparison="This is the ratio of the two rates. A warm-up usually ends early in training.",
    )


def _damped(run: Run) -> Finding | None:
    damped, loss = damped_by_epsilon(run, _EPSILON), loss_at_start_and_end(run)
    if damped is None or loss is None or not loss.end > _LOSS_OF_DAMPED * loss.start > 0:
        return None
    return RULE.finding(
        f"The `eps` of `{damped.optimizer}` is {damped.epsilon:.3g}, and a typical gradient is {damped.gradient:.2g} (root mean square). "
        "Steps are divided by their sum, so they are much smaller than the learning rate. It looks as if another setting was passed in its "
        "place.",
        Place("optimizer", damped.optimizer),
        *(Place("parameter", name) for name in damped.names),
        step=as_step(run.numbers[0]),
        value=damped.epsilon / damped.gradient,
        limit=_EPSILON,
        comparison="By default, it is 1e-08, so that it has no effect.",
        severity=Severity.SYMPTOM,
    )


def _pause_of_schedule(run: Run) -> Finding | None:
    without = pause(run)
    if without is None:
        return None
    return RULE.finding(
        f"The learning rate is 0 in all recorded steps from step {without.first} to step {without.last}, so none of them trains. It is "
        f"{without.rate:.3g} in {step_in_words(without.next)}.",
        _place(run),
        step=without.first,
        value=without.last - without.first,
        limit=LEAST_PAUSE,
        comparison="This is the number of steps between them. A warm-up may begin at 0, and then rises in every step.",
    )


def _lost_to_rounding(run: Run) -> Finding | None:
    lost = rounded_away(run)
    if lost is None or has_converged(run):
        return None
    limit = ROUNDING_OF_HALF[lost.dtype]
    changes = "changes" if len(lost.unchanged) == 1 else "change"
    unchanged = f" {names_of(lost.unchanged)} never {changes} at all." if lost.unchanged else ""
    return RULE.finding(
        f"A step changes {len(lost.weights)} of {lost.of} weights in half precision by {lost.ratio:.1g} of their size. Changes of single "
        f"values below {limit:.1g} are lost when they are rounded.{unchanged}",
        *(Place("parameter", name) for name in dict.fromkeys((*lost.unchanged, *lost.weights))),
        _place(run),
        step=lost.step,
        value=lost.ratio,
        limit=limit,
        comparison=f"The limit is half of the distance between two numbers of {lost.dtype}, relative to them.",
        evidence=(_size_of(lost.weights[0], lost.step),),
    )


def _undone(run: Run) -> Finding | None:
    """Weights that stay where they are although each step moves them."""
    left = way_left(run)
    undone = sorted((name for name, ratio in left.items() if ratio < UNDONE), key=left.__getitem__)
    if not undone or len(undone) < SHARE_OF_WEIGHTS * len(left) or has_converged(run):
        return None
    ratio = float(np.median([left[name] for name in undone]))
    step = as_step(run.parameters[undone[0]].steps[0])
    return RULE.finding(
        f"Steps change {len(undone)} of {len(left)} weights, and yet these weights stay where they are. It looks as if something sets them "
        "back after each step.",
        *(Place("parameter", name) for name in undone),
        _place(run),
        step=step,
        value=ratio,
        limit=UNDONE,
        comparison="This is how far they move, relative to the size of an update. Healthy runs have at least 0.8.",
        evidence=(_size_of(undone[0], step),),
    )


def _end_of_training(run: Run) -> Finding | None:
    still = standstill(run)
    if still is None or has_converged(run):
        return None
    rates = [rate for step in (run.steps[0], run.steps[-1]) for rate in (step.learning_rates or ((),))[0][:1]]
    return RULE.finding(
        f"No weight changes any more from {step_in_words(still.since)} on, of {int(run.numbers[-1])} steps."
        + (f" The learning rate is {rates[1]:.3g} at the end, and {rates[0]:.3g} at the start." if len(rates) > 1 else ""),
        _place(run),
        *(Place("parameter", name) for name in still.weights),
        step=still.since,
        value=still.largest,
        limit=ROUNDING,
        comparison="About 0.001 is typical, and a smaller change than the limit is lost in rounding.",
        evidence=(_size_of(still.weights[0], still.since),),
    )


def _end_of_a_part(run: Run) -> Finding | None:
    """Some parameters no longer change, and others do."""
    stopped = stopped_part(run)
    if stopped is None:
        return None
    is_one = len(stopped.names) == 1
    return RULE.finding(
        f"{names_of(stopped.names)} no longer change{'s' if is_one else ''} from {step_in_words(stopped.since)} on, although "
        f"{'its gradient goes' if is_one else 'their gradients go'} on and other parameters change.",
        *(Place("parameter", name) for name in stopped.names),
        _place(run),
        step=stopped.since,
        evidence=(_size_of(stopped.names[0], stopped.since),),
        # Whoever trains one part after the other may stop an optimizer on purpose.
        severity=Severity.SYMPTOM if stopped.is_whole else None,
    )


def _size_of(weight: str, step: float) -> Evidence:
    return Evidence(FORWARD, weight, -1, step, "abs_mean", "The size of the weight over the steps.")


def _moves_between(history: ParameterHistory) -> bool:
    """Whether the norm changes by more than small updates in every step of the loop could explain."""
    steps = int(history.steps[-1] - history.steps[0]) + 1
    return bool(np.ptp(history.norm) > _RATIO * steps * history.norm.max())


RULE = Rule(
    name="updates-too-small",
    title="Steps hardly change the weights",
    severity=Severity.PROBLEM,
    formula="norm(update) / norm(weight) < 1e-5 for 80 % of weights, its sum < 0.03 over 100 steps, no change in half the run, or a "
    "warm-up that ends below 0.1 of its goal; without a falling loss. Or 5 steps without a rate, or parameters stop (a "
    "symptom for all). A symptom: `eps` > 3 times the gradients",
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
        Threshold("`eps` / root mean square of gradients", _EPSILON, "own choice; steps are a quarter of the usual ones"),
        Threshold("steps between the first and the last without a learning rate", LEAST_PAUSE, "own choice"),
        Threshold("update ratio that bfloat16 rounds away", ROUNDING_OF_HALF["BF16"], "the precision of bfloat16"),
        Threshold("update ratio that float16 rounds away", ROUNDING_OF_HALF["F16"], "the precision of float16"),
        Threshold("update ratio of a weight that does not change", ROUNDING, "the precision of float32"),
        Threshold("movement relative to updates", UNDONE, "own trials: healthy runs have 0.8 at least"),
        Threshold("share of the run without a change", SHARE_OF_RUN, "own choice"),
        Threshold("share of the run without a change of some parameters", SHARE_AFTER, "own choice"),
        Threshold("root mean square of their gradients", LEAST_GRADIENT, "trials on 110 small programs"),
        Threshold("share of the weights", SHARE_OF_WEIGHTS, "own trials"),
        Threshold("loss at the end, relative to the start", _LOSS, "own trials"),
    ),
    explains=(Explains("loss-does-not-fall"), Explains("predictions-ignore-input")),
    priority=4,
)
