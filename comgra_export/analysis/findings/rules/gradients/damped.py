"""Steps of Adam and its relatives that a large epsilon makes small: `lr * mean / (root of the mean square + epsilon)`."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from comgra_export.analysis.findings.rules.parameters import received_gradients
from comgra_export.analysis.findings.rules.steps import LEAST_STEPS
from comgra_export.analysis.findings.rules.weights import weights
from comgra_export.analysis.history.run import Run
from comgra_export.storage import OptimizerEntry

__all__ = ["LEAST_EPSILON", "Damped", "damped_by_epsilon"]

LEAST_EPSILON = 1e-3
"""A smaller epsilon is there against a division by 0, and gradients that are smaller than it have vanished."""

_SHARE = 0.5


class Damped(NamedTuple):
    """An optimizer whose epsilon is larger than the gradients.

    Attributes:
        optimizer: Its name.
        epsilon: Its epsilon.
        gradient: The root mean square of a typical gradient, the median over weights.
        names: The weights whose gradients are smaller than epsilon, the smallest gradient first.
    """

    optimizer: str
    epsilon: float
    gradient: float
    names: tuple[str, ...]


def damped_by_epsilon(run: Run, factor: float) -> Damped | None:
    """The first optimizer whose epsilon is so many times as large as the gradients of most of its weights; None if there is none."""
    for optimizer in run.network.optimizers or ():
        damped = _damped(run, optimizer, factor)
        if damped is not None:
            return damped
    return None


def _damped(run: Run, optimizer: OptimizerEntry, factor: float) -> Damped | None:
    epsilons = [value for group in optimizer.groups if isinstance(value := group.options.get("eps"), int | float)]
    if not epsilons or len(epsilons) < len(optimizer.groups) or min(epsilons) < LEAST_EPSILON:
        return None
    held = {run.network.parameters[place].name for group in optimizer.groups for place in group.parameters}
    sizes = {name: size for name in weights(run) if name in held and (size := _size_of_gradient(run, name)) is not None}
    small = sorted((name for name, size in sizes.items() if size * factor < min(epsilons)), key=sizes.__getitem__)
    if not small or len(small) <= _SHARE * len(sizes):
        return None
    return Damped(optimizer.name, float(min(epsilons)), float(np.median(list(sizes.values()))), tuple(small))


def _size_of_gradient(run: Run, name: str) -> float | None:
    """The root mean square of a weight's gradient, the median over steps; None if it is 0 or not known in five steps."""
    received = received_gradients(run, name)
    present = received.norm[received.norm > 0]
    if len(present) < LEAST_STEPS:
        return None
    return float(np.median(present)) / float(np.sqrt(np.prod(run.parameters[name].entry.shape))) if name in run.parameters else None
