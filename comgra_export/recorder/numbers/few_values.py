"""The numbers of tensors with few values on the CPU by numpy, whose calls take less time than torch's."""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from comgra_export.recorder.host.isolation import is_plain
from comgra_export.recorder.host.torch_internals import count_dispatch_modes
from comgra_export.recorder.numbers.parts import Summary
from comgra_export.storage.model.layout import Kind

__all__ = ["are_few", "summarize_few"]

_Floats = NDArray[np.floating]

_MOST_VALUES = 4096


def are_few(stack: Tensor) -> bool:
    """Whether `summarize_few` can read a stack, and is likely to be faster than torch."""
    return 0 < stack.numel() <= _MOST_VALUES and stack.device.type == "cpu" and is_plain(stack) and not count_dispatch_modes()


def summarize_few(stack: Tensor, precision: torch.dtype, kind: Kind, of_batch: bool) -> Summary:
    """Does the same as `reference.summarize`, for a stack for which `are_few` is true."""
    wide = stack.to(precision).resolve_neg().numpy()
    flat = wide.reshape(len(wide), -1)
    with np.errstate(all="ignore"):
        is_finite = np.isfinite(flat)
        counts, extrema = (_counts(flat), _extrema(flat)) if is_finite.all() else (_all_counts(flat), _finite_extrema(flat, is_finite))
        items = wide if kind == "single_value" else _over_values(wide)
        aggregates = _over_batch(wide.swapaxes(1, 2)).swapaxes(1, 2) if kind == "neuron" and of_batch else None
        return Summary(
            counts=torch.from_numpy(counts),
            extrema=torch.from_numpy(extrema),
            items=torch.from_numpy(items),
            over_batch=torch.from_numpy(_over_batch(items)) if of_batch else None,
            aggregates=None if aggregates is None else torch.from_numpy(np.ascontiguousarray(aggregates)),
        )


def _over_batch(values: _Floats) -> _Floats:
    """`[..., B]` to `[..., 3]`."""
    return np.stack([values.mean(axis=-1), np.abs(values).max(axis=-1), _std(values)], axis=-1)


def _over_values(wide: _Floats) -> _Floats:
    """`[T, B, N]` to `[T, 4, B]`."""
    magnitudes = np.abs(wide)
    return np.stack([wide.mean(axis=-1), magnitudes.mean(axis=-1), _std(wide), magnitudes.max(axis=-1)], axis=1)


def _std(values: _Floats) -> _Floats:
    count = values.shape[-1]
    if count < 2:
        return np.zeros(values.shape[:-1], values.dtype)
    deviations = values - values.mean(axis=-1, keepdims=True, dtype=np.float64)
    if values.dtype == np.float32:
        return np.asarray(np.sqrt(np.square(deviations).sum(axis=-1) / (count - 1)).astype(np.float32))
    # There is no wider dtype whose squares of small or large numbers are not 0 or infinite.
    scale = np.abs(deviations).max(axis=-1, keepdims=True)
    scale = np.where((scale > 0) & np.isfinite(scale), scale, 1.0)
    return np.asarray(np.sqrt(np.square(deviations / scale).sum(axis=-1) / (count - 1)) * scale[..., 0])


def _counts(flat: _Floats) -> NDArray[np.int64]:
    """The counts of `[T, N]`, all finite: `[T, 4]`."""
    counts = np.zeros((len(flat), 4), np.int64)
    counts[:, 3] = (flat == 0).sum(axis=1)
    return counts


def _all_counts(flat: _Floats) -> NDArray[np.int64]:
    hits = (np.isnan(flat), flat == np.inf, flat == -np.inf, flat == 0)
    return np.stack([hit.sum(axis=1, dtype=np.int64) for hit in hits], axis=1)


def _extrema(flat: _Floats) -> _Floats:
    """The extrema of `[T, N]`, all finite: `[T, 2]`."""
    return np.stack([flat.min(axis=1), flat.max(axis=1)], axis=1)


def _finite_extrema(flat: _Floats, is_finite: NDArray[np.bool_]) -> _Floats:
    smallest = flat.min(axis=1, initial=np.inf, where=is_finite)
    largest = flat.max(axis=1, initial=-np.inf, where=is_finite)
    has_any: NDArray[np.bool_] = np.asarray(is_finite.any(axis=1))
    return np.where(has_any[:, None], np.stack([smallest, largest], axis=1), np.asarray(np.nan, flat.dtype))
