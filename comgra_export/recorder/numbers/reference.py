"""The numbers of a recording, computed for a whole stack of equally shaped tensors at once.

`docs/recording-format.md`, "The numbers", is the specification. The shapes here have one letter more: `T` tensors in the stack.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from comgra_export.recorder.numbers.buffers import Scratch
from comgra_export.recorder.numbers.dispatch import calm_summary
from comgra_export.storage.model import Kind

__all__ = ["Summary", "summarize"]


@dataclass(frozen=True)
class Summary:
    """The numbers of a stack, on its device.

    Attributes:
        counts: int64 `[T, 4]`: NaN, +infinity, -infinity, exactly zero.
        extrema: `[T, 2]`: smallest and largest finite value; NaN where there is none.
        statistics: `[T, I * A]`, without singular values.
        aggregates: `[T, 3 * N]` for the kind `neuron` with a batch dimension, else None.
        values: `[T, S * N]`, or `[T, N]` without a batch dimension, in the stack's own dtype; None for other kinds than `neuron`.
    """

    counts: Tensor
    extrema: Tensor
    statistics: Tensor
    aggregates: Tensor | None
    values: Tensor | None


def summarize(stack: Tensor, precision: torch.dtype, kind: Kind, samples: Sequence[int] | None, scratch: Scratch) -> Summary:
    """Computes the numbers of every tensor of a stack. Nothing waits for an accelerator.

    NaN is not skipped: it makes NaN of what it enters. A standard deviation is unbiased, and 0 over a single value. What an empty
    tensor has no value for is NaN.

    Args:
        stack: `[T, B, N]`, any real dtype; `B` is 1 for tensors without a batch dimension.
        precision: float32 or float64; the dtype of `extrema`, `statistics` and `aggregates`.
        kind: What to compute.
        samples: Positions in the batch (`S` of them), or None for tensors without a batch dimension.
        scratch: Where intermediate results lie.
    """
    count = len(stack)
    wide = stack.to(precision)
    with_aggregates = kind == "neuron" and samples is not None
    # On the CPU, looking at the values costs nothing, and those of most tensors are harmless.
    is_simple = wide.device.type == "cpu" and kind != "single_value"
    calm = calm_summary(wide, samples is not None, with_aggregates, scratch) if is_simple else None
    if calm is not None:
        counts, extrema, items, over_batch, aggregates = calm
    else:
        counts, extrema = _counts(wide), _extrema(wide)
        items = wide if kind == "single_value" else _over_values(wide)
        over_batch = None if samples is None else aggregate(items)
        aggregates = aggregate(wide.transpose(1, 2)).transpose(1, 2) if with_aggregates else None
    statistics = items if samples is None or over_batch is None else torch.cat([over_batch, pick(items, 2, samples)], dim=2)
    return Summary(
        counts=counts,
        extrema=extrema,
        statistics=statistics.reshape(count, -1),
        aggregates=None if aggregates is None else aggregates.reshape(count, -1),
        values=None if kind != "neuron" else (stack if samples is None else pick(stack, 1, samples)).reshape(count, -1),
    )


def pick(values: Tensor, dim: int, positions: Sequence[int]) -> Tensor:
    """Takes the slices at some positions of a dimension, without the list of positions having to reach the device."""
    if not positions:
        return values.narrow(dim, 0, 0)
    if list(positions) == list(range(positions[0], positions[0] + len(positions))):
        return values.narrow(dim, positions[0], len(positions))
    return torch.stack([values.select(dim, position) for position in positions], dim=dim)


def aggregate(values: Tensor) -> Tensor:
    """`[..., B]` to `[..., 3]`: mean, largest magnitude and standard deviation over the batch."""
    return torch.stack([_mean(values), _max(values.abs()), _std(values)], dim=-1)


def _over_values(wide: Tensor) -> Tensor:
    """`[T, B, N]` to `[T, 4, B]`: mean, mean magnitude, standard deviation and largest magnitude over the values."""
    magnitudes = wide.abs()
    return torch.stack([_mean(wide), _mean(magnitudes), _std(wide), _max(magnitudes)], dim=1)


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
