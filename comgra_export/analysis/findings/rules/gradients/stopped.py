"""Parameters that change at first and no longer from a step on, while their gradients go on and other parameters change."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from comgra_export.analysis.findings.rules.parameters import received_gradients, trainable
from comgra_export.analysis.findings.rules.steps import LEAST_STEPS
from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import Floats
from comgra_export.storage.text.steps import as_step

__all__ = ["LEAST_GRADIENT", "SHARE_AFTER", "Stopped", "stopped_part"]

SHARE_AFTER = 0.25
"""So much of the run must come after the last change."""

LEAST_GRADIENT = 1e-6
"""Root mean square of a gradient that would move a parameter."""

_HALF = frozenset({"F16", "BF16"})
_SHARE_OF_STEPS = 0.5


class Stopped(NamedTuple):
    """The parameters that stopped, the first one first; the step; and whether nothing that their optimizers hold goes on."""

    names: tuple[str, ...]
    since: float
    is_whole: bool


def stopped_part(run: Run) -> Stopped | None:
    """The parameters that stop changing within the run, although something else goes on; None if there are none."""
    names = [name for name in trainable(run) if name in run.parameters]
    moved = {step for name in names for step in run.parameters[name].steps[run.parameters[name].update_norm > 0].tolist()}
    stops = {name: step for name in names if (step := _stop(run, name, moved)) is not None}
    if not stops:
        return None
    ordered = tuple(sorted(stops, key=stops.__getitem__))
    together = set().union(*(_held_with(run, name) for name in ordered)).intersection(names)
    goes_on = {name for name in together if (run.parameters[name].update_norm[run.parameters[name].steps >= max(stops.values())] > 0).any()}
    return Stopped(ordered, stops[ordered[0]], not goes_on)


def _stop(run: Run, name: str, moved: set[float]) -> float | None:
    """The first recorded step from which on a parameter stays as it is; None if there is none, or something explains it."""
    history, received = run.parameters[name], received_gradients(run, name)
    # What is not known may be a change.
    changes = np.flatnonzero(~(history.update_norm == 0))
    if len(changes) < LEAST_STEPS or history.entry.dtype in _HALF:
        return None
    late = history.steps > history.steps[changes[-1]]
    if late.sum() < LEAST_STEPS or np.ptp(history.norm[late]) > 0:
        return None
    step = as_step(history.steps[late][0])
    is_long = run.numbers[-1] - step >= SHARE_AFTER * run.numbers[-1]
    turns = np.isin(received.steps, history.steps[late & np.isin(history.steps, list(moved))])
    return step if is_long and _is_alive(received.norm[turns], history.entry.shape) and _has_learning_rate(run, name, step) else None


def _is_alive(norms: Floats, shape: tuple[int, ...]) -> bool:
    """Whether gradients would move a parameter. A gradient that nobody clears stays the same from step to step."""
    present = norms[norms > 0]
    if len(present) < LEAST_STEPS or len(present) <= _SHARE_OF_STEPS * len(norms):
        return False
    is_new = len(np.unique(present)) > _SHARE_OF_STEPS * len(present)
    return is_new and float(np.median(present)) / np.sqrt(max(1, int(np.prod(shape)))) > LEAST_GRADIENT


def _held_with(run: Run, name: str) -> set[str]:
    """The parameters of the optimizers that hold a parameter."""
    names = [entry.name for entry in run.network.parameters]
    held = [{names[place] for group in optimizer.groups for place in group.parameters} for optimizer in run.network.optimizers or ()]
    return set().union(*(each for each in held if name in each))


def _has_learning_rate(run: Run, name: str, since: float) -> bool:
    """Whether the learning rate of a parameter is not known to be 0 in all steps from one on."""
    position = next(place for place, entry in enumerate(run.network.parameters) if entry.name == name)
    known = [step.learning_rates for step in run.steps if step.learning_rates is not None and step.step >= since]
    rates = [
        rates[number][place]
        for number, optimizer in enumerate(run.network.optimizers or ())
        for place, group in enumerate(optimizer.groups)
        for rates in known
        if position in group.parameters and number < len(rates) and place < len(rates[number])
    ]
    return not rates or any(rates)
