"""Gradients through single calls that change, return or keep what they were given."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor, nn

from comgra_export import ComgraRecorder
from support.recorder.call_gradients import alone, means, record, scale

pytestmark = pytest.mark.slow


class Changing(nn.Module):
    """A branch that changes its input in place, before the input is used again."""

    def __init__(self) -> None:
        super().__init__()
        self.relu = nn.ReLU(inplace=True)
        self.layer = scale(2.0)

    def forward(self, x: Tensor) -> Tensor:
        hidden = x * 3
        through = self.relu(hidden)
        # `hidden` is what the activation returned: another value than what went into it.
        return self.layer(hidden) + through  # type: ignore[no-any-return]


def test_operations_in_place_make_another_tensor_of_the_same_object(recorder: ComgraRecorder) -> None:
    net = Changing()
    recorder.watch(net, "net")
    record(recorder, lambda: net(torch.ones(1, 1)).sum())
    mean = means(recorder)
    assert alone(recorder) == {("net.layer", 0, "input"): "net.layer: gradient of input"}
    assert mean["net.layer: gradient of input"] == 2
    assert mean["net.relu: output"] == mean["net.relu: input"] == 3


class Returning(nn.Module):
    """Returns its input and a result computed from it."""

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        return x, x * 2


def test_of_an_input_that_is_returned_as_it_is_there_is_only_the_total(recorder: ComgraRecorder) -> None:
    net = nn.ModuleDict({"returning": Returning(), "identity": nn.Identity(), "layer": scale(5.0)})
    recorder.watch(net, "net")

    def body() -> Tensor:
        x = torch.ones(1, 1)
        same, double = net["returning"](net["identity"](x))
        return (net["layer"](same) + double).sum()  # type: ignore[no-any-return]

    record(recorder, body)
    assert alone(recorder) == {("net.layer", 0, "input"): "net.layer: gradient of input"}
    assert means(recorder)["net.layer: gradient of input"] == 5
    assert means(recorder)["net.identity: input"] == 7


class Halving(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        x.mul_(0.5)
        return x * 4


def test_of_a_view_that_a_call_changes_in_place_there_is_only_the_total(recorder: ComgraRecorder) -> None:
    net = nn.ModuleDict({"layer": scale(5.0).requires_grad_(False), "halving": Halving()})
    recorder.watch(net, "net")

    def body() -> Tensor:
        view = (torch.ones(1, 2, requires_grad=True) * 2)[:, :1]
        return (net["layer"](view) + net["halving"](view)).sum()  # type: ignore[no-any-return]

    record(recorder, body)
    assert alone(recorder) == {}


class Leaving(nn.Module):
    """Leaves a loss of its own behind, which its result does not depend on."""

    def forward(self, x: Tensor) -> Tensor:
        self.loss = (x * 10).sum()
        return x * 2


def test_a_loss_that_a_module_keeps_is_part_of_the_gradient_through_it(recorder: ComgraRecorder) -> None:
    leaving = Leaving()
    net = nn.ModuleDict({"leaving": leaving, "other": scale(3.0)})
    recorder.watch(net, "net")

    def body() -> Tensor:
        x = torch.ones(1, 1)
        result = leaving(x) + net["other"](x)
        return result.sum() + leaving.loss  # type: ignore[no-any-return]

    record(recorder, body)
    assert means(recorder)["net.leaving: gradient of input x"] == 12
    assert means(recorder)["net.other: gradient of input"] == 3


class Reading(nn.Module):
    """Reads what was computed from its input before it was called."""

    def __init__(self) -> None:
        super().__init__()
        self.before: Tensor | None = None

    def forward(self, x: Tensor) -> Tensor:
        assert self.before is not None
        return x * 2 + self.before


def test_what_was_computed_from_an_input_before_a_call_is_no_part_of_it(recorder: ComgraRecorder) -> None:
    net = Reading()
    recorder.watch(net, "net")

    def body() -> Tensor:
        x = torch.ones(1, 1, requires_grad=True)
        net.before = x * 100
        return net(x).sum()  # type: ignore[no-any-return]

    record(recorder, body)
    assert (means(recorder)["net: gradient of input x"], means(recorder)["net: input x"]) == (2, 102)
