"""Reads the statistics of all steps, and gives them out as series."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import prod

import numpy as np
from numpy.typing import NDArray

from comgra_export.analysis.history.series import FORWARD, ITEMS, Floats, Integers, RecordKey, Series, TensorKey
from comgra_export.storage import Blob, Layout, TensorEntry, iterate_records

__all__ = ["STATISTICS", "RecordColumns"]

STATISTICS = frozenset({"counts", "extrema.F32", "extrema.F64", "statistics.F32", "statistics.F64"})
"""The arrays of a step that are read. Values are not among them."""

_AGGREGATIONS = 3


@dataclass(frozen=True)
class _Form:
    """Where the numbers of each record of a layout are: `R` records.

    Attributes:
        rows: The row of each record.
        entries: The tensor of each record.
        statistics: Per precision: which records have it, and per record, item and aggregation the place in the array; -1: not there.
        extrema: Per precision: which records have it.
        sizes: `[R]`: how many values each has.
        samples: `[R]`: how many samples.
    """

    rows: Mapping[RecordKey, int]
    entries: Sequence[TensorEntry]
    statistics: Mapping[str, tuple[Integers, Integers]]
    sizes: Integers
    samples: Integers


@dataclass
class _Block:
    """The steps of one layout."""

    form: _Form
    positions: list[int] = field(default_factory=list)
    statistics: list[NDArray[np.float32]] = field(default_factory=list)
    extrema: list[NDArray[np.float32]] = field(default_factory=list)
    counts: list[Integers] = field(default_factory=list)


class RecordColumns:
    """The statistics of all records over all steps.

    Steps of one layout lie together, so that a series is a column. About 110 bytes per record and step.
    """

    def __init__(self) -> None:
        self._blocks: dict[str, _Block] = {}
        self._steps: list[int] = []
        self._series: dict[RecordKey, Series | None] = {}

    def add(self, number: int, digest: str, layout: Layout, arrays: Mapping[str, Blob]) -> None:
        """Adds a step.

        Args:
            number: The step.
            digest: The hash of its layout.
            layout: Its layout.
            arrays: Those of `STATISTICS` that it has.
        """
        block = self._blocks.setdefault(digest, _Block(_form_of(layout)))
        records = len(block.form.entries)
        block.positions.append(len(self._steps))
        self._steps.append(number)
        statistics = np.full((records, len(ITEMS), _AGGREGATIONS), np.nan, np.float32)
        extrema = np.full((records, 2), np.nan, np.float32)
        for precision, (rows, places) in block.form.statistics.items():
            # Numbers of any bits are allowed in a recording, signalling NaN among them.
            with np.errstate(over="ignore", invalid="ignore"):
                if f"statistics.{precision}" in arrays:
                    flat = arrays[f"statistics.{precision}"].data.reshape(-1).astype(np.float32)
                    statistics[rows] = np.where(places < 0, np.nan, flat[places])
                if f"extrema.{precision}" in arrays:
                    extrema[rows] = arrays[f"extrema.{precision}"].data.astype(np.float32)
        block.statistics.append(statistics)
        block.extrema.append(extrema)
        block.counts.append(arrays["counts"].data.astype(np.int64) if "counts" in arrays else np.zeros((records, 5), np.int64))

    @property
    def keys(self) -> list[RecordKey]:
        """All records, in the order in which they were first seen."""
        return list(dict.fromkeys(key for block in self._blocks.values() for key in block.form.rows))

    def entry(self, tensor: TensorKey) -> TensorEntry | None:
        """A tensor, as the last step that holds its values describes it; None if no step does."""
        series = self.series(RecordKey(FORWARD, tensor))
        return None if series is None else series.entry

    def series(self, key: RecordKey) -> Series | None:
        """A record over all steps that hold it; None if there are none."""
        if key not in self._series:
            self._series[key] = self._read(key)
        return self._series[key]

    def _read(self, key: RecordKey) -> Series | None:
        blocks = [(block, block.form.rows[key]) for block in self._blocks.values() if key in block.form.rows]
        if not blocks:
            return None
        positions = np.concatenate([np.array(block.positions, np.int64) for block, _ in blocks])
        order = np.argsort(positions, kind="stable")
        # A signalling NaN becomes a quiet one.
        with np.errstate(invalid="ignore"):
            extrema: Floats = np.concatenate([[each[row] for each in block.extrema] for block, row in blocks]).astype(np.float64)
        last, row_of_last = max(blocks, key=lambda pair: pair[0].positions[-1])
        return Series(
            key=key,
            entry=last.form.entries[row_of_last],
            positions=positions[order],
            steps=np.array(self._steps, np.int64)[positions[order]],
            statistics=np.concatenate([[each[row] for each in block.statistics] for block, row in blocks])[order],
            extrema=extrema[order],
            counts=np.concatenate([[each[row] for each in block.counts] for block, row in blocks])[order],
            sizes=np.concatenate([np.full(len(block.positions), block.form.sizes[row]) for block, row in blocks])[order],
            samples=np.concatenate([np.full(len(block.positions), block.form.samples[row]) for block, row in blocks])[order],
        )


def _form_of(layout: Layout) -> _Form:
    places = list(iterate_records(layout))
    entries = [place.entry for place in places]
    precisions = sorted({entry.precision for entry in entries})
    statistics = {}
    for precision in precisions:
        rows = [row for row, entry in enumerate(entries) if entry.precision == precision]
        statistics[precision] = (
            np.array(rows, np.int64),
            np.array([_places(places[row].statistics, entries[row]) for row in rows], np.int64),
        )
    return _Form(
        rows={RecordKey(place.group, TensorKey(place.entry.name, place.entry.iteration)): row for row, place in enumerate(places)},
        entries=entries,
        statistics=statistics,
        sizes=np.array([prod(entry.shape) for entry in entries], np.int64),
        samples=np.array([_samples(entry) for entry in entries], np.int64),
    )


def _samples(entry: TensorEntry) -> int:
    return 1 if entry.batch_dimension is None else entry.shape[entry.batch_dimension]


def _places(start: int, entry: TensorEntry) -> list[list[int]]:
    """Where the numbers of a record are in the array of its precision: per item, per aggregation over the batch; -1: nowhere."""
    kept = min(entry.aggregation_count, _AGGREGATIONS)
    rows = []
    for item in ITEMS:
        name = "single_value" if item == "mean" and "single_value" in entry.items else item
        if name in entry.items:
            first = start + entry.items.index(name) * entry.aggregation_count
            rows.append([*range(first, first + kept), *[-1] * (_AGGREGATIONS - kept)])
        else:
            rows.append([-1] * _AGGREGATIONS)
    return rows
