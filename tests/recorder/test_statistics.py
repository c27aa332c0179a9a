"""The shortcuts that statistics take on the CPU, against the way without them and against the slow twin."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
import torch
from recorder import slow_twin
from torch import Tensor

from comgra_export.recorder import statistics
from comgra_export.recorder.calm_statistics import calm_summary
from comgra_export.recorder.flat_statistics import flat_summary
from comgra_export.recorder.statistics import Summary, pick, summarize

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


@pytest.mark.parametrize("name", DELICATE)
def test_harmless_values_take_the_shortcut_and_have_the_same_numbers(name: str) -> None:
    stack = DELICATE[name]()
    calm = calm_summary(stack, True)
    assert calm is not None
    for index, tensor in enumerate(stack):
        assert calm.counts[index].tolist() == slow_twin.counts(tensor)
        assert calm.extrema[index].tolist() == slow_twin.extrema(tensor)
        for item, values in zip(("mean", "abs_mean", "std", "abs_max"), calm.items[index], strict=True):
            expected = [slow_twin.item_of(sample, item) for sample in slow_twin.samples_of(tensor, 0)]
            # Means can cancel out; deviations and magnitudes are right to six digits, each by itself.
            scale = tensor.abs().max().item() * 1e-7 if item == "mean" else 0
            assert values.tolist() == pytest.approx(expected, rel=2e-6, abs=scale), item
        assert calm.aggregates is not None
        for row, expected in zip(calm.aggregates[index], slow_twin.aggregates(tensor, 0), strict=True):
            largest = max(abs(value) for value in expected)
            assert row.tolist() == pytest.approx(expected, rel=2e-6, abs=largest * 3e-7)


@pytest.mark.parametrize("name", ["columns of many magnitudes", "some columns constant", "usual"])
def test_deviations_over_the_batch_are_right_each_by_itself(name: str) -> None:
    stack = DELICATE[name]()
    calm = calm_summary(stack, True)
    assert calm is not None
    assert calm.aggregates is not None
    assert calm.aggregates[:, 2] == pytest.approx(stack.double().std(dim=1), rel=2e-6, abs=1e-9 if "constant" in name else 0)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, 1e20, -1e38])
def test_other_values_do_not_take_the_shortcut(value: float) -> None:
    stack = torch.randn(2, B, N)
    stack[1, 2, 3] = value
    assert calm_summary(stack, True) is None
    assert calm_summary(torch.randn(2, B, N, dtype=torch.float64), True) is None
    assert calm_summary(torch.zeros(2, 0, N), True) is None


def test_zeros_of_a_tensor_too_large_to_count_in_float32(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("comgra_export.recorder.calm_statistics._COUNTABLE", 100)
    stack = torch.randn(2, B, N)
    stack[0, 0, :7] = 0
    stack[1, :, 0] = 0
    calm = calm_summary(stack, False)
    assert calm is not None
    assert calm.counts[:, 3].tolist() == [7, B]


def test_small_tensors_of_many_shapes_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    tensors = [
        torch.randn(5, 3),
        torch.tensor([[math.nan, 1, math.inf, 0]]),
        torch.full((2,), math.nan),
        torch.tensor([-math.inf, 2]),
        torch.tensor(3.0),
        torch.randn(4) * 1e-30,
        torch.randn(7, 2, 2) * 1e37,
        torch.zeros(4, dtype=torch.bfloat16),
        torch.tensor([True, False, True]),
        torch.randn(6, 6).t()[::2],
    ]
    monkeypatch.setattr(statistics, "calm_summary", lambda *_: None)
    flat = flat_summary(tensors)
    for index, tensor in enumerate(tensors):
        one = summarize(tensor.reshape(1, 1, -1), torch.float32, "kpis", None)
        assert flat.counts[index].tolist() == one.counts[0].tolist() == slow_twin.counts(tensor)
        assert flat.extrema[index].tolist() == pytest.approx(slow_twin.extrema(tensor), nan_ok=True, rel=0, abs=0)
        assert flat.items[index].tolist() == pytest.approx(one.statistics[0].tolist(), nan_ok=True, rel=1e-6, abs=0)


def parts_of(summary: Summary) -> list[Tensor]:
    return [part for part in (summary.counts, summary.extrema, summary.statistics, summary.aggregates, summary.values) if part is not None]


@pytest.mark.parametrize("positions", [[], [0, 1, 2], [2, 3], [4, 0, 3], [1, 1]])
def test_samples_at_any_positions(positions: list[int]) -> None:
    stack = torch.arange(2 * B * 3.0).view(2, B, 3)
    assert pick(stack, 1, positions).tolist() == stack[:, positions].tolist()
    summary = summarize(stack, torch.float32, "neuron", positions)
    assert summary.values is not None
    assert summary.values.tolist() == stack[:, positions].reshape(2, -1).tolist()
    mean_per_sample = summary.statistics.view(2, 4, 3 + len(positions))[:, 0, 3:]
    assert mean_per_sample.tolist() == stack.mean(dim=2)[:, positions].tolist()


def test_nothing_waits_for_a_device() -> None:
    # A meta tensor has no values: whatever needs one raises, as on a device it would wait.
    for dtype, precision in ((torch.float32, torch.float32), (torch.bfloat16, torch.float32), (torch.int64, torch.float64)):
        stack = torch.zeros(3, B, N, dtype=dtype, device="meta")
        for part in parts_of(summarize(stack, precision, "neuron", [2, 0])):
            assert part.device.type == "meta"
    with pytest.raises(RuntimeError):
        bool(torch.zeros((), device="meta"))
