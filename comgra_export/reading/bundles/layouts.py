"""Layouts of a bundle: as recorded, with what the export kept of the values of each tensor."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from comgra_export.reading.bundles.damage import damaged
from comgra_export.storage import ARRAY_DTYPES, Layout, iterate_records
from comgra_export.storage.codec.checked import JsonObject
from comgra_export.storage.codec.decode_graph import decode_layout

__all__ = ["BundledLayout", "KeptRecord", "decode_bundled_layout"]

_ROUNDED = ("F16", "BF16")


@dataclass(frozen=True)
class KeptRecord:
    """What a bundle has of the values of a record.

    Attributes:
        stored: The dtype of its values in the bundle.
        start: The first element in `values.STORED`.
        rows: For how many samples there are values.
        samples: Which of the recorded samples these are.
    """

    stored: str
    start: int
    rows: int
    samples: tuple[int, ...]


@dataclass(frozen=True)
class BundledLayout:
    """A layout, and per record, by its row in `counts`, what is kept of its values."""

    layout: Layout
    kept: Sequence[KeptRecord]


def decode_bundled_layout(content: object, file: str) -> BundledLayout:
    """Reads a layout.

    Raises:
        DamagedRecordingError: It contradicts the format.
    """
    document = JsonObject(content, file)
    columns = document.member("tensors")
    stored = columns.choices("stored", ARRAY_DTYPES)
    # What was rounded had its own dtype when it was recorded.
    recorded = [_recorded(own, stored_as) for own, stored_as in zip(columns.texts("dtype"), stored, strict=False)]
    layout = decode_layout(_with_stored(content, recorded), file)
    kept = columns.entries("kept") if columns.has("kept") else [None] * len(layout.tensors)
    if len(kept) != len(layout.tensors):
        raise damaged(file, "the column kept has another length than the others")
    samples = [
        tuple(range(_rows(entry.values_count, entry.values_per_sample)))
        if each is None
        else tuple(columns.as_integers(each, "kept", 0, max(entry.samples, 1) - 1))
        for each, entry in zip(kept, layout.tensors, strict=True)
    ]
    return BundledLayout(layout, list(_records(layout, stored, samples)))


def _recorded(dtype: str, stored: str) -> str:
    if stored not in _ROUNDED:
        return stored
    return dtype if dtype in ARRAY_DTYPES else "F32"


def _with_stored(content: object, stored: Sequence[str]) -> Mapping[str, object]:
    document = cast("dict[str, dict[str, object]]", content)
    return {**document, "tensors": {**document["tensors"], "stored": list(stored)}}


def _rows(values: int, per_sample: int) -> int:
    return values // per_sample if per_sample else 0


def _records(layout: Layout, stored: Sequence[str], samples: Sequence[tuple[int, ...]]) -> list[KeptRecord]:
    used: Counter[str] = Counter()
    records = []
    for place in iterate_records(layout):
        own, dtype = (samples[place.tensor] if place.entry.values_count else ()), stored[place.tensor]
        records.append(KeptRecord(dtype, used[dtype], len(own), own))
        used[dtype] += len(own) * place.entry.values_per_sample
    return records
