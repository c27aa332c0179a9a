"""Tensors whose numbers are computed on a device, and these numbers, whatever parts they come in."""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor

from comgra_export.recorder.host.dtypes import number_type
from comgra_export.recorder.numbers.parts import FORWARD, Part, RecordKey, Waiting
from comgra_export.storage.model.layout import Kind
from support.storage.entries import tensor_entry

__all__ = ["SAMPLES", "numbers_by_record", "waiting"]

SAMPLES = (0, 2)
"""The samples that are recorded singly."""


def waiting(
    number: int, values: Tensor, batch: int | None = None, *, kind: Kind = "kpis", histogram: int = 0, units: int | None = None
) -> Waiting:
    numbers = number_type(values.dtype)
    assert numbers is not None
    entry = tensor_entry(
        f"t{number}",
        kind=kind,
        dtype=numbers.name,
        stored=numbers.stored,
        shape=tuple(values.shape),
        batch_dimension=batch,
        samples=0 if batch is None else len(SAMPLES),
        histogram=histogram > 0,
        unit_dimension=units,
    )
    return Waiting((FORWARD, number), entry, numbers, values, histogram)


def numbers_by_record(parts: Sequence[Part]) -> dict[tuple[RecordKey, str, int], Tensor]:
    numbers: dict[tuple[RecordKey, str, int], Tensor] = {}
    for (keys, section, column, sizes, _), rows in parts:
        if sizes is None:
            each = list(rows) * (len(keys) if section == "histogram" else 1)
        else:
            each = [piece.reshape(-1) for piece in rows.split(list(sizes), dim=1)]
        numbers.update({(key, section, column): row.double() for key, row in zip(keys, each, strict=True)})
    return numbers
