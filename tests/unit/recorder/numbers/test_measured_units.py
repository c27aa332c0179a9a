"""Statistics of single units, by kernels and by torch, against numpy."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor, nn

import comgra_export
from comgra_export.native import load_kernels
from comgra_export.recorder.host.dtypes import number_type
from comgra_export.recorder.numbers.parts import FORWARD, Waiting
from comgra_export.recorder.numbers.unit_statistics import has_units, measure_directly, measure_units, unit_parts
from comgra_export.storage import find_recordings, open_recording
from comgra_export.storage.model.layout import positions_of_units
from support.storage.entries import tensor_entry

SHAPES = {
    "features": ((40, 7), 1),
    "more features than a block": ((70, 300), 1),
    "tokens": ((3, 5, 33), 2),
    "channels": ((4, 6, 5, 7), 1),
    "channels of long rows": ((3, 2, 600), 1),
    "more units than are kept": ((5, 2500), 1),
    "more channels than are kept": ((2, 1500, 3), 1),
    "one value": ((1, 1), 1),
    "several pieces": ((300, 600), 1),
}


def waiting_for(values: Tensor, dimension: int, group: str = FORWARD) -> Waiting:
    numbers = number_type(values.dtype)
    assert numbers is not None
    entry = tensor_entry(
        "t", kind="kpis", dtype=numbers.name, stored=numbers.stored, shape=tuple(values.shape), batch_dimension=0, unit_dimension=dimension
    )
    return Waiting((group, 0), entry, numbers, values)


def expected_of(values: Tensor, dimension: int) -> np.ndarray:
    by_unit = np.abs(np.moveaxis(values.double().numpy(), dimension, 0))
    by_unit = by_unit.reshape(len(by_unit), -1)[list(positions_of_units(len(by_unit)))]
    return np.concatenate([by_unit.max(axis=1), by_unit.mean(axis=1)])


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("way", ["kernels", "torch"])
def test_every_unit_is_measured_over_all_others(name: str, way: str) -> None:
    shape, dimension = SHAPES[name]
    values = torch.randn(shape, generator=torch.Generator().manual_seed(0)).relu()
    waiting = waiting_for(values, dimension)
    if way == "kernels":
        if load_kernels() is None:
            pytest.skip("there are no kernels")
        measured = measure_directly(waiting)
        assert measured is not None
    else:
        measured = measure_units(values, waiting.entry, torch.float32).numpy()
    np.testing.assert_allclose(measured, expected_of(values, dimension), rtol=1e-5)


@pytest.mark.parametrize("dtype", [torch.float64, torch.bfloat16, torch.float16])
def test_other_dtypes_are_measured_by_torch(dtype: torch.dtype) -> None:
    values = torch.randn(30, 9, generator=torch.Generator().manual_seed(0)).to(dtype)
    waiting = waiting_for(values, 1)
    assert measure_directly(waiting) is None
    ((_, rows),) = unit_parts([waiting], lambda _, error: pytest.fail(str(error)))
    np.testing.assert_allclose(rows[0].numpy(), expected_of(values, 1), rtol=1e-5)


def test_transposed_memory_is_measured_as_it_is_seen() -> None:
    values = torch.randn(9, 30, generator=torch.Generator().manual_seed(0)).T
    ((_, rows),) = unit_parts([waiting_for(values, 1)], lambda _, error: pytest.fail(str(error)))
    np.testing.assert_allclose(rows[0].numpy(), expected_of(values, 1), rtol=1e-5)


@pytest.mark.parametrize("shape", [(40, 5), (6, 5, 40)])
def test_nan_and_infinity_stay_in_their_units(shape: tuple[int, ...]) -> None:
    values = torch.ones(shape)
    values[2, 1], values[3, 3] = torch.nan, -torch.inf
    ((_, rows),) = unit_parts([waiting_for(values, 1)], lambda _, error: pytest.fail(str(error)))
    largest, mean = rows[0].reshape(2, 5).tolist()
    assert [largest[unit] for unit in (0, 2, 4)] == [1, 1, 1] == [mean[unit] for unit in (0, 2, 4)]
    assert np.isnan([largest[1], mean[1]]).all()
    assert [largest[3], mean[3]] == [np.inf, np.inf]


def test_gradients_have_no_units() -> None:
    assert has_units(waiting_for(torch.ones(2, 3), 1))
    assert not has_units(waiting_for(torch.ones(2, 3), 1, "gradients"))


class _Network(nn.Module):
    """Units along three different dimensions, and dead ones."""

    def __init__(self) -> None:
        super().__init__()
        self.conv, self.relu = nn.Conv2d(3, 8, 3), nn.ReLU()
        self.conv1d, self.relu1d = nn.Conv1d(4, 6, 3), nn.ReLU()
        self.tokens, self.gelu = nn.Linear(5, 12), nn.GELU()
        self.tanh = nn.Tanh()
        nn.init.constant_(self.conv1d.bias, -100.0)  # type: ignore[arg-type]
        self.seen: dict[str, Tensor] = {}

    def forward(self, images: Tensor, signals: Tensor, tokens: Tensor) -> Tensor:
        channels, along, features = self.relu(self.conv(images)), self.relu1d(self.conv1d(signals)), self.gelu(self.tokens(tokens))
        self.seen = {"relu": channels.detach(), "relu1d": along.detach(), "gelu": features.detach().movedim(2, 1)}
        result: Tensor = self.tanh(channels.mean((1, 2, 3)) + along.mean((1, 2)) + features.mean((1, 2)))
        return result


def test_a_watched_network_has_them_without_being_asked(tmp_path: Path) -> None:
    torch.manual_seed(0)
    network = _Network()
    optimizer = torch.optim.SGD(network.parameters(), 0.1)
    with comgra_export.watch(network, tmp_path, name="net"):
        network(torch.randn(32, 3, 20, 20), torch.randn(32, 4, 20), torch.randn(32, 7, 5)).sum().backward()
        optimizer.step()
    (folder,) = find_recordings(tmp_path)
    recording = open_recording(folder)
    units = recording.units(0)
    assert {name for name, _ in units} == {"net.relu: output", "net.relu1d: output", "net.gelu: output"}
    for name, values in network.seen.items():
        # Two digits, and what is zero is exactly zero.
        np.testing.assert_allclose(units[f"net.{name}: output", 0].reshape(-1), expected_of(values, 1), rtol=2**-8)
    assert not units["net.relu1d: output", 0].any()


def test_units_that_cannot_be_measured_do_not_look_dead(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr("comgra_export.recorder.numbers.unit_statistics.measure_directly", lambda _: None)
    monkeypatch.setattr("comgra_export.recorder.numbers.unit_statistics.measure_units", fail)
    network = nn.Sequential(nn.Linear(3, 4), nn.ReLU())
    with pytest.warns(comgra_export.ComgraRecordingWarning), comgra_export.watch(network, tmp_path, name="net"):
        network(torch.ones(8, 3)).sum().backward()
    (folder,) = find_recordings(tmp_path)
    recording = open_recording(folder)
    assert np.isnan(recording.units(0)["net.1: output", 0]).all()
