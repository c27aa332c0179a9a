"""The numbers of tensors on a device, by kernels that are run on the CPU, against those of the CPU's own way."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pytest
import torch

from comgra_export.native.cuda import DeviceKernels
from comgra_export.recorder.cuda.memory import DeviceScratch
from comgra_export.recorder.numbers import device_numbers, device_singular_values
from comgra_export.recorder.numbers.buffers import Scratch
from comgra_export.recorder.numbers.compute import compute_numbers
from comgra_export.recorder.numbers.device_numbers import DeviceNumbers
from comgra_export.recorder.numbers.device_singular_values import device_singular_value_parts
from comgra_export.recorder.numbers.parts import FORWARD, RecordKey, Waiting, columns_of_records
from comgra_export.recorder.numbers.placement import LayoutRecords, arrange
from comgra_export.storage.arrays.unit_arrays import UNITS_ARRAY, split_units
from comgra_export.storage.model.layout import Group, Layout
from support.native.cuda_on_cpu import EmulatedModule, emulated_module
from support.recorder.device_numbers import SAMPLES, numbers_by_record, waiting

__all__ = ["emulated_module"]


@pytest.fixture(autouse=True)
def kernels(emulated_module: EmulatedModule, monkeypatch: pytest.MonkeyPatch) -> None:
    torch.manual_seed(1)
    on_cpu = DeviceKernels(emulated_module)
    for module in (device_numbers, device_singular_values):
        monkeypatch.setattr(module, "kernels_of", lambda _: on_cpu)
        monkeypatch.setattr(module, "current_stream", lambda _: 0)


def assert_as_on_the_cpu(tensors: Sequence[Waiting]) -> None:
    device = DeviceNumbers(DeviceScratch())
    assert [device.read(tensor, [tensor.key]) for tensor in tensors] == [True] * len(tensors)
    computed = numbers_by_record(device.parts(SAMPLES))
    failed: list[object] = []
    expected = numbers_by_record(compute_numbers(tensors, SAMPLES, lambda *error: failed.append(error), Scratch(), None))
    assert failed == []
    expected = {key: row for key, row in expected.items() if key[1:] != ("statistics", 4)}
    assert computed.keys() == expected.keys()
    for key, row in expected.items():
        torch.testing.assert_close(computed[key], row, rtol=2e-6, atol=1e-7, equal_nan=True, msg=str(key))


def test_tensors_of_all_kinds_at_once() -> None:
    shapes = [(5, 6), (5, 3, 40), (5, 1), (5, 9000), (7, 3)]
    tensors = [waiting(number, torch.randn(shape), 0, histogram=50) for number, shape in enumerate(shapes)]
    tensors += [waiting(10, torch.randn(30, 40), histogram=100), waiting(11, torch.randn(()), histogram=10)]
    tensors += [waiting(12, torch.randn(8).half(), histogram=5), waiting(13, torch.randn(5, 9).bfloat16(), 0, histogram=1000)]
    tensors += [waiting(14, torch.randn(20, 30).t(), histogram=50), waiting(15, torch.zeros(4, 4)), waiting(16, torch.randn(3, 1), 0)]
    tensors += [
        waiting(17, torch.randn(5, 12), 0, units=1),
        waiting(18, torch.randn(5, 4, 3, 3), 0, units=1),
        waiting(19, -torch.ones(3, 4)),
    ]
    assert_as_on_the_cpu(tensors)


def test_values_that_are_not_finite() -> None:
    nan, infinity = torch.nan, torch.inf
    rows = [[nan, 1.0, 2.0], [infinity, 1.0, -3.0], [1.0, -infinity, infinity], [nan, nan, nan], [0.0, -0.0, 0.0]]
    tensors = [waiting(0, torch.tensor(rows), 0), waiting(1, torch.tensor(rows)), waiting(2, torch.tensor([nan]))]
    tensors += [
        waiting(3, torch.tensor([[infinity], [1.0], [2.0]]), 0),
        waiting(4, torch.tensor([[nan, 1.0], [3.0, 4.0], [5.0, 6.0]]), 0, units=1),
    ]
    assert_as_on_the_cpu(tensors)


def test_more_tensors_than_a_block_has_room_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device_numbers, "_TENSORS", 2)
    monkeypatch.setattr(device_numbers, "_HISTOGRAM_VALUES", 25)
    monkeypatch.setattr(device_numbers, "_UNIT_VALUES", 10)
    assert_as_on_the_cpu([waiting(number, torch.randn(3, 4), 0, histogram=20, units=1) for number in range(5)])


def test_a_tensor_may_have_several_records_or_none() -> None:
    device = DeviceNumbers(DeviceScratch())
    tensors = [waiting(number, torch.full((3, 2), float(number)), 0, histogram=10) for number in range(3)]
    owners: list[list[RecordKey]] = [[("first", 0)], [], []]
    for tensor, own in zip(tensors, owners, strict=True):
        assert device.read(tensor, own)
    owners[2] += [("first", 2), ("second", 2)]
    parts = device.parts(SAMPLES)
    assert {part.place.keys for part in parts} == {(("first", 0), ("first", 2), ("second", 2))}
    assert {part.place.picks for part in parts} == {(0, 2, 2)}
    place, rows = next(part for part in parts if part.place.section == "histogram")
    assert [values.tolist() for values in columns_of_records(place, rows[0].numpy())] == [[0.0] * 6, [2.0] * 6, [2.0] * 6]


def test_numbers_reach_the_records_that_they_are_picked_for() -> None:
    device = DeviceNumbers(DeviceScratch())
    tensors = [waiting(number, torch.full((3, 2), number + 1.0), 0, units=1) for number in range(3)]
    for tensor, owners in zip(tensors, ([tensors[0].key], [], [tensors[2].key]), strict=True):
        assert device.read(tensor, owners)
    parts = device.parts(SAMPLES)
    layout = Layout((tensors[0].entry, tensors[2].entry), (Group(FORWARD, (0, 1)),))
    arrays = dict(arrange(LayoutRecords(layout, (0, 2)), [part.place for part in parts], (), [part.rows for part in parts]))
    assert arrays["extrema.F32"].data.tolist() == [1, 1, 3, 3]
    # First the largest magnitudes of a tensor's units, then their means.
    units = split_units(layout, arrays[UNITS_ARRAY])
    assert [numbers.reshape(-1).tolist() for numbers in units.values()] == [[1] * 4, [3] * 4]


def test_a_driver_that_refuses_leaves_the_rest_to_torch(monkeypatch: pytest.MonkeyPatch, emulated_module: EmulatedModule) -> None:
    class Refusing:
        def launch(self, name: str, blocks: int, threads: int, stream: int, argument: bytes) -> None:
            if name.startswith("measure_units"):
                raise RuntimeError("CUDA refuses a kernel")
            emulated_module.launch(name, blocks, threads, stream, argument)

    monkeypatch.setattr(device_numbers, "kernels_of", lambda _: DeviceKernels(Refusing()))
    device = DeviceNumbers(DeviceScratch())
    first, second = waiting(0, torch.ones(3, 2), 0, histogram=4), waiting(1, torch.ones(3, 2), 0, histogram=4, units=1)
    assert [device.read(tensor, [tensor.key]) for tensor in (first, second, first)] == [True, False, False]
    assert {part.place.keys for part in device.parts(SAMPLES)} == {(first.key,)}


def test_what_no_kernel_knows_is_left_to_torch() -> None:
    device, values = DeviceNumbers(DeviceScratch()), torch.randn(4, 3)
    left: list[Waiting] = [waiting(0, values.double()), waiting(1, values.to(torch.int64)), waiting(2, values, kind="neuron")]
    left += [waiting(3, values, 1), waiting(4, torch.randn(0, 3)), waiting(5, torch.complex(values, values).conj().imag)]
    assert [device.read(tensor, []) for tensor in left] == [False] * len(left)
    assert device.parts(SAMPLES) == []


@pytest.mark.parametrize("precision", ["highest", "high"])
def test_singular_values_are_those_of_a_decomposition(precision: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # Small matrices take the emulation less time.
    monkeypatch.setattr(device_singular_values, "_PADDING", 4)
    shapes = [(9, 5), (5, 9), (9, 5), (20, 3), (1, 4), (17, 2)]
    matrices = [waiting(number, torch.randn(shape), kind="kpis_and_svd") for number, shape in enumerate(shapes)]
    matrices += [waiting(10, torch.randn(6, 6).bfloat16() * 1e30, kind="kpis_and_svd"), waiting(11, torch.zeros(3, 3), kind="kpis_and_svd")]
    broken = waiting(12, torch.tensor([[1.0, torch.nan], [0.0, 1.0]]), kind="kpis_and_svd")
    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision(precision)
    try:
        parts = device_singular_value_parts([*matrices, broken])
    finally:
        torch.set_float32_matmul_precision(before)
    computed = {key: row.item() for (key, _, _), row in numbers_by_record(parts).items()}
    assert math.isnan(computed[broken.key])
    for matrix in matrices:
        values = matrix.values.double()
        assert computed[matrix.key] == pytest.approx(torch.linalg.svdvals(values)[0].item(), rel=1e-5)
