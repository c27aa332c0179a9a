"""What it costs to record a gradient flow, against the plain backward pass."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from benchmarks.harness.table import Row
from benchmarks.harness.timing import in_turn, ratios
from benchmarks.harness.workload import Workload
from comgra_export import ComgraRecorder

__all__ = ["HEADING", "measure"]

HEADING = "Recording a gradient flow between two layers, by vector-Jacobian products"


def measure(workload: Workload) -> list[Row]:
    """Measure flows through convolutions, whose elements share products, and a dense pair of layers, whose elements do not."""
    side, size, channels = (8, 8, 4) if workload.quick else (32, 56, 64)
    torch.manual_seed(0)
    with ComgraRecorder(workload.folder / "gradient flow") as recorder:
        small, large = (_Flow(recorder, _convolution_layers(*sizes)) for sizes in ((16, 8), (size, channels)))
        dense = _Flow(recorder, _dense_layers(side))
        calls = {f"{name}, {kind}": call for name, flow in (("small", small), ("dense", dense)) for kind, call in flow.calls.items()}
        times = in_turn(calls, 1 if workload.quick else 20)
        times |= in_turn({f"large, {kind}": call for kind, call in large.calls.items()}, 1 if workload.quick else 3)
        # All other steps were dropped.
        with recorder.batch(0, 1), recorder.iteration():
            pass
    rows = []
    for name, flow, label, what in (
        ("dense", dense, "dense layers", f"{side} x {side} to {side} x {side}: {side**4:,} flows"),
        ("small", small, "convolution", f"3 x 3, 16 x 16 in 8 channels: {8 * 8 * (16 * 3 - 2) ** 2:,} flows"),
        ("large", large, "large convolution", f"3 x 3, {size} x {size} in {channels} channels: at most 4,000,000 flows"),
    ):
        plain, recorded = times[f"{name}, plain"], times[f"{name}, flow"]
        rows.append(Row(f"{label}: backward pass alone", [time * 1000 for time in plain], "ms"))
        rows.append(Row(f"{label}: gradient flow", [time * 1000 for time in recorded], "ms", what))
        rows.append(Row(f"{label}: gradient flow: ratio", ratios(recorded, plain), "x", f"into {flow.elements:,} elements"))
        if flow is dense:
            rows.append(Row(f"{label}: products per second", [flow.elements / time for time in recorded], "1/s"))
    return rows


class _Flow:
    """A gradient flow that can be recorded again and again.

    Attributes:
        elements: How many elements the later layer has.
        calls: The plain backward pass, and recording the flow.
    """

    def __init__(self, recorder: ComgraRecorder, layers: dict[str, Tensor]) -> None:
        self._recorder = recorder
        self._layers = layers
        last = list(layers.values())[-1]
        self._loss = last.square().sum()
        self.elements = last.numel()
        self.calls = {"plain": self._backward, "flow": self._record}

    def _backward(self) -> None:
        self._loss.backward(retain_graph=True)

    def _record(self) -> None:
        recorder = self._recorder
        recorder.start_batch(0, 1, override__recording_is_active=True)
        recorder.start_iteration()
        recorder.record_gradient_flow(self._loss, self._layers)
        recorder.abandon_batch()


def _convolution_layers(size: int, channels: int) -> dict[str, Tensor]:
    x = torch.rand(1, channels, size, size, requires_grad=True)
    return {"x": x, "y": nn.Conv2d(channels, channels, 3, padding=1)(x.tanh())}


def _dense_layers(side: int) -> dict[str, Tensor]:
    x = torch.rand(1, side, side, requires_grad=True)
    weight = torch.randn(side**2, side**2) / side
    return {"x": x, "y": (x.flatten(1) @ weight).view(1, side, side)}
