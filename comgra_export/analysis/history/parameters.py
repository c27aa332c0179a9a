"""What the steps of a run did to each parameter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from comgra_export.analysis.history.series import Floats, Integers
from comgra_export.storage import ParameterEntry, ParameterFacts, StepDescription

__all__ = ["ParameterHistory", "parameter_histories"]


@dataclass(frozen=True)
class ParameterHistory:
    """One parameter over the steps that say something about it. All arrays have the axis `T`.

    Attributes:
        entry: The parameter.
        positions: Which of the run's steps these are, ascending.
        steps: Their numbers.
        norm: Its Euclidean norm before the step.
        update_norm: The Euclidean norm of the difference that the step made. NaN: not known, as it is if the elements that were compared
            have not changed, and others were not compared.
        leftover: What its gradient still held of earlier steps when the first backward pass of the step reached it, as a norm. NaN: not
            known.
    """

    entry: ParameterEntry
    positions: Integers
    steps: Floats
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
    # Most steps say something about the same parameters.
    groups: dict[tuple[int, ...], list[int]] = {}
    for position, step in enumerate(steps):
        if step.parameters is not None:
            groups.setdefault(step.parameters.parameters, []).append(position)
    numbers = np.array([step.step for step in steps], np.float64)
    parts: dict[int, list[tuple[Integers, Floats]]] = {}
    for parameters, members in groups.items():
        changes = _changes([steps[position] for position in members])
        for place, parameter in enumerate(parameters):
            parts.setdefault(parameter, []).append((np.array(members, np.int64), changes[:, place]))
    histories = {}
    for parameter in sorted(parts):
        positions = np.concatenate([members for members, _ in parts[parameter]])
        order = np.argsort(positions)
        positions = positions[order]
        norm, update_norm, leftover = np.concatenate([changes for _, changes in parts[parameter]], axis=1)[:, order]
        entry = entries[parameter]
        histories[entry.name] = ParameterHistory(entry, positions, numbers[positions], norm, update_norm, leftover)
    return histories


def _changes(steps: Sequence[StepDescription]) -> Floats:
    """What steps say about the same `P` parameters, `[3, P, T]`: norms, those of updates, and what gradients held; NaN: not known."""
    known = [step.parameters for step in steps if step.parameters is not None]
    columns = [
        [changes.norm for changes in known],
        [_known_updates(changes) for changes in known],
        [changes.accumulated_gradient_difference for changes in known],
    ]
    return np.stack([np.array(column, np.float64).T for column in columns])


def _known_updates(changes: ParameterFacts) -> list[float]:
    """The norms of updates. That the elements of a sample have not changed proves nothing about the others."""
    estimated = {each.parameter for each in changes.estimated}
    pairs = zip(changes.parameters, changes.update_norm, strict=True)
    return [np.nan if norm == 0 and parameter in estimated else norm for parameter, norm in pairs]
