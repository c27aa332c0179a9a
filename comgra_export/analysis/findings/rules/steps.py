"""The steps that rules with limits compare: those of training, as the schedule chose them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from comgra_export.analysis.findings.model.rule import NotCheckedError
from comgra_export.analysis.history.graph import StepGraph
from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import Series, TensorKey

__all__ = [
    "LEAST_STEPS",
    "gradients_in_training",
    "late",
    "require_training_steps",
    "training_graph",
    "usual_training_steps",
    "values_in_training",
]

LEAST_STEPS = 5
"""How many recorded training steps a rule with limits needs. It is also the least that one tensor needs."""


def usual_training_steps(run: Run) -> NDArray[np.bool_]:
    """`[S]`: the training steps without those that were recorded because something was unusual."""
    usual: NDArray[np.bool_] = run.is_training & ~run.is_triggered
    return usual


def require_training_steps(run: Run, least: int = LEAST_STEPS) -> None:
    """Checks that there are enough steps to compare.

    Raises:
        NotCheckedError: There are fewer.
    """
    count = int(usual_training_steps(run).sum())
    if count < least:
        raise NotCheckedError(
            f"only {count} training step{' was' if count == 1 else 's were'} recorded, and it needs {least}", lacks="training steps"
        )


def values_in_training(run: Run, tensor: TensorKey) -> Series | None:
    """The values of a tensor in the usual training steps; None if it is in none of them."""
    return _in_training(run, run.values(tensor))


def gradients_in_training(run: Run, tensor: TensorKey) -> Series | None:
    """The gradient of a tensor in the usual training steps in which it has one; None if there are none."""
    return _in_training(run, run.gradients(tensor))


def late(series: Series, share: float) -> Series:
    """The last steps of a series: this share of them, and at least one."""
    return series.at(np.arange(len(series)) >= min(round(len(series) * (1 - share)), len(series) - 1))


def training_graph(run: Run) -> StepGraph:
    """The graph of the first usual training step that has one; empty if none has."""
    for position in np.flatnonzero(usual_training_steps(run)).tolist():
        graph = run.graph(position)
        if graph.shown:
            return graph
    return StepGraph()


def _in_training(run: Run, series: Series | None) -> Series | None:
    if series is None:
        return None
    chosen = series.at(usual_training_steps(run)[series.positions] & ~series.is_absent)
    return chosen if len(chosen) else None
