"""The values of histograms: the training thread copies them, and the writing thread counts them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from math import gcd, prod

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from comgra_export.recorder.numbers import kernels
from comgra_export.storage.arrays.histograms import NO_HISTOGRAM, QUANTILES, Histogram, encode_histograms, histogram_of
from comgra_export.storage.arrays.layout_arrays import HISTOGRAM_BINS, HISTOGRAM_COUNTS, RecordPlace
from comgra_export.storage.arrays.safetensors import ARRAY_DTYPES, widened
from comgra_export.storage.model.layout import Blob, TensorEntry

__all__ = ["HISTOGRAM_VALUES", "histogram_arrays", "histogram_of_stored", "stride_of", "values_for_histogram"]

HISTOGRAM_VALUES = 65_536
"""How many values of a tensor its histogram counts by default. The least common of a thousand bins is off by a few of them. A copy of so
many values costs less than the statistics of the tensor."""

_Histograms = Mapping[int, tuple[Histogram, NDArray[np.floating]]]


@lru_cache(16_384)
def stride_of(shape: tuple[int, ...], limit: int) -> int:
    """The distance between the values of a flattened tensor that its histogram counts. It counts the first one, and at most `limit`.

    The stride has no divisor in common with any size of the tensor, so that the values come from all of its channels and rows alike.
    """
    count = prod(shape)
    stride = -(-count // limit)
    while stride > 1 and any(gcd(stride, size) > 1 for size in shape):
        stride += 1
    return max(stride, 1)


def values_for_histogram(values: Tensor, limit: int) -> Tensor:
    """The values of a tensor that its histogram counts, `[n]`. They may be its memory."""
    stride = stride_of(tuple(values.shape), limit)
    if stride == 1:
        return values.reshape(-1)
    if values.is_contiguous():
        return values.view(-1)[::stride]
    # To flatten the tensor would copy all of it.
    return values.take(torch.arange(0, values.numel(), stride, device=values.device))


def histogram_of_stored(values: NDArray[np.generic], entry: TensorEntry) -> tuple[Histogram, NDArray[np.floating]]:
    """The histogram and the quantiles of values with the dtype in which those of a tensor are stored."""
    wide = widened(entry.stored, values).astype(ARRAY_DTYPES[entry.precision], copy=False)
    if not kernels.can_count():
        return histogram_of(wide)
    if wide.dtype == np.float32:
        return kernels.histogram_of(wide)
    with np.errstate(over="ignore"):
        narrow = wide.astype(np.float32)
    # Classes, for example, are float64 only because they are integers.
    if np.array_equal(narrow, wide):
        histogram, quantiles = kernels.histogram_of(narrow)
        return histogram, quantiles.astype(np.float64)
    return histogram_of(wide)


def histogram_arrays(places: Sequence[RecordPlace], histograms: _Histograms) -> list[tuple[str, Blob]]:
    """The arrays of the histograms of a step. `histograms` are by the number of the record.

    A record in `places` without one gets an empty histogram.
    """
    if not places:
        return []
    nothing = NO_HISTOGRAM, np.full(len(QUANTILES), np.nan, np.float32)
    in_order, quantiles = zip(*(histograms.get(place.counts, nothing) for place in places), strict=True)
    bins, counts = encode_histograms(in_order)
    arrays = [(HISTOGRAM_BINS, _integers(bins)), (HISTOGRAM_COUNTS, _integers(counts))]
    for dtype, kind in (("F32", np.float32), ("F64", np.float64)):
        rows = [own for place, own in zip(places, quantiles, strict=True) if place.entry.precision == dtype]
        if rows:
            arrays.append((f"histograms.quantiles.{dtype}", Blob(dtype, np.stack(rows).astype(kind))))
    return arrays


def _integers(array: NDArray[np.int64]) -> Blob:
    fits = array.max(initial=0) <= np.iinfo(np.int32).max
    return Blob("I32", array.astype(np.int32)) if fits else Blob("I64", array)
