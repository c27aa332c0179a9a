"""What the page must show, read from the recording itself."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from comgra_export.storage import BATCH_AGGREGATIONS, Recording, RecordPlace, Structure, find_recordings, iterate_records, open_recording
from support.browser.viewer import Viewer

__all__ = ["OVER", "Oracle", "Row"]

Number = float | int
_NON_FINITE = {"NaN": np.nan, "+inf": np.inf, "-inf": -np.inf}
# Whole numbers, four significant digits, or an exponent.
_ROUNDED = re.compile(r"-?(\d+|\d+[.]\d+|\d[.]\d{3}e[+-]\d+)")
_DIGITS = 4

OVER = {"batch_mean": "mean of samples", "batch_abs_max": "largest of samples", "batch_std": "std of samples"}
"""What stands beside a statistic, by the aggregation over the batch."""


class Row(NamedTuple):
    """A row of the table: `place` is the index, or over what a statistic of a batch is."""

    item: str
    place: str
    value: Number
    dtype: str


def _agrees(value: str, exact: str, row: Row) -> bool:
    """Whether a text is the row's value to half a unit of its last digit, of four at least, and the other one gives it back."""
    if not np.isfinite(row.value):
        return all(np.array_equal(_NON_FINITE.get(text, 0.0), row.value, equal_nan=True) for text in (value, exact))
    if not _ROUNDED.fullmatch(value):
        return False
    mantissa = value.split("e")[0].lstrip("-0.").replace(".", "")
    is_whole = row.value == int(row.value)
    wide = row.dtype in ("F64", "I64")
    is_exact = int(exact) == row.value if isinstance(row.value, int) else (float(exact) if wide else np.float32(exact)) == row.value
    return (is_whole or len(mantissa) >= _DIGITS) and bool(is_exact) and _is_rounded(value, row.value)


def _is_rounded(text: str, value: Number) -> bool:
    shown = Decimal(text)
    exponent = shown.as_tuple().exponent
    assert isinstance(exponent, int)
    return abs(shown - Decimal(value)) <= Decimal(10) ** exponent / 2


class Oracle:
    """The recordings of a group.

    Args:
        group: The group's folder.
    """

    def __init__(self, group: Path) -> None:
        recordings = [open_recording(folder) for folder in find_recordings(group)]
        self.recordings: dict[str, Recording] = {recording.header.trial: recording for recording in recordings}

    def check(self, viewer: Viewer) -> dict[str, str]:
        """Assert that the address names what the controls say, and that the summary and the table show it. Returns the link."""
        link = viewer.link()
        self.check_rows(viewer, link)
        summary = viewer.summary()
        shown = (summary["trial"], summary["step"], summary["iteration"])
        assert shown == (link["trial"], link["step"], link["it"]), (shown, link)
        return link

    def check_rows(self, viewer: Viewer, link: Mapping[str, str]) -> None:
        """Assert that the table shows what a link names, in every row."""
        expected = self.rows(link)
        shown = viewer.rows(len(expected))
        assert [row[:2] for row in shown] == [row[:2] for row in expected], (link, shown, expected)
        wrong = [(row, right) for row, right in zip(shown, expected, strict=True) if not _agrees(row.value, row.exact, right)]
        assert not wrong, (link, wrong)

    def structure(self, trial: str, step: int, iteration: int) -> Structure:
        """The dependency graph of an iteration."""
        recording = self.recordings[trial]
        digest = recording.step(step).structures[iteration]
        assert digest is not None
        return recording.structure(digest)

    def place(self, link: Mapping[str, str]) -> RecordPlace | None:
        """The place of a link's numbers, or None if there are none."""
        structure = self.structure(link["trial"], int(link["step"]), int(link["it"]))
        (shown,) = (tensor for tensor in structure.tensors if (tensor.node, tensor.role) == (link["node"], link["role"]))
        recording = self.recordings[link["trial"]]
        layout = recording.layout(recording.step(int(link["step"])).layout)
        wanted = (link["rec"], shown.record_name, shown.record_iteration)
        matches = (place for place in iterate_records(layout) if (place.group, place.entry.name, place.entry.iteration) == wanted)
        return next(matches, None)

    def aggregations(self, link: Mapping[str, str], place: RecordPlace) -> list[str]:
        """The aggregations of a record, in order, by their names in links."""
        if place.entry.batch_dimension is None:
            return ["has_no_batch_dimension"]
        samples = self.recordings[link["trial"]].step(int(link["step"])).samples.index
        return [*BATCH_AGGREGATIONS, *(f"sample_{index}" for index in samples[: place.entry.samples])]

    def rows(self, link: Mapping[str, str]) -> list[Row]:
        """Everything that the table shows for a link, in order."""
        place = self.place(link)
        assert place is not None
        entry = place.entry
        blobs = self.recordings[link["trial"]].blobs(int(link["step"]))
        number = self.aggregations(link, place).index(link["agg"])
        every = blobs[f"statistics.{entry.precision}"].data[place.statistics : place.statistics + entry.statistics_count]
        statistics = every.reshape(len(entry.items), entry.aggregation_count)[:, number]
        over = OVER.get(link["agg"], "")
        rows = [Row(item, over, float(value), entry.precision) for item, value in zip(entry.items, statistics, strict=True)]
        if entry.kind != "neuron":
            return rows
        size = entry.values_per_sample
        if entry.batch_dimension is not None and number < len(BATCH_AGGREGATIONS):
            start = place.aggregates + number * size
            values, dtype = blobs[f"aggregates.{entry.precision}"].data[start : start + size], entry.precision
        else:
            sample = 0 if entry.batch_dimension is None else number - len(BATCH_AGGREGATIONS)
            start = place.values + sample * size
            values, dtype = _widened(blobs[f"values.{entry.stored}"].data[start : start + size], entry.stored), entry.dtype
        shape = [length for axis, length in enumerate(entry.shape) if axis != entry.batch_dimension]
        return rows + [Row("neuron", _index(k, shape), value.item(), dtype) for k, value in enumerate(values)]


def _widened(values: NDArray[np.generic], stored: str) -> NDArray[np.generic]:
    """A bfloat16, which is stored with its bits, is the upper half of a float32."""
    return (values.astype(np.uint32) << 16).view(np.float32) if stored == "BF16" else values


def _index(k: int, shape: list[int]) -> str:
    return ", ".join(str(int(position)) for position in np.unravel_index(k, shape)) if shape else ""
