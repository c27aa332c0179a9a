"""The numbers of a recording, computed for a whole stack of equally shaped tensors at once.

`docs/recording-format.md`, "The numbers", is the specification. The shapes here have one letter more: `T` tensors in the stack.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from comgra_export.storage.model import Kind

__all__ = ["Summary", "summarize"]


@dataclass(frozen=True)
class Summary:
    """The numbers of a stack, on its device.

    Attributes:
        counts: int64 `[T, 4]`: NaN, +infinity, -infinity, exactly zero.
        extrema: `[T, 2]`: smallest and largest finite value; NaN where there is none.
        statistics: `[T, I * A]`.
        aggregates: `[T, 3 * N]` for the kind `neuron` with a batch dimension, else None.
        values: `[T, S * N]`, or `[T, N]` without a batch dimension, in the stack's own dtype; None for other kinds than `neuron`.
    """

    counts: Tensor
    extrema: Tensor
    statistics: Tensor
    aggregates: Tensor | None
    values: Tensor | None


def summarize(stack: Tensor, precision: torch.dtype, kind: Kind, samples: int | None, matrix: tuple[int, ...] | None = None) -> Summary:
    """Computes the numbers of every tensor of a stack.

    NaN is not skipped: it makes NaN of what it enters. A standard deviation is unbiased, and 0 over a single value. What an empty
    tensor has no value for is NaN.

    Args:
        stack: `[T, B, N]`, any real dtype; `B` is 1 for tensors without a batch dimension.
        precision: float32 or float64; the dtype of `extrema`, `statistics` and `aggregates`.
        kind: What to compute.
        samples: `S`, or None for tensors without a batch dimension.
        matrix: Rows and columns; for the kind `kpis_and_svd`.
    """
    wide = stack.to(precision)
    if kind == "single_value":
        statistics = wide.reshape(len(wide), 1)
    else:
        items = [_over_values(wide)]
        if kind == "kpis_and_svd" and matrix is not None:
            items.append(_largest_singular_values(wide.reshape(len(wide), *matrix))[:, None, None])
        statistics = torch.cat([_over_batch(item, samples) for item in items], dim=1).reshape(len(wide), -1)
    is_neuron = kind == "neuron"
    recorded = stack if samples is None else stack[:, :samples]
    return Summary(
        counts=_counts(wide),
        extrema=_extrema(wide),
        statistics=statistics,
        aggregates=_aggregate(wide.transpose(1, 2)).transpose(1, 2).reshape(len(wide), -1) if is_neuron and samples is not None else None,
        values=recorded.reshape(len(stack), -1) if is_neuron else None,
    )


def _over_values(wide: Tensor) -> Tensor:
    """`[T, B, N]` to `[T, 4, B]`: mean, mean magnitude, standard deviation and largest magnitude over the values."""
    magnitudes = wide.abs()
    return torch.stack([_mean(wide), _mean(magnitudes), _std(wide), _max(magnitudes)], dim=1)


def _over_batch(item: Tensor, samples: int | None) -> Tensor:
    """`[T, I, B]` to `[T, I, A]`."""
    return item if samples is None else torch.cat([_aggregate(item), item[:, :, :samples]], dim=2)


def _aggregate(values: Tensor) -> Tensor:
    """`[..., B]` to `[..., 3]`: mean, largest magnitude and standard deviation over the batch."""
    return torch.stack([_mean(values), _max(values.abs()), _std(values)], dim=-1)


def _mean(values: Tensor) -> Tensor:
    return values.mean(dim=-1)


def _max(values: Tensor) -> Tensor:
    return values.amax(dim=-1) if values.shape[-1] else values.new_full(values.shape[:-1], torch.nan)


def _std(values: Tensor) -> Tensor:
    count = values.shape[-1]
    if count < 2:
        return values.new_full(values.shape[:-1], 0.0 if count else torch.nan)
    # In two passes: as exact as `Tensor.std`, which takes ten times as long on the CPU.
    if values.dtype == torch.float32 and values.device.type != "mps":
        # Squares of small or large float32 numbers are 0 or infinite in float32.
        deviations = values.double()
        deviations -= deviations.mean(dim=-1, keepdim=True)
        return (deviations.square_().sum(dim=-1) / (count - 1)).sqrt_().to(values.dtype)
    return _scaled_std(values)


def _scaled_std(values: Tensor) -> Tensor:
    """`[..., B]` to `[...]`, where there is no wider dtype to go to: on a device without float64, or for float64 itself."""
    deviations = values - values.mean(dim=-1, keepdim=True)
    scale = deviations.abs().amax(dim=-1, keepdim=True)
    scale = torch.where((scale > 0) & scale.isfinite(), scale, 1.0)
    return ((deviations / scale).square_().sum(dim=-1) / (values.shape[-1] - 1)).sqrt_() * scale.squeeze(-1)


def _largest_singular_values(matrices: Tensor) -> Tensor:
    """`[T, rows, columns]` to `[T]`; NaN where there is none, or where the algorithm fails."""
    if not matrices.numel():
        return matrices.new_full((len(matrices),), torch.nan)
    usable = matrices.isfinite().all(dim=-1).all(dim=-1)
    # One matrix with a NaN would make the whole call fail.
    replaced = torch.where(usable[:, None, None], matrices, torch.zeros_like(matrices))
    try:
        largest = torch.linalg.svdvals(replaced)[:, 0]
    except RuntimeError:
        largest = matrices.new_full((len(matrices),), torch.nan)
    return torch.where(usable, largest, torch.full_like(largest, torch.nan))


def _counts(wide: Tensor) -> Tensor:
    """`[T, B, N]` to `[T, 4]`."""
    flat = wide.reshape(len(wide), wide.shape[1] * wide.shape[2])
    return torch.stack([hits.sum(dim=1) for hits in (flat.isnan(), flat == torch.inf, flat == -torch.inf, flat == 0)], dim=1)


def _extrema(wide: Tensor) -> Tensor:
    """`[T, B, N]` to `[T, 2]`."""
    flat = wide.reshape(len(wide), wide.shape[1] * wide.shape[2])
    if not flat.shape[1]:
        return flat.new_full((len(flat), 2), torch.nan)
    is_finite = flat.isfinite()
    smallest = torch.where(is_finite, flat, torch.inf).amin(dim=1)
    largest = torch.where(is_finite, flat, -torch.inf).amax(dim=1)
    extrema = torch.stack([smallest, largest], dim=1)
    return torch.where(is_finite.any(dim=1)[:, None], extrema, torch.nan)
