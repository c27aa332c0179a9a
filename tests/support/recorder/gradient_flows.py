"""What tests of statistics taken during backward share: a step with large tensors, and what is recorded of their gradients."""

from __future__ import annotations

import weakref
from dataclasses import dataclass, field

import pytest
import torch
from torch import Tensor, nn

from comgra_export import ComgraRecorder
from support.recorder.reading import Record, read_records

__all__ = ["SHAPE", "B", "Flow", "check", "check_all", "leaf", "plain", "with_only_a_bias", "zeros"]

B = 4


SHAPE = (B, 20_000)


@dataclass
class Flow:
    """The gradients of a recorded step: their sums in float64 by a separate hook, and whether anything still holds them."""

    recorder: ComgraRecorder
    totals: dict[str, Tensor] = field(default_factory=dict)
    _gradients: dict[str, list[weakref.ref[Tensor]]] = field(default_factory=dict)

    def note(self, name: str, tensor: Tensor) -> Tensor:
        self.recorder.register_tensor(name, tensor, recording_type="kpis")

        def add(gradient: Tensor) -> None:
            wide = gradient.detach().double()
            self.totals[name] = self.totals[name] + wide if name in self.totals else wide
            self._gradients.setdefault(name, []).append(weakref.ref(gradient))

        tensor.register_hook(add)
        return tensor

    def held(self) -> set[str]:
        return {name for name, gradients in self._gradients.items() if any(gradient() is not None for gradient in gradients)}


def leaf(scale: float = 1.0) -> Tensor:
    return (torch.randn(SHAPE) * scale).requires_grad_()


def check(record: Record, total: Tensor) -> None:
    """Compares the statistics of a record with those of a gradient in float64."""
    finite = total[total.isfinite()]
    assert record.counts == [int(total.isnan().sum()), int((total == torch.inf).sum()), int((total == -torch.inf).sum()), *zeros(total), 0]
    assert record.extrema == pytest.approx([finite.min().item(), finite.max().item()], rel=1e-6)
    if len(finite) < total.numel():
        return
    rows = total.flatten(1)
    expected = {
        "mean": rows.mean(1),
        "abs_mean": rows.abs().mean(1),
        "std": rows.std(1),
        "abs_max": rows.abs().amax(1),
    }
    for name, values in expected.items():
        # Over the batch: mean, largest magnitude, standard deviation. Then each sample.
        over_batch = [values.mean(), values.abs().max(), values.std()]
        close = pytest.approx([float(number) for number in (*over_batch, *values)], rel=2e-5, abs=1e-6 * float(rows.abs().max()))
        assert record.statistics[name] == close, name


def zeros(total: Tensor) -> list[int]:
    return [int((total == 0).sum())]


def check_all(recorder: ComgraRecorder, totals: dict[str, Tensor], group: str = "gradients") -> None:
    records = {name: record for (of, name, _), record in read_records(recorder).items() if of == group}
    assert set(records) == set(totals)
    for name, total in totals.items():
        check(records[name], total)


def plain(flow: Flow) -> None:
    hidden = flow.note("hidden", leaf() * leaf())
    for number in range(4):
        hidden = flow.note(f"relu {number}", (flow.note(f"product {number}", hidden * leaf())).relu())
    hidden.square().sum().backward()


def with_only_a_bias(size: int) -> nn.Linear:
    """A layer whose bias alone is trained. It saves nothing, so that a second backward pass comes through."""
    layer = nn.Linear(2, size)
    layer.weight.requires_grad_(False)
    return layer
