"""Weights that stay where they are: from a step on, because of rounding, because something sets them back, or because of `eps`."""

from __future__ import annotations

import numpy as np

from comgra_export.analysis.findings.model.finding import Place, Severity
from comgra_export.analysis.findings.rules.gradients.damped import damped_by_epsilon
from comgra_export.analysis.findings.rules.gradients.slow import Slow, place_of_optimizer, size_of
from comgra_export.analysis.findings.rules.gradients.standstill import (
    ROUNDING,
    ROUNDING_OF_HALF,
    SHARE_OF_WEIGHTS,
    rounded_away,
    standstill,
)
from comgra_export.analysis.findings.rules.gradients.stopped import stopped_part
from comgra_export.analysis.findings.rules.gradients.undone import LEAST_RETURNS, UNDONE, returns, way_left
from comgra_export.analysis.findings.rules.loss_curve import has_converged, loss_at_start_and_end
from comgra_export.analysis.findings.rules.weights import weight_histories
from comgra_export.analysis.findings.rules.wording import names_of
from comgra_export.analysis.history.run import Run
from comgra_export.storage.text.steps import as_step, step_in_words

__all__ = ["EPSILON", "damped", "end_of_a_part", "end_of_training", "lost_to_rounding", "set_back", "undone"]

EPSILON = 3.0
"""An `eps` so many times as large as gradients makes steps a quarter of the usual ones."""

_LOSS_OF_DAMPED = 0.25
_LOSS_OF_RETURNS = 0.9


def damped(run: Run) -> Slow | None:
    """Steps that are divided by a large `eps`."""
    damping, loss = damped_by_epsilon(run, EPSILON), loss_at_start_and_end(run)
    if damping is None or loss is None or not loss.end > _LOSS_OF_DAMPED * loss.start > 0:
        return None
    return Slow(
        f"The `eps` of `{damping.optimizer}` is {damping.epsilon:.3g}, and a typical gradient {damping.gradient:.2g} (root mean square). "
        "Steps are divided by their sum, so they are much smaller than the learning rate. It looks as if another setting was passed in its "
        "place.",
        (
            Place("optimizer", damping.optimizer),
            *(Place("parameter", name) for name in damping.names),
        ),
        step=as_step(run.numbers[0]),
        value=damping.epsilon / damping.gradient,
        limit=EPSILON,
        comparison="By default, it is 1e-08, so that it has no effect.",
        severity=Severity.SYMPTOM,
    )


def lost_to_rounding(run: Run) -> Slow | None:
    """Updates in half precision that are too small for it."""
    lost = rounded_away(run)
    if lost is None or has_converged(run):
        return None
    limit = ROUNDING_OF_HALF[lost.dtype]
    changes = "changes" if len(lost.unchanged) == 1 else "change"
    unchanged = f" {names_of(lost.unchanged)} never {changes} at all." if lost.unchanged else ""
    return Slow(
        f"A step changes {len(lost.weights)} of {lost.of} weights in half precision by {lost.ratio:.1g} of their size. Changes of single "
        f"values below {limit:.1g} are lost when they are rounded.{unchanged}",
        (
            *(Place("parameter", name) for name in dict.fromkeys((*lost.unchanged, *lost.weights))),
            place_of_optimizer(run),
        ),
        step=lost.step,
        value=lost.ratio,
        limit=limit,
        comparison=f"The limit is half of the distance between two numbers of {lost.dtype}, relative to them.",
        evidence=(size_of(lost.weights[0], lost.step),),
    )


def undone(run: Run) -> Slow | None:
    """Weights that stay where they are although each step moves them."""
    left = way_left(run)
    names = sorted((name for name, ratio in left.items() if ratio < UNDONE), key=left.__getitem__)
    if not names or len(names) < SHARE_OF_WEIGHTS * len(left) or has_converged(run):
        return None
    ratio = float(np.median([left[name] for name in names]))
    step = as_step(run.parameters[names[0]].steps[0])
    return Slow(
        f"Steps change {len(names)} of {len(left)} weights, and yet these weights stay where they are. It looks as if something sets them "
        "back after each step.",
        (
            *(Place("parameter", name) for name in names),
            place_of_optimizer(run),
        ),
        step=step,
        value=ratio,
        limit=UNDONE,
        comparison="This is how far they move, relative to the size of an update. Healthy runs have at least 0.8.",
        evidence=(size_of(names[0], step),),
    )


def set_back(run: Run) -> Slow | None:
    """Weights that move, and are again and again exactly what they were at first, while the loss stays where it was."""
    times, loss = returns(run), loss_at_start_and_end(run)
    if not times or len(times) < SHARE_OF_WEIGHTS * len(weight_histories(run)):
        return None
    if loss is None or not loss.end > _LOSS_OF_RETURNS * loss.start > 0:
        return None
    names = sorted(times, key=lambda name: (-len(times[name]), name))
    steps = times[names[0]]
    return Slow(
        f"{len(names)} weights are exactly what they were at first again at the beginning of {len(steps)} recorded steps, although updates "
        f"change them in between: first in {step_in_words(steps[0])}. It looks as if something sets them back.",
        (*(Place("parameter", name) for name in names), place_of_optimizer(run)),
        step=steps[0],
        value=float(len(steps)),
        limit=LEAST_RETURNS,
        comparison="Weights that learn do not come back to the values that they had at first.",
        evidence=(size_of(names[0], steps[0]),),
    )


def end_of_training(run: Run) -> Slow | None:
    """No weight changes any more."""
    still = standstill(run)
    if still is None or has_converged(run):
        return None
    rates = [rate for step in (run.steps[0], run.steps[-1]) for rate in (step.learning_rates or ((),))[0][:1]]
    return Slow(
        f"No weight changes any more from {step_in_words(still.since)} on, of {int(run.numbers[-1])} steps."
        + (f" The learning rate is {rates[1]:.3g} at the end, and {rates[0]:.3g} at the start." if len(rates) > 1 else ""),
        (
            place_of_optimizer(run),
            *(Place("parameter", name) for name in still.weights),
        ),
        step=still.since,
        value=still.largest,
        limit=ROUNDING,
        comparison="About 0.001 is typical, and a smaller change than the limit is lost in rounding.",
        evidence=(size_of(still.weights[0], still.since),),
    )


def end_of_a_part(run: Run) -> Slow | None:
    """Some parameters no longer change, and others do."""
    stopped = stopped_part(run)
    if stopped is None:
        return None
    is_one = len(stopped.names) == 1
    return Slow(
        f"{names_of(stopped.names)} no longer change{'s' if is_one else ''} from {step_in_words(stopped.since)} on, although "
        f"{'its gradient goes' if is_one else 'their gradients go'} on and other parameters change.",
        (
            *(Place("parameter", name) for name in stopped.names),
            place_of_optimizer(run),
        ),
        step=stopped.since,
        evidence=(size_of(stopped.names[0], stopped.since),),
        # Whoever trains one part after the other may stop an optimizer on purpose.
        severity=Severity.SYMPTOM if stopped.is_whole else None,
    )
