"""Find in a recorded step the tensors between which flows are estimated, or say why one cannot be used."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum, auto
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from comgra_export.errors import DamagedRecordingError
from comgra_export.exporter.plan.plan import Plan, PlannedStep
from comgra_export.storage import FLAG_GRADIENT_ABSENT, Layout, Recording, RecordPlace, Structure, TensorEntry, iterate_records

__all__ = ["FlowFinder", "FlowTensors", "LayoutRecords", "Obstacle", "Stage", "find_tensors"]

_FORWARD = "forward"
_OLD = "*old"

Key = tuple[str, int]
"""Name and iteration of a tensor in a layout."""


class Stage(IntEnum):
    """How far the search for the tensors of an estimate came. The obstacle that it met last says most."""

    NOTHING = auto()
    NAME_IS_KNOWN = auto()
    TENSORS_ARE_THERE = auto()
    GRADIENTS_ARE_RECORDED = auto()
    GRADIENT_IS_RECORDED = auto()
    NUMBERS_ARE_USABLE = auto()
    TENSORS_DIFFER = auto()
    BATCH_IS_KNOWN = auto()
    GRADIENT_IS_PRESENT = auto()
    ORDER_IS_RIGHT = auto()


class Obstacle(NamedTuple):
    """Why flows cannot be estimated.

    Attributes:
        after: What had been found before it was met.
        reason: The end of a sentence.
        remedy: What to do about it: sentences.
    """

    after: Stage
    reason: str
    remedy: str


_NO_GRADIENTS = Obstacle(
    Stage.TENSORS_ARE_THERE, "no gradients were recorded", "Call recorder.record_current_gradients('gradients') after loss.backward()."
)


@dataclass(frozen=True, eq=False)
class FlowTensors:
    """The tensors of a sequence in one iteration and one group of gradients.

    Attributes:
        entries: What the layout says of each.
        gradients: The records of their gradients.
        values: The records of their values; None for a tensor without one.
        has_batch: Whether all of them have a batch dimension; otherwise none has.
    """

    entries: tuple[TensorEntry, ...]
    gradients: tuple[RecordPlace, ...]
    values: tuple[RecordPlace | None, ...]
    has_batch: bool


class LayoutRecords:
    """The tensors and records of a layout, to be found by name.

    Attributes:
        tensors: The position of each tensor in `entries`.
        iterations: The iterations that tensors are in, ascending; not that of parameters and initial values.
        groups: The names of the groups of gradients.
        entries: What the layout says of each tensor.
        records: The place of the numbers, by group and position of the tensor.
    """

    def __init__(self, layout: Layout) -> None:
        self.tensors: dict[Key, int] = {(entry.name, entry.iteration): place for place, entry in enumerate(layout.tensors)}
        self.iterations = sorted({entry.iteration for entry in layout.tensors if entry.iteration >= 0})
        self.groups = [group.name for group in layout.groups if group.name != _FORWARD]
        self.entries = layout.tensors
        self.records = {(place.group, place.tensor): place for place in iterate_records(layout)}


def aliases_in(structure: Structure) -> dict[str, Key]:
    """The tensors of an iteration by the names that its graph shows, under which their numbers need not be."""
    return {shown.name: (shown.record_name, shown.record_iteration) for shown in structure.tensors if not shown.node.endswith(_OLD)}


def is_computed_from(structure: Structure, target: TensorEntry, source: TensorEntry) -> bool:
    """Whether the graph of an iteration has a path from one tensor to another one."""
    following: defaultdict[int, list[int]] = defaultdict(list)
    for start, end in structure.dependencies:
        following[start].append(end)
    keys = [(shown.record_name, shown.record_iteration) for shown in structure.tensors]
    reached = {row for row, key in enumerate(keys) if key == (source.name, source.iteration)}
    ends = {row for row, key in enumerate(keys) if key == (target.name, target.iteration)} - reached
    waiting = list(reached)
    while waiting and not ends & reached:
        reachable = set(following[waiting.pop()]) - reached
        reached |= reachable
        waiting += reachable
    return bool(ends & reached)


def find_tensors(
    names: Sequence[str],
    records: LayoutRecords,
    aliases: Mapping[str, Key],
    iteration: int,
    group: str | None,
) -> FlowTensors | Obstacle:
    """Finds the tensors of a sequence. `aliases` says where those are that the graph of the iteration shows under further names."""
    positions: list[int] = []
    for name in names:
        place = records.tensors.get((name, iteration), records.tensors.get(aliases.get(name, (name, iteration))))
        if place is None:
            return _not_there(name, records)
        positions.append(place)
    if group is None:
        return _NO_GRADIENTS
    entries = tuple(records.entries[place] for place in positions)
    gradients = [records.records.get((group, place)) for place in positions]
    there = tuple(gradient for gradient in gradients if gradient is not None)
    for name, entry, gradient in zip(names, entries, gradients, strict=True):
        obstacle = _obstacle_of(name, entry, gradient)
        if obstacle is not None:
            return obstacle
    if len(set(positions)) < len(positions):
        twice = [name for name, place in zip(names, positions, strict=True) if positions.count(place) > 1]
        return Obstacle(Stage.NUMBERS_ARE_USABLE, f"{twice[0]!r} and {twice[1]!r} are the same tensor", "Name each tensor once.")
    values = tuple(records.records.get((_FORWARD, place)) for place in positions)
    has_batch = [entry.batch_dimension is not None for entry in entries]
    if any(has_batch) and not all(has_batch):
        reason = f"{names[has_batch.index(True)]!r} has a batch dimension, and {names[has_batch.index(False)]!r} has none"
        return Obstacle(
            Stage.TENSORS_DIFFER, reason, "Say which it is where it is registered: register_tensor(..., index_of_batch_dimension=0)."
        )
    return FlowTensors(entries, there, values, all(has_batch))


def _not_there(name: str, records: LayoutRecords) -> Obstacle:
    if any((name, iteration) in records.tensors for iteration in (-1, *records.iterations)):
        return Obstacle(
            Stage.NAME_IS_KNOWN, f"{name!r} is in no iteration with the others", "Flows are those between tensors of one iteration."
        )
    return Obstacle(Stage.NOTHING, f"no tensor is called {name!r}", "")


def _obstacle_of(name: str, entry: TensorEntry, gradient: RecordPlace | None) -> Obstacle | None:
    """Why the gradient of a tensor cannot be used, as far as the layout shows it."""
    if gradient is None:
        return Obstacle(Stage.GRADIENTS_ARE_RECORDED, f"{name!r} has no recorded gradient", "Record it before it is used, or leave it out.")
    if entry.type == "parameter":
        return Obstacle(
            Stage.GRADIENT_IS_RECORDED, f"{name!r} is a parameter", "Leave it out: flows are those between tensors of one iteration."
        )
    if entry.shape == () and entry.kind != "neuron":
        return Obstacle(Stage.GRADIENT_IS_RECORDED, f"{name!r} is a single number, of which no flow is estimated", "Leave it out.")
    if entry.kind != "neuron":
        remedy = "Record them: register it with recording_type='neuron', or watch with values=True."
        return Obstacle(Stage.GRADIENT_IS_RECORDED, f"only statistics of {name!r} were recorded, and no values", remedy)
    if entry.shard is not None:
        return Obstacle(Stage.GRADIENT_IS_RECORDED, f"this process holds only a part of {name!r}", "Leave it out.")
    if entry.values_per_sample == 0:
        return Obstacle(Stage.GRADIENT_IS_RECORDED, f"{name!r} is empty", "Leave it out.")
    if entry.values_count == 0:
        remedy = "Record some: max_num_batch_size_to_record is 0."
        return Obstacle(Stage.GRADIENT_IS_RECORDED, f"no single samples of {name!r} were recorded", remedy)
    return None


class FlowFinder:
    """Looks for tensors by name in the steps of a plan. Keeps what many steps share.

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
                return Obstacle(Stage.BATCH_IS_KNOWN, f"no gradient came to {name!r}", "The loss does not depend on it. Leave it out.")
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
    """The graph of an iteration; None if it is missing or damaged."""
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
            return Obstacle(Stage.GRADIENT_IS_PRESENT, reason, "Give tensors in the order in which they are computed.")
    return None
