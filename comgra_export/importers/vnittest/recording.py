"""Imports vnittest's files as a recording of one step."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from comgra_export.analysis.gradient_flow import ESTIMATES, MAX_ESTIMATED_FLOWS
from comgra_export.importers.records import WholeTensor, blobs_of, layout_of
from comgra_export.importers.target import trial_folder
from comgra_export.importers.vnittest.checking import check_files
from comgra_export.importers.vnittest.data import PLANES, VnittestData, VnittestPair, has_planes
from comgra_export.importers.vnittest.files import find_flow_info, name_of, read_files
from comgra_export.importers.vnittest.flow_rows import as_float32, given_flows, links_to_neighbours
from comgra_export.storage import (
    FlowLayer,
    FlowNumbers,
    FlowPair,
    Gap,
    GradientFlow,
    Header,
    Note,
    PairNumbers,
    RecordedSamples,
    RecordingWriter,
    ShownTensor,
    StepDescription,
    Structure,
    check_folder_name,
)
from comgra_export.storage.model.gradient_flows import FlowRole
from comgra_export.version import __version__

__all__ = ["NEIGHBOURS_METHOD", "STEP_TYPE", "Imported", "import_vnittest"]

Array = NDArray[np.generic]

NEIGHBOURS_METHOD = "vnittest_neighbours"
"""The method of the explicit mode's flows, which have the value 1 if a gradient is not zero."""

# A small file may name the same large layer a thousand times.
_MAX_ESTIMATED_IN_ALL = 4 * MAX_ESTIMATED_FLOWS

STEP_TYPE = "vnittest"
"""The type of execution of imported steps."""

_GRADIENTS_GROUP = "gradients"

# The name and method of each flow that the files may give.
_GIVEN = ("gradient flow", "given")
_NEIGHBOURS = ("gradient flow to neighbours", NEIGHBOURS_METHOD)
_NAMES_OF_ESTIMATES = {
    "chain_rule_estimate": "gradient flow by the chain rule",
    "vnittest_estimate": "gradient flow as vnittest estimates it",
}


class Imported(NamedTuple):
    """The result of an import.

    Attributes:
        flows: The name of each gradient flow, and how many flows between elements it has.
        layers: The number of layers, without pictures.
        gaps: What was left out, and why.
    """

    folder: Path
    flows: tuple[tuple[str, int], ...]
    layers: int
    gaps: tuple[str, ...]


def import_vnittest(
    source: str | os.PathLike[str],
    recordings: str | os.PathLike[str],
    *,
    group: str = "vnittest",
    trial: str | None = None,
    replace: bool = False,
) -> Imported:
    """Makes a recording from vnittest's files: one trial with one step, number 0.

    Args:
        source: The folder of the files, the beginning of their names, or the pickle.
        recordings: The folder of recordings, which is created.
        group: The name of the group.
        trial: The name of the trial. By default, it is the name of the files.
        replace: Whether to replace a trial that was imported before. A trial that was recorded is never replaced.

    Raises:
        ForeignDataError: The files cannot be read.
        MisuseError: The trial exists already, or a name cannot be the name of a folder.
        OSError: The recording cannot be written.
    """
    flow_info = find_flow_info(os.fspath(source))
    trial = name_of(flow_info) if trial is None else trial
    for kind, name in (("group", group), ("trial", trial)):
        check_folder_name(kind, name)
    step = _ImportedStep(check_files(read_files(flow_info)))
    folder = trial_folder(recordings, group, trial, {STEP_TYPE}, replace=replace)
    writer = RecordingWriter(folder, Header(group, trial, writer=f"comgra_export {__version__}", checksums=True))
    try:
        writer.add_note(Note(step.note(flow_info.name), 0))
        layout = writer.write_layout(layout_of(step.tensors))
        structure = writer.write_structure(step.structure())
        writer.add_finished_step(0)
        writer.write_step(step.description(layout, structure), blobs_of(step.tensors), [numbers for _, numbers in step.flows])
    finally:
        writer.close()
    counts = tuple((flow.name, sum(len(pair.flows) for pair in own.pairs)) for flow, own in step.flows)
    return Imported(
        folder.parent,
        counts,
        len(step.data.layers),
        tuple(gap.reason if gap.tensor is None else f"{gap.tensor}: {gap.reason}" for gap in step.gaps),
    )


class _ImportedStep:
    """The parts of the step: tensors, flows with their numbers, and gaps."""

    def __init__(self, data: VnittestData) -> None:
        self.data = data
        self._left_to_estimate = _MAX_ESTIMATED_IN_ALL
        self.gaps = [Gap(reason, 0, tensor=layer) for layer, reason in data.gaps]
        names = [layer.name for layer in data.layers]
        self._layers = [self._layer(position) for position in range(len(names))]
        self._input = None if data.input is None else WholeTensor(_free_name("input", names), "input", "forward", data.input)
        self._target = None if data.target is None else WholeTensor(_free_name("target", names), "target", "forward", data.target)
        self.tensors = [tensor for tensor in (self._input, *self._layers, self._target) if tensor is not None]
        self.flows = self._flows()

    def note(self, file: str) -> str:
        """A sentence about where the recording comes from."""
        mode = "nine planes per layer, flows to neighbours" if self.data.is_explicit else "one plane per layer"
        return f"Made of {file} and what lies beside it, which were written for vnittest ({mode})."

    def structure(self) -> Structure:
        """The layers as nodes, and the pairs as dependencies."""
        positions = {tensor.name: position for position, tensor in enumerate(self.tensors)}
        names = [layer.name for layer in self.data.layers]
        pairs = [(names[pair.source], names[pair.target]) for pair in self.data.pairs]
        shown = tuple(ShownTensor(tensor.name, tensor.name, tensor.name, tensor.type, tensor.name, 0) for tensor in self.tensors)
        known = [(positions[source], positions[target]) for source, target in pairs if source in positions and target in positions]
        return Structure(shown, tuple(known))

    def description(self, layout: str, structure: str) -> StepDescription:
        """The description of the step, with the names of its layout and structure."""
        return StepDescription(
            step=0,
            type_of_execution=STEP_TYPE,
            batch_size=1,
            layout=layout,
            structures=(structure,),
            samples=RecordedSamples(()),
            gaps=tuple(self.gaps),
            flows=tuple(flow for flow, _ in self.flows),
        )

    def _gap(self, reason: str, layer: str | None = None) -> None:
        self.gaps.append(Gap(reason, 0, tensor=layer))

    def _layer(self, position: int) -> WholeTensor | None:
        """The gradients of a layer. If the files have none, they are sums of flows, as in vnittest."""
        layer = self.data.layers[position]
        gradients = layer.gradients
        if gradients is None:
            gradients = self._sums_of_flows(position)
            what = "those shown are the sums of its flows" if gradients is not None else "and no flows to take sums of"
            self._gap(f"the files have no gradients of it; {what}.", layer.name)
        return None if gradients is None else WholeTensor(layer.name, "calculated", _GRADIENTS_GROUP, gradients)

    def _sums_of_flows(self, position: int) -> NDArray[np.float32] | None:
        """The sums of the flows out of a layer, or else into it, from the first matrix that has them."""
        matrices = [pair for pair in self.data.pairs if isinstance(pair.flows, np.ndarray)]
        for axis, end in ((1, "source"), (0, "target")):
            for pair in matrices:
                if getattr(pair, end) == position:
                    return as_float32(np.asarray(pair.flows, np.float64).sum(axis=axis))
        return None

    def _flows(self) -> list[tuple[GradientFlow, FlowNumbers]]:
        """One gradient flow per method: given flows, links to neighbours, and both estimates if vnittest would estimate."""
        pairs_by_flow: dict[tuple[str, str], list[tuple[VnittestPair, PairNumbers]]] = {}
        for pair in self.data.pairs:
            for key, numbers in self._flows_of_pair(pair).items():
                pairs_by_flow.setdefault(key, []).append((pair, numbers))
        return [self._flow(name, method, pairs) for (name, method), pairs in (pairs_by_flow or {_GIVEN: []}).items()]

    def _flows_of_pair(self, pair: VnittestPair) -> dict[tuple[str, str], PairNumbers]:
        """The flows of a pair, by the name and method of the gradient flow that they belong to."""
        source, target = self.data.layers[pair.source], self.data.layers[pair.target]
        if pair.flows is not None:
            gradients = None if source.gradients is None else _row(source.gradients)
            return {_GIVEN: given_flows(pair.flows, source.size, gradients)}
        between = f"flows from {source.name} to {target.name}"
        if source.gradients is None or target.gradients is None:
            self._gap(f"without gradients of both layers there is no estimate of the {between}.")
            return {}
        if self.data.is_explicit and has_planes(source.shape) and target.shape[:-2] in ((), (1,), (PLANES,)):
            return {_NEIGHBOURS: links_to_neighbours(source.gradients, target.shape)}
        self._left_to_estimate -= source.size * target.size
        if source.size * target.size > MAX_ESTIMATED_FLOWS or self._left_to_estimate < 0:
            self._gap(f"the {between} are too many to be estimated: {source.size:,} elements by {target.size:,}.")
            return {}
        gradients_of_both = _row(source.gradients), _row(target.gradients)
        return {(_NAMES_OF_ESTIMATES[method], method): estimate(*gradients_of_both) for method, estimate in ESTIMATES.items()}

    def _flow(self, name: str, method: str, pairs: Sequence[tuple[VnittestPair, PairNumbers]]) -> tuple[GradientFlow, FlowNumbers]:
        members: list[tuple[FlowLayer, NDArray[np.float32] | None, NDArray[np.float32] | None]] = []
        if self._input is not None:
            members.append(_picture(self._input, "input"))
        first = len(members)
        for layer, tensor in zip(self.data.layers, self._layers, strict=True):
            if tensor is None:
                members.append((FlowLayer(layer.name, layer.shape), None, None))
            else:
                members.append((FlowLayer(layer.name, layer.shape, "layer", tensor.name, 0), None, _row(tensor.array)))
        if self._target is not None:
            members.append(_picture(self._target, "target"))
        layers, values, gradients = zip(*members, strict=True)
        flow_pairs = tuple(FlowPair(pair.source + first, pair.target + first) for pair, _ in pairs)
        return GradientFlow(name, 0, method, (), layers, flow_pairs), FlowNumbers(values, gradients, tuple(numbers for _, numbers in pairs))


def _picture(tensor: WholeTensor, role: FlowRole) -> tuple[FlowLayer, NDArray[np.float32], None]:
    return FlowLayer(tensor.name, tensor.array.shape, role, tensor.name, 0), _row(tensor.array), None


def _row(array: Array) -> NDArray[np.float32]:
    return as_float32(array).reshape(1, -1)


def _free_name(name: str, taken: Sequence[str]) -> str:
    return next(candidate for candidate in (name, *(f"{name} {number}" for number in range(2, len(taken) + 3))) if candidate not in taken)
