"""The numbers of a stack of equally shaped tensors by torch: for every dtype and device, and for NaN and infinities.

`docs/recording-format.md`, "The numbers", is the specification. The shapes here have one letter more: `T` tensors in the stack.
"""

from __future__ import annotations

import torch
from torch import Tensor

from comgra_export.recorder.host.isolation import is_plain
from comgra_export.recorder.host.torch_internals import count_dispatch_modes
from comgra_export.recorder.numbers.parts import Summary
from comgra_export.recorder.numbers.pieces import PIECE_VALUES, summarize_in_pieces
from comgra_export.storage.model.layout import Kind

__all__ = ["summarize"]


def summarize(stack: Tensor, precision: torch.dtype, kind: Kind, of_batch: bool) -> Summary:
    """Computes the numbers of every tensor of a stack. Nothing waits for an accelerator.

    NaN is not skipped: a number that depends on a NaN is NaN. A standard deviation is unbiased, and 0 over a single value. A number that an
    empty tensor has no value for is NaN.

    Args:
        stack: `[T, B, N]`, any real dtype; `B` is 1 for tensors without a batch dimension.
        precision: float32 or float64; the dtype of all numbers but the counts.
        kind: What to compute.
        of_batch: Whether the tensors have a batch dimension.
    """
    if kind in ("kpis", "kpis_and_svd") and stack.numel() > PIECE_VALUES:
        summary = summarize_in_pieces(stack, lambda piece: summarize(piece, precision, kind, of_batch=False))
        return summary._replace(over_batch=_over_batch(summary.items)) if of_batch else summary
    wide = stack.to(precision)
    flat = wide.reshape(len(wide), wide.shape[1] * wide.shape[2])
    items = wide if kind == "single_value" else _over_values(wide)
    is_finite = _is_known_to_be_finite(flat)
    return Summary(
        counts=_counts_of_finite(flat) if is_finite else _counts(flat),
        extrema=torch.stack([flat.amin(dim=1), flat.amax(dim=1)], dim=1) if is_finite else _extrema(flat),
        items=items,
        over_batch=_over_batch(items) if of_batch else None,
        aggregates=_over_batch(wide.transpose(1, 2)).transpose(1, 2) if kind == "neuron" and of_batch else None,
    )


def _over_batch(values: Tensor) -> Tensor:
    """`[..., B]` to `[..., 3]`: mean, largest magnitude and standard deviation over the batch."""
    return torch.stack([_mean(values), _max(values.abs()), _std(values)], dim=-1)


def _over_values(wide: Tensor) -> Tensor:
    """`[T, B, N]` to `[T, 4, B]`: mean, mean magnitude, standard deviation and largest magnitude over the values."""
    magnitudes = wide.abs()
    return torch.stack([_mean(wide), _mean(magnitudes), _std(wide), _max(magnitudes)], dim=1)


def _mean(values: Tensor) -> Tensor:
    # Sums of large float32 numbers are infinite in float32.
    is_narrow = values.dtype == torch.float32 and values.is_cpu
    return values.mean(dim=-1, dtype=torch.float64).float() if is_narrow else values.mean(dim=-1)


def _max(values: Tensor) -> Tensor:
    return values.amax(dim=-1) if values.shape[-1] else values.new_full(values.shape[:-1], torch.nan)


def _std(values: Tensor) -> Tensor:
    count = values.shape[-1]
    if count < 2:
        return values.new_full(values.shape[:-1], 0.0 if count else torch.nan)
    # Two passes are as exact as `Tensor.std`, which takes ten times as long on the CPU.
    if values.dtype == torch.float32 and values.device.type != "mps":
        # Squares of small or large float32 numbers are 0 or infinite in float32.
        deviations = values.double()
        deviations -= deviations.mean(dim=-1, keepdim=True)
        return (deviations.square_().sum(dim=-1) / (count - 1)).sqrt_().to(values.dtype)
    return _scaled_std(values)


def _scaled_std(values: Tensor) -> Tensor:
    """`[..., B]` to `[...]`, if there is no wider dtype: on a device without float64, or for float64 itself."""
    deviations = values - values.mean(dim=-1, keepdim=True)
    scale = deviations.abs().amax(dim=-1, keepdim=True)
    scale = torch.where((scale > 0) & scale.isfinite(), scale, 1.0)
    return ((deviations / scale).square_().sum(dim=-1) / (values.shape[-1] - 1)).sqrt_() * scale.squeeze(-1)


def _is_known_to_be_finite(flat: Tensor) -> bool:
    """Whether all values are finite. For few values, the number of calls decides how long it takes, and two calls save a dozen."""
    if not flat.is_cpu or not flat.numel() or not is_plain(flat) or count_dispatch_modes():
        return False
    return bool(flat.isfinite().all())


def _counts_of_finite(flat: Tensor) -> Tensor:
    counts = flat.new_zeros((len(flat), 4), dtype=torch.int64)
    counts[:, 3] = (flat == 0).sum(dim=1)
    return counts


def _counts(flat: Tensor) -> Tensor:
    """`[T, V]` to `[T, 4]`."""
    return torch.stack([hits.sum(dim=1) for hits in (flat.isnan(), flat == torch.inf, flat == -torch.inf, flat == 0)], dim=1)


def _extrema(flat: Tensor) -> Tensor:
    """`[T, V]` to `[T, 2]`."""
    if not flat.shape[1]:
        return flat.new_full((len(flat), 2), torch.nan)
    is_finite = flat.isfinite()
    smallest = torch.where(is_finite, flat, torch.inf).amin(dim=1)
    largest = torch.where(is_finite, flat, -torch.inf).amax(dim=1)
    extrema = torch.stack([smallest, largest], dim=1)
    return torch.where(is_finite.any(dim=1)[:, None], extrema, torch.nan)
