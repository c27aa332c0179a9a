"""The numbers of a step: comgra keeps one record for each, with the names of its place."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comgra_export.errors import ForeignDataError
from comgra_export.importers.comgra.graphs import NODE, RecordKey, StepGraphs
from comgra_export.importers.comgra.packed_files import read_packed
from comgra_export.storage import BATCH_AGGREGATIONS, NO_BATCH_AGGREGATION, Blob, Group, Kind, Layout, TensorEntry

__all__ = ["FORWARD", "StepRecords", "read_records"]

FORWARD = "forward"
_MAX_ELEMENTS = 2**53 - 1
_ATTRIBUTES = [
    "training_step", "type_of_tensor_recording", "batch_aggregation", "iteration", "node_name", "role_within_node", "record_type", "item",
    "metadata",
]  # fmt: skip

Numbers = dict[tuple[str, str], list[float]]
"""By item and aggregation: one number, or one for each value of a sample."""


@dataclass
class StepRecords:
    """The numbers of a step as they were found.

    Attributes:
        shapes: The shape of each tensor.
        batch_dimensions: Its batch dimension.
        numbers: By group and tensor.
    """

    shapes: dict[RecordKey, tuple[int, ...]] = field(default_factory=dict)
    batch_dimensions: dict[RecordKey, int | None] = field(default_factory=dict)
    numbers: dict[str, dict[RecordKey, Numbers]] = field(default_factory=dict)

    @cached_property
    def samples(self) -> list[str]:
        """What comgra calls the samples that were recorded one by one."""
        fixed = {*BATCH_AGGREGATIONS, NO_BATCH_AGGREGATION}
        every = (numbers for group in self.numbers.values() for numbers in group.values())
        return list(dict.fromkeys(aggregation for numbers in every for _, aggregation in numbers if aggregation not in fixed))

    def layout(self, graphs: StepGraphs) -> Layout:
        """The layout of the step: tensors that have numbers and a place in the graph."""
        keys = [key for key in self.shapes if key in graphs.names and any(key in group for group in self.numbers.values())]
        entries = tuple(self._entry(key, graphs) for key in keys)
        positions = {key: position for position, key in enumerate(keys)}
        groups = [FORWARD, *(group for group in self.numbers if group != FORWARD)]
        return Layout(
            entries, tuple(Group(name, tuple(positions[key] for key in keys if key in self.numbers.get(name, {}))) for name in groups)
        )

    def blobs(self, layout: Layout, graphs: StepGraphs) -> list[tuple[str, Blob]]:
        """The arrays of the step."""
        keys = {(name, key.iteration): key for key, name in graphs.names.items()}
        counts: list[list[int]] = []
        parts: dict[tuple[str, str], list[NDArray[np.floating]]] = {}
        for group in layout.groups:
            for entry in (layout.tensors[position] for position in group.tensors):
                numbers = self.numbers[group.name][keys[entry.name, entry.iteration]]
                samples = self.samples[: entry.samples]
                aggregations = [NO_BATCH_AGGREGATION] if entry.batch_dimension is None else [*BATCH_AGGREGATIONS, *samples]
                rows = [[numbers.get((item, aggregation), [math.nan])[0] for aggregation in aggregations] for item in entry.items]
                counts.append([int(np.isnan(rows).any()), 0, 0, 0, 0])
                dtype = np.float64 if entry.precision == "F64" else np.float32
                parts.setdefault(("extrema", entry.precision), []).append(np.full(2, np.nan, dtype))
                parts.setdefault(("statistics", entry.precision), []).append(np.array(rows, dtype).reshape(-1))
                if entry.kind == "neuron":
                    of_batch = _values(numbers, BATCH_AGGREGATIONS, entry, dtype)
                    parts.setdefault(("aggregates", entry.precision), []).append(of_batch)
                    parts.setdefault(("values", entry.stored), []).append(_values(numbers, samples, entry, dtype))
        made = [(f"{name}.{dtype}", Blob(dtype, np.concatenate(arrays))) for (name, dtype), arrays in parts.items()]
        return [("counts", Blob("I64", np.array(counts, np.int64).reshape(-1, 5))), *made]

    def _entry(self, key: RecordKey, graphs: StepGraphs) -> TensorEntry:
        every = [group[key] for group in self.numbers.values() if key in group]
        items = {item for numbers in every for item, _ in numbers}
        batch_dimension, shape = self.batch_dimensions.get(key), self.shapes[key]
        if min(shape, default=0) < 0 or prod(shape) > _MAX_ELEMENTS or batch_dimension not in (None, *range(len(shape))):
            raise ForeignDataError(f"{graphs.names[key][:60]!a} has an impossible shape.")
        kind: Kind = "kpis"
        if "single_value" in items:
            kind = "single_value"
        elif "svd" in items:
            kind = "kpis_and_svd"
        elif "neuron" in items and batch_dimension is not None:
            kind = "neuron"
        dtype = "F32" if all(map(_fits_float32, every)) else "F64"
        return TensorEntry(
            graphs.names[key],
            iteration=key.iteration,
            node=key.node.removeprefix(NODE),
            role=key.role,
            type=graphs.types[key],
            kind=kind,
            dtype=dtype,
            stored=dtype,
            shape=shape,
            batch_dimension=batch_dimension,
            samples=len(self.samples) if batch_dimension is not None and any(place in self.samples for _, place in every[0]) else 0,
        )


def _fits_float32(numbers: Numbers) -> bool:
    with np.errstate(over="ignore"):
        return all(np.array_equal(np.array(values, np.float32).astype(np.float64), values, equal_nan=True) for values in numbers.values())


def _values(numbers: Numbers, aggregations: Sequence[str], entry: TensorEntry, dtype: type[np.floating]) -> NDArray[np.floating]:
    """The values of each of these, one after another. A shape that does not fit them is refused before anything of its size is made."""
    rows = [numbers.get(("neuron", aggregation), []) for aggregation in aggregations]
    if any(len(row) != entry.values_per_sample for row in rows):
        raise ForeignDataError(f"The values of {entry.name[:60]!a} do not fit the shape {list(entry.shape)}.")
    return np.array(rows, dtype).reshape(-1)


def read_records(files: Iterable[Path]) -> StepRecords:
    """Reads the files of a step.

    Raises:
        ForeignDataError: A file is damaged, or is not one of comgra's.
        OSError: A file cannot be read.
    """
    records = StepRecords()
    for file in files:
        label = f"{file.parent.name}/{file.name}"
        try:
            _add(records, read_packed(file.read_bytes(), label))
        except (KeyError, TypeError, ValueError, IndexError) as error:
            raise ForeignDataError(f"{label} is not read: it is not one of comgra's.") from error
    return records


def _add(records: StepRecords, content: Any) -> None:  # noqa: ANN401
    if not isinstance(content, dict) or not isinstance(content["recordings"], list):
        raise TypeError
    attributes, frequent, encoded = content["recordings"]
    if attributes != _ATTRIBUTES or not isinstance(frequent, Mapping) or not isinstance(encoded, list):
        raise TypeError
    names = {int(str(number)): value for number, value in frequent.items()}
    for places, entry in encoded:
        if not isinstance(entry, dict) or "val" not in entry:
            # Another name of the same numbers.
            continue
        _, group, aggregation, iteration, node, role, kind, item, _ = (names[place] for place in places)
        key = RecordKey(int(iteration), str(node), str(role))
        value = entry["val"]
        if kind == "data":
            numbers = records.numbers.setdefault(str(group), {}).setdefault(key, {})
            numbers.setdefault((str(item), str(aggregation)), []).append(float(value))
        elif item == "tensor_shape":
            records.shapes[key] = tuple(int(size) for size in value)
        elif item == "index_of_batch_dimension":
            records.batch_dimensions[key] = None if value is None else int(value)
