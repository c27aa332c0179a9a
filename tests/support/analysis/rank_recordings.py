"""Recordings of several ranks with numbers worked out in numpy, from the format page alone."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comgra_export.analysis.ranks import MergedRecording, merge_ranks
from comgra_export.storage import (
    Group,
    Header,
    Layout,
    RecordedSamples,
    Recording,
    RecordingWriter,
    StepDescription,
    Structure,
    TensorEntry,
    iterate_records,
    open_recording,
)
from comgra_export.storage.arrays.histograms import StepHistograms, encode_histograms, histogram_of
from support.storage.entries import tensor_entry
from support.storage.strategies import WIDE, Record, Step

Array = NDArray[Any]


@dataclass(frozen=True)
class Tensor:
    """A tensor of a rank: its entry, its values (None for an absent gradient), and how many samples are kept."""

    entry: TensorEntry
    values: Array


def tensor(name: str, values: Array, *, batch: int | None = 0, samples: int = 0, **attributes: Any) -> Tensor:  # noqa: ANN401
    """A tensor of the kind `neuron`, F32 or F64 as its values are, unless `attributes` say otherwise."""
    values = np.asarray(values)
    dtype = "F64" if values.dtype == np.float64 else "F32"
    entry = tensor_entry(name, role="", dtype=dtype, shape=values.shape, batch_dimension=batch, samples=samples)
    return Tensor(replace(entry, **attributes), values)


def numbers_of(entry: TensorEntry, values: Array, *, absent: bool = False) -> Record:
    """The numbers that the format page asks for, in float64 rounded to the record's precision."""
    precision = np.float64 if entry.dtype in WIDE else np.float32
    batch = entry.batch_dimension
    count = 1 if batch is None else values.shape[batch]
    per_sample = prod(np.delete(values.shape, [] if batch is None else batch))
    rows = (values if batch is None else np.moveaxis(values, batch, 0)).reshape(count, int(per_sample))
    wide = rows.astype(np.float64)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")  # Means of nothing, and of infinities of both signs.
        if entry.kind == "single_value":
            items = [wide[:, 0] if wide.size else np.full(1, np.nan)]
        else:
            items = [wide.mean(axis=1), np.abs(wide).mean(axis=1), deviation(wide, 1), largest(np.abs(wide), 1)]
        if entry.kind == "kpis_and_svd":
            items.append(np.array([np.linalg.norm(wide.reshape(entry.shape), 2) if np.isfinite(wide).all() and wide.size else np.nan]))
        per_item = items if batch is None else [np.concatenate([over_batch(item), item[: entry.samples]]) for item in items]
        aggregates = over_batch(wide) if entry.kind == "neuron" and batch is not None else np.zeros(0)
        counts = [np.isnan(wide).sum(), (wide == np.inf).sum(), (wide == -np.inf).sum(), (wide == 0).sum(), int(absent)]
        finite = wide[np.isfinite(wide)]
        extrema = [finite.min(), finite.max()] if finite.size else [np.nan, np.nan]
    kept = rows if batch is None else rows[: entry.samples]
    return Record(
        np.array(counts, np.int32),
        np.array(extrema, precision),
        np.stack(per_item).astype(precision),
        np.asarray(aggregates).astype(precision),
        kept if entry.kind == "neuron" else kept[:0],
    )


def over_batch(values: Array) -> Array:
    """`[B, ...]` to `[3, ...]`."""
    mean = values.mean(axis=0) if len(values) else np.full(values.shape[1:], np.nan)
    return np.stack([mean, largest(np.abs(values), 0), deviation(values, 0)])


def deviation(values: Array, axis: int) -> Array:
    count = values.shape[axis]
    if count > 1:
        finite = np.abs(values[np.isfinite(values)])
        scale = finite.max() if finite.any() else 1.0
        return np.asarray((values / scale).std(axis=axis, ddof=1) * scale)
    return np.full(np.delete(values.shape, axis), 0.0 if count else np.nan)


def largest(values: Array, axis: int) -> Array:
    return np.asarray(values.max(axis=axis)) if values.shape[axis] else np.full(np.delete(values.shape, axis), np.nan)


def write_rank(
    root: Path,
    rank: int,
    tensors: Sequence[Tensor],
    *,
    world_size: int = 8,
    batch_size: int = 4,
    steps: Sequence[int] = (0,),
    absent: Mapping[str, bool] | None = None,
    graphs: Sequence[Structure | None] = (),
    **description: Any,  # noqa: ANN401
) -> RecordingWriter:
    """Writes the recording of a rank, the same numbers in every step. The writer is left open for more."""
    layout = Layout(tuple(tensor.entry for tensor in tensors), (Group("forward", tuple(range(len(tensors)))),))
    samples = max((tensor.entry.samples for tensor in tensors), default=0)
    records = tuple(numbers_of(tensor.entry, tensor.values, absent=(absent or {}).get(tensor.entry.name, False)) for tensor in tensors)
    writer = RecordingWriter(root / "group" / "trial" / f"rank-{rank}", Header("group", "trial", rank, world_size))
    digest = writer.write_layout(layout)
    for step in steps:
        structures = tuple(None if graph is None else writer.write_structure(graph) for graph in graphs)
        given = {"type_of_execution": "train", "structures": structures, **description}
        described = StepDescription(
            step=step, batch_size=batch_size, layout=digest, samples=RecordedSamples(tuple(range(samples))), **given
        )
        writer.write_step(described, Step(layout, records, samples, histograms_of_tensors(tensors)).blobs())
    return writer


def histograms_of_tensors(tensors: Sequence[Tensor]) -> StepHistograms | None:
    """The histograms of the tensors that have one; None if no tensor has one."""
    counted = [histogram_of(tensor.values) for tensor in tensors if tensor.entry.histogram]
    quantiles = np.array([own for _, own in counted], np.float64)
    return StepHistograms(*encode_histograms([histogram for histogram, _ in counted]), quantiles) if counted else None


def open_ranks(root: Path) -> list[Recording]:
    return [open_recording(folder) for folder in sorted((root / "group" / "trial").iterdir())]


def merged_ranks(root: Path, ranks: Sequence[Sequence[Tensor]], **step: Any) -> MergedRecording:  # noqa: ANN401
    """Writes a recording per rank, and merges them."""
    for rank, tensors in enumerate(ranks):
        write_rank(root, rank, tensors, **step).close()
    return merge_ranks(open_ranks(root))


def read_numbers(recording: Recording | MergedRecording, step: float = 0) -> dict[str, tuple[TensorEntry, Record]]:
    """The numbers of a step by the tensor's name. If several groups have a tensor, the first counts."""
    arrays = recording.blobs(step)
    numbers: dict[str, tuple[TensorEntry, Record]] = {}
    for place in iterate_records(recording.layout(recording.step(step).layout)):
        entry = place.entry
        nothing = np.zeros(0)
        of_aggregates = arrays[f"aggregates.{entry.precision}"].data if entry.aggregates_count else nothing
        of_values = arrays[f"values.{entry.stored}"].data if entry.values_count else nothing
        aggregates = of_aggregates[place.aggregates : place.aggregates + entry.aggregates_count]
        statistics = arrays[f"statistics.{entry.precision}"].data[place.statistics : place.statistics + entry.statistics_count]
        record = Record(
            arrays["counts"].data[place.counts],
            arrays[f"extrema.{entry.precision}"].data[place.extrema],
            statistics.reshape(len(entry.items), -1),
            aggregates.reshape(3, -1) if aggregates.size else aggregates,
            of_values[place.values : place.values + entry.values_count],
        )
        numbers.setdefault(entry.name, (entry, record))
    return numbers


def assert_same_numbers(actual: Record, expected: Record, *, tolerance: float, of_magnitude: float = 1.0) -> None:
    """Asserts that counts and extrema are equal, and the rest up to rounding relative to the largest magnitude of the values."""
    assert actual.counts.tolist() == expected.counts.tolist()
    np.testing.assert_array_equal(actual.extrema, expected.extrema)
    np.testing.assert_allclose(actual.statistics, expected.statistics, rtol=tolerance, atol=tolerance * of_magnitude)
    np.testing.assert_allclose(
        actual.aggregates.reshape(-1), expected.aggregates.reshape(-1), rtol=tolerance, atol=tolerance * of_magnitude
    )
