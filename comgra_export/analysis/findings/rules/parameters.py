"""What is known of a parameter over the training steps: whether a gradient reaches it, and whether it moves."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from comgra_export.analysis.findings.model.finding import Evidence
from comgra_export.analysis.findings.model.rule import NotCheckedError
from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import FORWARD, Floats, RecordKey, TensorKey

__all__ = [
    "Received",
    "copied_from",
    "followed_by",
    "has_twin",
    "lost_gradients",
    "moves",
    "received_gradients",
    "require_gradients",
    "share_of_turns",
    "trainable",
    "unchanged",
]

_COPY = re.compile(r"target|ema|teacher|momentum|average|shadow|copy|slow|frozen|reference|old|(^|_)k(ey)?$")
_AVERAGE = re.compile(r"(^|_)(averaged?|ema|momentum|shadow|teacher)(_|$)")
_TARGET = re.compile(r"(^|_)(target|tgt|old|slow|delayed|lagged)(_|$)")
_ORIGINAL = re.compile(r"online|student|(^|_)q(uery)?$")


class Received(NamedTuple):
    """The gradient of a parameter in training steps, in any of the groups of gradients. All arrays have the axis `T`.

    Attributes:
        steps: The numbers of the steps.
        absent: Whether there was none.
        largest: Its largest finite magnitude; 0 if there was none, NaN if no value is finite.
        norm: Its Euclidean norm, of the group in which it is largest.
    """

    steps: Floats
    absent: NDArray[np.bool_]
    largest: Floats
    norm: Floats

    def __len__(self) -> int:
        return len(self.steps)


def unchanged(run: Run, name: str, step: float, gradient: str) -> tuple[Evidence, ...]:
    """What shows that a parameter stays as it is although it has a gradient: both over the steps, the parameter first.

    Args:
        run: The run.
        name: The parameter.
        step: The step to look at.
        gradient: What to see in the gradient.
    """
    key = TensorKey(name, -1)
    values, gradients = run.values(key), run.gradients(key)
    return (
        *(() if values is None else (Evidence(FORWARD, *key, step, "abs_mean", "The values stay the same."),)),
        *(() if gradients is None else (Evidence(gradients.key.group, *key, step, "abs_mean", gradient),)),
    )


def require_gradients(run: Run) -> None:
    """Checks that gradients were recorded.

    Raises:
        NotCheckedError: They were not.
    """
    if not run.gradient_groups:
        raise NotCheckedError("no gradients were recorded", lacks="gradients")


def received_gradients(run: Run, name: str) -> Received:
    """The gradient of a parameter, in all steps that recorded gradients of it. Empty if none did."""
    records = [run.records.series(RecordKey(group, TensorKey(name, -1))) for group in run.gradient_groups]
    groups = [series for series in records if series is not None]
    steps = np.unique(np.concatenate([np.zeros(0), *(series.steps for series in groups)]))
    absent, largest, norm = np.ones(len(steps), bool), np.zeros(len(steps)), np.zeros(len(steps))
    for series in groups:
        present = ~series.is_absent
        rows = np.searchsorted(steps, series.steps[present])
        for numbers, new in ((largest, series.largest_magnitude[present]), (norm, series.norm[present])):
            # The first of the groups counts if it is NaN.
            is_new = absent[rows] | (new > numbers[rows])
            numbers[rows[is_new]] = new[is_new]
        absent[rows] = False
    return Received(steps, absent, largest, norm)


def lost_gradients(run: Run) -> list[str]:
    """The parameters of the optimizers whose gradients were there in every training step, and gone when the optimizer made its step.

    They are absent, or exactly 0, while what is computed from the parameter has a gradient. Empty unless all parameters that the optimizers
    hold are without. A parameter that moves without a gradient was updated within the backward pass.
    """
    held = [name for name in trainable(run) if run.optimized is not None and name in run.optimized]
    received = [received_gradients(run, name) for name in held]
    if not all(len(each) and (each.largest == 0).all() for each in received):
        return []
    if any(each.absent.all() and moves(run, name) for name, each in zip(held, received, strict=True)):
        return []
    return [name for name in held if _has_reached_result(run, name)]


def _has_reached_result(run: Run, name: str) -> bool:
    """Whether a backward pass gave the result of a parameter a gradient in each training step that recorded gradients of it."""
    first = int(np.flatnonzero(run.is_training)[0])
    results = [run.gradients(result) for result in run.graph(first).children.get(TensorKey(name, -1), ())]
    known = [series for series in results if series is not None and len(series)]
    return any(bool((~series.is_absent & (series.largest_magnitude > 0)).all()) for series in known)


def share_of_turns(run: Run) -> float:
    """In what share of training steps a parameter gets gradients at least: half of them, or half of its turns if optimizers take turns."""
    return 0.5 / max(1, len(run.network.optimizers or ()))


def moves(run: Run, name: str) -> bool:
    """Whether the values of a parameter change: in a recorded step, or between recorded steps. True if it is not known."""
    history = run.parameters.get(name)
    if history is None:
        return True
    return bool((history.update_norm != 0).any() or (history.norm != history.norm[:1]).any())


def trainable(run: Run) -> list[str]:
    """The names of all parameters that require a gradient. A parameter with several names is there once."""
    return [entry.name for entry in run.network.parameters if entry.requires_grad and entry.alias_of is None]


def has_twin(run: Run, name: str) -> bool:
    """Whether the parameter is part of a copy, as its name shows: `target.fc.weight` beside `online.fc.weight` of the same shape.

    Copies are target networks, averaged networks and teachers.
    """
    return any(_COPY.search(mine) or _ORIGINAL.search(theirs) for mine, theirs, _ in _others_like(run, name))


def followed_by(run: Run, name: str) -> str | None:
    """The parameter that this one follows as a moving average, as its name shows: as for `teacher` beside `student`; None if none.

    A target need not follow anything: it can be random on purpose.
    """
    return next((other for mine, _, other in _others_like(run, name) if _AVERAGE.search(mine)), None)


def copied_from(run: Run, name: str) -> str | None:
    """The parameter of which this one is to be an older copy, as its name shows: as for `target` beside `online`; None if none.

    Such a network may also be random on purpose, and another one learns to say what it says.
    """
    return next((other for mine, _, other in _others_like(run, name) if _TARGET.search(mine)), None)


def _others_like(run: Run, name: str) -> Iterator[tuple[str, str, str]]:
    """Parameters of the same shape whose names differ in one part: that part of this name and of the other, and the other name."""
    parts = name.split(".")
    shapes = {entry.name: entry.shape for entry in run.network.parameters}
    for other, shape in shapes.items():
        others = other.split(".")
        if len(others) == len(parts) and shape == shapes.get(name):
            different = [(mine, theirs) for mine, theirs in zip(parts, others, strict=True) if mine != theirs]
            if len(different) == 1:
                yield *different[0], other
