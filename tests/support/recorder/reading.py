"""Reads recordings for tests."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from comgra_export import ComgraRecorder
from comgra_export.storage import open_recording
from comgra_export.storage.arrays.layout_arrays import iterate_records
from comgra_export.storage.model.layout import Structure, TensorEntry
from comgra_export.storage.model.lines import Gap

Array = NDArray[np.generic]


@dataclass
class Record:
    """The numbers of one tensor of one group, cut out of the arrays of a step."""

    entry: TensorEntry
    counts: list[int]
    extrema: list[float]
    statistics: dict[str, list[float]]
    aggregates: Array
    values: Array


def folder_of(recorder: ComgraRecorder) -> Path:
    """The folder of a recording, after all of it was written."""
    assert recorder.folder is not None
    recorder.flush()
    return recorder.folder


def read_records(recorder: ComgraRecorder, step: float = 0) -> dict[tuple[str, str, int], Record]:
    """The records of a step by group, name and iteration."""
    recording = open_recording(folder_of(recorder))
    assert recording.problems == []
    arrays = {name: blob.data for name, blob in recording.blobs(step).items()}
    layout = recording.layout(recording.step(step).layout)
    records = {}
    for place in iterate_records(layout):
        entry = place.entry
        flat = arrays[f"statistics.{entry.precision}"][place.statistics : place.statistics + entry.statistics_count]
        rows = flat.reshape(len(entry.items), entry.aggregation_count).tolist()
        aggregates = arrays.get(f"aggregates.{entry.precision}", np.zeros(0))[place.aggregates : place.aggregates + entry.aggregates_count]
        values = arrays.get(f"values.{entry.stored}", np.zeros(0))[place.values : place.values + entry.values_count]
        records[place.group, entry.name, entry.iteration] = Record(
            entry=entry,
            counts=arrays["counts"][place.counts].tolist(),
            extrema=arrays[f"extrema.{entry.precision}"][place.extrema].tolist(),
            statistics=dict(zip(entry.items, rows, strict=True)),
            aggregates=aggregates.reshape(3, -1) if aggregates.size else aggregates,
            values=values,
        )
    return records


def read_structure(recorder: ComgraRecorder, step: float = 0, iteration: int = 0) -> Structure:
    recording = open_recording(folder_of(recorder))
    digest = recording.step(step).structures[iteration]
    assert digest is not None
    return recording.structure(digest)


def read_edges(recorder: ComgraRecorder, step: float = 0, iteration: int = 0) -> set[tuple[str, str]]:
    """The dependencies of an iteration. A tensor is called `node`, or `node:role` if the two differ."""
    structure = read_structure(recorder, step, iteration)
    labels = [row.node if row.node == row.role else f"{row.node}:{row.role}" for row in structure.tensors]
    assert len(set(labels)) == len(labels)
    return {(labels[source], labels[sink]) for source, sink in structure.dependencies}


def read_edges_without_gradient(recorder: ComgraRecorder, step: float = 0, iteration: int = 0) -> set[tuple[str, str]]:
    """The dependencies from `read_edges` that carry values but no gradient."""
    structure = read_structure(recorder, step, iteration)
    rows = structure.tensors
    pairs = [structure.dependencies[position] for position in structure.without_gradient]
    return {(rows[source].node, rows[sink].node) for source, sink in pairs}


def read_gaps(recorder: ComgraRecorder) -> list[Gap]:
    """All gaps, in steps and outside steps."""
    recording = open_recording(folder_of(recorder))
    return [gap for step in recording.steps for gap in recording.step(step).gaps] + list(recording.gaps)


@dataclass
class Call:
    """A call of a watched module as a recording has it.

    Attributes:
        inputs: By path: the name of the record, or the text if there is no record.
        outputs: In the same form.
        inner: The calls made within it, in order.
    """

    module: str
    number: int
    training: bool
    raised: bool
    inputs: dict[str, str]
    outputs: dict[str, str]
    inner: list[Call]

    def all(self) -> list[Call]:
        """This call and those within it, in the order in which they began."""
        return [self, *(call for child in self.inner for call in child.all())]


def read_calls(recorder: ComgraRecorder, step: float = 0, iteration: int = 0) -> list[Call]:
    """The outermost calls of an iteration."""
    recording = open_recording(folder_of(recorder))
    digest = recording.step(step).calls[iteration]
    if digest is None:
        return []
    tree = recording.calls(digest)
    assert recording.problems == []
    names = [module.name for module in recording.network.modules]
    calls = [Call(names[entry.module], entry.number, entry.training, entry.raised, {}, {}, []) for entry in tree.calls]
    outermost: list[Call] = []
    for entry, call in zip(tree.calls, calls, strict=True):
        (outermost if entry.parent == -1 else calls[entry.parent].inner).append(call)
    for port in tree.ports:
        there = calls[port.call].inputs if port.side == "input" else calls[port.call].outputs
        assert port.path not in there
        there[port.path] = port.record_name or port.text or ""
    return outermost


def read_call(recorder: ComgraRecorder, module: str, number: int = 0, step: float = 0, iteration: int = 0) -> Call:
    """A certain call of a module."""
    (matching,) = (
        call
        for outermost in read_calls(recorder, step, iteration)
        for call in outermost.all()
        if (call.module, call.number) == (module, number)
    )
    return matching
