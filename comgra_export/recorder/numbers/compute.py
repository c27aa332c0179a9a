"""The numbers of tensors, computed together as far as they can be."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import torch
from torch import Tensor

from comgra_export.recorder.host.isolation import undisturbed
from comgra_export.recorder.numbers.buffers import HistogramCopies, Scratch
from comgra_export.recorder.numbers.dispatch import summarize_side_by_side
from comgra_export.recorder.numbers.large_tensors import SMALL_TENSOR, LargeTensors, is_large, look_directly
from comgra_export.recorder.numbers.parts import (
    CpuSummary,
    Part,
    Place,
    RecordKey,
    Seen,
    Waiting,
    as_matrix,
    part_for_histogram,
    summarize_rows,
)
from comgra_export.recorder.numbers.reference import Summary, pick, summarize
from comgra_export.recorder.numbers.singular_values import singular_values
from comgra_export.storage.model import TensorEntry

__all__ = ["compute_numbers", "look_at", "look_at_alone", "numbers_of_seen"]

_Fail = Callable[[RecordKey, Exception], None]

# What stays in the cache of a processor from one pass over it to the next; and what fills another device.
_STACK_VALUES = 262_144
_STACK_VALUES_ELSEWHERE = 4_194_304


def compute_numbers(
    waiting: Sequence[Waiting], samples: Sequence[int], fail: _Fail, scratch: Scratch, copies: HistogramCopies
) -> list[Part]:
    """Computes the numbers of tensors. Nothing waits for an accelerator.

    Args:
        waiting: The tensors, which are read only.
        samples: Positions in the batch that are recorded one by one, for tensors whose entry has samples.
        fail: Called with the key of a record whose numbers could not be computed, and the exception.
        scratch: Where intermediate results lie.
        copies: Where the values lie that histograms are made of.

    Returns:
        The numbers, in memory of their own.
    """
    parts, seen = look_at(waiting, samples, fail, scratch, copies)
    return parts + numbers_of_seen(seen, samples)


def look_at(
    waiting: Sequence[Waiting], samples: Sequence[int], fail: _Fail, scratch: Scratch, copies: HistogramCopies
) -> tuple[list[Part], list[Seen]]:
    """As `compute_numbers`, but leaves that part of the work to `numbers_of_seen` for which the tensors are not needed any more."""
    parts: list[Part] = []
    seen: list[Seen] = []
    failed: set[RecordKey] = set()

    def note(key: RecordKey, error: Exception) -> None:
        failed.add(key)
        fail(key, error)

    with undisturbed():
        stacks: dict[tuple[object, ...], list[Waiting]] = {}
        sheets: dict[tuple[object, ...], list[Waiting]] = {}
        large = LargeTensors(scratch, copies)
        for one in waiting:
            if _is_small(one):
                sheets.setdefault(_key_of_sheet(one), []).append(one)
            elif is_large(one) and (rows := large.look(one)) is not None:
                seen.append(Seen(one.key, one.entry, rows))
            else:
                stacks.setdefault(_key_of_stack(one), []).append(one)
        for members in sheets.values():
            for sheet in _pieces(members, _STACK_VALUES):
                found = _side_by_side(sheet, samples, scratch)
                if found is None:
                    for one in sheet:
                        stacks.setdefault(_key_of_stack(one), []).append(one)
                else:
                    parts += found
        for members in stacks.values():
            limit = _STACK_VALUES if members[0].values.device.type == "cpu" else _STACK_VALUES_ELSEWHERE
            for stack in _pieces(members, limit):
                parts += _stacked(stack, samples, note, scratch)
        parts += singular_values([one for one in waiting if one.entry.kind == "kpis_and_svd" and one.key not in failed])
        parts += large.values_for_histograms(one for one in waiting if one.histogram_values and one.key not in failed)
    return parts, seen


def look_at_alone(one: Waiting, copies: HistogramCopies) -> Seen | None:
    """As `look_at`, for a large tensor that a kernel reads; None where it is none, or needs more care. It may require a gradient."""
    if one.entry.kind != "kpis" or not is_large(one):
        return None
    rows, taken = look_directly(one, copies)
    return None if rows is None else Seen(one.key, one.entry, rows, taken)


def numbers_of_seen(seen: Sequence[Seen], samples: Sequence[int]) -> list[Part]:
    """Computes the numbers of tensors at which `look_at` has looked."""
    groups: dict[tuple[object, ...], list[Seen]] = {}
    for one in seen:
        groups.setdefault(_key_of_sheet(one), []).append(one)
    with undisturbed():
        parts = [part_for_histogram((one.key,), torch.from_numpy(one.taken)[None]) for one in seen if one.taken is not None]
        for members in groups.values():
            found = summarize_rows([one.rows for one in members], members[0].entry.batch_dimension is not None)
            parts += _statistics(tuple(one.key for one in members), members[0].entry, found, samples)
    return parts


def _is_small(one: Waiting) -> bool:
    """Whether it is computed side by side with others."""
    values = one.values
    return (
        0 < values.numel() <= SMALL_TENSOR
        and one.numbers.precision == torch.float32
        and one.entry.kind != "single_value"
        and values.device.type == "cpu"
    )


def _key_of_sheet(one: Waiting | Seen) -> tuple[object, ...]:
    entry = one.entry
    batch = None if entry.batch_dimension is None else entry.shape[entry.batch_dimension]
    return batch, entry.dtype, entry.kind == "neuron", entry.samples == 0


def _key_of_stack(one: Waiting) -> tuple[object, ...]:
    entry = one.entry
    return entry.shape, one.numbers.name, entry.kind, entry.batch_dimension, entry.samples == 0, one.values.device


def _pieces(members: Sequence[Waiting], limit: int) -> Iterator[Sequence[Waiting]]:
    """Parts of about as many values as the limit, or of a single tensor."""
    start = size = 0
    for position, one in enumerate(members):
        size += one.values.numel()
        if size > limit and position > start:
            yield members[start:position]
            start, size = position, one.values.numel()
    yield members[start:]


def _side_by_side(sheet: Sequence[Waiting], samples: Sequence[int], scratch: Scratch) -> list[Part] | None:
    """The numbers of tensors of one batch size and dtype; None where they need more care."""
    first = sheet[0].entry
    try:
        matrices = [as_matrix(one) for one in sheet]
        sizes = tuple(matrix.shape[1] for matrix in matrices)
        shape = (len(matrices[0]), sum(sizes))
        matrix = torch.cat(matrices, dim=1, out=scratch.take("matrix", shape, matrices[0].dtype))
        has_batch = first.batch_dimension is not None
        found = summarize_side_by_side(matrix, sizes, has_batch, has_batch and first.kind == "neuron", scratch)
    except Exception:  # A dtype with few operations. The way without shortcuts says what is wrong, and of which tensor.
        return None
    if found is None:
        return None
    keys = tuple(one.key for one in sheet)
    parts = _statistics(keys, first, found, samples)
    if found.aggregates is not None:
        parts.append(Part(Place(keys, "aggregates", 0, sizes), found.aggregates))
    if first.kind == "neuron":
        values = (matrix if first.batch_dimension is None else pick(matrix, 0, samples if first.samples else ())).clone()
        parts.append(Part(Place(keys, "values", 0, sizes), values))
    return parts


def _statistics(keys: tuple[RecordKey, ...], entry: TensorEntry, found: CpuSummary, samples: Sequence[int]) -> list[Part]:
    """What is recorded of every kind, of tensors of which one has this entry."""
    statistics = found.items
    if found.over_batch is not None:
        statistics = torch.cat([found.over_batch, pick(found.items, 2, samples if entry.samples else ())], dim=2)
    sections = {"counts": found.counts, "extrema": found.extrema, "statistics": statistics.reshape(len(keys), -1)}
    return [Part(Place(keys, name), rows) for name, rows in sections.items()]


def _stacked(stack: Sequence[Waiting], samples: Sequence[int], fail: _Fail, scratch: Scratch) -> list[Part]:
    """The numbers of tensors of one shape."""
    keys, first = tuple(one.key for one in stack), stack[0]
    try:
        rows = torch.stack([one.values for one in stack]) if len(stack) > 1 else first.values[None]
        matrices = _as_matrices(rows, first.entry)
        if first.numbers.precision == torch.float64 and matrices.device.type == "mps":
            matrices = matrices.cpu()  # That device has no float64.
        recorded = None if first.entry.batch_dimension is None else samples if first.entry.samples else ()
        return _parts_of(keys, summarize(matrices, first.numbers.precision, first.entry.kind, recorded, scratch))
    except Exception as error:
        if len(stack) == 1:
            fail(first.key, error)
            return []
        # One that cannot be computed must not take the others with it.
        return [part for one in stack for part in _stacked([one], samples, fail, scratch)]


def _as_matrices(stack: Tensor, entry: TensorEntry) -> Tensor:
    """`[T, B, N]`, or `[T, 1, N]` without a batch dimension."""
    if entry.batch_dimension is None:
        return stack.reshape(len(stack), 1, entry.values_per_sample)
    size = entry.shape[entry.batch_dimension]
    return stack.movedim(entry.batch_dimension + 1, 1).reshape(len(stack), size, entry.values_per_sample)


def _parts_of(keys: tuple[RecordKey, ...], summary: Summary) -> list[Part]:
    values = summary.values
    if values is not None and (len(keys) == 1 or values.untyped_storage().nbytes() > values.numel() * values.element_size()):
        # They are the memory of the tensor itself, or part of a stack that is not needed any more.
        values = values.clone()
    sections = {
        "counts": summary.counts,
        "extrema": summary.extrema,
        "statistics": summary.statistics,
        "aggregates": summary.aggregates,
        "values": values,
    }
    return [Part(Place(keys, name), rows) for name, rows in sections.items() if rows is not None]
