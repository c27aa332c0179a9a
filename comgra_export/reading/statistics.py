"""The table of statistics: a row for each item of each record of each step."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comgra_export.reading.layout_numbers import LayoutColumns
from comgra_export.reading.source import LayoutNumbers
from comgra_export.reading.table import Labels, Table
from comgra_export.storage import FLAG_GRADIENT_ABSENT, Layout

__all__ = ["statistics_table"]

_EMPTY = Layout((), ())
_COUNTS = ("nan", "posinf", "neginf", "zeros")


class _Texts:
    """The texts of a column, each once."""

    def __init__(self) -> None:
        self._codes: dict[str, int] = {}

    def codes(self, texts: Iterable[str]) -> NDArray[np.int32]:
        return np.array([self._codes.setdefault(text, len(self._codes)) for text in texts], np.int32)

    def labels(self, codes: NDArray[np.int32]) -> Labels:
        return Labels(codes, list(self._codes))


def statistics_table(numbers: Iterable[LayoutNumbers]) -> Table:
    """Puts the statistics of all layouts into one table, ordered by step, and within one as the recording has them."""
    texts = {name: _Texts() for name in ("tensor", "role", "group", "item")}
    parts = [_part(each, texts) for each in numbers] or [_part(LayoutColumns(_EMPTY).room(()), texts)]
    joined = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    if len(parts) > 1:
        order = np.argsort(joined["step"], kind="stable")
        joined = {name: column[order] for name, column in joined.items()}
    return Table({name: texts[name].labels(column) if name in texts else column for name, column in joined.items()})


def _part(numbers: LayoutNumbers, texts: dict[str, _Texts]) -> dict[str, NDArray[Any]]:
    """The columns of the steps of one layout."""
    columns = LayoutColumns(numbers.layout)
    records = np.array([record for record, _ in columns.pairs], np.int64)
    places = [columns.places[record] for record, _ in columns.pairs]
    entries = [place.entry for place in places]
    times = len(numbers.steps)

    def each_step(values: Sequence[Any] | NDArray[Any], dtype: type) -> NDArray[Any]:
        return np.tile(np.asarray(values, dtype), times)

    counts = numbers.counts[:, records]
    return {
        "step": np.repeat(numbers.steps, len(entries)),
        "iteration": each_step([entry.iteration for entry in entries], np.int64),
        "tensor": np.tile(texts["tensor"].codes(entry.name for entry in entries), times),
        "role": np.tile(texts["role"].codes(entry.role for entry in entries), times),
        "group": np.tile(texts["group"].codes(place.group for place in places), times),
        "item": np.tile(texts["item"].codes(item for _, item in columns.pairs), times),
        **{name: numbers.statistics[:, :, place].reshape(-1) for place, name in enumerate(("mean", "abs_max", "std"))},
        "min": numbers.extrema[:, records, 0].reshape(-1),
        "max": numbers.extrema[:, records, 1].reshape(-1),
        **{name: counts[:, :, place].reshape(-1) for place, name in enumerate(_COUNTS)},
        "count": each_step([prod(entry.shape) for entry in entries], np.int64),
        "is_absent": ((counts[:, :, 4] & FLAG_GRADIENT_ABSENT) != 0).reshape(-1),
    }
