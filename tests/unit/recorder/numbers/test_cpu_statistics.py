"""The statistics of finite values on the CPU, by kernels and by torch, against the slow twin."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import NamedTuple

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from torch import Tensor

from comgra_export.recorder.host.dtypes import NumberType, number_type
from comgra_export.recorder.numbers import kernels
from comgra_export.recorder.numbers.buffers import HistogramCopies, HistogramMemory, Scratch
from comgra_export.recorder.numbers.compute import compute_numbers, pick
from comgra_export.recorder.numbers.cpu_statistics import aggregate_columns, read_rows, summarize_stack
from comgra_export.recorder.numbers.histogram_values import stride_of
from comgra_export.recorder.numbers.parts import HISTOGRAM, RecordKey, Summary, Waiting
from comgra_export.storage.model.layout import TensorEntry
from support.recorder import slow_twin
from support.storage.entries import tensor_entry

pytestmark = pytest.mark.usefixtures("way")

compiled = pytest.mark.parametrize("way", ["compiled"], indirect=True)

B, N = 6, 40
# Their rows, and the columns of all together, have deviations that only float64 can tell from nothing.
DELICATE: dict[str, Callable[[], Tensor]] = {
    "usual": lambda: torch.randn(3, B, N),
    "far from zero": lambda: torch.randn(3, B, N) * 1e-3 + 1000,
    "columns of many magnitudes": lambda: torch.randn(3, B, N) * torch.logspace(-25, 10, N),
    "rows of many magnitudes": lambda: torch.randn(3, B, N) * torch.logspace(-25, 10, B)[:, None],
    "some rows constant": lambda: torch.randn(3, B, N) * (torch.arange(B) % 2)[:, None] + 0.1,
    "some columns constant": lambda: torch.randn(3, B, N) * (torch.arange(N) % 2) + 0.1,
    "rectified": lambda: torch.randn(3, B, N).relu(),
    "constant": lambda: torch.full((3, B, N), 0.1),
    "zero": lambda: torch.zeros(3, B, N),
    "negative zero": lambda: -torch.zeros(3, B, N),
    "one sample": lambda: torch.randn(3, 1, N),
    "one value": lambda: torch.randn(3, B, 1),
    "one of each": lambda: torch.randn(1, 1, 1),
    "rows of several pieces": lambda: torch.randn(1, 2, 5001) + 0.1,
    "one long row": lambda: torch.rand(1, 1, 70_000),
}


ITEMS = ("mean", "abs_mean", "std", "abs_max")


class Expected(NamedTuple):
    """What the slow twin says of a tensor."""

    counts: list[int]
    extrema: list[float]
    items: dict[str, list[float]]
    aggregates: NDArray[np.float64]


def expected_of(tensor: Tensor) -> Expected:
    items = {item: [slow_twin.item_of(sample, item) for sample in slow_twin.samples_of(tensor, 0)] for item in ITEMS}
    return Expected(slow_twin.counts(tensor), slow_twin.extrema(tensor), items, np.array(slow_twin.aggregates(tensor, 0)))


def are_close(numbers: NDArray[np.floating], expected: NDArray[np.float64], rel: float, abs: float) -> bool:
    """As `pytest.approx`, which takes seconds for long arrays."""
    assert numbers.shape == expected.shape
    return bool((np.abs(numbers - expected) <= np.maximum(rel * np.abs(expected), abs)).all())


@cache
def delicate(name: str) -> tuple[Tensor, list[Expected]]:
    """Tensors, and what the slow twin says of each: it is very slow."""
    stack = DELICATE[name]()
    return stack, [expected_of(tensor) for tensor in stack]


# The slow twin takes seconds for a long row.
@pytest.mark.parametrize("name", [pytest.param(name, marks=[pytest.mark.slow] if name == "one long row" else []) for name in DELICATE])
@pytest.mark.parametrize("block", [7, 100, 500, 262_144], ids=["parts of rows", "some rows", "some tensors", "everything"])
def test_finite_values_have_the_same_numbers(name: str, block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("comgra_export.recorder.numbers.cpu_statistics._BLOCK", block)
    stack, expected = delicate(name)
    summary, alone = summarize_stack(stack, True, True, Scratch()), summarize_stack(stack, False, False, Scratch())
    assert summary is not None
    assert alone is not None
    assert (alone.aggregates, alone.over_batch) == (None, None)
    for index, tensor in enumerate(stack):
        assert alone.counts[index].tolist() == summary.counts[index].tolist()
        assert alone.extrema[index].tolist() == summary.extrema[index].tolist()
        assert alone.items[index].numpy() == pytest.approx(summary.items[index].numpy(), rel=1e-6)
        assert summary.counts[index].tolist() == expected[index].counts
        assert summary.extrema[index].tolist() == expected[index].extrema
        for (item, right), values in zip(expected[index].items.items(), summary.items[index], strict=True):
            # Means can cancel out; deviations and magnitudes are right to six digits, each by itself.
            scale = tensor.abs().max().item() * 1e-7 if item == "mean" else 0
            assert values.tolist() == pytest.approx(right, rel=2e-6, abs=scale), item
        assert summary.aggregates is not None
        for row, over_batch in zip(summary.aggregates[index], expected[index].aggregates, strict=True):
            assert are_close(row.numpy(), over_batch, rel=2e-6, abs=np.abs(over_batch).max() * 3e-7)


@pytest.mark.parametrize("name", ["columns of many magnitudes", "some columns constant", "usual"])
def test_deviations_over_the_batch_are_right_each_by_itself(name: str) -> None:
    stack = DELICATE[name]()
    summary = summarize_stack(stack, True, True, Scratch())
    assert summary is not None
    assert summary.aggregates is not None
    assert summary.aggregates[:, 2] == pytest.approx(stack.double().std(dim=1), rel=2e-6, abs=1e-9 if "constant" in name else 0)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("place", [0, 3, N - 1])
def test_values_that_are_not_finite_have_no_sums(value: float, place: int) -> None:
    stack = torch.randn(2, B, N)
    stack[1, 2, place] = value
    assert summarize_stack(stack, True, True, Scratch()) is None
    assert read_rows(stack[1], Scratch()) is None


@pytest.mark.parametrize("value", [1e20, -1e38, 3.4e38])
@pytest.mark.parametrize("rows", [B, 1])
def test_large_values_do_not_overflow(value: float, rows: int) -> None:
    tensor = torch.randn(rows, N)
    tensor[-1, 3:9] = value
    rows_sums = read_rows(tensor, Scratch())
    assert rows_sums is not None
    wide = tensor.double()
    expected = [wide.amin(1), wide.amax(1), wide.sum(1), wide.abs().sum(1), wide.var(1) * (N - 1)]
    assert rows_sums.sums == pytest.approx(torch.cat(expected).numpy(), rel=1e-6)


@pytest.mark.parametrize("shape", [(1, 70_000), (B, N)])
@pytest.mark.parametrize("sign", [1, -1])
def test_sums_of_many_large_magnitudes_do_not_overflow(shape: tuple[int, int], sign: int) -> None:
    tensor = torch.full(shape, 1e38 * sign)
    tensor[0, 0] *= -1
    rows_sums = read_rows(tensor, Scratch())
    assert rows_sums is not None
    wide = tensor.double()
    expected = [wide.amin(1), wide.amax(1), wide.sum(1), wide.abs().sum(1), wide.var(1) * (shape[1] - 1)]
    assert rows_sums.sums == pytest.approx(torch.cat(expected).numpy(), rel=1e-6)


@pytest.mark.parametrize("value", [1e36, -1e38, 0.1, 1e-38, 0.0])
@pytest.mark.parametrize("shape", [(1, 70_000), (B, N)])
def test_sums_of_a_constant_are_right(shape: tuple[int, int], value: float) -> None:
    tensor = torch.full(shape, value)
    rows_sums = read_rows(tensor, Scratch())
    assert rows_sums is not None
    wide = tensor.double()
    expected = [wide.amin(1), wide.amax(1), wide.sum(1), wide.abs().sum(1), torch.zeros(shape[0])]
    assert rows_sums.sums == pytest.approx(torch.cat(expected).numpy(), rel=1e-6, abs=0)


@pytest.mark.parametrize("values", [(1000.0, 1000.001), (1e6, 1.0)])
def test_deviations_between_constant_blocks_are_right(values: tuple[float, float], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("comgra_export.recorder.numbers.cpu_statistics._BLOCK", 4096)
    tensor = torch.full((1, 3 * 4096 + 10), values[0])
    tensor[0, 3 * 4096 :] = values[1]
    rows_sums = read_rows(tensor, Scratch())
    assert rows_sums is not None
    assert rows_sums.sums[-1] == pytest.approx(tensor.double().var().item() * (tensor.numel() - 1), rel=1e-6)


def test_negated_memory_has_the_values_that_are_seen() -> None:
    # The imaginary part of a conjugate: its memory has the other sign.
    values = torch.randn(300, 300, dtype=torch.complex64).conj().imag
    assert values.is_neg()
    for tensor in (values, values[:2, :3]):
        waiting = Waiting(("t", 0), entry_of(tensor), number_type_of(tensor), tensor)
        recorded = {
            place.section: rows for place, rows in compute_numbers([waiting], (), fail_not, Scratch(), HistogramCopies(HistogramMemory()))
        }
        assert recorded["extrema"].tolist() == [[tensor.min().item(), tensor.max().item()]]


@pytest.mark.parametrize("sign", [1, -1])
def test_zeros_are_counted_for_each_tensor(sign: int) -> None:
    stack = torch.rand(3, B, N).add(0.1) * sign
    stack[0, 0, :7] = 0
    stack[1, :, 0] = 0
    summary = summarize_stack(stack, False, False, Scratch())
    assert summary is not None
    assert summary.counts[:, 3].tolist() == [7, B, 0]


@pytest.mark.parametrize("zero", [0.0, -0.0])
def test_the_largest_magnitude_of_zeros_has_no_sign(zero: float) -> None:
    summary = summarize_stack(torch.full((2, B, N), zero), True, True, Scratch())
    assert summary is not None
    assert summary.items[:, 3].tolist() == [[0.0] * B] * 2
    assert not summary.items[:, 3].signbit().any()


def of_column_groups(tensors: list[Tensor]) -> Summary | None:
    matrix = torch.cat([tensor.reshape(len(tensor), -1) for tensor in tensors], dim=1)
    summary = kernels.summarize_column_groups(matrix, [tensor[0].numel() for tensor in tensors], True)
    return summary and summary._replace(aggregates=aggregate_columns(matrix, Scratch()))


@cache
def with_others_around(name: str) -> tuple[list[Tensor], list[Expected]]:
    """Tensors between others, whose values must not get into theirs."""
    stack, expected = delicate(name)
    batch = stack.shape[1]
    others = [torch.rand(batch, 3, 2) * 1e9, torch.zeros(batch, 1), stack[0] - 5]
    first, *last = map(expected_of, others)
    return [others[0], *stack, *others[1:]], [first, *expected, *last]


@compiled
@pytest.mark.parametrize("name", DELICATE)
def test_groups_of_columns_have_the_numbers_of_their_tensors(name: str) -> None:
    tensors, expected = with_others_around(name)
    recorded = of_column_groups(tensors)
    assert recorded is not None
    assert recorded.over_batch is not None
    assert recorded.aggregates is not None
    column = 0
    for index, tensor in enumerate(tensors):
        right = expected[index]
        assert recorded.counts[index].tolist() == right.counts
        assert recorded.extrema[index].tolist() == right.extrema
        for position, (item, per_sample) in enumerate(right.items.items()):
            scale = tensor.abs().max().item() * 1e-7 if item == "mean" else 0
            assert recorded.items[index, position].tolist() == pytest.approx(per_sample, rel=2e-6, abs=scale), item
            over_batch = slow_twin.aggregates(torch.tensor(per_sample, dtype=torch.float64)[:, None], 0)
            of_item = [row[0] for row in over_batch]
            assert recorded.over_batch[index, position].tolist() == pytest.approx(of_item, rel=1e-5, abs=scale + 1e-12), item
        size = tensor[0].numel()
        columns = recorded.aggregates[:, column : column + size].double()
        assert are_close(columns[2].numpy(), deviations_over_batch(tensor), rel=2e-6, abs=0)
        for row, aggregates in zip(columns.numpy(), right.aggregates, strict=True):
            assert are_close(row, aggregates, rel=2e-6, abs=np.abs(aggregates).max() * 3e-7)
        column += size


def deviations_over_batch(tensor: Tensor) -> NDArray[np.float64]:
    columns: NDArray[np.float64] = tensor.reshape(len(tensor), -1).double().numpy()
    return columns.std(axis=0, ddof=1) if len(tensor) > 1 else np.zeros(columns.shape[1])


@compiled
@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_groups_of_columns_are_finite(value: float) -> None:
    assert of_column_groups([torch.randn(B, 3), torch.tensor([[1.0, value]]).expand(B, 2)]) is None


def test_what_the_user_sets_for_new_tensors_changes_nothing() -> None:
    tensors = [torch.randn(B, 3), torch.randn(B, 20), torch.randn(300, 300)]
    waiting = [Waiting((str(size), 0), entry_of(tensor), number_type_of(tensor), tensor, 9) for size, tensor in enumerate(tensors)]

    def numbers() -> list[Tensor]:
        return [rows for _, rows in compute_numbers(waiting, (), fail_not, Scratch(), HistogramCopies(HistogramMemory()))]

    before = numbers()
    torch.set_default_dtype(torch.float64)
    try:
        with torch.device("meta"):
            after = numbers()
    finally:
        torch.set_default_dtype(torch.float32)
    assert [part.dtype for part in after] == [part.dtype for part in before]
    assert [part.tolist() for part in after] == [part.tolist() for part in before]


def test_small_tensors_of_many_shapes_at_once() -> None:
    tensors = {
        "matrix": torch.randn(5, 3),
        "not finite": torch.tensor([[math.nan, 1, math.inf, 0]]),
        "no number": torch.full((2,), math.nan),
        "scalar": torch.tensor(3.0),
        "tiny": torch.randn(4) * 1e-30,
        "more than float32 can add": torch.full((8,), 3e38),
        "huge": torch.randn(7, 2, 2) * 1e37,
        "half": torch.zeros(4, dtype=torch.bfloat16),
        "bool": torch.tensor([True, False, True]),
        "transposed": torch.randn(6, 6).t()[::2],
        "double": torch.randn(3, dtype=torch.float64),
        "empty": torch.zeros(0),
        "large": torch.randn(300, 300),
    }
    waiting = [Waiting((name, 0), entry_of(tensor), number_type_of(tensor), tensor) for name, tensor in tensors.items()]
    recorded = {
        (key[0], place.section): row.tolist()
        for place, rows in compute_numbers(waiting, (), fail_not, Scratch(), HistogramCopies(HistogramMemory()))
        for key, row in zip(place.keys, rows, strict=True)
    }
    for name, tensor in tensors.items():
        assert recorded[name, "counts"] == slow_twin.counts(tensor)
        assert recorded[name, "extrema"] == pytest.approx(slow_twin.extrema(tensor), nan_ok=True, rel=0, abs=0)
        expected = [slow_twin.item_of(tensor.reshape(-1).double().tolist(), item) for item in ("mean", "abs_mean", "std", "abs_max")]
        assert recorded[name, "statistics"] == pytest.approx(expected, nan_ok=True, rel=1e-5, abs=1e-37), name


def test_tensors_that_are_the_same_memory_each_have_their_numbers() -> None:
    tensor = torch.randn(300, 200)
    usual = entry_of(tensor)
    entries = [usual, replace(usual, batch_dimension=0), replace(usual, batch_dimension=1), replace(usual, batch_dimension=0)]
    waiting = [Waiting(("gradients", number), entry, number_type_of(tensor), tensor, 100) for number, entry in enumerate(entries)]
    recorded: dict[tuple[int, str], Tensor] = {}
    for place, rows in compute_numbers(waiting, (), fail_not, Scratch(), HistogramCopies(HistogramMemory())):
        for row, (_, number) in enumerate(place.keys):
            recorded[number, place.section] = rows[0 if place.section == HISTOGRAM else row]
    wide = tensor.double()
    for number, dimension in enumerate((0, 1, 0), start=1):
        of_samples = wide.std(dim=1 - dimension)
        expected = [of_samples.mean().item(), of_samples.max().item(), of_samples.std().item()]
        assert recorded[number, "statistics"].tolist()[6:9] == pytest.approx(expected, rel=1e-5)
    assert recorded[0, "statistics"].tolist()[2] == pytest.approx(wide.std().item(), rel=1e-6)
    for number in range(4):
        assert recorded[number, "extrema"].tolist() == [tensor.min().item(), tensor.max().item()]
        assert recorded[number, HISTOGRAM].tolist() == tensor.reshape(-1)[:: stride_of((300, 200), 100)].tolist()


def entry_of(tensor: Tensor) -> TensorEntry:
    numbers = number_type_of(tensor)
    return tensor_entry("t", kind="kpis", dtype=numbers.name, stored=numbers.stored, shape=tuple(tensor.shape))


def number_type_of(tensor: Tensor) -> NumberType:
    numbers = number_type(tensor.dtype)
    assert numbers is not None
    return numbers


def fail_not(key: RecordKey, error: Exception) -> None:
    raise AssertionError(key) from error


def numbers_of_neurons(tensors: list[Tensor], samples: list[int]) -> dict[str, Tensor]:
    """The numbers of tensors of one shape, of the kind that has all of them."""
    waiting = []
    for number, tensor in enumerate(tensors):
        entry = replace(entry_of(tensor), kind="neuron", batch_dimension=0, samples=len(samples))
        waiting.append(Waiting(("forward", number), entry, number_type_of(tensor), tensor))
    parts = compute_numbers(waiting, samples, fail_not, Scratch(), HistogramCopies(HistogramMemory()))
    return {place.section: rows for place, rows in parts}


@pytest.mark.parametrize("positions", [[], [0, 1, 2], [2, 3], [4, 0, 3], [1, 1]])
@pytest.mark.parametrize("size", [3, 10_000], ids=["small", "large"])
def test_samples_at_any_positions(positions: list[int], size: int, way: str) -> None:
    stack = torch.arange(2 * B * float(size)).view(2, B, size)
    assert pick(stack, 1, positions).tolist() == stack[:, positions].tolist()
    single = numbers_of_neurons([stack[0]], positions)
    # A kernel reads small tensors in one matrix.
    is_matrix = size == 3 and way == "compiled"
    assert single["values"].tolist() == [
        row.tolist() for row in (stack[0][positions] if is_matrix else stack[:1, positions].reshape(1, -1))
    ]
    together = numbers_of_neurons(list(stack), positions)
    mean_per_sample = together["statistics"].view(2, 4, 3 + len(positions))[:, 0, 3:]
    assert mean_per_sample == pytest.approx(stack.mean(dim=2)[:, positions], rel=1e-6)
    values = together["values"]
    rows = torch.cat([stack[0], stack[1]], dim=1)[positions] if is_matrix else stack[:, positions].reshape(2, -1)
    assert values.tolist() == rows.tolist()


def test_nothing_waits_for_a_device() -> None:
    # A meta tensor has no values: whatever needs one raises, as on a device it would wait.
    for dtype in (torch.float32, torch.bfloat16, torch.int64):
        tensors = [torch.zeros(B, N, dtype=dtype, device="meta") for _ in range(3)]
        numbers = numbers_of_neurons(tensors, [2, 0])
        assert numbers.keys() == {"counts", "extrema", "statistics", "aggregates", "values"}
        for part in numbers.values():
            assert part.device.type == "meta"
    with pytest.raises(RuntimeError):
        bool(torch.zeros((), device="meta"))
