"""Collecting the tensors of one group of a step, and computing their numbers in stacks of equal shape."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import torch
from torch import Tensor

from comgra_export.recorder.dtypes import NumberType
from comgra_export.recorder.statistics import Summary, summarize
from comgra_export.storage.model import TensorEntry

__all__ = ["LARGE_TENSOR", "Measurements", "Part"]

LARGE_TENSOR = 65_536
"""Number of values above which a tensor is reduced at once instead of being copied."""

_STACK_VALUES = 4_194_304


@dataclass(frozen=True)
class _Recipe:
    """What decides whether tensors can be computed together."""

    key: tuple[object, ...]
    entry: TensorEntry = field(compare=False)
    numbers: NumberType = field(compare=False)

    @property
    def samples(self) -> int | None:
        return None if self.entry.batch_dimension is None else self.entry.samples


@dataclass(frozen=True)
class Part:
    """Numbers of some tensors of a group.

    Attributes:
        positions: Which tensors, by their position in the step (`T` of them).
        summary: Their numbers.
    """

    positions: tuple[int, ...]
    summary: Summary


class Measurements:
    """The numbers of one group of a step.

    Args:
        fail: Called with the position of a tensor whose numbers could not be computed, and the exception.
    """

    def __init__(self, fail: Callable[[int, Exception], None]) -> None:
        self.fail = fail
        self._waiting: dict[_Recipe, list[tuple[int, Tensor]]] = {}
        self._parts: list[Part] = []
        self.absent: set[int] = set()

    def add(self, position: int, entry: TensorEntry, numbers: NumberType, tensor: Tensor, *, copy: bool = True) -> None:
        """Takes the values that a tensor has now.

        Args:
            position: The tensor's position in the step.
            entry: What it is.
            numbers: How its dtype is recorded.
            tensor: Its values, with the shape of `entry`.
            copy: Whether the tensor may change before the next `compute`.
        """
        with torch.no_grad():
            flat = _as_matrix(tensor.detach(), entry).to(numbers.stored_dtype)
            is_large = flat.numel() > LARGE_TENSOR
            if copy and not is_large:
                flat = flat.clone(memory_format=torch.contiguous_format)
        recipe = _Recipe(_stack_key(entry, flat), entry, numbers)
        if is_large:
            self._compute_stack(recipe, [(position, flat)])
        else:
            self._waiting.setdefault(recipe, []).append((position, flat))

    def add_absent(self, position: int, entry: TensorEntry, numbers: NumberType) -> None:
        """Takes note that a tensor has no gradient: its numbers are those of zeros."""
        self.absent.add(position)
        if not all(entry.shape):
            # The numbers of an empty tensor are not zeros, so they are computed like any other's.
            self.add(position, entry, numbers, torch.zeros(entry.shape, dtype=numbers.stored_dtype), copy=False)

    def compute(self) -> None:
        """Computes what is waiting; afterwards no tensor that was added is used any more."""
        waiting, self._waiting = self._waiting, {}
        for recipe, members in waiting.items():
            per_stack = max(1, _STACK_VALUES // max(1, members[0][1].numel()))
            for start in range(0, len(members), per_stack):
                self._compute_stack(recipe, members[start : start + per_stack])

    def parts(self) -> list[Part]:
        """The numbers, on the CPU."""
        parts = []
        for part in self._parts:
            try:
                parts.append(Part(part.positions, _on_cpu(part.summary)))
            except Exception as error:
                for position in part.positions:
                    self.fail(position, error)
        return parts

    def _compute_stack(self, recipe: _Recipe, members: list[tuple[int, Tensor]]) -> None:
        entry = recipe.entry
        try:
            with torch.no_grad():
                stack = torch.stack([flat for _, flat in members]) if len(members) > 1 else members[0][1][None]
                if recipe.numbers.precision == torch.float64 and stack.device.type == "mps":
                    stack = stack.cpu()  # That device has no float64.
                summary = summarize(stack, recipe.numbers.precision, entry.kind, recipe.samples, entry.shape)
                if len(members) == 1 and summary.values is not None:
                    # These are still the memory of the tensor itself.
                    summary = replace(summary, values=summary.values.clone())
        except Exception as error:
            if len(members) == 1:
                self.fail(members[0][0], error)
            else:
                # One that cannot be computed must not take the others with it.
                for member in members:
                    self._compute_stack(recipe, [member])
        else:
            self._parts.append(Part(tuple(position for position, _ in members), summary))


def _as_matrix(tensor: Tensor, entry: TensorEntry) -> Tensor:
    """`[B, N]`, or `[1, N]` without a batch dimension."""
    if entry.batch_dimension is None:
        return tensor.reshape(1, entry.values_per_sample)
    return tensor.movedim(entry.batch_dimension, 0).reshape(entry.shape[entry.batch_dimension], entry.values_per_sample)


def _stack_key(entry: TensorEntry, flat: Tensor) -> tuple[object, ...]:
    matrix = entry.shape if entry.kind == "kpis_and_svd" else None
    return (entry.kind, entry.batch_dimension is None, entry.samples, tuple(flat.shape), matrix, entry.dtype, flat.device, type(flat))


def _on_cpu(summary: Summary) -> Summary:
    """Moves a summary to the CPU; the three tensors of one dtype travel together."""
    floats = [summary.extrema, summary.statistics] + ([] if summary.aggregates is None else [summary.aggregates])
    widths = [part.shape[1] for part in floats]
    together = torch.split(torch.cat(floats, dim=1).cpu(), widths, dim=1)
    return Summary(
        counts=summary.counts.cpu(),
        extrema=together[0],
        statistics=together[1],
        aggregates=None if summary.aggregates is None else together[2],
        values=None if summary.values is None else summary.values.cpu(),
    )
