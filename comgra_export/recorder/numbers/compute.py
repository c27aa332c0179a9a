"""The numbers of tensors, computed together as far as possible."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import torch
from torch import Tensor

from comgra_export.recorder.host.isolation import undisturbed
from comgra_export.recorder.numbers import kernels
from comgra_export.recorder.numbers.buffers import HistogramCopies, Scratch
from comgra_export.recorder.numbers.cpu_statistics import aggregate_columns, summarize_stack
from comgra_export.recorder.numbers.large_tensors import SMALL_TENSOR, LargeTensors, is_large, read_directly
from comgra_export.recorder.numbers.parts import (
    Part,
    Place,
    RecordKey,
    Summary,
    TensorSums,
    Waiting,
    as_matrix,
    part_for_histogram,
    summarize_rows,
)
from comgra_export.recorder.numbers.pieces import PIECE_VALUES
from comgra_export.recorder.numbers.reference import summarize
from comgra_export.recorder.numbers.singular_values import singular_value_parts
from comgra_export.recorder.numbers.unit_statistics import has_units, measure_directly, part_for_units, unit_parts
from comgra_export.storage.model.layout import TensorEntry

__all__ = ["compute_numbers", "numbers_from_sums", "pick", "read_alone", "read_tensors", "summary_parts"]

_Fail = Callable[[RecordKey, Exception], None]

# What stays in the cache of a processor from one pass over it to the next; and what fills another device.
_STACK_VALUES = 262_144
_STACK_VALUES_ELSEWHERE = 4_194_304


def compute_numbers(
    waiting: Sequence[Waiting], samples: Sequence[int], fail: _Fail, scratch: Scratch, copies: HistogramCopies | None
) -> list[Part]:
    """Computes the numbers of tensors, in memory of their own. The tensors are only read, and nothing waits for an accelerator.

    Without `copies`, the values for histograms may be the memory of the tensors. `fail` gets the key of a record whose numbers could not be
    computed, and the exception.
    """
    parts, sums = read_tensors(waiting, samples, fail, scratch, copies)
    return parts + numbers_from_sums(sums, samples)


def read_tensors(
    waiting: Sequence[Waiting], samples: Sequence[int], fail: _Fail, scratch: Scratch, copies: HistogramCopies | None
) -> tuple[list[Part], list[TensorSums]]:
    """Does that part of `compute_numbers` for which the tensors are needed. `numbers_from_sums` does the rest."""
    parts: list[Part] = []
    sums: list[TensorSums] = []
    failed: set[RecordKey] = set()

    def note(key: RecordKey, error: Exception) -> None:
        failed.add(key)
        fail(key, error)

    with undisturbed():
        stacked: list[Waiting] = []
        small: list[Waiting] = []
        large = LargeTensors(scratch, copies)
        has_kernels = kernels.are_worthwhile(1)
        for tensor in waiting:
            if has_kernels and _is_small(tensor):
                small.append(tensor)
            elif is_large(tensor) and (rows := large.read(tensor)) is not None:
                sums.append(TensorSums(tensor.key, tensor.entry, rows))
            else:
                stacked.append(tensor)
        for row in _groups(small, _row_key):
            numbers = _numbers_of_small(row, samples, scratch)
            if numbers is None:
                stacked += row
            else:
                parts += numbers
        for stack in _groups(stacked, _stack_key):
            parts += _numbers_of_stack(stack, samples, note, scratch)
        parts += singular_value_parts([tensor for tensor in waiting if tensor.entry.kind == "kpis_and_svd" and tensor.key not in failed])
        parts += unit_parts([tensor for tensor in waiting if has_units(tensor) and tensor.key not in failed], fail)
        parts += large.values_for_histograms(tensor for tensor in waiting if tensor.histogram_values and tensor.key not in failed)
    return parts, sums


def read_alone(tensor: Waiting, copies: HistogramCopies) -> TensorSums | None:
    """Does the same for a large tensor that a kernel can read; None for any other. The tensor may require a gradient."""
    if tensor.entry.kind != "kpis" or not is_large(tensor):
        return None
    rows, histogram = read_directly(tensor, copies)
    if rows is None:
        return None
    return TensorSums(tensor.key, tensor.entry, rows, histogram, measure_directly(tensor) if has_units(tensor) else None)


def numbers_from_sums(sums: Sequence[TensorSums], samples: Sequence[int]) -> list[Part]:
    """Computes the numbers of tensors that `read_tensors` has read."""
    groups: dict[tuple[object, ...], list[TensorSums]] = {}
    for tensor in sums:
        groups.setdefault(_row_key(tensor), []).append(tensor)
    with undisturbed():
        parts = [
            part_for_histogram((tensor.key,), torch.from_numpy(tensor.histogram)[None]) for tensor in sums if tensor.histogram is not None
        ]
        parts += [part_for_units(tensor.key, tensor.units) for tensor in sums if tensor.units is not None]
        for members in groups.values():
            entry = members[0].entry
            summary = summarize_rows([tensor.rows for tensor in members], entry.batch_dimension is not None)
            parts += summary_parts(tuple(tensor.key for tensor in members), entry, summary, samples)
    return parts


def _is_small(tensor: Waiting) -> bool:
    """Whether a kernel computes its numbers together with those of others."""
    values = tensor.values
    return (
        0 < values.numel() <= SMALL_TENSOR
        and tensor.numbers.precision == torch.float32
        and tensor.entry.kind != "single_value"
        and values.device.type == "cpu"
    )


def _row_key(tensor: Waiting | TensorSums) -> tuple[object, ...]:
    entry = tensor.entry
    batch = None if entry.batch_dimension is None else entry.shape[entry.batch_dimension]
    return batch, entry.dtype, entry.kind == "neuron", entry.samples == 0


def _stack_key(tensor: Waiting) -> tuple[object, ...]:
    entry = tensor.entry
    return entry.shape, tensor.numbers.name, entry.kind, entry.batch_dimension, entry.samples == 0, tensor.values.device


def _groups(tensors: Sequence[Waiting], key: Callable[[Waiting], tuple[object, ...]]) -> Iterator[Sequence[Waiting]]:
    """Tensors with the same key, in groups of about so many values as are best computed together."""
    groups: dict[tuple[object, ...], list[Waiting]] = {}
    for tensor in tensors:
        groups.setdefault(key(tensor), []).append(tensor)
    for members in groups.values():
        limit = _STACK_VALUES if members[0].values.device.type == "cpu" else _STACK_VALUES_ELSEWHERE
        start = size = 0
        for position, tensor in enumerate(members):
            size += tensor.values.numel()
            if size > limit and position > start:
                yield members[start:position]
                start, size = position, tensor.values.numel()
        yield members[start:]


def _numbers_of_small(tensors: Sequence[Waiting], samples: Sequence[int], scratch: Scratch) -> list[Part] | None:
    """The numbers of small tensors of one batch size and dtype, with one call of a kernel; None if a value is not finite.

    A row of the matrix is a sample, and the columns of a tensor follow those of the tensor before it.
    """
    entry = tensors[0].entry
    try:
        matrices = [as_matrix(tensor) for tensor in tensors]
        sizes = tuple(matrix.shape[1] for matrix in matrices)
        shape = (len(matrices[0]), sum(sizes))
        matrix = torch.cat(matrices, dim=1, out=scratch.take("matrix", shape, matrices[0].dtype))
        has_batch = entry.batch_dimension is not None
        wide = matrix.to(torch.float32)
        summary = kernels.summarize_column_groups(wide, sizes, has_batch)
        if summary is None:
            return None
        if has_batch and entry.kind == "neuron":
            summary = summary._replace(aggregates=aggregate_columns(wide, scratch))
    except Exception:  # A dtype with few operations. The way for all tensors says what is wrong, and with which tensor.
        return None
    keys = tuple(tensor.key for tensor in tensors)
    parts = summary_parts(keys, entry, summary, samples, sizes=sizes)
    if entry.kind == "neuron":
        values = matrix if entry.batch_dimension is None else pick(matrix, 0, samples if entry.samples else ())
        parts.append(Part(Place(keys, "values", 0, sizes), values.clone()))
    return parts


def _numbers_of_stack(stack: Sequence[Waiting], samples: Sequence[int], fail: _Fail, scratch: Scratch) -> list[Part]:
    """The numbers of tensors of one shape."""
    keys, first = tuple(tensor.key for tensor in stack), stack[0]
    entry, precision = first.entry, first.numbers.precision
    try:
        matrices = torch.stack([as_matrix(tensor) for tensor in stack]) if len(stack) > 1 else as_matrix(first)[None]
        if precision == torch.float64 and matrices.device.type == "mps":
            matrices = matrices.cpu()  # That device has no float64.
        summary = _summary_of_stack(matrices, first, scratch)
        parts = summary_parts(keys, entry, summary, samples)
        if entry.kind == "neuron":
            values = matrices if entry.batch_dimension is None else pick(matrices, 1, samples if entry.samples else ())
            values = values.reshape(len(keys), -1)
            if len(keys) == 1 or values.untyped_storage().nbytes() > values.numel() * values.element_size():
                # They are the memory of the tensor itself, or part of a stack that is no longer needed.
                values = values.clone()
            parts.append(Part(Place(keys, "values"), values))
        return parts
    except Exception as error:
        if len(stack) == 1:
            fail(first.key, error)
            return []
        # A tensor whose numbers cannot be computed must not take the others with it.
        return [part for tensor in stack for part in _numbers_of_stack([tensor], samples, fail, scratch)]


def _summary_of_stack(matrices: Tensor, first: Waiting, scratch: Scratch) -> Summary:
    kind, precision, of_batch = first.entry.kind, first.numbers.precision, first.entry.batch_dimension is not None
    # For small tensors the number of calls decides how long it takes, and the reference makes the same number for a whole stack.
    is_large = matrices[0].numel() > SMALL_TENSOR
    fits = matrices.dtype == torch.float32 or matrices.numel() <= PIECE_VALUES
    if is_large and fits and matrices.device.type == "cpu" and precision == torch.float32 and kind != "single_value":
        wide = matrices.to(precision).contiguous().resolve_neg()
        summary = summarize_stack(wide, of_batch, of_batch and kind == "neuron", scratch)
        if summary is not None:
            return summary
    return summarize(matrices, precision, kind, of_batch)


def summary_parts(
    keys: tuple[RecordKey, ...],
    entry: TensorEntry,
    summary: Summary,
    samples: Sequence[int],
    *,
    sizes: tuple[int, ...] | None = None,
    picks: tuple[int, ...] | None = None,
) -> list[Part]:
    """The numbers of tensors as parts.

    Args:
        keys: Their records.
        entry: The description of one of them. They have the same kind, precision, and batch dimension, and the same samples.
        summary: Their numbers.
        samples: The positions of the samples that are recorded singly.
        sizes: As in `Place`, for the aggregates.
        picks: As in `Place`.
    """
    count, statistics = len(summary.counts), summary.items
    if summary.over_batch is not None:
        statistics = torch.cat([summary.over_batch, pick(summary.items, 2, samples if entry.samples else ())], dim=2)
    sections = {"counts": summary.counts, "extrema": summary.extrema, "statistics": statistics.reshape(count, -1)}
    parts = [Part(Place(keys, name, picks=picks), rows) for name, rows in sections.items()]
    if summary.aggregates is not None:
        aggregates = summary.aggregates if sizes is not None else summary.aggregates.reshape(count, -1)
        parts.append(Part(Place(keys, "aggregates", 0, sizes), aggregates))
    return parts


def pick(values: Tensor, dim: int, positions: Sequence[int]) -> Tensor:
    """Takes the slices at some positions of a dimension. The list of positions does not have to reach the device."""
    if not positions:
        return values.narrow(dim, 0, 0)
    if list(positions) == list(range(positions[0], positions[0] + len(positions))):
        return values.narrow(dim, positions[0], len(positions))
    return torch.stack([values.select(dim, position) for position in positions], dim=dim)
