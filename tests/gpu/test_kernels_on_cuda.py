"""The kernels on a CUDA device, against torch on the CPU. `make gpu-tests` runs it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from torch import Tensor, nn

from comgra_export import watch
from comgra_export.native.cuda.kernels import LARGEST_MATRIX
from comgra_export.recorder.cuda.devices import kernels_of
from comgra_export.recorder.cuda.memory import DeviceScratch
from comgra_export.recorder.numbers.buffers import Scratch
from comgra_export.recorder.numbers.compute import compute_numbers
from comgra_export.recorder.numbers.device_numbers import DeviceNumbers
from comgra_export.recorder.numbers.device_singular_values import device_singular_value_parts
from comgra_export.storage import find_recordings, open_recording
from support.recorder.device_numbers import SAMPLES, numbers_by_record, waiting
from support.recorder.fixtures import MakeRecorder
from support.recorder.reading import read_records

if not torch.cuda.is_available():
    pytest.skip("there is no CUDA device here", allow_module_level=True)

DEVICE = torch.device("cuda", 0)


@pytest.fixture(autouse=True)
def by() -> str:
    """These tests are about the kernels, and run once."""
    return "kernels"


VALUES: dict[str, tuple[Tensor, int | None]] = {
    "small": (torch.randn(8, 5), 0),
    "one value": (torch.randn(()), None),
    "many blocks": (torch.randn(5_000_001), None),
    "rows of many blocks": (torch.randn(3, 700_001), 0),
    "many rows": (torch.randn(5000, 33), 0),
    "bfloat16": (torch.randn(2000, 301).bfloat16(), 0),
    "float16": (torch.randn(2000, 301).half(), 0),
    "not aligned": (torch.randn(1_000_003)[3:], None),
    "transposed": (torch.randn(300, 2000).t(), None),
    "channels last": (torch.randn(8, 30, 40, 40).to(memory_format=torch.channels_last), 0),
    "not finite": (torch.tensor([[1.0, torch.nan, 2.0], [torch.inf, 1.0, 0.0], [-torch.inf, torch.inf, 3.0], [1.0, -0.0, 5.0]]), 0),
    "equal": (torch.full((40_000,), 1.1), None),
    "far from zero": (torch.randn(100_000) + 10_000, None),
}
UNITS: dict[str, tuple[int, ...]] = {
    "features": (4096, 768),
    "tokens": (8, 512, 300),
    "channels": (16, 64, 28, 28),
    "many features": (64, 5000),
    "few": (3, 2),
}


def test_there_are_kernels() -> None:
    assert kernels_of(DEVICE) is not None


def assert_as_on_the_cpu(values: Tensor, batch: int | None, units: int | None = None) -> None:
    on_cpu = waiting(0, values, batch, histogram=5000, units=units)
    numbers = DeviceNumbers(DeviceScratch())
    failed: list[object] = []
    expected = numbers_by_record(compute_numbers([on_cpu], SAMPLES, lambda *error: failed.append(error), Scratch(), None))
    assert failed == []
    for _ in range(2):  # The second time, the counters of blocks have been used.
        assert numbers.read(on_cpu._replace(values=values.to(DEVICE)), [on_cpu.key])
        computed = numbers_by_record([part._replace(rows=part.rows.cpu()) for part in numbers.parts(SAMPLES)])
        assert computed.keys() == expected.keys()
        for key, row in expected.items():
            torch.testing.assert_close(computed[key], row, rtol=3e-6, atol=1e-7, equal_nan=True, msg=str(key))


@pytest.mark.parametrize("name", VALUES)
def test_numbers_are_those_of_the_cpu(name: str) -> None:
    assert_as_on_the_cpu(*VALUES[name])


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("name", UNITS)
def test_units_are_those_of_the_cpu(name: str, dtype: torch.dtype) -> None:
    shape = UNITS[name]
    assert_as_on_the_cpu(torch.randn(shape).to(dtype), 0, 1 if len(shape) != 3 else 2)


def test_a_stream_may_end_the_step_of_another() -> None:
    values, side = torch.randn(3000, 3000, device=DEVICE), torch.cuda.Stream()
    tensor = waiting(0, values.cpu(), 0)
    numbers = DeviceNumbers(DeviceScratch())
    for _ in range(100):  # The default stream is busy when the other one reads the sums.
        values = (values @ values).clamp(-1, 1)
    assert numbers.read(tensor._replace(values=values), [tensor.key])
    with torch.cuda.stream(side):
        computed = numbers_by_record([part._replace(rows=part.rows.cpu()) for part in numbers.parts(SAMPLES)])
    assert computed[tensor.key, "extrema", 0].tolist() == [values.min().item(), values.max().item()]


@pytest.fixture(params=["highest", "high"])
def precision(request: pytest.FixtureRequest) -> Iterator[str]:
    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision(request.param)
    yield request.param
    torch.set_float32_matmul_precision(before)


def test_singular_values_are_those_of_a_decomposition(precision: str) -> None:
    shapes = [
        (768, 3072),
        (768, 768),
        (300, 768),
        (3, 5),
        (1, 1),
        (1000, 1100),
        (LARGEST_MATRIX, LARGEST_MATRIX),
        (2000, 10),
        (50_257, 768),
    ]
    matrices = [waiting(number, torch.randn(shape, device=DEVICE), kind="kpis_and_svd") for number, shape in enumerate(shapes)]
    # As after training: some singular values stand out.
    low_rank = torch.randn(900, 4, device=DEVICE) @ torch.randn(4, 700, device=DEVICE) + torch.randn(900, 700, device=DEVICE)
    matrices += [waiting(20, low_rank, kind="kpis_and_svd"), waiting(21, low_rank.bfloat16(), kind="kpis_and_svd")]
    matrices += [waiting(22, torch.zeros(50, 60, device=DEVICE), kind="kpis_and_svd")]
    matrices += [waiting(23, torch.eye(500, device=DEVICE), kind="kpis_and_svd")]
    parts = device_singular_value_parts(matrices)
    computed = {key: row.item() for (key, _, _), row in numbers_by_record(parts).items()}
    for matrix in matrices:
        expected = torch.linalg.svdvals(matrix.values.double())[0].item()
        assert computed[matrix.key] == pytest.approx(expected, rel=1e-5), matrix.values.shape


class Residual(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.Linear(400, 400), nn.Linear(400, 400)

    def forward(self, x: Tensor) -> Tensor:
        hidden = torch.relu(self.first(x))
        result: Tensor = hidden + self.second(hidden)
        return result


@pytest.mark.parametrize("batch", [4, 300])
def test_gradients_of_activations_are_those_that_hooks_see(batch: int, make_recorder: MakeRecorder) -> None:
    torch.manual_seed(5)
    model, recorder = Residual().to(DEVICE), make_recorder()
    seen: dict[str, Tensor] = {}

    def keep(name: str, tensor: Tensor) -> Tensor:
        tensor.register_hook(lambda gradient: seen.__setitem__(name, gradient.clone()))
        return tensor

    recorder.track_module("model", model)
    with recorder.batch(0, batch), recorder.iteration():
        x = torch.randn(batch, 400, device=DEVICE)
        recorder.register_tensor("x", x, is_input=True)
        hidden = keep("hidden", torch.relu(model.first(x)))
        branch = keep("branch", model.second(hidden))
        total = keep("total", hidden + branch)
        for name, tensor in (("hidden", hidden), ("branch", branch), ("total", total)):
            recorder.register_tensor(name, tensor, recording_type="kpis")
        loss = total.square().mean()
        recorder.register_tensor("loss", loss, is_loss=True)
        loss.backward()
        recorder.record_current_gradients("gradients")
    recorder.finalize()
    records = read_records(recorder)
    for name, gradient in seen.items():
        record = records["gradients", name, 0]
        assert record.extrema == pytest.approx([gradient.min().item(), gradient.max().item()])
        assert record.statistics["abs_mean"][0] == pytest.approx(gradient.abs().mean().item(), rel=1e-5)
    assert records["gradients", "model.first.weight", -1].statistics["mean"][0] == pytest.approx(
        model.first.weight.grad.mean().item(),  # type: ignore[union-attr]
        rel=1e-4,
    )


def test_large_activations_are_recorded_without_being_held(tmp_path: Path) -> None:
    layers = [layer for _ in range(6) for layer in (nn.Linear(2048, 2048), nn.ReLU())]
    model = nn.Sequential(*layers).to(DEVICE)
    optimizer = torch.optim.SGD(model.parameters(), 0.01)
    x = torch.randn(30_000, 2048, device=DEVICE)  # 246 MB, and so is the gradient of each layer: together more than the limit of 2 GB.
    with watch(model, tmp_path, every=1, strict=True):
        model(x).square().mean().backward()
        optimizer.step()
    (recording,) = map(open_recording, find_recordings(tmp_path))
    assert recording.step(0).gaps == ()
