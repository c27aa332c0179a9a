"""The numbers of a step over all ranks, from those of every rank."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from comgra_export.analysis.ranks.merge_plan import MergedRecord, MergePlan, TensorKey
from comgra_export.analysis.ranks.pooling import Floats, Sizes, pool_batches, pooled_max, pooled_mean, pooled_std
from comgra_export.storage import ARRAY_DTYPES, BATCH_AGGREGATIONS, FLAG_GRADIENT_ABSENT, Blob, ExpectedArray, RecordPlace, expected_arrays

__all__ = ["FLAG_RANKS_DIFFER", "STATISTICS", "differing_values", "merge_statistics", "merge_values"]

FLAG_RANKS_DIFFER = 2
"""Flag of a merged record: ranks that could agree do not. A loss or a replica differs, or a gradient was absent on some ranks only."""

STATISTICS = frozenset({"counts", "extrema.F32", "extrema.F64", "statistics.F32", "statistics.F64"})
"""The arrays of a step that tell of each record as a whole."""

_Arrays = Mapping[str, Blob]
_COLUMNS = len(BATCH_AGGREGATIONS)
_COLUMNS_AT_ONCE = 16_384
# Nothing more follows from values of one sample that are spread over several ranks: the order is that of the items.
_KNOWN_OF_PARTS = np.array([[True, False, False], [True, False, False], [False, False, False], [False, True, False]])


def merge_statistics(plan: MergePlan, arrays: Sequence[_Arrays]) -> dict[str, Blob]:
    """Merges the counts, extrema and statistics of a step.

    Statistics that are the same on all ranks, or that one rank alone contributes, are kept bit by bit. Other numbers are computed in
    float64 and rounded to the record's precision.

    Returns:
        Those of them that the plan's layout implies, as `Recording.blobs` gives them.
    """
    merged = {name: _empty(name, expected) for name, expected in expected_arrays(plan.layout).items() if name in STATISTICS}
    blocks: defaultdict[tuple[str, bool, int], list[MergedRecord]] = defaultdict(list)
    for record in plan.records:
        entry = record.target.entry
        blocks[entry.precision, entry.batch_dimension is not None, len(entry.items)].append(record)
    # Non-finite numbers and those too large for the precision are results like any other.
    with np.errstate(invalid="ignore", over="ignore"):
        for records in blocks.values():
            _Block(records, arrays).merge_into(merged)
    return {name: _blob(name, array) for name, array in merged.items()}


def merge_values(plan: MergePlan, arrays: Sequence[_Arrays]) -> dict[str, Blob]:
    """Merges the aggregates of a step, computed like statistics, and its values. What `arrays` lacks is missing in the result."""
    merged = {
        name: _empty(name, expected)
        for name, expected in expected_arrays(plan.layout).items()
        if name not in STATISTICS and all(name in of_rank for of_rank in arrays)
    }
    with np.errstate(invalid="ignore", over="ignore"):
        _merge_aggregates(plan, arrays, merged)
    _take_values(plan, arrays, merged)
    return {name: _blob(name, array) for name, array in merged.items()}


def _empty(name: str, expected: ExpectedArray) -> NDArray[np.generic]:
    return np.zeros(expected.elements, np.int64 if name == "counts" else ARRAY_DTYPES[expected.dtypes[0]])


def differing_values(plan: MergePlan, arrays: Sequence[_Arrays]) -> frozenset[TensorKey]:
    """The tensors without a batch dimension of which the ranks hold different values. The plan was made without knowing them."""
    differing = set()
    for record in plan.records:
        if record.target.entry.values_count:
            first, *others = (_values(of_rank, place) for of_rank, place in zip(arrays, record.places, strict=True))
            if any(first.tobytes() != other.tobytes() for other in others):
                differing.add((record.target.entry.name, record.target.entry.iteration))
    return frozenset(differing)


class _Block:
    """`K` records of one precision and with equally many items, on `R` ranks."""

    def __init__(self, records: Sequence[MergedRecord], arrays: Sequence[_Arrays]) -> None:
        entry = records[0].target.entry
        self._records = records
        self._arrays = arrays
        self._precision = entry.precision
        self._items = np.arange(len(entry.items))
        self._has_batch = entry.batch_dimension is not None
        self._sizes: Sizes = np.array([record.sizes for record in records], np.int64).T
        self._holders = np.array([record.holders for record in records]).T

    def merge_into(self, merged: Mapping[str, NDArray[np.generic]]) -> None:
        """Writes the merged numbers of these records to where they belong."""
        counts = self._stack("counts", [[place.counts for place in record.places] for record in self._records], 5).astype(np.int64)
        extrema = self._stack(f"extrema.{self._precision}", [[place.extrema for place in record.places] for record in self._records], 2)
        statistics = self._statistics()
        agree = self._agree(counts) & self._agree(extrema) & self._agree(statistics)
        rule = np.array([record.rule for record in self._records])
        ranks = np.arange(len(self._arrays))[:, None]
        counted = (self._holders == ranks) | ((rule == "replicas") & ~agree)
        sizes = np.where(counted, self._sizes, 0)

        pooled = self._pool_batches(statistics, sizes, rule) if self._has_batch else self._pool_values(statistics, sizes)
        alone = counted.sum(axis=0) == 1
        counts_of_all = np.where(counted[..., None], counts, 0).sum(axis=0)
        counts_of_all[:, 4] = _flags(counts[..., 4], counted, agree)
        # Not a number if a rank has no finite value; those are skipped.
        extrema = np.where(counted[..., None], extrema, np.nan)

        targets = [record.target for record in self._records]
        merged["counts"].reshape(-1, 5)[[target.counts for target in targets]] = counts_of_all
        own_extrema = merged[f"extrema.{self._precision}"].reshape(-1, 2)
        own_extrema[[target.extrema for target in targets]] = np.stack(
            [np.fmin.reduce(extrema[..., 0]), np.fmax.reduce(extrema[..., 1])], axis=-1
        )
        numbers = np.where(alone[:, None, None], self._of_first(statistics, counted), pooled)
        starts = np.array([target.statistics for target in targets])
        columns = numbers.shape[2]
        merged[f"statistics.{self._precision}"][self._places(starts, np.full(len(targets), columns), columns)] = numbers

    def _stack(self, name: str, rows: list[list[int]], width: int) -> NDArray[np.generic]:
        """`[R, K, width]`."""
        by_rank = np.array(rows).T
        return np.stack([of_rank[name].data.reshape(-1, width)[own] for of_rank, own in zip(self._arrays, by_rank, strict=True)])

    def _statistics(self) -> Floats:
        """`[R, K, I, 3]`, or `[R, K, I, 1]` without a batch dimension."""
        columns = _COLUMNS if self._has_batch else 1
        stacked = []
        for rank, of_rank in enumerate(self._arrays):
            places = [record.places[rank] for record in self._records]
            starts = np.array([place.statistics for place in places])
            widths = np.array([place.entry.aggregation_count for place in places])
            stacked.append(of_rank[f"statistics.{self._precision}"].data[self._places(starts, widths, columns)])
        return np.stack(stacked).astype(np.float64)

    def _places(self, starts: NDArray[np.int64], widths: NDArray[np.int64], columns: int) -> NDArray[np.int64]:
        """Where the first `columns` aggregations of every item are: `[K, I, columns]`."""
        return np.asarray(starts[:, None, None] + self._items[:, None] * widths[:, None, None] + np.arange(columns))

    def _agree(self, numbers: NDArray[np.generic]) -> NDArray[np.bool_]:
        """`[K]`: whether every rank has what the first rank that holds the same has."""
        records = np.arange(len(self._records))
        held = numbers[self._holders, records]
        same = (numbers == held) | ((numbers != numbers) & (held != held))
        return np.asarray(same.all(axis=(0, *range(2, numbers.ndim))))

    def _of_first(self, numbers: Floats, counted: NDArray[np.bool_]) -> Floats:
        return np.asarray(numbers[counted.argmax(axis=0), np.arange(len(self._records))])

    def _pool_batches(self, statistics: Floats, sizes: Sizes, rule: NDArray[np.str_]) -> Floats:
        """`[R, K, I, 3]` to `[K, I, 3]`."""
        pooled = np.moveaxis(pool_batches(np.moveaxis(statistics, 3, 1), sizes[..., None]), 0, -1)
        unknown = (rule == "parts_of_samples")[:, None, None] & ~_KNOWN_OF_PARTS
        return np.asarray(np.where(unknown, np.nan, pooled))

    def _pool_values(self, statistics: Floats, sizes: Sizes) -> Floats:
        """`[R, K, I, 1]` to `[K, I, 1]`."""
        items = statistics[..., 0]
        if len(self._items) == 1:
            return pooled_mean(items[..., 0], sizes)[:, None, None]
        means = items[..., 0]
        mean = pooled_mean(means, sizes)
        pooled = [
            mean,
            pooled_mean(items[..., 1], sizes),
            pooled_std(items[..., 2], means, sizes, mean),
            pooled_max(items[..., 3], sizes),
        ]
        # The singular values of a matrix do not follow from those of its parts.
        pooled += [np.full(len(self._records), np.nan)] * (len(self._items) - len(pooled))
        return np.stack(pooled, axis=-1)[..., None]


def _flags(flags: NDArray[np.int64], counted: NDArray[np.bool_], agree: NDArray[np.bool_]) -> NDArray[np.int64]:
    """`[R, K]` to `[K]`."""
    absent = (flags & FLAG_GRADIENT_ABSENT) != 0
    absent_everywhere = (absent | ~counted).all(axis=0)
    absent_somewhere = (absent & counted).any(axis=0)
    differ = ~agree | (absent_somewhere & ~absent_everywhere)
    return np.asarray(absent_everywhere * FLAG_GRADIENT_ABSENT + differ * FLAG_RANKS_DIFFER)


def _merge_aggregates(plan: MergePlan, arrays: Sequence[_Arrays], merged: Mapping[str, NDArray[np.generic]]) -> None:
    for name in merged:
        if name.startswith("aggregates."):
            own = [record for record in plan.records if f"aggregates.{record.target.entry.precision}" == name]
            for records in _batches([record for record in own if record.target.entry.aggregates_count]):
                widths = [record.target.entry.values_per_sample for record in records]
                of_ranks = [
                    np.concatenate([_aggregates(of_rank[name], record.places[rank]) for record in records], axis=1, dtype=np.float64)
                    for rank, of_rank in enumerate(arrays)
                ]
                sizes: Sizes = np.array([_counted_sizes(record) for record in records], np.int64).T
                pooled = pool_batches(np.stack(of_ranks), np.repeat(sizes, widths, axis=1))
                ends = np.cumsum(widths)
                for record, numbers in zip(records, np.split(pooled, ends[:-1], axis=1), strict=True):
                    start = record.target.aggregates
                    merged[name][start : start + numbers.size] = numbers.reshape(-1)


def _batches(records: Sequence[MergedRecord]) -> Iterator[list[MergedRecord]]:
    """Small ones are computed together, to save time; large ones apart, to save memory."""
    batch: list[MergedRecord] = []
    columns = 0
    for record in records:
        width = record.target.entry.values_per_sample
        if batch and columns + width > _COLUMNS_AT_ONCE:
            yield batch
            batch, columns = [], 0
        batch.append(record)
        columns += width
    if batch:
        yield batch


def _counted_sizes(record: MergedRecord) -> list[int]:
    return [size if holder == rank else 0 for rank, (holder, size) in enumerate(zip(record.holders, record.sizes, strict=True))]


def _aggregates(blob: Blob, place: RecordPlace) -> NDArray[np.generic]:
    """`[3, N]`."""
    return blob.data[place.aggregates : place.aggregates + place.entry.aggregates_count].reshape(_COLUMNS, -1)


def _take_values(plan: MergePlan, arrays: Sequence[_Arrays], merged: Mapping[str, NDArray[np.generic]]) -> None:
    for record in plan.records:
        target = record.target
        if target.entry.values_count and f"values.{target.entry.stored}" in merged:
            own = _values(arrays[0], record.places[0])
            merged[f"values.{target.entry.stored}"][target.values : target.values + own.size] = own


def _values(arrays: _Arrays, place: RecordPlace) -> NDArray[np.generic]:
    return arrays[f"values.{place.entry.stored}"].data[place.values : place.values + place.entry.values_count]


def _blob(name: str, array: NDArray[np.generic]) -> Blob:
    if name != "counts":
        return Blob(name.rpartition(".")[2], array.reshape(-1, 2) if name.startswith("extrema.") else array)
    fits = array.max(initial=0) <= np.iinfo(np.int32).max
    return Blob("I32" if fits else "I64", array.astype(np.int32 if fits else np.int64).reshape(-1, 5))
