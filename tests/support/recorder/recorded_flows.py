"""Records gradient flows and reads them for tests."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from comgra_export import ComgraRecorder
from comgra_export.storage import FlowNumbers, GradientFlow, open_recording
from support.recorder.reading import folder_of

Matrix = NDArray[Any]


def record_flow(recorder: ComgraRecorder, layers: Mapping[str, Tensor], loss: Tensor, step: int = 0, **arguments: Any) -> None:  # noqa: ANN401
    """Records a step with only a gradient flow."""
    with recorder.batch(step, 1), recorder.iteration():
        recorder.record_gradient_flow(loss, layers, **arguments)


def read_flow(recorder: ComgraRecorder, step: int = 0, position: int = 0) -> tuple[GradientFlow, FlowNumbers]:
    recording = open_recording(folder_of(recorder))
    return recording.step(step).flows[position], recording.flow_numbers(step, position)


def dense_flows(flow: GradientFlow, numbers: FlowNumbers, pair: int = 0) -> Matrix:
    """The flows between two layers, `[F, N, M]`, put in one after another."""
    source, target = flow.layers[flow.pairs[pair].source], flow.layers[flow.pairs[pair].target]
    own = numbers.pairs[pair]
    dense = np.zeros((flow.sample_count * source.size, target.size))
    for row in range(len(dense)):
        for place in range(own.starts[row], own.starts[row + 1]):
            dense[row, own.targets[place]] = own.flows[place]
    return dense.reshape(flow.sample_count, source.size, target.size)


def expected_flows(segment: Callable[[Tensor], Tensor], x: Tensor, gradient: Tensor, sample: int | None) -> Matrix:
    """`[N, M]`: Jacobian times gradient, by `torch.autograd.functional.jacobian`, within a sample of the first dimension."""
    jacobian = torch.autograd.functional.jacobian(segment, x.detach())
    if sample is not None:
        jacobian = jacobian.select(gradient.dim(), sample)[sample]
        gradient = gradient[sample]
    weighted = jacobian.reshape(gradient.numel(), -1) * gradient.reshape(-1, 1)
    matrix: Matrix = weighted.T.numpy()
    return matrix
