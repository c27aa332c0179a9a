"""Recordings that no quick training run would make, written by hand: very long tensors, a very large graph, gaps, huge integers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from comgra_export.storage import (
    Blob,
    Gap,
    Group,
    Header,
    Layout,
    RecordedSamples,
    RecordingWriter,
    StepDescription,
    Structure,
)
from support.browser.by_hand import over_batch, shown
from support.storage.entries import tensor_entry

__all__ = ["COLUMNS", "GAP_REASON", "HUGE", "LONG", "LONGER", "ROWS", "value_at", "write_large_group"]

# The second one is higher than a browser lets an element be, at the height of a row.
LONG = (200, 1000)
LONGER = 400_000
# Integers beyond 2^53, which are not whole as a float64.
HUGE = (2**63 - 1, -(2**63), 2**53 + 1, 7)
GAP_REASON = "is <i>nested</i>, which cannot be recorded"
COLUMNS = 100
ROWS = 50


def value_at(k: int, sample: int) -> float:
    """What the long tensors hold at place `k`; exact in float32."""
    return k + sample / 2


def write_large_group(root: Path) -> Path:
    """Write a trial with long tensors and one with a graph of 5,000 nodes; return the group's folder."""
    _write_long(root / "large" / "long" / "rank-0")
    _write_wide(root / "large" / "wide" / "rank-0")
    return root / "large"


def _write_long(folder: Path) -> None:
    writer = RecordingWriter(folder, Header("large", "long"))
    shapes = {"long": (2, *LONG), "longer": (2, LONGER)}
    tensors = [tensor_entry(name, type="input", shape=shape, batch_dimension=0, samples=2) for name, shape in shapes.items()]
    tensors.append(tensor_entry("huge", dtype="I64", shape=(4,)))
    layout = writer.write_layout(Layout(tuple(tensors), (Group("forward", (0, 1, 2)),)))
    graph = writer.write_structure(Structure(tuple(map(shown, tensors)), ()))
    samples = [np.stack([_long_values(entry.values_per_sample, sample) for sample in (0, 1)]) for entry in tensors[:2]]
    blobs = [
        ("counts", Blob("I32", np.zeros((3, 5), np.int32))),
        ("extrema.F32", Blob("F32", np.zeros((2, 2), np.float32))),
        ("extrema.F64", Blob("F64", np.array([[min(HUGE), max(HUGE)]], np.float64))),
        ("statistics.F32", Blob("F32", np.zeros(2 * 4 * 5, np.float32))),
        ("statistics.F64", Blob("F64", np.zeros(4, np.float64))),
        ("aggregates.F32", Blob("F32", _joined([over_batch(pair) for pair in samples]))),
        ("values.F32", Blob("F32", _joined(samples))),
        ("values.I64", Blob("I64", np.array(HUGE, np.int64))),
    ]
    gaps = (Gap(GAP_REASON, None, 0, "forward", "tree"),)
    writer.write_step(StepDescription(0, "main", 2, layout, (graph,), RecordedSamples((0, 1)), gaps=gaps), blobs)
    writer.close()


def _long_values(count: int, sample: int) -> NDArray[np.float32]:
    return (np.arange(count) + sample / 2).astype(np.float32)


def _joined(arrays: Sequence[NDArray[np.float32]]) -> NDArray[np.float32]:
    return np.concatenate([array.reshape(-1) for array in arrays])


def _write_wide(folder: Path) -> None:
    """Every node of a column depends on the one beside it; only the first column is input."""
    writer = RecordingWriter(folder, Header("large", "wide"))
    names = [f"node_{column}_{row}" for column in range(COLUMNS) for row in range(ROWS)]
    tensors = [
        tensor_entry(name, type="input" if k < ROWS else "calculated", kind="kpis", shape=(2, 3), batch_dimension=0)
        for k, name in enumerate(names)
    ]
    layout = writer.write_layout(Layout(tuple(tensors), (Group("forward", tuple(range(len(tensors)))),)))
    dependencies = tuple((k, k + ROWS) for k in range(len(names) - ROWS))
    graph = writer.write_structure(Structure(tuple(map(shown, tensors)), dependencies))
    statistics = np.repeat(np.arange(len(names)), 4 * 3).astype(np.float32)
    blobs = [
        ("counts", Blob("I32", np.zeros((len(names), 5), np.int32))),
        ("extrema.F32", Blob("F32", np.zeros((len(names), 2), np.float32))),
        ("statistics.F32", Blob("F32", statistics)),
    ]
    writer.write_step(StepDescription(0, "main", 2, layout, (graph,), RecordedSamples(())), blobs)
    writer.close()
