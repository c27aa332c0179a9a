"""Makes a recording of checkpoints: a step for each, with the weights and what has changed since the checkpoint before."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from comgra_export.errors import MisuseError
from comgra_export.importers.checkpoints.files import NumberedCheckpoint, numbered, open_checkpoint
from comgra_export.importers.checkpoints.network import names_of_changes, network_of
from comgra_export.importers.checkpoints.tensors import Checkpoint, SavedTensor
from comgra_export.importers.records import StepNumbers
from comgra_export.importers.target import trial_folder
from comgra_export.storage import (
    CurvePoint,
    Gap,
    Group,
    Header,
    Layout,
    Note,
    ParameterFacts,
    RecordedSamples,
    RecordingWriter,
    ShownTensor,
    StepDescription,
    Structure,
    TensorEntry,
    TensorType,
)
from comgra_export.version import __version__

__all__ = ["CHANGE", "STEP_TYPE", "ImportedCheckpoints", "import_checkpoints"]

STEP_TYPE = "checkpoint"
"""The type of execution of imported steps."""

CHANGE = "change since the checkpoint before"
"""The role of differences."""

_CURVES = "all weights"


class ImportedCheckpoints(NamedTuple):
    """The result of an import.

    Attributes:
        steps: The number of each step, and the name of its checkpoint.
        tensors: How many tensors the last one has.
        gaps: What was left out, and why.
    """

    folder: Path
    steps: tuple[tuple[int, str], ...]
    tensors: int
    gaps: tuple[str, ...]


def import_checkpoints(
    checkpoints: Sequence[str | os.PathLike[str]],
    recordings: str | os.PathLike[str],
    *,
    group: str = "checkpoints",
    trial: str | None = None,
    replace: bool = False,
    on_step: Callable[[int, int], None] | None = None,
) -> ImportedCheckpoints:
    """Makes a recording of checkpoints: statistics and histograms of each tensor, its norm, and how it differs from the checkpoint before.

    Norms are those of floating-point tensors: the others are counters. One tensor is in memory at a time.

    Args:
        checkpoints: safetensors files, files of `torch.save`, or folders with the parts of one checkpoint each.
        recordings: The folder of recordings, which is created.
        group: The name of the group.
        trial: The name of the trial. By default, it is the name of the folder that holds the first checkpoint.
        replace: Whether to replace a trial that was imported before. A trial that was recorded is never replaced.
        on_step: Called before each checkpoint with how many are done, and how many there are.

    Raises:
        ForeignDataError: A checkpoint cannot be read.
        MisuseError: The trial exists already, a name cannot be the name of a folder, or no checkpoint is given.
        NotARecordingError: A checkpoint does not exist.
        OSError: A file cannot be read or written.
    """
    if not checkpoints:
        raise MisuseError("There is no checkpoint. Give at least one file.")
    ordered = numbered([Path(path) for path in checkpoints])
    opened = [open_checkpoint(checkpoint) for checkpoint in ordered]
    folder = trial_folder(recordings, group, _name_of(ordered[0].path) if trial is None else trial, {STEP_TYPE}, replace=replace)
    writer = RecordingWriter(folder, Header(group, folder.parent.name, writer=f"comgra_export {__version__}", checksums=True))
    gaps: list[Gap] = []
    try:
        network = network_of(opened)
        writer.write_network(network)
        positions = {parameter.name: position for position, parameter in enumerate(network.parameters)}
        writer.add_note(Note(f"Made of {len(ordered)} checkpoints, {ordered[0].name} to {ordered[-1].name}.", ordered[0].step))
        for place, (checkpoint, content) in enumerate(zip(ordered, opened, strict=True)):
            if on_step is not None:
                on_step(place, len(ordered))
            step = _CheckpointStep(checkpoint, content, opened[place - 1] if place else None)
            step.write(writer, positions)
            gaps += step.gaps
    finally:
        writer.close()
    return ImportedCheckpoints(
        folder.parent,
        tuple((checkpoint.step, checkpoint.name) for checkpoint in ordered),
        len(opened[-1].tensors),
        tuple(f"{'' if gap.tensor is None else f'{gap.tensor}: '}{gap.reason}" for gap in gaps),
    )


def _name_of(path: Path) -> str:
    return path.resolve().parent.name or "checkpoints"


class _CheckpointStep:
    """The step of a checkpoint.

    Args:
        checkpoint: Its number and name.
        content: Its tensors.
        before: The checkpoint before.
    """

    def __init__(self, checkpoint: NumberedCheckpoint, content: Checkpoint, before: Checkpoint | None) -> None:
        self._checkpoint, self._content = checkpoint, content
        self._earlier = {} if before is None else before.tensors
        self.gaps = [Gap(reason, checkpoint.step) for reason in content.left_out]
        changed = [name for name, tensor in content.tensors.items() if self._is_comparable(name, tensor)]
        if before is not None:
            missing = [name for name in self._earlier if name not in content.tensors]
            self.gaps += [Gap("the checkpoint before has it, and this one does not.", checkpoint.step, tensor=name) for name in missing]
        self._weights = [_entry(name, name, "parameter", tensor) for name, tensor in content.tensors.items()]
        changes = names_of_changes(changed, content.tensors)
        self._changes = [(name, _entry(changes[name], CHANGE, "calculated", content.tensors[name])) for name in changed]

    def write(self, writer: RecordingWriter, positions: dict[str, int]) -> None:
        """Writes the step. Tensors are read one after another."""
        number = self._checkpoint.step
        numbers = StepNumbers()
        squares = {}
        for entry in self._weights:
            array = self._content.tensors[entry.name].read()
            numbers.add(entry, array)
            if entry.is_floating:
                squares[entry.name] = _sum_of_squares(array)
        squares_before, squares_of_changes = {}, {}
        for name, entry in self._changes:
            earlier, later = (_as_floats(side[name].read(), entry) for side in (self._earlier, self._content.tensors))
            with np.errstate(invalid="ignore", over="ignore"):
                difference = later - earlier
            numbers.add(entry, difference)
            if entry.is_floating:
                squares_before[name], squares_of_changes[name] = _sum_of_squares(earlier), _sum_of_squares(difference)
        entries = (*self._weights, *(entry for _, entry in self._changes))
        layout = writer.write_layout(Layout(entries, (Group("forward", tuple(range(len(entries)))),)))
        structure = writer.write_structure(self._structure(entries))
        ordered = sorted(squares_of_changes, key=lambda name: positions[name])
        facts = ParameterFacts(
            tuple(positions[name] for name in ordered),
            tuple(float(np.sqrt(squares_before[name])) for name in ordered),
            tuple(float(np.sqrt(squares_of_changes[name])) for name in ordered),
            (None,) * len(ordered),
        )
        writer.add_finished_step(number)
        description = StepDescription(
            number, STEP_TYPE, 1, layout, (structure,), RecordedSamples(()), parameters=facts if ordered else None, gaps=tuple(self.gaps)
        )
        writer.write_step(description, numbers.blobs())
        writer.add_curve_point(CurvePoint(_CURVES, "norm", STEP_TYPE, number, float(np.sqrt(sum(squares.values())))))
        if ordered:
            change = float(np.sqrt(sum(squares_of_changes.values())))
            writer.add_curve_point(CurvePoint(_CURVES, f"norm of the {CHANGE}", STEP_TYPE, number, change))

    def _structure(self, entries: Sequence[TensorEntry]) -> Structure:
        """Weights as nodes, and their changes as what is computed from them."""
        shown = tuple(ShownTensor(entry.name, entry.node, entry.role, entry.type, entry.name, -1) for entry in entries)
        positions = {entry.name: position for position, entry in enumerate(entries)}
        pairs = tuple((positions[name], positions[entry.name]) for name, entry in self._changes)
        return Structure(shown, pairs, tuple(range(len(pairs))))

    def _is_comparable(self, name: str, tensor: SavedTensor) -> bool:
        earlier = self._earlier.get(name)
        if earlier is None or earlier.shape == tensor.shape:
            return earlier is not None
        reason = f"its shape is {list(tensor.shape)}, and was {list(earlier.shape)} in the checkpoint before, so there is no difference."
        self.gaps.append(Gap(reason, self._checkpoint.step, tensor=name))
        return False


def _entry(name: str, role: str, kind: TensorType, tensor: SavedTensor) -> TensorEntry:
    return TensorEntry(
        name,
        iteration=-1,
        node=name,
        role=role,
        type=kind,
        kind="kpis" if tensor.shape else "single_value",
        dtype=tensor.dtype,
        stored=tensor.dtype,
        shape=tensor.shape,
        batch_dimension=None,
        samples=0,
        histogram=True,
    )


def _as_floats(array: NDArray[np.generic], entry: TensorEntry) -> NDArray[np.floating]:
    return array.astype(np.float64 if entry.precision == "F64" else np.float32)


def _sum_of_squares(array: NDArray[np.generic]) -> float:
    with np.errstate(over="ignore", invalid="ignore"):
        return float(np.square(array, dtype=np.float64).sum())
