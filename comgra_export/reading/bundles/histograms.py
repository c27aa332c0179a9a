"""The histograms that a bundle has over time."""

from __future__ import annotations

from typing import Any

import numpy as np

from comgra_export.reading.bundles.chunks import HISTOGRAM_CHUNK_BYTES, ChunkReader
from comgra_export.reading.source import StepHistogram
from comgra_export.storage.arrays.histograms import HISTOGRAM_COLUMNS, QUANTILES, check_histogram_bins, check_histogram_counts
from comgra_export.storage.codec.checked import JsonObject

__all__ = ["HistogramReader"]

_INTEGERS = 14
_FLOATS = 9
_FLOAT_DTYPES: dict[int, np.dtype[Any]] = {4: np.dtype("<f4"), 8: np.dtype("<f8")}
_INTEGER_DTYPES: dict[int, np.dtype[Any]] = {4: np.dtype("<i4"), 8: np.dtype("<i8")}


class HistogramReader:
    """The histograms of a trial.

    Args:
        chunks: The chunks of the bundle.
        parts: The chunks of the parts.
    """

    def __init__(self, chunks: ChunkReader, parts: tuple[int, ...]) -> None:
        self._chunks = chunks
        self._parts = parts

    def find(self, step: float, type_of_execution: str, group: str, name: str, iteration: int) -> StepHistogram | None:
        """The histogram of a record in a step; None if there is none.

        Raises:
            DamagedRecordingError: It cannot be read.
        """
        for number in self._parts:
            histogram = self._chunks.document(
                number, lambda content, file: self._in_part(content, file, step, (group, name, type_of_execution), iteration)
            )
            if histogram is not None:
                return histogram
        return None

    def _in_part(self, content: object, file: str, step: float, texts: tuple[str, str, str], iteration: int) -> StepHistogram | None:
        part = JsonObject(content, file)
        strings, lists = part.texts("strings"), part.entries("step_lists")
        if not set(texts) <= set(strings):
            return None
        records = part.member("records")
        positions = [records.integers(name, 0, len(strings) - 1) for name in ("group", "name", "type")]
        wanted = [strings.index(text) for text in texts]
        for row, own in enumerate(zip(*positions, records.integers("iteration", -1), strict=False)):
            if list(own) == [*wanted, iteration]:
                steps = part.as_steps(lists[_at(records, "steps", row, len(lists) - 1)], "step_lists")
                return self._read(part, records, row, len(steps), steps.index(step), file) if step in steps else None
        return None

    def _read(self, part: JsonObject, records: JsonObject, row: int, steps: int, place: int, file: str) -> StepHistogram:
        width, start = _at(records, "integers_width", row), _at(records, "integers_start", row)
        if width not in _INTEGER_DTYPES or _at(records, "width", row) not in _FLOAT_DTYPES:
            raise records.wrong("width", "holds something other than 4 and 8")
        lane = part.integer(f"lane{width}", -1)
        whole = _INTEGERS * steps + _at(records, "counts", row)
        integers = self._chunks.elements(lane, _INTEGER_DTYPES[width], start, whole, HISTOGRAM_CHUNK_BYTES).astype(np.int64)
        bins = np.ascontiguousarray(integers[: _INTEGERS * steps].reshape(_INTEGERS, steps)[:HISTOGRAM_COLUMNS].T)
        counts = integers[_INTEGERS * steps :]
        check_histogram_bins(bins, len(counts), file)
        check_histogram_counts(bins, counts, file)
        before = int((bins[:place, 1] + bins[:place, 4]).sum())
        width = _at(records, "width", row)
        lane = part.integer(f"lane{width}", -1)
        floats = self._chunks.elements(
            lane, _FLOAT_DTYPES[width], _at(records, "start", row), _FLOATS * steps, HISTOGRAM_CHUNK_BYTES
        ).reshape(_FLOATS, steps)
        own = counts[before : before + int(bins[place, 1] + bins[place, 4])]
        return StepHistogram(bins[place], own, floats[: len(QUANTILES), place].astype(np.float64))


def _at(columns: JsonObject, name: str, row: int, maximum: int = 2**53 - 1) -> int:
    column = columns.integers(name, 0, maximum)
    if row >= len(column):
        raise columns.wrong(name, "has another length than the other columns")
    return column[row]
