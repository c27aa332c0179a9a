"""Gradient flows of networks with parts in other threads, in which autograd numbers operations anew."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import numpy as np
import pytest
import torch
from torch import Tensor

from comgra_export import ComgraRecorder
from comgra_export.storage import open_recording
from support.recorder.fixtures import MakeRecorder
from support.recorder.reading import folder_of, read_gaps
from support.recorder.recorded_flows import dense_flows, read_flow

T = TypeVar("T")

X = torch.tensor([[1.0, 2.0]])
SECOND = torch.tensor([[1.0, 4.0], [0.0, 5.0]])
APART = "cannot be distinguished from another operation, since parts of the network ran in other threads"
INDEPENDENT = "the loss does not depend on it"


def elsewhere(call: Callable[[], T]) -> T:
    """The result of a call in a new thread, in which autograd begins to count with 0."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(call).result()


def record(recorder: ComgraRecorder, make: Callable[[Tensor], tuple[Tensor, Tensor]], *, by_name: bool = True) -> None:
    """Records a step in a new thread. `make` computes the layers `h` and `out` from `x`, and the loss is the sum of `out`."""

    def step() -> None:
        x = X.clone().requires_grad_()
        with recorder.batch(0, 1), recorder.iteration():
            recorder.register_tensor("x", x)
            h, out = make(x)
            recorder.register_tensor("out", out)
            recorder.record_gradient_flow(out.sum(), ["x", "h", "out"] if by_name else {"x": x, "h": h, "out": out})

    elsewhere(step)


def reasons(recorder: ComgraRecorder) -> list[str]:
    return [gap.reason for gap in read_gaps(recorder) if "gradient flow" in gap.reason]


def test_what_runs_elsewhere_between_two_layers_is_in_the_flow(recorder: ComgraRecorder) -> None:
    def make(x: Tensor) -> tuple[Tensor, Tensor]:
        h = x * 2
        recorder.register_tensor("h", h)
        return h, elsewhere(lambda: torch.relu(h @ SECOND.T)) + 0

    record(recorder, make)
    flow, numbers = read_flow(recorder)
    assert [layer.name for layer in flow.layers] == ["x", "h", "out"]
    # By hand: the gradient of `out` is 1, so that what comes to `h_i` through `out_j` is the weight between them.
    np.testing.assert_array_equal(dense_flows(flow, numbers, 1)[0], SECOND.T.numpy())
    np.testing.assert_array_equal(dense_flows(flow, numbers, 0)[0], 2 * np.diag(SECOND.sum(0).numpy()))
    assert reasons(recorder) == []


def test_what_the_loss_does_not_depend_on_is_not_taken_for_what_runs_elsewhere(make_recorder: MakeRecorder) -> None:
    recorder = make_recorder(strict=False)

    def make(x: Tensor) -> tuple[Tensor, Tensor]:
        h = x * 2
        recorder.register_tensor("h", h)
        # Both are the first operations of their threads.
        other = elsewhere(lambda: x * 3)
        assert type(h.grad_fn) is type(other.grad_fn)
        return h, other + 0

    with pytest.warns(match=INDEPENDENT):
        record(recorder, make)
    assert open_recording(folder_of(recorder)).step(0).flows == ()
    assert any("'h'" in reason and INDEPENDENT in reason for reason in reasons(recorder))


@pytest.mark.parametrize("by_name", [True, False])
def test_operations_with_an_ambiguous_name_are_a_gap(make_recorder: MakeRecorder, *, by_name: bool) -> None:
    recorder = make_recorder(strict=not by_name)

    def make(x: Tensor) -> tuple[Tensor, Tensor]:
        h = x * 2
        recorder.register_tensor("h", h)
        return h, h + elsewhere(lambda: x * 3)

    if by_name:
        with pytest.warns(match=APART):
            record(recorder, make)
        assert any("'h'" in reason and APART in reason for reason in reasons(recorder))
        assert not any(INDEPENDENT in reason for reason in reasons(recorder))
    else:
        record(recorder, make, by_name=False)
        flow, numbers = read_flow(recorder)
        np.testing.assert_array_equal(dense_flows(flow, numbers, 0)[0], 2 * np.eye(2))
        np.testing.assert_array_equal(dense_flows(flow, numbers, 1)[0], np.eye(2))
