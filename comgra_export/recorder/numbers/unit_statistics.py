"""Statistics of single units: of each feature or channel, over all samples and positions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from comgra_export.recorder.host.isolation import is_plain
from comgra_export.recorder.numbers import kernels
from comgra_export.recorder.numbers.parts import FORWARD, UNITS, Part, Place, RecordKey, Waiting
from comgra_export.storage.model.layout import TensorEntry

__all__ = ["has_units", "measure_directly", "measure_units", "part_for_units", "sizes_around_units", "unit_parts"]


def has_units(tensor: Waiting) -> bool:
    """Whether its units are measured. Those of gradients are not."""
    return tensor.entry.unit_dimension is not None and tensor.key[0] == FORWARD and tensor.entry.units_count > 0


def unit_parts(tensors: Sequence[Waiting], fail: Callable[[RecordKey, Exception], None]) -> list[Part]:
    """Measures the units of tensors. Nothing waits for an accelerator.

    `fail` gets the key of a record whose units could not be measured, and the exception.
    """
    parts = []
    for tensor in tensors:
        units = measure_directly(tensor)
        if units is not None:
            parts.append(part_for_units(tensor.key, units))
            continue
        try:
            parts.append(Part(Place((tensor.key,), UNITS), measure_units(tensor.values, tensor.entry, tensor.numbers.precision)[None]))
        except Exception as error:
            fail(tensor.key, error)
    return parts


def part_for_units(key: RecordKey, units: NDArray[np.float32]) -> Part:
    """The statistics of the units of a record, `[2 * U]`, as a part."""
    return Part(Place((key,), UNITS), torch.from_numpy(units)[None])


def measure_directly(tensor: Waiting) -> NDArray[np.float32] | None:
    """Measures the units of a tensor without calling an operation of torch: `[2 * U]`. None if no kernel can read it."""
    values, entry = tensor.values, tensor.entry
    if (
        values.dtype != torch.float32
        or values.device.type != "cpu"
        or not is_plain(values)
        or not values.is_contiguous()
        or values.is_neg()
        or not values.numel()
        or not kernels.are_worthwhile(values.numel())
    ):
        return None
    try:
        return kernels.measure_units(values, *sizes_around_units(entry), entry.units_count)
    except RuntimeError:  # A tensor that wraps another one has no address.
        return None


def measure_units(values: Tensor, entry: TensorEntry, precision: torch.dtype) -> Tensor:
    """Measures the units of a tensor by torch, for every dtype and device: `[2 * U]`, float32.

    First the largest magnitude of each unit, then the mean magnitude of each. NaN if a value of the unit is NaN, or if it has no values.
    """
    outer, units, inner = sizes_around_units(entry)
    magnitudes = values.reshape(outer, units, inner)
    if entry.units_count < units:
        places = torch.arange(entry.units_count, device=values.device) * units // entry.units_count
        magnitudes = magnitudes.index_select(1, places)
    if precision == torch.float64 and values.device.type == "mps":
        magnitudes = magnitudes.cpu()  # That device has no float64.
    magnitudes = magnitudes.to(precision).abs()
    if not outer * inner:
        return magnitudes.new_full((2 * entry.units_count,), torch.nan, dtype=torch.float32)
    return torch.cat([magnitudes.amax(dim=(0, 2)), magnitudes.mean(dim=(0, 2))]).float()


def sizes_around_units(entry: TensorEntry) -> tuple[int, int, int]:
    """`[outer, units, inner]`: the shape of a tensor around its dimension of units."""
    dimension = entry.unit_dimension
    assert dimension is not None
    return prod(entry.shape[:dimension]), entry.shape[dimension], prod(entry.shape[dimension + 1 :])
