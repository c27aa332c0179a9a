"""The arrays of a step: read from its file after a check that they are exactly those that its layout implies."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from io import BufferedReader
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from comgra_export.storage.arrays.counts import COUNTS, COUNTS_PER_RECORD, check_counts, read_counts
from comgra_export.storage.arrays.histograms import (
    HISTOGRAM_COLUMNS,
    QUANTILES,
    StepHistograms,
    check_histogram_bins,
    check_histogram_counts,
)
from comgra_export.storage.arrays.layout_arrays import (
    HISTOGRAM_BINS,
    HISTOGRAM_COUNTS,
    ExpectedArray,
    RecordPlace,
    check_arrays,
    expected_arrays,
    expected_histograms,
    histogram_records,
)
from comgra_export.storage.arrays.safetensors import (
    ARRAY_DTYPES,
    StoredArray,
    check_array,
    map_array,
    part_of,
    read_array,
    read_index,
    widened,
)
from comgra_export.storage.arrays.unit_arrays import UNITS_ARRAY, expected_units, split_units
from comgra_export.storage.files.recording_files import RecordingFiles
from comgra_export.storage.model.layout import Blob, Layout
from comgra_export.storage.text.json_codec import damaged
from comgra_export.storage.text.paths import STEPS, blob_name, description_name

__all__ = ["StepArrays", "StepForm"]


class StepForm(NamedTuple):
    """What decides which arrays a step has: its number, the hash of its layout, and how many samples it recorded one by one."""

    step: float
    layout: str
    samples: int


class _OpenedFile(NamedTuple):
    """An open file of arrays that has been checked.

    Attributes:
        name: How messages name it.
        expected: The arrays that the layout implies, without those of histograms.
        expected_others: The arrays of histograms and of single units that the layout implies.
    """

    stream: BufferedReader
    name: str
    stored: Mapping[str, StoredArray]
    expected: Mapping[str, ExpectedArray]
    expected_others: Mapping[str, ExpectedArray]

    def array(self, name: str) -> Blob:
        """Reads an array that is in the file."""
        return read_array(self.stream, self.stored[name], self.name)


class StepArrays:
    """Reads the arrays of steps. What follows from a layout is worked out once.

    Every method raises a `DamagedRecordingError` if the file or the layout is missing, cut off, or contradicts the other.
    """

    def __init__(self, files: RecordingFiles, version: int, layout: Callable[[str], Layout]) -> None:
        self._files = files
        self._version = version
        self._layout = layout
        # Arrays of which parts are read: their checksum is that of the whole.
        self._checked: set[tuple[float, str]] = set()
        self._precisions: dict[str, list[str]] = {}
        self._expected: dict[str, tuple[dict[str, ExpectedArray], dict[str, ExpectedArray], set[int]]] = {}

    def read(self, form: StepForm, names: Collection[str] | None) -> dict[str, Blob]:
        """Reads the arrays of a step, or those of these names, in the order of `expected_arrays`."""
        with self._opened(form) as file:
            blobs = {}
            for name, expected in file.expected.items():
                if names is not None and name not in names:
                    continue
                if name == COUNTS and name not in file.stored:
                    blobs[name] = read_counts(file.stream, file.stored, expected.elements // COUNTS_PER_RECORD, file.name)
                else:
                    blobs[name] = file.array(name)
            return blobs

    def values(self, form: StepForm, places: Sequence[RecordPlace]) -> list[NDArray[np.float32]]:
        """Reads the values of some records, and nothing of the others."""
        with self._opened(form) as file:
            for name in {_values_array(place) for place in places if place.entry.values_count}:
                self._check(form.step, name, file)
            return [_values_of(file, place) for place in places]

    def mapped_values(self, form: StepForm, place: RecordPlace) -> NDArray[np.generic]:
        """The values of a record where they lie in the file of a step, as they are stored."""
        entry = place.entry
        with self._opened(form) as file:
            if not entry.values_count:
                return np.zeros((0, entry.values_per_sample), ARRAY_DTYPES[entry.stored])
            name = _values_array(place)
            self._check(form.step, name, file)
            return map_array(file.stream, part_of(file.stored[name], place.values, entry.values_count)).reshape(-1, entry.values_per_sample)

    def histograms(self, form: StepForm) -> StepHistograms:
        """Reads the histograms of a step, which may be those of no record."""
        with self._opened(form) as file:
            bins = _read_bins(file)
            counts = file.array(HISTOGRAM_COUNTS).data.astype(np.int64) if HISTOGRAM_COUNTS in file.stored else np.zeros(0, np.int64)
            check_histogram_counts(bins, counts, file.name)
            precisions = self._precisions_of_histograms(form.layout)
            quantiles = np.empty((len(precisions), len(QUANTILES)))
            for dtype in set(precisions):
                rows = [row for row, precision in enumerate(precisions) if precision == dtype]
                quantiles[rows] = file.array(f"histograms.quantiles.{dtype}").data
        return StepHistograms(bins, counts, quantiles)

    def units(self, form: StepForm) -> dict[tuple[str, int], NDArray[np.float32]]:
        """Reads the statistics of single units: `[2, U]` per tensor that has any, by name and iteration."""
        with self._opened(form) as file:
            return split_units(self._layout(form.layout), file.array(UNITS_ARRAY)) if UNITS_ARRAY in file.expected_others else {}

    def _precisions_of_histograms(self, layout: str) -> list[str]:
        """The precision of each histogram of a layout."""
        if layout not in self._precisions:
            self._precisions[layout] = [place.entry.precision for place in histogram_records(self._layout(layout))]
        return self._precisions[layout]

    def check(self, form: StepForm) -> None:
        """Makes sure that the arrays of a step can be read, without reading more of them than the bins of its histograms."""
        with self._opened(form) as file:
            _read_bins(file)

    def _check(self, step: float, name: str, file: _OpenedFile) -> None:
        """Checks an array of which a part is to be read, once."""
        if (step, name) not in self._checked:
            check_array(file.stream, file.stored[name], file.name)
            self._checked.add((step, name))

    @contextmanager
    def _opened(self, form: StepForm) -> Iterator[_OpenedFile]:
        """Opens the file of a step, with the arrays that it must hold and, after a check, those that it holds."""
        expected, expected_others, sample_counts = self._expected_of(form.layout)
        if not sample_counts <= {0, form.samples}:
            raise damaged(self._files.label(f"{STEPS}/{description_name(form.step)}"), "it has another number of samples than its layout")
        with self._files.opened(f"{STEPS}/{blob_name(form.step)}") as (stream, file):
            stored = read_index(stream, file, checksums=self._files.checksums)
            # Version 2 of the format writes the counts as columns. Its recordings may begin with steps of version 1.
            if COUNTS in expected and COUNTS not in stored and self._version > 1:
                check_counts(stored, expected[COUNTS].elements // COUNTS_PER_RECORD, file)
                check_arrays({name: array for name, array in expected.items() if name != COUNTS}, stored, file)
            else:
                check_arrays(expected, stored, file)
            check_arrays(expected_others, stored, file)
            yield _OpenedFile(stream, file, stored, expected, expected_others)

    def _expected_of(self, digest: str) -> tuple[dict[str, ExpectedArray], dict[str, ExpectedArray], set[int]]:
        """The arrays that a layout implies, those of histograms and single units, and how many samples its tensors have."""
        if digest not in self._expected:
            layout = self._layout(digest)
            samples = {tensor.samples for tensor in layout.tensors}
            self._expected[digest] = expected_arrays(layout), {**expected_histograms(layout), **expected_units(layout)}, samples
        return self._expected[digest]


def _values_array(place: RecordPlace) -> str:
    return f"values.{place.entry.stored}"


def _values_of(file: _OpenedFile, place: RecordPlace) -> NDArray[np.float32]:
    entry = place.entry
    if not entry.values_count:
        return np.zeros((0, entry.values_per_sample), np.float32)
    part = part_of(file.stored[_values_array(place)], place.values, entry.values_count)
    data = read_array(file.stream, part, file.name).data.reshape(-1, entry.values_per_sample)
    with np.errstate(over="ignore"):
        return widened(entry.stored, data).astype(np.float32)


def _read_bins(file: _OpenedFile) -> NDArray[np.int64]:
    """Reads the bins of the histograms of a step, `[H, 8]`, and checks that there is a count for each of them."""
    if HISTOGRAM_BINS not in file.expected_others:
        return np.zeros((0, HISTOGRAM_COLUMNS), np.int64)
    bins = file.array(HISTOGRAM_BINS).data.astype(np.int64)
    counts = file.stored.get(HISTOGRAM_COUNTS)
    if counts is not None and (counts.dtype not in ("I32", "I64") or len(counts.shape) != 1):
        raise damaged(file.name, f"the array {HISTOGRAM_COUNTS} is not a list of integers")
    check_histogram_bins(bins, 0 if counts is None else counts.shape[0], file.name)
    return bins
