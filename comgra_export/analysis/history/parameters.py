"""What the steps of a run did to each parameter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from comgra_export.analysis.history.series import Floats, Integers
from comgra_export.storage import ParameterEntry, StepDescription

__all__ = ["ParameterHistory", "parameter_histories"]


@dataclass(frozen=True)
class ParameterHistory:
    """One parameter over the steps that say something about it. All arrays have the axis `T`.

    Attributes:
        entry: The parameter.
        positions: Which of the run's steps these are, ascending.
        steps: Their numbers.
        norm: Its Euclidean norm before the step.
        update_norm: The Euclidean norm of the difference that the step made.
        leftover: What its gradient still held of earlier steps when the first backward pass of the step reached it, as a norm. NaN: not
            known.
    """

    entry: ParameterEntry
    positions: Integers
    steps: Integers
    norm: Floats
    update_norm: Floats
    leftover: Floats

    @property
    def update_ratio(self) -> Floats:
        """The size of the update relative to the parameter; infinite or NaN if the parameter is zero."""
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio: Floats = self.update_norm / self.norm
        return ratio


def parameter_histories(entries: Sequence[ParameterEntry], steps: Sequence[StepDescription]) -> dict[str, ParameterHistory]:
    """Collects the histories of all parameters that a step says something about, by name, in the order of the network."""
    rows: dict[int, list[tuple[int, float, float, float]]] = {}
    for position, step in enumerate(steps):
        known = step.parameters
        if known is None:
            continue
        columns = zip(known.parameters, known.norm, known.update_norm, known.accumulated_gradient_difference, strict=True)
        for parameter, norm, update, leftover in columns:
            rows.setdefault(parameter, []).append((position, norm, update, np.nan if leftover is None else leftover))
    numbers = np.array([step.step for step in steps], np.int64)
    histories = {}
    for parameter in sorted(rows):
        positions = np.array([row[0] for row in rows[parameter]], np.int64)
        norm, update_norm, leftover = np.array([row[1:] for row in rows[parameter]], np.float64).T
        entry = entries[parameter]
        histories[entry.name] = ParameterHistory(entry, positions, numbers[positions], norm, update_norm, leftover)
    return histories
