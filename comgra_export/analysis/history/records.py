"""Reads the statistics of all steps, and gives them out as series."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import NamedTuple

import numpy as np

from comgra_export.analysis.history.columns import AGGREGATIONS, COUNTS, Columns
from comgra_export.analysis.history.series import FORWARD, ITEMS, Floats, Integers, RecordKey, Series, TensorKey
from comgra_export.storage import Blob, Layout, RecordPlace, TensorEntry, iterate_records

__all__ = ["STATISTICS", "RecordColumns"]

STATISTICS = frozenset({"counts", "extrema.F32", "extrema.F64", "statistics.F32", "statistics.F64"})
"""The arrays of a step that are read. Values are not among them."""


class _Part(NamedTuple):
    """Where the numbers of some records of a layout go.

    Attributes:
        columns: The columns.
        records: Which of their records these are.
        rows: Which rows of the layout.
    """

    columns: Columns
    records: Integers
    rows: Integers


@dataclass(frozen=True)
class _Form:
    """Where the numbers of each record of a layout are: `R` records.

    Attributes:
        number: Which layout of the run it is, counted from 0.
        rows: The row of each record.
        entries: The tensor of each record.
        statistics: Per precision: which records have it, and per record, item and aggregation the place in the array; -1: not there.
        parts: Where the numbers go.
    """

    number: int
    rows: Mapping[RecordKey, int]
    entries: Sequence[TensorEntry]
    statistics: Mapping[str, tuple[Integers, Integers]]
    parts: Sequence[_Part]


class RecordColumns:
    """The statistics of all records over all steps: about 120 bytes per record and step.

    Args:
        most: How many steps there will be at most.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._forms: dict[str, _Form] = {}
        self._form_of_step: list[int] = []
        self._steps: list[float] = []
        self._places: dict[RecordKey, tuple[Columns, int]] = {}
        self._positions: dict[tuple[int, ...], tuple[Integers, Floats]] = {}
        self._series: dict[RecordKey, Series | None] = {}

    def add(self, number: float, digest: str, layout: Layout, arrays: Mapping[str, Blob]) -> None:
        """Adds a step.

        Args:
            number: The step.
            digest: The hash of its layout.
            layout: Its layout.
            arrays: Those of `STATISTICS` that it has.
        """
        if digest not in self._forms:
            self._forms[digest] = self._form_of(layout)
        form = self._forms[digest]
        records = len(form.entries)
        self._form_of_step.append(form.number)
        self._steps.append(number)
        statistics = np.full((records, len(ITEMS), AGGREGATIONS), np.nan, np.float32)
        extrema = np.full((records, 2), np.nan)
        for precision, (rows, places) in form.statistics.items():
            # Numbers of any bits are allowed in a recording, signalling NaN among them.
            with np.errstate(over="ignore", invalid="ignore"):
                if f"statistics.{precision}" in arrays:
                    flat = arrays[f"statistics.{precision}"].data.reshape(-1).astype(np.float32)
                    statistics[rows] = np.where(places < 0, np.nan, flat[places])
                if f"extrema.{precision}" in arrays:
                    extrema[rows] = arrays[f"extrema.{precision}"].data.astype(np.float32)
        counts = arrays["counts"].data.astype(np.int64) if "counts" in arrays else np.zeros((records, COUNTS), np.int64)
        for columns, of_columns, rows in form.parts:
            columns.append(of_columns, statistics[rows], extrema[rows], counts[rows], self._most - len(self._steps))

    @property
    def keys(self) -> list[RecordKey]:
        """All records, in the order in which they were first seen."""
        return list(self._places)

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
        if key not in self._places:
            return None
        columns, record = self._places[key]
        entries = {form.number: form.entries[form.rows[key]] for form in self._forms.values() if key in form.rows}
        positions, steps = self._steps_with(tuple(entries))
        forms = np.array(self._form_of_step, np.int64)[positions]
        sizes, samples = np.zeros((2, len(self._forms)), np.int64)
        for number, entry in entries.items():
            sizes[number], samples[number] = prod(entry.shape), _samples(entry)
        return Series(
            key=key,
            entry=entries[int(forms[-1])],
            positions=positions,
            steps=steps,
            statistics=columns.statistics[record, : len(steps)],
            extrema=columns.extrema[record, : len(steps)],
            counts=columns.counts[record, : len(steps)],
            sizes=sizes[forms],
            samples=samples[forms],
        )

    def _steps_with(self, forms: tuple[int, ...]) -> tuple[Integers, Floats]:
        """The positions of the steps with some layouts, and their numbers. The records of the same layouts share them."""
        if forms not in self._positions:
            positions = np.flatnonzero(np.isin(self._form_of_step, forms))
            self._positions[forms] = positions, np.array(self._steps, np.float64)[positions]
        return self._positions[forms]

    def _form_of(self, layout: Layout) -> _Form:
        places = list(iterate_records(layout))
        rows = {RecordKey(place.group, TensorKey(place.entry.name, place.entry.iteration)): row for row, place in enumerate(places)}
        new = [key for key in rows if key not in self._places]
        columns = Columns(len(new))
        self._places.update({key: (columns, record) for record, key in enumerate(new)})
        of_columns: dict[Columns, list[tuple[int, int]]] = {}
        for key, row in rows.items():
            columns, record = self._places[key]
            of_columns.setdefault(columns, []).append((record, row))
        return _Form(
            number=len(self._forms),
            rows=rows,
            entries=[place.entry for place in places],
            statistics=_statistics_of(places),
            parts=[_Part(columns, *np.array(pairs, np.int64).T) for columns, pairs in of_columns.items()],
        )


def _statistics_of(places: Sequence[RecordPlace]) -> Mapping[str, tuple[Integers, Integers]]:
    """Per precision which records have it, and where their statistics are."""
    statistics = {}
    for precision in sorted({place.entry.precision for place in places}):
        rows = [row for row, place in enumerate(places) if place.entry.precision == precision]
        positions = [_places(places[row].statistics, places[row].entry) for row in rows]
        statistics[precision] = np.array(rows, np.int64), np.array(positions, np.int64)
    return statistics


def _samples(entry: TensorEntry) -> int:
    return 1 if entry.batch_dimension is None else entry.shape[entry.batch_dimension]


def _places(start: int, entry: TensorEntry) -> list[list[int]]:
    """Where the numbers of a record are in the array of its precision: per item, per aggregation over the batch; -1: nowhere."""
    kept = min(entry.aggregation_count, AGGREGATIONS)
    rows = []
    for item in ITEMS:
        name = "single_value" if item == "mean" and "single_value" in entry.items else item
        if name in entry.items:
            first = start + entry.items.index(name) * entry.aggregation_count
            rows.append([*range(first, first + kept), *[-1] * (AGGREGATIONS - kept)])
        else:
            rows.append([-1] * AGGREGATIONS)
    return rows
