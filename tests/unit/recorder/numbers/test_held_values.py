"""Values that are held until the recorder knows whether a step is recorded, and the memory that they take."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from comgra_export.recorder.cuda.memory import DeviceScratch
from comgra_export.recorder.host.dtypes import number_type
from comgra_export.recorder.numbers import collector as measurements_module
from comgra_export.recorder.numbers.buffers import HistogramCopies, HistogramMemory, Scratch
from comgra_export.recorder.numbers.collector import Measurements
from comgra_export.recorder.numbers.compute import numbers_from_sums
from comgra_export.recorder.numbers.held_values import LARGE_TENSOR
from comgra_export.recorder.numbers.parts import RecordKey
from comgra_export.storage.model.layout import Kind
from support.storage.entries import tensor_entry

B = 3
LARGE = LARGE_TENSOR
"""Values per sample of a tensor that is referred to instead of being copied."""


class Group:
    """Measurements, and what failed in them."""

    def __init__(self, *, provisional: bool = True) -> None:
        self.failures: dict[int, str] = {}
        copies = HistogramCopies(HistogramMemory())
        self.measurements = Measurements((0,), self._fail, Scratch(), copies, device_scratch=DeviceScratch(), provisional=provisional)
        self._count = 0

    def add(self, tensor: Tensor, kind: Kind = "neuron", *, lasts: bool = False, is_copy: bool = False) -> int:
        numbers = number_type(tensor.dtype)
        assert numbers is not None
        entry = tensor_entry(
            f"t{self._count}",
            node="n",
            role="r",
            kind=kind,
            dtype=numbers.name,
            stored=numbers.stored,
            shape=tuple(tensor.shape),
            batch_dimension=0,
            samples=1,
        )
        self.measurements.add(("g", self._count), entry, numbers, tensor, lasts=lasts, is_copy=is_copy)
        self._count += 1
        return self._count - 1

    def settled(self, *samples: int) -> dict[int, tuple[float, float]]:
        self.measurements.settle(samples)
        return self.extrema()

    def extrema(self) -> dict[int, tuple[float, float]]:
        return {
            number: (row[0].item(), row[1].item())
            for place, rows in [*self.measurements.parts, *numbers_from_sums(self.measurements.sums, self.measurements.samples)]
            if place.section == "extrema"
            for (_, number), row in zip(place.keys, rows, strict=True)
        }

    def _fail(self, key: RecordKey, error: Exception) -> None:
        self.failures[key[1]] = str(error)


def small(value: float) -> Tensor:
    return torch.full((B, 2), float(value))


def large(value: float) -> Tensor:
    return torch.full((B, LARGE), float(value))


def test_nothing_is_computed_before_the_decision() -> None:
    group = Group()
    group.add(small(1))
    group.add(large(2))
    group.measurements.compute()
    assert group.measurements.parts == []
    assert group.settled(0) == {0: (1, 1), 1: (2, 2)}


def test_the_samples_are_those_of_the_decision() -> None:
    group = Group()
    group.add(torch.arange(B * 2.0).view(B, 2))
    group.settled(2, 1)
    values = [rows for place, rows in group.measurements.parts if place.section == "values"]
    assert values[0].tolist() == [[4, 5], [2, 3]]


def test_a_small_tensor_may_change_and_a_large_one_is_copied_before_it_is_overwritten() -> None:
    group = Group()
    little, big = small(1), large(2)
    group.add(little)
    group.add(big)
    little.fill_(-1)
    group.measurements.before_overwrite([big])
    big.fill_(-1)
    assert group.settled(0) == {0: (1, 1), 1: (2, 2)}
    assert group.failures == {}


def test_a_large_tensor_is_not_copied_while_nobody_writes_to_it() -> None:
    group = Group()
    big = large(2)
    group.add(big)
    group.measurements.before_overwrite([large(3)])
    held = group.measurements._held_values.take(("g", 0))
    assert held.data_ptr() == big.data_ptr()


@pytest.mark.parametrize("part", [lambda big: big[1:], lambda big: big.view(-1), lambda big: big.t(), lambda big: big.detach()])
def test_views_share_the_memory_that_is_overwritten(part: Callable[[Tensor], Tensor]) -> None:
    group = Group()
    big = large(2)
    group.add(big)
    group.measurements.before_overwrite([part(big)])
    part(big).fill_(-1)
    assert group.settled(0) == {0: (2, 2)}


def resize(big: Tensor) -> None:
    big.untyped_storage().resize_(0)


@pytest.mark.parametrize("change", [lambda big: big.add_(1), lambda big: big.t()[0].zero_(), resize])
def test_what_was_overwritten_unseen_is_a_failure(change: Callable[[Tensor], object]) -> None:
    group = Group()
    big, other = large(2), large(3)
    group.add(big)
    group.add(other)
    change(big)
    # Too late: the values have changed.
    group.measurements.before_overwrite([big])
    assert group.settled(0) == {1: (3, 3)}
    assert "overwritten" in group.failures[0]


def test_tensors_of_inference_mode_are_copied() -> None:
    group = Group()
    with torch.inference_mode():
        big = large(2)
        group.add(big)
        big.fill_(-1)
    assert group.settled(0) == {0: (2, 2)}


def test_the_oldest_large_tensors_are_dropped_where_too_much_would_be_held(monkeypatch: pytest.MonkeyPatch) -> None:
    size = B * LARGE * 4
    monkeypatch.setattr(measurements_module, "HELD_BYTES", 2 * size + 100)
    group = Group()
    group.add(small(1))
    for value in range(2, 6):
        group.add(large(value))
    assert group.settled(0) == {0: (1, 1), 3: (4, 4), 4: (5, 5)}
    assert set(group.failures) == {1, 2}
    assert all("would be held" in reason for reason in group.failures.values())
    assert group.measurements.held_bytes <= 3 * size + 100


def test_nothing_keeps_a_tensor_that_was_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measurements_module, "HELD_BYTES", 100)
    group = Group()
    group.add(large(2))
    assert set(group.failures) == {0}
    assert not any(group.measurements._held_values._by_address.values())


def test_a_tensor_without_memory_of_its_own_can_be_overwritten() -> None:
    group = Group()
    group.add(large(2))
    group.measurements.before_overwrite([torch.eye(B).to_sparse()])
    assert group.settled(0) == {0: (2, 2)}


def test_what_is_recorded_for_certain_is_computed_before_too_much_is_held(monkeypatch: pytest.MonkeyPatch) -> None:
    size = B * 2 * 4
    monkeypatch.setattr(measurements_module, "HELD_BYTES", 10 * size)
    group = Group(provisional=False)
    for value in range(100):
        group.add(small(value))
    assert group.measurements.parts
    assert group.measurements.held_bytes == 11 * size
    group.measurements.compute()
    assert group.extrema() == {value: (value, value) for value in range(100)}
    assert group.failures == {}


def test_a_whole_group_waits_for_no_device() -> None:
    # Code that needs a value of a meta tensor raises here, and would wait on a device.
    group = Group(provisional=False)
    for kind in ("neuron", "kpis"):
        for dtype in (torch.float32, torch.bfloat16, torch.int64):
            for size in (2, LARGE):
                group.add(torch.zeros(B, size, dtype=dtype, device="meta"), kind, lasts=size != 2)
    for index, shape in enumerate([(4, 70), (300, 200), (0, 3)]):
        numbers = number_type(torch.float32)
        assert numbers is not None
        entry = tensor_entry(f"m{index}", iteration=-1, node="n", role="r", type="parameter", kind="kpis_and_svd", shape=shape)
        group.measurements.add(("g", 100 + index), entry, numbers, torch.zeros(shape, device="meta"))
    group.measurements.compute()
    assert group.failures == {}
    sections = {place.section for place, _ in group.measurements.parts}
    assert sections == {"counts", "extrema", "statistics", "aggregates", "values"}
    assert {rows.device.type for _, rows in group.measurements.parts} == {"meta"}


def test_copies_count_wherever_they_are_made() -> None:
    group = Group(provisional=False)
    size = B * LARGE * 4
    group.add(large(2), lasts=True)
    assert group.measurements.held_bytes == 0
    group.add(large(3), is_copy=True)
    assert group.measurements.held_bytes == size
    numbers = number_type(torch.float32)
    assert numbers is not None
    entry = tensor_entry("half", node="n", role="r", kind="kpis", dtype="F16", stored="F32", shape=(B, LARGE), batch_dimension=0)
    group.measurements.add(("g", 2), entry, numbers, large(4).half())
    assert group.measurements.held_bytes == 2 * size
    group.measurements.compute()
    assert group.extrema() == {0: (2, 2), 1: (3, 3), 2: (4, 4)}


def test_large_copies_are_computed_before_too_much_is_held(monkeypatch: pytest.MonkeyPatch) -> None:
    size = B * LARGE * 4
    monkeypatch.setattr(measurements_module, "HELD_BYTES", 2 * size)
    group = Group(provisional=False)
    for value in range(7):
        group.add(large(value), is_copy=True)
    assert group.measurements.held_bytes == 3 * size
    group.measurements.compute()
    assert group.extrema() == {value: (value, value) for value in range(7)}
