"""Recording gradients through single calls leaves nothing behind, and its own trouble is a gap."""

from __future__ import annotations

import gc
import weakref

import pytest
import torch
from torch import Tensor, nn
from torch.autograd.graph import Node, get_gradient_edge

from comgra_export import ComgraRecorder
from comgra_export.recorder.gradients.sums import GradientSum
from comgra_export.recorder.host.autograd import Edge, edge_to
from support.recorder.call_gradients import Residual, Two, alone, means, record, scale
from support.recorder.fixtures import MakeRecorder
from support.recorder.reading import read_gaps

pytestmark = pytest.mark.slow


def test_a_name_that_the_user_has_given_stays_theirs(make_recorder: MakeRecorder) -> None:
    recorder = make_recorder(strict=False)
    net = Residual(scale(5.0))
    recorder.watch(net, "net")

    def body() -> Tensor:
        recorder.register_tensor("net.branch: gradient of input", torch.ones(1, 1))
        return net(torch.ones(1, 1)).sum()  # type: ignore[no-any-return]

    with pytest.warns(match="another tensor has its name"):
        record(recorder, body)
    assert alone(recorder) == {}
    assert [gap.tensor for gap in read_gaps(recorder)] == ["net.branch: gradient of input"]


# A guest in training.


class Gate(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(300, 300)

    def forward(self, x: Tensor) -> Tensor:
        return x * self.layer(x)  # type: ignore[no-any-return]


def test_training_goes_on_bit_by_bit_as_it_does_unwatched(make_recorder: MakeRecorder) -> None:
    def train(recorder: ComgraRecorder | None) -> list[Tensor]:
        torch.manual_seed(1)
        branch = nn.Sequential(nn.Linear(300, 300), nn.ReLU(inplace=True))
        net = nn.Sequential(Residual(branch), Gate(), nn.Dropout(), nn.Linear(300, 1))
        optimizer = torch.optim.Adam(net.parameters())
        if recorder is not None:
            recorder.watch(net)
        for step in range(3):
            # Larger than the limit for copies.
            x = torch.randn(400, 300)
            if recorder is not None:
                recorder.start_batch(step, 400)
                recorder.start_iteration()
            optimizer.zero_grad()
            net(x).square().mean().backward()
            if recorder is not None:
                recorder.record_current_gradients("gradients")
            optimizer.step()
            if recorder is not None:
                recorder.finish_iteration()
                recorder.finish_batch()
        return [*net.parameters(), torch.get_rng_state()]

    recorder = make_recorder()
    for watched, unwatched in zip(train(recorder), train(None), strict=True):
        assert torch.equal(watched, unwatched)
    assert {module for module, _, _ in alone(recorder)} == {"model.0.branch", "model.0.branch.0", "model.1.layer"}


def test_nothing_is_called_after_the_step(recorder: ComgraRecorder, monkeypatch: pytest.MonkeyPatch) -> None:
    net = Residual(scale(5.0))
    recorder.watch(net, "net")
    called = []
    original = GradientSum.__call__

    def count(self: GradientSum, gradient: Tensor | None) -> None:
        called.append(gradient)
        original(self, gradient)

    monkeypatch.setattr(GradientSum, "__call__", count)
    with recorder.batch(0, 1), recorder.iteration():
        loss = net(torch.ones(1, 1, requires_grad=True)).sum()
        loss.backward(retain_graph=True)
    assert called
    called.clear()
    loss.backward()
    assert called == []


class Saved:
    """A tensor that only a graph keeps."""

    def __init__(self, tensor: Tensor) -> None:
        self.tensor = tensor


def test_no_graph_is_kept(recorder: ComgraRecorder) -> None:
    net = Residual(scale(5.0))
    recorder.watch(net, "net")
    saved: list[weakref.ref[Saved]] = []

    def pack(tensor: Tensor) -> Saved:
        holder = Saved(tensor)
        saved.append(weakref.ref(holder))
        return holder

    gc.disable()
    try:
        with recorder.batch(0, 1), recorder.iteration():
            x = torch.ones(1, 1, requires_grad=True)
            with torch.autograd.graph.saved_tensors_hooks(pack, lambda holder: holder.tensor):
                dropped, hidden = x * x, x * x
            net(dropped)
            result = net(hidden)
            del dropped, hidden
            result.sum().backward(retain_graph=True)
            assert [reference() is None for reference in saved] == [True, True, False, False]
            del result
            recorder.record_current_gradients("gradients")
            assert [reference() is None for reference in saved] == [True] * 4
    finally:
        gc.enable()
    assert list(alone(recorder)) == [("net.branch", 1, "input")]


def test_after_a_graph_of_gradients_that_another_thread_may_have_made_there_are_none(recorder: ComgraRecorder) -> None:
    net = nn.ModuleDict({"a": scale(2.0), "b": scale(3.0)})
    recorder.watch(net, "net")

    def body() -> Tensor:
        hidden = torch.ones(1, 1, requires_grad=True) * 1
        score = (net["a"](hidden) + net["b"](hidden)).square().sum()
        # The device of a pass that begins at an edge is not known.
        (slope,) = torch.autograd.grad(get_gradient_edge(score), hidden, torch.ones(()), create_graph=True)
        return slope.sum()

    record(recorder, body)
    assert alone(recorder) == {}
    (gap,) = read_gaps(recorder)
    assert "create_graph=True" in gap.reason
    assert (gap.step, gap.group, gap.tensor) == (0, None, None)


def test_a_graph_is_looked_through_once_however_deep_its_calls_are_nested(
    make_recorder: MakeRecorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked_at = []

    def count(node: Node, output: int) -> Edge:
        looked_at.append(output)
        return edge_to(node, output)

    monkeypatch.setattr("comgra_export.recorder.modules.uses.edge_to", count)

    def edges_of(depth: int) -> int:
        looked_at.clear()
        net: nn.Module = scale(1.0)
        for _ in range(depth):
            net = nn.Sequential(net, nn.Tanh())
        residual, recorder = Residual(net), make_recorder()
        recorder.watch(residual, "net")
        record(recorder, lambda: residual(torch.ones(1, 1)).sum())
        return len(looked_at)

    assert edges_of(80) - edges_of(40) == edges_of(40) - edges_of(0)


def test_trouble_of_our_own_is_a_gap(make_recorder: MakeRecorder, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(node: Node, output: int) -> Edge:
        raise RuntimeError(f"{node} {output}")

    recorder, net = make_recorder(strict=False), Two()
    recorder.watch(net, "net")
    monkeypatch.setattr("comgra_export.recorder.modules.uses.edge_to", fail)
    with pytest.warns(match="gradients through single calls are not known"):
        record(recorder, lambda: net(torch.tensor([[1.0, 2.0]])))
    assert alone(recorder) == {}
    assert means(recorder)["net: input x"] == 13.5
