"""Schedules of the learning rate that leave too little of it."""

from __future__ import annotations

from comgra_export.analysis.findings.rules.gradients.schedules import DECAY, LEAST_PAUSE, WARM, early_decay, pause, slow_warm_up
from comgra_export.analysis.findings.rules.gradients.slow import Slow, place_of_optimizer
from comgra_export.analysis.findings.rules.loss_curve import has_converged, loss_at_start_and_end
from comgra_export.analysis.history.run import Run
from comgra_export.storage.text.steps import as_step, step_in_words

__all__ = ["end_of_schedule", "pause_of_schedule", "warm_up"]

_LOSS_OF_WARM_UP = 0.9


def end_of_schedule(run: Run) -> Slow | None:
    """A rate that is small for more than half of the run."""
    decay = early_decay(run)
    if decay is None or has_converged(run):
        return None
    return Slow(
        f"The learning rate is {decay.rate:.3g} in {step_in_words(decay.since)} of {int(run.numbers[-1])}, and does not rise again. It was "
        f"{decay.largest:.3g} in {step_in_words(decay.largest_step)}.",
        (place_of_optimizer(run),),
        step=decay.since,
        value=decay.rate / decay.largest,
        limit=DECAY,
        comparison="Schedules reach such a rate at the end of training.",
    )


def warm_up(run: Run) -> Slow | None:
    """A warm-up that has hardly begun when the run ends."""
    rising, loss = slow_warm_up(run), loss_at_start_and_end(run)
    if rising is None or loss is None or not loss.end > _LOSS_OF_WARM_UP * loss.start > 0:
        return None
    return Slow(
        f"The learning rate has only risen to {rising.rate:.3g} in {step_in_words(run.numbers[-1])}, and the schedule leads to "
        f"{rising.goal:.3g}. The loss is {loss.start:.3g} at the start, and {loss.end:.3g} at the end. If the warm-up counts steps, its "
        "`step()` must be called after each step, and not after each epoch.",
        (place_of_optimizer(run),),
        step=as_step(run.numbers[0]),
        value=rising.rate / rising.goal,
        limit=WARM,
        comparison="This is the ratio of the two rates. A warm-up usually ends early in training.",
    )


def pause_of_schedule(run: Run) -> Slow | None:
    """Steps without a rate."""
    without = pause(run)
    if without is None:
        return None
    return Slow(
        f"The learning rate is 0 in all recorded steps from step {without.first} to step {without.last}, so none of them trains. It is "
        f"{without.rate:.3g} in {step_in_words(without.next)}.",
        (place_of_optimizer(run),),
        step=without.first,
        value=without.last - without.first,
        limit=LEAST_PAUSE,
        comparison="This is the number of steps between them. A warm-up may begin at 0, and then rises in every step.",
    )
