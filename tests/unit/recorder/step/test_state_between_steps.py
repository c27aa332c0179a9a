"""State that is kept from step to step, or reused within a step, must not be stale."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.overrides import handle_torch_function, has_torch_function

from comgra_export import ComgraRecorder
from comgra_export.errors import MisuseError, RecordingGapError
from support.recorder.reading import read_edges, read_records

MakeRecorder = Callable[..., ComgraRecorder]


def test_large_gradients_are_those_of_the_call_even_where_it_fails(make_recorder: MakeRecorder) -> None:
    network = nn.Linear(300, 300)
    recorder = make_recorder()
    recorder.track_module("network", network)
    with recorder.batch(0, 4), recorder.iteration():
        x = torch.randn(4, 300)
        out = network(x)
        # It was used before, so that its gradient is a gap, which is an error here.
        recorder.register_tensor("x", x, is_input=True)
        out.square().sum().backward()
        expected = {
            name: parameter.grad.abs().mean().item() for name, parameter in network.named_parameters() if parameter.grad is not None
        }
        with pytest.raises(RecordingGapError):
            recorder.record_current_gradients("gradients")
        for parameter in network.parameters():
            assert parameter.grad is not None
            parameter.grad.zero_()
    recorder.finalize()
    records = read_records(recorder)
    for name, mean in expected.items():
        if ("gradients", f"network.{name}", -1) in records:
            assert records["gradients", f"network.{name}", -1].statistics["abs_mean"][0] == pytest.approx(mean, rel=1e-5)
    assert ("gradients", "network.weight", -1) in records


class Failing(torch.optim.SGD):
    """An optimizer that raises before it has done anything."""

    def step(self, closure: Any = None) -> None:  # type: ignore[override]  # noqa: ANN401, ARG002
        raise ValueError("not today")


def test_what_comes_after_an_optimizer_that_raised_is_traced_once_another_has_stepped(recorder: ComgraRecorder) -> None:
    failing = Failing(nn.Linear(3, 3).parameters(), lr=0.1)
    other = torch.optim.SGD(nn.Linear(2, 2).parameters(), lr=0.1)
    with recorder.batch(0, 4), recorder.iteration():
        x = torch.randn(4, 3)
        recorder.register_tensor("x", x, is_input=True)
        with pytest.raises(ValueError, match="not today"):
            failing.step()
        other.step()
        recorder.register_tensor("y", (x * 2).detach())
    recorder.finalize()
    assert read_edges(recorder) == {("x", "y")}


@pytest.mark.filterwarnings("ignore:.*torch.jit.script.*is deprecated")
def test_a_tensor_that_requires_a_gradient_only_later_does_not_spoil_the_graph(recorder: ComgraRecorder) -> None:
    @torch.jit.script
    def doubled(x: Tensor) -> Tensor:
        return x * 2

    with recorder.batch(0, 4), recorder.iteration():
        a = torch.randn(4, 3)
        recorder.register_tensor("a", a, is_input=True)
        leaf = torch.randn(4, 3)
        leaf.mean()
        leaf.requires_grad_()
        recorder.register_tensor("e", doubled(leaf) + torch.sin(a))
    recorder.finalize()
    assert read_edges(recorder) == {("a", "e")}


def test_functions_of_the_user_are_not_kept(recorder: ComgraRecorder) -> None:
    kept: list[weakref.ref[Any]] = []

    def make() -> Callable[[Tensor], Tensor]:
        def own(tensor: Tensor) -> Tensor:
            if has_torch_function((tensor,)):
                return handle_torch_function(own, (tensor,), tensor)
            return tensor + 1

        kept.append(weakref.ref(own))
        return own

    with recorder.batch(0, 4), recorder.iteration():
        recorder.register_tensor("x", make()(torch.randn(4, 3)))
    recorder.finalize()
    gc.collect()
    assert kept[0]() is None


def test_what_was_right_once_does_not_make_right_what_only_equals_it(recorder: ComgraRecorder) -> None:
    with recorder.batch(0, 4), recorder.iteration():
        recorder.register_tensor("x", torch.randn(4, 3), index_of_batch_dimension=0)
    with recorder.batch(1, 4), recorder.iteration():
        with pytest.raises(MisuseError, match=r"index_of_batch_dimension=0\.0"):
            recorder.register_tensor("x", torch.randn(4, 3), index_of_batch_dimension=0.0)  # type: ignore[arg-type]
        with pytest.raises(MisuseError, match="name of the tensor is \\['x'\\]"):
            recorder.register_tensor(["x"], torch.randn(4, 3))  # type: ignore[arg-type]
        recorder.register_tensor("x", torch.randn(4, 3))
    recorder.finalize()
