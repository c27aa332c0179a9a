"""Finds the tensors between which flows are to be estimated, in the steps of recordings."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from comgra_export.errors import DamagedRecordingError
from comgra_export.exporter.flow_estimates.tensors import FlowTensors, LayoutRecords, Obstacle, aliases_in, find_tensors, is_computed_from
from comgra_export.exporter.plan.plan import Plan, PlannedStep
from comgra_export.storage import FLAG_GRADIENT_ABSENT, Recording, Structure

__all__ = ["FlowFinder"]


class FlowFinder:
    """Looks for tensors by name. Keeps what many steps share.

    Args:
        plan: Its steps are those of which tensors are asked for.

    Attributes:
        names: Names of all tensors that are known so far.
        has_groups: Whether there are gradients of more than one group.
    """

    def __init__(self, plan: Plan) -> None:
        self._records = [LayoutRecords(layout) for layout in plan.recorded_layouts]
        self.names = {name for records in self._records for name, _ in records.tensors}
        self.has_groups = len({group for records in self._records for group in records.groups}) > 1
        self._backward: dict[tuple[str | None, tuple[str, ...]], Obstacle | None] = {}
        self._flags: tuple[PlannedStep, NDArray[np.generic]] | None = None

    def iterations(self, step: PlannedStep) -> Sequence[int]:
        """Those in which tensors may be."""
        return self._records[step.layout].iterations or [0]

    def groups(self, step: PlannedStep) -> Sequence[str | None]:
        """The groups of gradients; None stands for there being none."""
        return self._records[step.layout].groups or [None]

    def find(
        self, recording: Recording, step: PlannedStep, names: tuple[str, ...], iteration: int, group: str | None
    ) -> FlowTensors | Obstacle:
        """The tensors of a sequence, if flows between them can be estimated.

        Args:
            recording: The recording.
            step: One of its steps.
            names: The names of the tensors.
            iteration: One of the iterations.
            group: One of the groups of gradients, or None.

        Raises:
            DamagedRecordingError: The numbers of the step cannot be read.
        """
        records, structure = self._records[step.layout], _structure(recording, step, iteration)
        aliases = {}
        if structure is not None and not all((name, iteration) in records.tensors for name in names):
            aliases = aliases_in(structure)
            self.names.update(aliases)
        tensors = find_tensors(names, records, aliases, iteration, group)
        if isinstance(tensors, Obstacle):
            return tensors
        flags = self._flags_of(recording, step)
        for name, gradient in zip(names, tensors.gradients, strict=True):
            if flags[gradient.counts] & FLAG_GRADIENT_ABSENT:
                return Obstacle(7, f"no gradient came to {name!r}", "The loss does not depend on it. Leave it out.")
        key = step.description.structures[iteration] if structure is not None else None, names
        if key not in self._backward:
            self._backward[key] = None if structure is None else _wrong_order(structure, names, tensors)
        return self._backward[key] or tensors

    def _flags_of(self, recording: Recording, step: PlannedStep) -> NDArray[np.generic]:
        """Per record of a step its flags."""
        if self._flags is None or self._flags[0] is not step:
            self._flags = step, recording.blobs(step.description.step, {"counts"})["counts"].data[:, -1]
        return self._flags[1]


def _structure(recording: Recording, step: PlannedStep, iteration: int) -> Structure | None:
    """The graph of an iteration; None where it is missing or damaged."""
    structures = step.description.structures
    digest = structures[iteration] if iteration < len(structures) else None
    try:
        return None if digest is None else recording.structure(digest)
    except DamagedRecordingError:
        return None


def _wrong_order(structure: Structure, names: Sequence[str], tensors: FlowTensors) -> Obstacle | None:
    for position in range(1, len(names)):
        if is_computed_from(structure, tensors.entries[position - 1], tensors.entries[position]):
            reason = f"{names[position - 1]!r} is computed from {names[position]!r}"
            return Obstacle(8, reason, "Give tensors in the order in which they are computed.")
    return None
