"""Shared products give the same flows as separate products, and nothing is shared without proof."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch.autograd.graph import get_gradient_edge

from comgra_export import ComgraRecorder
from comgra_export.recorder.flows import pairs
from comgra_export.recorder.flows.receptive_fields import windows_between
from comgra_export.recorder.flows.vjp import Products
from comgra_export.storage import FlowNumbers, GradientFlow
from support.recorder.fixtures import MakeRecorder
from support.recorder.recorded_flows import dense_flows, read_flow, record_flow

Segment = Callable[[Tensor], Tensor]


class Counted:
    """Counts the products that are computed."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.products = 0
        multiply = Products.multiply

        def counting(products: Products, vectors: Tensor) -> Tensor | None:
            self.products += len(vectors)
            return multiply(products, vectors)

        monkeypatch.setattr(Products, "multiply", counting)


LOCAL: dict[str, tuple[Callable[[], Segment], tuple[int, ...], int]] = {
    # The products that remain after sharing: the periods in all dimensions, multiplied.
    "ReLU": (nn.ReLU, (3, 9), 1),
    "scaled": (lambda: lambda x: -(x * 3 + 1) / torch.rand(9), (9,), 1),
    "convolution": (lambda: nn.Conv2d(2, 3, 3, padding=1), (2, 9, 11), 3 * 3 * 3),
    "strided convolution": (lambda: nn.Conv2d(1, 2, 3, stride=2, padding=1), (1, 12, 12), 2 * 2 * 2),
    "strided further than it reaches": (lambda: nn.Conv1d(1, 2, 2, stride=3), (1, 12), 2),
    "dilated, grouped convolution": (lambda: nn.Conv1d(4, 4, 3, dilation=2, groups=2), (4, 20), 4 * 5),
    "transposed convolution": (lambda: nn.ConvTranspose1d(2, 3, 3, stride=2, padding=1, output_padding=1), (2, 10), 3 * 3),
    "two convolutions": (lambda: nn.Sequential(nn.Conv1d(1, 2, 3), nn.Tanh(), nn.Conv1d(2, 1, 3)), (1, 20), 5),
    "convolution, normalization, pooling": (
        lambda: nn.Sequential(nn.Conv2d(1, 2, 3, padding=1), nn.BatchNorm2d(2).eval(), nn.LeakyReLU(), nn.MaxPool2d(2)),
        (1, 16, 16),
        2 * 2 * 2,
    ),
    "overlapping pooling": (lambda: nn.AvgPool2d(4, stride=2, padding=1), (2, 16, 12), 2 * 2),
}
ALONE: dict[str, tuple[Callable[[], Segment], tuple[int, ...]]] = {
    "batch normalization, training": (lambda: nn.BatchNorm1d(3), (3, 5)),
    "layer normalization": (lambda: nn.LayerNorm(5), (3, 5)),
    "residual block": (lambda: lambda x: x + x.sin(), (5,)),
    "square": (lambda: lambda x: x * x, (5,)),
    "flattened": (lambda: nn.Flatten(), (3, 5)),
    "flipped": (lambda: lambda x: x.flip(1), (5,)),
    "circular padding": (lambda: nn.Conv1d(1, 1, 3, padding=1, padding_mode="circular"), (1, 8)),
    "weights that depend on it": (lambda: lambda x: nn.functional.conv1d(torch.rand(1, 1, 9), x[:1]), (1, 3)),
    "spread over a dimension": (lambda: lambda x: x.mean(1, keepdim=True) + torch.rand(1, 4), (4,)),
    "softmax": (lambda: nn.Softmax(1), (5,)),
}


def flows_of(
    recorder: ComgraRecorder,
    segment: Segment,
    x: Tensor,
    y: Tensor,
    **arguments: Any,  # noqa: ANN401
) -> tuple[GradientFlow, FlowNumbers]:
    generator = torch.Generator().manual_seed(3)
    weights = torch.randn(y.shape, generator=generator, dtype=y.dtype)
    record_flow(recorder, {"x": x, "y": y}, (y * weights).sum(), **arguments)
    return read_flow(recorder)


@pytest.mark.parametrize("name", LOCAL)
@pytest.mark.parametrize("limits", [{}, {"max_flows": 60}, {"max_memory": 3_000}], ids=["all", "capped", "small blocks"])
def test_shared_products_give_the_same_flows(
    make_recorder: MakeRecorder, monkeypatch: pytest.MonkeyPatch, name: str, limits: dict[str, int]
) -> None:
    make, shape, _ = LOCAL[name]
    segment = make()
    if isinstance(segment, nn.Module):
        segment.double()
    x = torch.randn(3, *shape, dtype=torch.float64, requires_grad=True)
    y = segment(x)
    counted = Counted(monkeypatch)
    flow, numbers = flows_of(make_recorder(), segment, x, y, samples=[2, 0], **limits)
    shared = counted.products
    monkeypatch.setattr(pairs, "windows_between", lambda *_: None)
    other_flow, others = flows_of(make_recorder(), segment, x, y, samples=[2, 0], **limits)
    np.testing.assert_allclose(dense_flows(flow, numbers), dense_flows(other_flow, others), rtol=1e-6, atol=1e-12)
    (pair,), (other_pair,) = numbers.pairs, others.pairs
    np.testing.assert_array_equal(pair.targets, other_pair.targets)
    np.testing.assert_array_equal(pair.starts, other_pair.starts)
    assert (pair.computed is None) == (other_pair.computed is None)
    assert len(pair.flows) <= limits.get("max_flows", len(pair.flows))
    if pair.computed is not None:
        np.testing.assert_array_equal(pair.computed, other_pair.computed)
    assert shared < counted.products - shared or limits


@pytest.mark.parametrize("name", LOCAL)
def test_as_few_products_are_computed_as_windows_allow(make_recorder: MakeRecorder, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Besides eight that are computed alone and once more together."""
    make, shape, expected = LOCAL[name]
    x = torch.randn(3, *shape, requires_grad=True)
    segment = make()
    counted = Counted(monkeypatch)
    flows_of(make_recorder(), segment, x, segment(x), samples=[0, 1, 2])
    assert counted.products == expected + 8 + 1


@pytest.mark.parametrize("name", ALONE)
def test_nothing_is_shared_where_nothing_is_proved(name: str) -> None:
    make, shape = ALONE[name]
    x = torch.randn(3, *shape, requires_grad=True)
    assert windows_between(get_gradient_edge(x), get_gradient_edge(make()(x))) is None


def test_samples_that_depend_on_each_other_share_nothing(make_recorder: MakeRecorder) -> None:
    """A convolution over the dimension that the caller names as the batch."""
    layer = nn.Conv1d(1, 1, 3, padding=1)
    x = torch.randn(1, 1, 6, requires_grad=True)
    flow, numbers = flows_of(make_recorder(), layer, x, layer(x), batch_dimension=2, samples=[1, 2, 4])
    dense = dense_flows(flow, numbers)
    assert dense.shape == (3, 1, 1)
    assert numbers.pairs[0].residuals is not None
    assert (np.abs(numbers.pairs[0].residuals) > 1e-4).all()


def test_samples_share_a_product_of_a_linear_layer(make_recorder: MakeRecorder, monkeypatch: pytest.MonkeyPatch) -> None:
    layer = nn.Linear(4, 3)
    x = torch.randn(5, 4, requires_grad=True)
    counted = Counted(monkeypatch)
    flow, numbers = flows_of(make_recorder(), layer, x, layer(x), samples=[4, 0, 1, 2])
    assert counted.products == 3 + 4 + 1
    gradients = numbers.gradients[1]
    assert gradients is not None
    np.testing.assert_allclose(dense_flows(flow, numbers), layer.weight.detach().numpy().T[None] * gradients[:, None], rtol=1e-6)


@pytest.mark.parametrize(
    "hook", [lambda gradient: gradient / gradient.norm(), lambda gradient: gradient.flip(-1)], ids=["norm", "another place"]
)
def test_a_hook_that_knows_no_windows_ends_the_sharing(make_recorder: MakeRecorder, hook: Callable[[Tensor], Tensor]) -> None:
    """For example clipping by the norm: it treats gradients that come together as a whole."""
    layer = nn.Conv1d(1, 2, 3, padding=1)
    x = torch.randn(1, 1, 12, requires_grad=True)
    h = x * 2
    h.register_hook(hook)
    y = layer(h)
    flow, numbers = flows_of(make_recorder(), layer, x, y)
    gradients = numbers.gradients[1]
    assert gradients is not None
    dense = dense_flows(flow, numbers)[0]
    for element in range(24):
        vector = torch.zeros(24)
        vector[element] = float(gradients[0, element])
        (alone,) = torch.autograd.grad(y, x, vector.view(1, 2, 12), retain_graph=True)
        np.testing.assert_allclose(dense[:, element], alone.reshape(-1), rtol=1e-5, atol=1e-7)


def test_a_large_convolution_needs_as_many_products_as_its_windows(make_recorder: MakeRecorder, monkeypatch: pytest.MonkeyPatch) -> None:
    """28 x 28 elements in 4 channels, within a window of 3 x 3: 36 products instead of 3,136."""
    layer = nn.Conv2d(4, 4, 3, padding=1)
    x = torch.randn(1, 4, 28, 28, requires_grad=True)
    counted = Counted(monkeypatch)
    _, numbers = flows_of(make_recorder(), layer, x, layer(x))
    assert counted.products == 36 + 8 + 1
    # At the edges, a row or column of the window is outside.
    assert len(numbers.pairs[0].flows) == 4 * 4 * (28 * 3 - 2) ** 2
