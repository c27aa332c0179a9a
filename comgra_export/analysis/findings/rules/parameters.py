"""What is known of a parameter over the training steps: whether a gradient reaches it, and whether it moves."""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from comgra_export.analysis.findings.model.rule import NotCheckedError
from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import Floats, Integers, RecordKey, TensorKey

__all__ = ["Received", "has_twin", "moves", "place_of_module", "received_gradients", "require_gradients", "trainable"]

_COPY = re.compile(r"target|ema|teacher|momentum|average|shadow|copy|slow|frozen|reference|old|(^|_)k(ey)?$")
_ORIGINAL = re.compile(r"online|student|(^|_)q(uery)?$")


class Received(NamedTuple):
    """The gradient of a parameter in training steps, in any of the groups of gradients. All arrays have the axis `T`.

    Attributes:
        steps: The numbers of the steps.
        absent: Whether there was none.
        largest: Its largest finite magnitude; 0 if there was none, NaN if no value is finite.
        norm: Its Euclidean norm, of the group in which it is largest.
    """

    steps: Integers
    absent: NDArray[np.bool_]
    largest: Floats
    norm: Floats

    def __len__(self) -> int:
        return len(self.steps)


def require_gradients(run: Run) -> None:
    """Checks that gradients were recorded.

    Raises:
        NotCheckedError: They were not.
    """
    if not run.gradient_groups:
        raise NotCheckedError("no gradients were recorded")


def received_gradients(run: Run, name: str) -> Received:
    """The gradient of a parameter, in all steps that recorded gradients of it. Empty if none did."""
    rows: dict[int, tuple[bool, float, float]] = {}
    for group in run.gradient_groups:
        series = run.records.series(RecordKey(group, TensorKey(name, -1)))
        if series is None:
            continue
        columns = zip(series.steps, series.is_absent, series.largest_magnitude, series.norm, strict=True)
        for step, absent, largest, norm in columns:
            before = rows.get(int(step), (True, 0.0, 0.0))
            now = (True, 0.0, 0.0) if absent else (False, float(largest), float(norm))
            rows[int(step)] = before if now[0] else now if before[0] else (False, max(before[1], now[1]), max(before[2], now[2]))
    steps = sorted(rows)
    return Received(
        np.array(steps, np.int64),
        np.array([rows[step][0] for step in steps], bool),
        np.array([rows[step][1] for step in steps], np.float64),
        np.array([rows[step][2] for step in steps], np.float64),
    )


def moves(run: Run, name: str) -> bool:
    """Whether the values of a parameter change: in a recorded step, or between recorded steps. True if it is not known."""
    history = run.parameters.get(name)
    if history is None:
        return True
    return bool((history.update_norm != 0).any() or (history.norm != history.norm[:1]).any())


def trainable(run: Run) -> list[str]:
    """The names of all parameters that require a gradient. A parameter with several names is there once."""
    return [entry.name for entry in run.network.parameters if entry.requires_grad and entry.alias_of is None]


def place_of_module(run: Run, parameter: str) -> str:
    """The name of the module that a parameter is a direct part of; empty if it is not known."""
    for entry in run.network.parameters:
        if entry.name == parameter and 0 <= entry.module < len(run.network.modules):
            return run.network.modules[entry.module].name
    return ""


def has_twin(run: Run, name: str) -> bool:
    """Whether the parameter is part of a copy, as its name shows: `target.fc.weight` beside `online.fc.weight` of the same shape.

    Copies are target networks, averaged networks and teachers.
    """
    parts = name.split(".")
    shapes = {entry.name: entry.shape for entry in run.network.parameters}
    for other, shape in shapes.items():
        others = other.split(".")
        if len(others) == len(parts) and shape == shapes.get(name):
            different = [(mine, theirs) for mine, theirs in zip(parts, others, strict=True) if mine != theirs]
            if len(different) == 1 and (_COPY.search(different[0][0]) or _ORIGINAL.search(different[0][1])):
                return True
    return False
