"""Statistics of large gradients are taken while the backward pass runs, so that nothing is held."""

from __future__ import annotations

import gc
import warnings
import weakref
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.nn import functional
from torch.utils.checkpoint import checkpoint

from comgra_export import ComgraRecorder, ComgraRecordingWarning
from comgra_export.storage import open_recording
from support.recorder.fixtures import MakeRecorder
from support.recorder.gradient_flows import SHAPE, B, Flow, check_all, leaf, plain
from support.recorder.reading import folder_of, read_gaps


def accumulation(flow: Flow) -> None:
    weight = leaf()
    for number in range(2):
        (flow.note(f"hidden {number}", weight * torch.randn(SHAPE)).square().sum() / 2).backward()


def two_losses(flow: Flow) -> None:
    hidden = flow.note("hidden", leaf() * leaf())
    first, second = flow.note("first", hidden.square()), flow.note("second", hidden.exp())
    first.square().sum().backward(retain_graph=True)
    second.square().sum().backward()


def a_shared_sum(flow: Flow) -> None:
    total = flow.note("sum", leaf() + leaf())
    flow.note("first", total * leaf()).square().sum().backward()
    flow.note("second", total * leaf()).square().sum().backward()


def sums_and_views(flow: Flow) -> None:
    total = flow.note("sum", leaf() * leaf() + leaf())
    view = flow.note("view", total.reshape(B, 100, 200))
    flow.note("mean of both", torch.stack([view, view.exp()]).mean(0)).square().sum().backward()


def some_leaves(flow: Flow) -> None:
    weight = leaf()
    hidden = flow.note("hidden", weight * leaf())
    flow.note("result", hidden.square()).sum().backward(inputs=[weight])


def gradients_asked_for(flow: Flow) -> None:
    weight = leaf()
    hidden = flow.note("hidden", weight * leaf())
    torch.autograd.grad(flow.note("result", hidden.square()).sin().sum(), weight)


def one_gradient_asked_for_before_a_pass(flow: Flow) -> None:
    hidden = flow.note("hidden", leaf() * leaf())
    result = flow.note("result", hidden.square())
    torch.autograd.grad(result.sin().sum(), result)
    result.exp().sum().backward()


def one_gradient_kept_before_a_pass(flow: Flow) -> None:
    hidden = flow.note("hidden", (leaf() * leaf()).sin())
    result = flow.note("result", hidden.square())
    result.sin().sum().backward(inputs=[hidden], retain_graph=True)
    result.exp().sum().backward()


def a_gradient_of_a_gradient(flow: Flow) -> None:
    x = leaf()
    hidden = flow.note("hidden", x * 3)
    (slope,) = torch.autograd.grad(hidden.square().sum(), x, create_graph=True)
    flow.note("slope", slope.square()).square().sum().backward()


def checkpointed(reentrant: bool) -> Callable[[Flow], None]:
    def run(flow: Flow) -> None:
        hidden = flow.note("hidden", leaf() * leaf())
        result: Tensor = checkpoint(lambda x: x.sin() * x, hidden, use_reentrant=reentrant)
        flow.note("block", result)
        flow.note("result", result.square()).sum().backward()

    return run


def what_a_reentrant_block_uses_besides(flow: Flow) -> None:
    besides = flow.note("besides", (leaf() * leaf()).sin())
    result: Tensor = checkpoint(lambda x: x * besides, leaf() * 1, use_reentrant=True)
    result.square().sum().backward()


def not_finite(value: float) -> Callable[[Flow], None]:
    def run(flow: Flow) -> None:
        factor = torch.randn(SHAPE)
        factor[1, 17] = value
        flow.note("result", flow.note("hidden", leaf() * leaf()) * leaf()).mul(factor).sum().backward()

    return run


def expanded(flow: Flow) -> None:
    flow.note("result", leaf().square()).sum().backward()


def transposed(flow: Flow) -> None:
    flow.note("hidden", leaf().square()).t().reshape(-1).mul(torch.randn(SHAPE[0] * SHAPE[1])).sum().backward()


class Doubled(torch.autograd.Function):
    """Saves what it does not need."""

    @staticmethod
    def forward(context: Any, x: Tensor) -> Tensor:  # noqa: ANN401
        context.save_for_backward(x)
        return x * 2

    @staticmethod
    def backward(context: object, gradient: Tensor) -> Tensor:  # noqa: ARG004
        return gradient * 2


def a_function_of_the_user(flow: Flow) -> None:
    result: Tensor = flow.note("result", Doubled.apply(leaf()))  # type: ignore[no-untyped-call]
    result.square().sum().backward()
    result.exp().sum().backward()


SITUATIONS: dict[str, tuple[Callable[[Flow], None], set[str]]] = {
    "plain": (plain, set()),
    "accumulation": (accumulation, set()),
    "two losses": (two_losses, {"hidden", "first"}),
    "a shared sum": (a_shared_sum, {"sum"}),
    "sums and views": (sums_and_views, set()),
    "some leaves": (some_leaves, set()),
    "gradients asked for": (gradients_asked_for, {"hidden"}),
    "one gradient asked for before a pass": (one_gradient_asked_for_before_a_pass, {"result"}),
    "one gradient kept before a pass": (one_gradient_kept_before_a_pass, {"hidden", "result"}),
    "a gradient of a gradient": (a_gradient_of_a_gradient, {"hidden"}),
    "a checkpoint": (checkpointed(False), set()),
    "a reentrant checkpoint": (checkpointed(True), {"block"}),
    "what a reentrant block uses besides": (what_a_reentrant_block_uses_besides, set()),
    "NaN": (not_finite(torch.nan), set()),
    "infinity": (not_finite(-torch.inf), set()),
    "expanded": (expanded, set()),
    "transposed": (transposed, set()),
    "a function of the user": (a_function_of_the_user, {"result"}),
}


@pytest.mark.parametrize("graph", ["data_flow", "autograd"])
@pytest.mark.parametrize("situation", SITUATIONS)
def test_their_numbers_are_those_of_what_has_flowed_and_they_are_held_where_more_may_come(
    make_recorder: MakeRecorder, situation: str, graph: str
) -> None:
    run, expected = SITUATIONS[situation]
    recorder = make_recorder(graph=graph)
    flow = Flow(recorder)
    with recorder.batch(0, B), recorder.iteration():
        run(flow)
        held = flow.held()
        recorder.record_current_gradients("gradients")
    assert held <= expected, "somebody has a gradient that is not needed any more"
    check_all(recorder, flow.totals)
    assert flow.held() == set()
    assert not read_gaps(recorder)


def test_they_are_gone_while_the_backward_pass_still_runs(recorder: ComgraRecorder) -> None:
    flow = Flow(recorder)
    with recorder.batch(0, B), recorder.iteration():
        first = leaf() * leaf()
        held: list[set[str]] = []
        first.register_hook(lambda _: held.append(flow.held()))
        hidden = first
        for number in range(3):
            hidden = flow.note(f"hidden {number}", hidden * leaf())
        hidden.square().sum().backward()
        recorder.record_current_gradients("gradients")
    assert held == [set()]
    held_bytes = open_recording(folder_of(recorder)).step(0).held_bytes
    assert held_bytes is not None
    assert held_bytes < SHAPE[0] * SHAPE[1] * 4, "not one gradient was held"
    check_all(recorder, flow.totals)


def test_nothing_is_left_behind(recorder: ComgraRecorder) -> None:
    gc.collect()
    gc.disable()
    try:
        flow = Flow(recorder)
        with recorder.batch(0, B), recorder.iteration():
            hidden = flow.note("hidden", leaf() * leaf())
            result = hidden.relu()
            recorder.register_tensor("result", result, recording_type="kpis")
            functional.mse_loss(result, torch.zeros(SHAPE)).backward()
            recorder.record_current_gradients("gradients")
        tensors = [weakref.ref(hidden), weakref.ref(result)]
        del hidden, result
        assert [tensor() for tensor in tensors] == [None, None]
        assert flow.held() == set()
    finally:
        gc.enable()


def test_a_gradient_that_is_a_gap_keeps_nothing_alive(make_recorder: MakeRecorder) -> None:
    recorder = make_recorder(strict=False)
    gc.disable()
    try:
        kept = record_a_gradient_after_the_last_one(recorder)
        assert kept() is None
    finally:
        gc.enable()
    assert [gap.tensor for gap in read_gaps(recorder)] == ["hidden"]


def record_a_gradient_after_the_last_one(recorder: ComgraRecorder) -> weakref.ref[Tensor]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ComgraRecordingWarning)
        with recorder.batch(0, B), recorder.iteration():
            hidden = leaf() * leaf()
            recorder.register_tensor("hidden", hidden, recording_type="kpis")
            hidden.square().sum().backward()
            torch.autograd.grad(hidden.exp().sum(), hidden)
            recorder.record_current_gradients("gradients")
        recorder.finalize()
    return weakref.ref(hidden)
