"""Collecting the tensors of one group of a step, and computing their numbers in stacks of equal shape."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from comgra_export.recorder.dtypes import NumberType
from comgra_export.recorder.flat_statistics import flat_summary
from comgra_export.recorder.holding import HELD_BYTES, LARGE_TENSOR, Holding, bytes_of
from comgra_export.recorder.singular_values import largest_singular_values
from comgra_export.recorder.statistics import Summary, summarize
from comgra_export.recorder.undisturbed import undisturbed
from comgra_export.storage.model import TensorEntry

__all__ = ["Measurements", "Part", "Place", "Section"]

Section = str
"""`counts`, `extrema`, `statistics`, `aggregates` or `values`."""

# What stays in the cache of a processor from one pass over it to the next; and what fills another device.
_STACK_VALUES = 262_144
_STACK_VALUES_ELSEWHERE = 4_194_304
# Up to so many values, what a call costs matters more than what a value does.
_FLAT_TENSOR = 8192
_ITEMS_BEFORE_SINGULAR_VALUE = 4


class Place(NamedTuple):
    """Where some of the numbers of a group belong.

    Attributes:
        positions: To which tensors, by their position in the step (`T` of them).
        section: Which numbers they are.
        column: With which of a record's numbers in that section they begin.
    """

    positions: tuple[int, ...]
    section: Section
    column: int


class Part(NamedTuple):
    """Some of the numbers of a group: `rows`, `[T, W]`, on the device of the tensors."""

    place: Place
    rows: Tensor


class _Waiting:
    """Tensors that can be computed together."""

    __slots__ = ("entry", "numbers", "positions", "tensors")

    def __init__(self, entry: TensorEntry, numbers: NumberType) -> None:
        self.entry = entry
        self.numbers = numbers
        self.positions: list[int] = []
        self.tensors: list[Tensor] = []


class Measurements:
    """The numbers of one group of a step.

    Args:
        samples: Positions in the batch that are recorded one by one, for tensors whose entry has samples.
        fail: Called with the position of a tensor whose numbers could not be computed, and the exception.
        provisional: Whether it is not known yet if the step will be recorded. Then nothing is computed before `settle`: small tensors are
            copied, and large ones are referred to, which `before_overwrite` and the version of their memory guard.

    Attributes:
        absent: Positions of the tensors without a gradient.
        parts: What was computed.
    """

    def __init__(self, samples: Sequence[int], fail: Callable[[int, Exception], None], *, provisional: bool = False) -> None:
        self.absent: set[int] = set()
        self.parts: list[Part] = []
        self._samples = tuple(samples)
        self._report = fail
        self._failed: set[int] = set()
        self._provisional = provisional
        self._waiting: dict[tuple[object, ...], _Waiting] = {}
        self._holding = Holding()
        self._held: dict[int, tuple[TensorEntry, NumberType]] = {}

    @property
    def held_bytes(self) -> int:
        """The most memory that was held: copies, and what was referred to."""
        return self._holding.peak

    def add(self, position: int, entry: TensorEntry, numbers: NumberType, tensor: Tensor, *, copy: bool = True) -> None:
        """Takes the values that a tensor has now.

        Args:
            position: The tensor's position in the step.
            entry: What it is.
            numbers: How its dtype is recorded.
            tensor: Its values, with the shape of `entry`; on any device.
            copy: Whether the tensor may change before the next `compute`, or, in a provisional step, before `settle`.
        """
        with torch._C.DisableTorchFunction():
            values = tensor.detach()
            if values.dtype != numbers.stored_dtype:
                values, copy = values.to(numbers.stored_dtype), False
            if not copy:
                self._wait(position, entry, numbers, values)
            elif values.numel() <= LARGE_TENSOR:
                values = values.clone()
                self._holding.count(bytes_of(values))
                self._wait(position, entry, numbers, values)
            elif self._provisional:
                self._holding.hold(position, values)
                self._held[position] = (entry, numbers)
            else:
                stack = _Waiting(entry, numbers)
                stack.positions.append(position)
                stack.tensors.append(values)
                self._compute_together(stack)
                if entry.kind == "kpis_and_svd":
                    self._compute_singular_values([stack])
        if self._holding.bytes > HELD_BYTES:
            self._make_room()

    def add_absent(self, position: int, entry: TensorEntry, numbers: NumberType) -> None:
        """Takes note that a tensor has no gradient: its numbers are those of zeros."""
        self.absent.add(position)
        if not all(entry.shape):
            # The numbers of an empty tensor are not zeros, so they are computed like any other's.
            self.add(position, entry, numbers, torch.zeros(entry.shape, dtype=numbers.stored_dtype, device="cpu"), copy=False)

    def before_overwrite(self, tensors: Iterable[Tensor]) -> None:
        """Copies what is held of the memory of tensors that are about to be changed in place."""
        with torch._C.DisableTorchFunction():
            self._holding.before_overwrite(tensors)

    def settle(self, samples: Sequence[int]) -> None:
        """Ends the provisional state: the step is recorded, with these samples."""
        self._samples = tuple(samples)
        self._provisional = False
        for position in self._holding.positions():
            entry, numbers = self._held.pop(position)
            try:
                self._wait(position, entry, numbers, self._holding.take(position))
            except RuntimeError as error:
                self.fail(position, error)

    def give_up(self) -> None:
        """Lets go of everything: the step will not be recorded."""
        self._waiting.clear()
        self._held.clear()
        self._holding = Holding()

    def compute(self) -> None:
        """Computes what is waiting; afterwards no tensor that was added is used any more. Does nothing in a provisional step."""
        if self._provisional:
            return
        waiting, self._waiting = self._waiting, {}
        self._holding.count(-self._holding.bytes)
        flat: list[_Waiting] = []
        for stack in waiting.values():
            first = stack.tensors[0]
            size = max(1, (_STACK_VALUES if first.device.type == "cpu" else _STACK_VALUES_ELSEWHERE) // max(1, first.numel()))
            for start in range(0, len(stack.positions), size):
                piece = _slice_of(stack, start, start + size)
                if _is_flat(piece):
                    flat.append(piece)
                else:
                    self._compute_together(piece)
        self._compute_flat(flat)
        self._compute_singular_values([stack for stack in waiting.values() if stack.entry.kind == "kpis_and_svd"])

    def _wait(self, position: int, entry: TensorEntry, numbers: NumberType, values: Tensor) -> None:
        key = (values.shape, numbers.name, entry.kind, entry.batch_dimension, entry.samples == 0, values.device)
        stack = self._waiting.get(key)
        if stack is None:
            stack = self._waiting[key] = _Waiting(entry, numbers)
        stack.positions.append(position)
        stack.tensors.append(values)

    def _make_room(self) -> None:
        if not self._provisional:
            self.compute()
            return
        while self._holding.bytes > HELD_BYTES and (position := self._holding.oldest()) is not None:
            self._holding.take(position)
            del self._held[position]
            megabytes = HELD_BYTES // 1_000_000
            self.fail(position, RuntimeError(f"more than {megabytes} MB would be held until the decision to record this step"))

    def _compute_together(self, stack: _Waiting) -> None:
        try:
            with undisturbed():
                rows = torch.stack(stack.tensors) if len(stack.tensors) > 1 else stack.tensors[0][None]
                summary = self._summary(_as_matrices(rows, stack.entry), stack)
        except Exception as error:
            if len(stack.positions) == 1:
                self.fail(stack.positions[0], error)
            else:
                # One that cannot be computed must not take the others with it.
                for index in range(len(stack.positions)):
                    self._compute_together(_slice_of(stack, index, index + 1))
        else:
            self._keep(stack.positions, summary)

    def _summary(self, matrices: Tensor, stack: _Waiting) -> Summary:
        if stack.numbers.precision == torch.float64 and matrices.device.type == "mps":
            matrices = matrices.cpu()  # That device has no float64.
        samples = None
        if stack.entry.batch_dimension is not None:
            samples = self._samples if stack.entry.samples else ()
        return summarize(matrices, stack.numbers.precision, stack.entry.kind, samples)

    def _keep(self, positions: Sequence[int], summary: Summary) -> None:
        values = summary.values
        if values is not None and (len(positions) == 1 or values.untyped_storage().nbytes() > bytes_of(values)):
            # They are the memory of the tensor itself, or part of a stack that is not needed any more.
            values = values.clone()
        rows = {
            "counts": summary.counts,
            "extrema": summary.extrema,
            "statistics": summary.statistics,
            "aggregates": summary.aggregates,
            "values": values,
        }
        self.parts.extend(Part(Place(tuple(positions), name, 0), part) for name, part in rows.items() if part is not None)

    def _compute_flat(self, stacks: list[_Waiting]) -> None:
        if not stacks:
            return
        positions = [position for stack in stacks for position in stack.positions]
        try:
            with undisturbed():
                summary = flat_summary([tensor for stack in stacks for tensor in stack.tensors])
        except Exception:
            for stack in stacks:
                self._compute_together(stack)
        else:
            self._keep(positions, Summary(summary.counts, summary.extrema, summary.items, None, None))

    def _compute_singular_values(self, stacks: list[_Waiting]) -> None:
        by_dtype: dict[tuple[torch.dtype, torch.device], list[tuple[int, Tensor]]] = {}
        for stack in stacks:
            for position, tensor in zip(stack.positions, stack.tensors, strict=True):
                if position not in self._failed:
                    by_dtype.setdefault((stack.numbers.precision, tensor.device), []).append((position, tensor))
        for (precision, device), members in by_dtype.items():
            with undisturbed():
                try:
                    found = torch.stack(largest_singular_values([matrix.to(precision) for _, matrix in members]))
                except RuntimeError:
                    found = torch.full((len(members),), torch.nan, dtype=precision, device=device)
            positions = tuple(position for position, _ in members)
            self.parts.append(Part(Place(positions, "statistics", _ITEMS_BEFORE_SINGULAR_VALUE), found[:, None]))

    def fail(self, position: int, error: Exception) -> None:
        """Takes note that the numbers of a tensor could not be computed, and says why."""
        self._failed.add(position)
        self._report(position, error)


def _slice_of(stack: _Waiting, start: int, end: int) -> _Waiting:
    part = _Waiting(stack.entry, stack.numbers)
    part.positions = stack.positions[start:end]
    part.tensors = stack.tensors[start:end]
    return part


def _is_flat(stack: _Waiting) -> bool:
    tensor = stack.tensors[0]
    return (
        stack.entry.batch_dimension is None
        and stack.entry.kind in ("kpis", "kpis_and_svd")
        and stack.numbers.precision == torch.float32
        and 0 < tensor.numel() <= _FLAT_TENSOR
        and tensor.device.type == "cpu"
    )


def _as_matrices(stack: Tensor, entry: TensorEntry) -> Tensor:
    """`[T, B, N]`, or `[T, 1, N]` without a batch dimension."""
    if entry.batch_dimension is None:
        return stack.reshape(len(stack), 1, entry.values_per_sample)
    size = entry.shape[entry.batch_dimension]
    return stack.movedim(entry.batch_dimension + 1, 1).reshape(len(stack), size, entry.values_per_sample)
