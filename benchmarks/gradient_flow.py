"""What it costs to record a gradient flow, product by product, against the plain backward pass."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from benchmarks.table import Row
from benchmarks.timing import in_turn, ratios
from benchmarks.workload import Workload
from comgra_export import ComgraRecorder

__all__ = ["HEADING", "measure"]

HEADING = "Recording a gradient flow: 16 x 16 pictures in two convolutions with 8 channels, and two layers of 32 x 32"

_SIDE = 32


def measure(workload: Workload) -> list[Row]:
    """Measure products through a convolution, and a dense pair of layers."""
    side = 8 if workload.quick else _SIDE
    torch.manual_seed(0)
    with ComgraRecorder(workload.folder / "gradient flow") as recorder:
        convolutions, dense = _Flow(recorder, _convolution_layers()), _Flow(recorder, _dense_layers(side))
        calls = {"plain": convolutions.backward, "convolutions": convolutions.record, "dense": dense.record}
        times = in_turn(calls, 1 if workload.quick else 20)
        # All other steps were dropped.
        with recorder.batch(0, 1), recorder.iteration():
            pass
    count, plain, flow = convolutions.products, times["plain"], times["convolutions"]
    return [
        Row("two convolutions: backward pass alone", [time * 1000 for time in plain], "ms"),
        Row("two convolutions: gradient flow", [time * 1000 for time in flow], "ms", f"into {count:,} elements"),
        Row("two convolutions: elements per second", [count / time for time in flow], "1/s"),
        Row("two convolutions: gradient flow: backward passes", ratios(flow, plain), "x", f"into {count:,} elements"),
        Row("two dense layers: gradient flow", times["dense"], "s", f"{side} x {side} to {side} x {side}: {side**4:,} flows"),
    ]


class _Flow:
    """A gradient flow that can be recorded again and again.

    Attributes:
        products: How many elements of the later layer have a gradient.
    """

    def __init__(self, recorder: ComgraRecorder, layers: dict[str, Tensor]) -> None:
        self._recorder = recorder
        self._layers = layers
        last = list(layers.values())[-1]
        self._loss = last.square().sum()
        self.products = last.numel()

    def backward(self) -> None:
        self._loss.backward(retain_graph=True)

    def record(self) -> None:
        recorder = self._recorder
        recorder.start_batch(0, 1, override__recording_is_active=True)
        recorder.start_iteration()
        recorder.record_gradient_flow(self._loss, self._layers)
        recorder.abandon_batch()


def _convolution_layers() -> dict[str, Tensor]:
    first, second = nn.Conv2d(3, 8, 3, padding=1), nn.Conv2d(8, 8, 3, padding=1)
    before = first(torch.rand(1, 3, 16, 16))
    return {"first": before, "second": second(before.tanh())}


def _dense_layers(side: int) -> dict[str, Tensor]:
    x = torch.rand(1, side, side, requires_grad=True)
    weight = torch.randn(side**2, side**2) / side
    return {"x": x, "y": (x.flatten(1) @ weight).view(1, side, side)}
