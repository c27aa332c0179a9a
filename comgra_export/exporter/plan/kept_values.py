"""What is kept of the values of a step's tensors: written into its layout, and applied to its arrays."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from comgra_export.exporter.plan.rounding import round_to
from comgra_export.storage import BATCH_AGGREGATIONS, Blob, Layout, RecordPlace, TensorEntry, encode_layout, iterate_records

__all__ = ["KeptValues", "everything", "kept_arrays", "kept_layout"]


@dataclass(frozen=True)
class KeptValues:
    """What is kept of the values of a tensor.

    Attributes:
        stored: The dtype of its values in the bundle.
        samples: Places of the samples whose values are kept, ascending; of a tensor without a batch dimension `(0,)` or nothing. None:
            all that were recorded.
        aggregates: The dtype of its aggregates in the bundle; None: they are left out.
    """

    stored: str
    samples: tuple[int, ...] | None
    aggregates: str | None

    def rows(self, entry: TensorEntry) -> int:
        """For how many samples there are values; 1 or 0 for a tensor without a batch dimension."""
        return entry.values_count // max(1, entry.values_per_sample) if self.samples is None else len(self.samples)


def everything(entry: TensorEntry) -> KeptValues:
    """Keeps what was recorded."""
    return KeptValues(entry.stored, None, entry.precision)


def kept_layout(layout: Layout, kept: Sequence[KeptValues]) -> Mapping[str, object]:
    """The layout's document: as in the recording where everything is kept."""
    document = encode_layout(layout)
    recorded = [everything(entry) for entry in layout.tensors]
    if list(kept) == recorded:
        return document
    columns = dict(document["tensors"])  # type: ignore[call-overload]
    columns["stored"] = [values.stored for values in kept]
    if any(values.samples is not None for values in kept):
        columns["kept"] = [None if values.samples is None else list(values.samples) for values in kept]
    if any(values.aggregates != entry.precision for values, entry in zip(kept, layout.tensors, strict=True)):
        columns["aggregates"] = [values.aggregates for values in kept]
    return {**document, "tensors": columns}


def kept_arrays(layout: Layout, kept: Sequence[KeptValues], arrays: Mapping[str, Blob]) -> dict[str, Blob]:
    """The arrays of a step as the kept layout implies them, in their order."""
    aggregates: defaultdict[str, list[NDArray[np.generic]]] = defaultdict(list)
    values: defaultdict[str, list[NDArray[np.generic]]] = defaultdict(list)
    for place in iterate_records(layout):
        own = kept[place.tensor]
        if place.entry.aggregates_count and own.aggregates is not None:
            aggregates[own.aggregates].append(_aggregates(place, own.aggregates, arrays))
        if place.entry.values_count and own.samples != ():
            values[own.stored].append(_values(place, own, arrays))
    result = {name: blob for name, blob in arrays.items() if not name.startswith(("aggregates.", "values.", "parameters."))}
    for kind, by_dtype in (("aggregates", aggregates), ("values", values)):
        result.update({f"{kind}.{dtype}": Blob(dtype, np.concatenate(by_dtype[dtype])) for dtype in sorted(by_dtype)})
    return result | {name: blob for name, blob in arrays.items() if name.startswith("parameters.")}


def _aggregates(place: RecordPlace, dtype: str, arrays: Mapping[str, Blob]) -> NDArray[np.generic]:
    count = len(BATCH_AGGREGATIONS) * place.entry.values_per_sample
    numbers = arrays[f"aggregates.{place.entry.precision}"].data[place.aggregates : place.aggregates + count]
    return numbers if dtype == place.entry.precision else round_to(dtype, numbers)


def _values(place: RecordPlace, kept: KeptValues, arrays: Mapping[str, Blob]) -> NDArray[np.generic]:
    entry = place.entry
    numbers = arrays[f"values.{entry.stored}"].data[place.values : place.values + entry.values_count]
    if kept.samples is not None:
        numbers = numbers.reshape(-1, entry.values_per_sample)[list(kept.samples)].reshape(-1)
    return numbers if kept.stored == entry.stored else round_to(kept.stored, numbers)
