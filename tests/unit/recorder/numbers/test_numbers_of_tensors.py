"""Every number of a recorded tensor, against the slow twin."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
import torch
from torch import Tensor

from comgra_export import ComgraRecorder
from comgra_export.recorder.numbers import compute
from comgra_export.recorder.numbers.reference import _scaled_std
from support.recorder import slow_twin
from support.recorder.fixtures import MakeRecorder
from support.recorder.reading import Record, read_records

BATCH = 5
FLOATS = (torch.float32, torch.float64, torch.bfloat16, torch.float16, torch.float8_e4m3fn, torch.float8_e5m2)
INTEGERS = (torch.int64, torch.int32, torch.int16, torch.int8, torch.uint64, torch.uint32, torch.uint16, torch.uint8, torch.bool)
NAMES = {
    torch.float32: "F32",
    torch.float64: "F64",
    torch.bfloat16: "BF16",
    torch.float16: "F16",
    torch.float8_e4m3fn: "F8_E4M3",
    torch.float8_e5m2: "F8_E5M2",
    torch.int64: "I64",
    torch.int32: "I32",
    torch.int16: "I16",
    torch.int8: "I8",
    torch.uint64: "U64",
    torch.uint32: "U32",
    torch.uint16: "U16",
    torch.uint8: "U8",
    torch.bool: "BOOL",
}
Cases = dict[str, tuple[Tensor, int | None]]


def draw(dtype: torch.dtype, *shape: int) -> Tensor:
    if dtype == torch.bool:
        return torch.rand(shape) < 0.4
    if dtype in INTEGERS:
        lowest = 0 if str(dtype).startswith("torch.uint") else -100
        return torch.randint(lowest, 100, shape).to(dtype)
    return (torch.randn(shape) * 3).to(dtype)


def layouts(dtype: torch.dtype) -> Cases:
    return {
        "contiguous": (draw(dtype, BATCH, 3, 4), 0),
        "batch second": (draw(dtype, 3, BATCH, 4), 1),
        "batch last": (draw(dtype, 2, 3, BATCH), -1),
        "vector": (draw(dtype, BATCH), 0),
        "one value each": (draw(dtype, BATCH, 1, 1), 0),
        "transposed": (draw(dtype, 6, BATCH).t(), 0),
        "every second": (draw(dtype, BATCH, 8)[:, ::2], 0),
        "expanded values": (draw(dtype, BATCH, 1).expand(BATCH, 4), 0),
        "expanded batch": (draw(dtype, 1, 4).expand(BATCH, 4), 0),
        "no batch dimension": (draw(dtype, 3, 4), None),
        "no batch dimension, one value": (draw(dtype, 1), None),
        "no values": (draw(dtype, BATCH, 0), 0),
        "no values, no batch dimension": (draw(dtype, 0, 3), None),
        "large": (draw(dtype, BATCH, 14_000), 0),
        "zeros": (torch.zeros(BATCH, 3, dtype=dtype), 0),
    }


def non_finite(dtype: torch.dtype) -> Cases:
    cases: Cases = {}
    special = {
        "nan": [math.nan],
        "inf": [math.inf],
        "minus inf": [-math.inf],
        "both inf": [math.inf, -math.inf],
        "all": [math.nan, math.inf],
    }
    for name, values in special.items():
        if dtype == torch.float8_e4m3fn and name != "nan":
            continue  # It has no infinity.
        tensor = draw(torch.float32, BATCH, 6)
        for position, value in enumerate(values):
            tensor[position, 2] = value
        cases[name] = (tensor.to(dtype), 0)
    cases["only nan"] = (torch.full((BATCH, 2), math.nan).to(dtype), 0)
    cases["nan in the single value"] = (torch.tensor([[1.0], [math.nan], [2.0], [3.0], [4.0]]).to(dtype), 0)
    return cases


def record(recorder: ComgraRecorder, cases: Cases, batch_size: int = BATCH) -> dict[str, Record]:
    with recorder.batch(0, batch_size), recorder.iteration():
        for name, (tensor, batch_dimension) in cases.items():
            recorder.register_tensor(name, tensor, index_of_batch_dimension=batch_dimension)
    records = read_records(recorder)
    assert {name for _, name, _ in records} == set(cases)
    return {name: each for (_, name, _), each in records.items()}


def assert_close(label: str, actual: Sequence[float], expected: Sequence[float], tolerance: float) -> None:
    assert len(actual) == len(expected), label
    scale = max([abs(value) for value in expected if math.isfinite(value)], default=1.0)
    for got, wanted in zip(actual, expected, strict=True):
        same = (math.isnan(got) and math.isnan(wanted)) or got == wanted or abs(got - wanted) <= tolerance * max(scale, 1e-3)
        assert same, f"{label}: {list(actual)} instead of {list(expected)}"


def as_numbers(values: np.ndarray[tuple[int, ...], np.dtype[np.generic]], stored: str) -> list[float]:
    if stored == "BF16":
        values = (values.astype(np.uint32) << 16).view(np.float32)
    return [float(value) for value in values.reshape(-1).tolist()]


def check(name: str, tensor: Tensor, batch_dimension: int | None, recorded: int, actual: Record) -> None:
    dimension = batch_dimension if batch_dimension is None else batch_dimension % tensor.dim()
    entry = actual.entry
    tolerance = 1e-12 if entry.precision == "F64" else 2e-6
    assert entry.dtype == NAMES[tensor.dtype]
    assert entry.shape == tuple(tensor.shape)
    assert entry.batch_dimension == dimension
    assert actual.counts == [*slow_twin.counts(tensor), 0], name
    assert_close(f"extrema of {name}", actual.extrema, slow_twin.extrema(tensor), 0.0)
    expected = slow_twin.statistics(tensor, dimension, recorded)
    assert list(actual.statistics) == list(expected)
    for item, numbers in expected.items():
        assert_close(f"{item} of {name}", actual.statistics[item], numbers, tolerance)
    samples = slow_twin.samples_of(tensor, dimension)
    stored = [value for sample in (samples if dimension is None else samples[:recorded]) for value in sample]
    assert_close(f"values of {name}", as_numbers(actual.values, entry.stored), stored, 0.0)
    if dimension is not None:
        for row, numbers in enumerate(slow_twin.aggregates(tensor, dimension)):
            if numbers:
                assert_close(f"aggregate {row} of {name}", actual.aggregates[row].tolist(), numbers, tolerance)


@pytest.mark.parametrize("dtype", [*FLOATS, *INTEGERS], ids=str)
def test_every_dtype_in_every_layout(make_recorder: MakeRecorder, dtype: torch.dtype) -> None:
    cases = layouts(dtype)
    records = record(make_recorder(max_num_batch_size_to_record=2), cases)
    for name, (tensor, batch_dimension) in cases.items():
        check(name, tensor, batch_dimension, 2, records[name])


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_values_that_are_not_finite(recorder: ComgraRecorder, dtype: torch.dtype) -> None:
    cases = non_finite(dtype)
    records = record(recorder, cases)
    for name, (tensor, batch_dimension) in cases.items():
        check(name, tensor, batch_dimension, BATCH, records[name])


@pytest.mark.parametrize("batch_size", [0, 1])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16, torch.int32], ids=str)
def test_a_batch_of_one_sample_and_of_none(recorder: ComgraRecorder, dtype: torch.dtype, batch_size: int) -> None:
    cases: Cases = {
        "some": (draw(dtype, batch_size, 4), 0),
        "second": (draw(dtype, 4, batch_size), 1),
        "none": (draw(dtype, batch_size, 0), 0),
    }
    records = record(recorder, cases, batch_size)
    for name, (tensor, batch_dimension) in cases.items():
        check(name, tensor, batch_dimension, batch_size, records[name])


def test_integers_beyond_the_precision_of_float32(recorder: ComgraRecorder) -> None:
    tensor = torch.tensor([[2**40 + 1, 2**40 + 3], [5, -7]])
    actual = record(recorder, {"big": (tensor, 0)}, batch_size=2)["big"]
    assert actual.statistics["mean"][3:] == [2**40 + 2, -1]
    assert actual.extrema == [-7, 2**40 + 3]
    assert actual.values.tolist() == [2**40 + 1, 2**40 + 3, 5, -7]


@pytest.mark.parametrize(
    ("dtype", "scale"),
    [
        (torch.float32, 1e-37),
        (torch.float32, 1e-24),
        (torch.float32, 1e19),
        (torch.float32, 1e37),
        (torch.float64, 1e-300),
        (torch.float64, 1e300),
    ],
)
def test_deviations_at_every_scale(recorder: ComgraRecorder, dtype: torch.dtype, scale: float) -> None:
    tensor = torch.tensor([[1, 2, 3, 4], [1, 2, 3, 8]], dtype=dtype) * scale
    statistics = record(recorder, {"x": (tensor, 0)}, 2)["x"].statistics
    # The variance of 1, 2, 3, 4 is 5 / 3, and that of 1, 2, 3, 8 is 29 / 3. The means are 2.5 and 3.5.
    expected = [math.sqrt(5 / 3) * scale, math.sqrt(29 / 3) * scale]
    assert statistics["std"][3:] == pytest.approx(expected, rel=1e-6, abs=0)
    assert statistics["mean"][2] == pytest.approx(math.sqrt(0.5) * scale, rel=1e-6, abs=0)


def test_deviations_where_there_is_no_float64() -> None:
    tensor = torch.tensor([[1e-24, 2e-24, 6e-24], [5, 5, 5], [1e37, 2e37, 6e37], [1, math.nan, 2], [1, math.inf, 2]])
    result = _scaled_std(tensor).tolist()
    assert result[:3] == pytest.approx([math.sqrt(7) * 1e-24, 0, math.sqrt(7) * 1e37], rel=1e-6, abs=0)
    assert all(math.isnan(value) for value in result[3:])


def test_half_precision_is_widened_before_it_is_summed(recorder: ComgraRecorder) -> None:
    # 2,000 values of 60 sum to 120,000, which float16 cannot hold, and bfloat16 would stop counting long before.
    cases: Cases = {str(dtype): (torch.full((1, 2000), 60.0, dtype=dtype), 0) for dtype in (torch.float16, torch.bfloat16)}
    for actual in record(recorder, cases, batch_size=1).values():
        assert actual.statistics["mean"] == [60, 60, 0, 60]


def test_a_number_without_dimensions_has_no_batch(recorder: ComgraRecorder) -> None:
    actual = record(recorder, {"number": (torch.tensor(2.5), 0)})["number"]
    assert (actual.entry.kind, actual.entry.batch_dimension, actual.statistics) == ("single_value", None, {"single_value": [2.5]})
    assert actual.values.size == 0


def test_kinds_store_what_they_should(recorder: ComgraRecorder) -> None:
    tensor = draw(torch.float32, BATCH, 3)
    matrix = torch.tensor([[3.0, 0.0], [0.0, -4.0]])
    with recorder.batch(0, BATCH), recorder.iteration():
        recorder.register_tensor("kpis", tensor.clone(), recording_type="kpis")
        recorder.register_tensor("neuron without samples", tensor.clone(), record_per_batch_index=False)
        recorder.register_tensor("loss", (tensor**2).mean(), is_loss=True)
        recorder.register_tensor("matrix", matrix, index_of_batch_dimension=None, recording_type="kpis_and_svd")
    records = {name: each for (_, name, _), each in read_records(recorder).items()}
    assert records["kpis"].values.size == records["kpis"].aggregates.size == 0
    assert_close("kpis", records["kpis"].statistics["std"], slow_twin.statistics(tensor, 0, BATCH)["std"], 2e-6)
    assert records["neuron without samples"].entry.samples == records["neuron without samples"].values.size == 0
    assert records["neuron without samples"].aggregates.shape == (3, 3)
    assert_close("loss", records["loss"].statistics["single_value"], [slow_twin.mean([v**2 for v in tensor.reshape(-1).tolist()])], 2e-6)
    assert records["matrix"].statistics["svd"] == pytest.approx([4.0])


def test_singular_values_of_parameters(make_recorder: MakeRecorder) -> None:
    module = torch.nn.Module()
    matrices = {
        "diagonal": torch.diag(torch.tensor([3.0, -7.0])),
        "row": torch.tensor([[3.0, 4.0]]),
        "bf16": torch.tensor([[0.0, 2.0], [0.0, 0.0]], dtype=torch.bfloat16),
        "broken": torch.tensor([[math.nan, 1.0], [0.0, 1.0]]),
        "empty": torch.zeros(0, 3),
        "cube": torch.ones(2, 2, 2),
    }
    for name, matrix in matrices.items():
        module.register_parameter(name, torch.nn.Parameter(matrix))
    recorder = make_recorder()
    recorder.track_module("m", module)
    without = make_recorder(calculate_svd_and_other_expensive_operations_of_parameters=False)
    without.track_module("m", module)
    for each in (recorder, without):
        with each.batch(0, 1), each.iteration():
            pass
    records = {name.removeprefix("m."): each for (_, name, _), each in read_records(recorder).items()}
    singular_values = {name: each.statistics["svd"] for name, each in records.items() if "svd" in each.statistics}
    assert singular_values.keys() == matrices.keys() - {"cube"}
    expected = {"diagonal": [7], "row": [5], "bf16": [2], "broken": [math.nan], "empty": [math.nan]}
    for name, numbers in expected.items():
        assert singular_values[name] == pytest.approx(numbers, nan_ok=True), name
    assert not any("svd" in each.statistics for each in read_records(without).values())


def test_values_are_those_at_registration(recorder: ComgraRecorder) -> None:
    small = torch.ones(BATCH, 2, requires_grad=True) * 3
    large = torch.ones(BATCH, 20_000, requires_grad=True) * 3
    counter = torch.zeros(BATCH, dtype=torch.int64)
    with recorder.batch(0, BATCH), recorder.iteration():
        for name, tensor in (("small", small), ("large", large), ("counter", counter)):
            recorder.register_tensor(name, tensor)
            tensor.mul_(-100).sub_(1)
    records = {name: each for (_, name, _), each in read_records(recorder).items()}
    for name, value in (("small", 3), ("large", 3), ("counter", 0)):
        assert set(records[name].values.tolist()) == {value}, name
        assert records[name].extrema == [value, value]


def test_a_tensor_registered_again_after_an_in_place_operation_has_its_new_values(recorder: ComgraRecorder) -> None:
    result = torch.ones(BATCH, 2, requires_grad=True) * 3
    counter = torch.zeros(BATCH, dtype=torch.int64)
    with recorder.batch(0, BATCH), recorder.iteration():
        recorder.register_tensor("result", result)
        recorder.register_tensor("counter", counter)
        recorder.register_tensor("result doubled", result.mul_(2))
        recorder.register_tensor("counter plus one", counter.add_(1))
        recorder.register_tensor("counter under another name", counter)
    means = {name: each.statistics["mean"][0] for (_, name, _), each in read_records(recorder).items()}
    assert means == {"result": 3, "counter": 0, "result doubled": 6, "counter plus one": 1}


def test_facts_of_a_tensor(recorder: ComgraRecorder) -> None:
    weight = torch.randn(3, 2, requires_grad=True)
    x = torch.randn(BATCH, 3)
    with recorder.batch(0, BATCH), recorder.iteration():
        recorder.register_tensor("x", x, is_input=True)
        recorder.register_tensor("h", x @ weight)
        recorder.register_tensor("s", torch.sigmoid(x @ weight), node_name="outputs", role_within_node="squashed")
    entries = {name: each.entry for (_, name, _), each in read_records(recorder).items()}
    assert [entries[name].operation for name in ("x", "h", "s")] == [None, "MmBackward0", "SigmoidBackward0"]
    assert [entries[name].type for name in ("x", "h", "s")] == ["input", "calculated", "calculated"]
    assert (entries["s"].node, entries["s"].role) == ("outputs", "squashed")
    assert (entries["h"].node, entries["h"].role) == ("h", "h")


@pytest.mark.parametrize("stack_values", [4_194_304, 100, 1])
def test_values_of_many_equal_tensors_do_not_mix(recorder: ComgraRecorder, monkeypatch: pytest.MonkeyPatch, stack_values: int) -> None:
    monkeypatch.setattr(compute, "_STACK_VALUES", stack_values)
    tensors = {f"t{index}": torch.full((BATCH, 2), float(index)) for index in range(300)}
    records = record(recorder, {name: (tensor, 0) for name, tensor in tensors.items()})
    for index in range(300):
        assert records[f"t{index}"].extrema == [index, index]
        assert set(records[f"t{index}"].values.tolist()) == {index}
