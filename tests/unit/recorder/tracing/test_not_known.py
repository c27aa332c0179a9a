"""Tensors of which the recorder does not know all that they were computed from, and those of which it knows."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from comgra_export import ComgraRecorder
from support.recorder.fixtures import MakeRecorder
from support.recorder.reading import read_edges, read_structure

B = 4


def not_known(recorder: ComgraRecorder, iteration: int = 0) -> dict[str, str | None]:
    structure = read_structure(recorder, iteration=iteration)
    return {structure.tensors[position].name: reason for position, reason in structure.not_known}


def unseen(x: Tensor) -> Tensor:
    """Tracing it once, PyTorch keeps no Python code of it."""
    scripted: Callable[[Tensor], Tensor] = torch.jit.trace(lambda value: torch.tanh(value) * 2, torch.ones(B, 2))
    return scripted(x)


def in_numpy(x: Tensor) -> Tensor:
    return torch.from_numpy(np.tanh(x.numpy()))


def in_numpy_and_back_by_tensor(x: Tensor) -> Tensor:
    return torch.tensor(np.tanh(np.asarray(x)))


def in_lists(x: Tensor) -> Tensor:
    return torch.as_tensor([[2 * value for value in row] for row in x.tolist()])


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize(
    ("make", "reason"),
    [(unseen, "unseen"), (in_numpy, "outside"), (in_numpy_and_back_by_tensor, "outside"), (in_lists, "outside")],
)
def test_what_no_call_that_was_seen_has_made(make: Callable[[Tensor], Tensor], reason: str, recorder: ComgraRecorder) -> None:
    x = torch.randn(B, 2)
    with recorder.batch(0, B), recorder.iteration():
        recorder.register_tensor("x", x, is_input=True)
        y = make(x)
        recorder.register_tensor("y", y)
        recorder.register_tensor("z", y + x)
    # What is computed from it is known.
    assert read_edges(recorder) == {("y", "z"), ("x", "z")}
    assert not_known(recorder) == {"y": reason}


def test_what_is_computed_from_an_array_that_is_not_registered(recorder: ComgraRecorder) -> None:
    x = torch.randn(B, 2)
    with recorder.batch(0, B), recorder.iteration():
        recorder.register_tensor("x", x, is_input=True)
        recorder.register_tensor("y", torch.relu(in_numpy(x)) + 1)
        recorder.register_tensor("z", x + torch.as_tensor(x.tolist()))
    assert read_edges(recorder) == {("x", "z")}
    assert not_known(recorder) == {"y": "outside", "z": "outside"}


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_what_autograd_alone_knows(recorder: ComgraRecorder) -> None:
    network, x = nn.Linear(2, 2), torch.randn(B, 2)
    recorder.track_module("net", network)
    with recorder.batch(0, B), recorder.iteration():
        recorder.register_tensor("x", x, is_input=True)
        h = network(x)
        recorder.register_tensor("h", h)
        recorder.register_tensor("y", unseen(h).relu())
    assert ("h", "y") in read_edges(recorder)
    assert not_known(recorder) == {"y": "autograd"}


def test_a_connection_by_hand_says_what_is_not_known(recorder: ComgraRecorder) -> None:
    x = torch.randn(B, 2)
    with recorder.batch(0, B), recorder.iteration():
        recorder.register_tensor("x", x, is_input=True)
        recorder.register_tensor("y", in_numpy(x))
        recorder.add_tensor_connection("x", "y")
    assert read_edges(recorder) == {("x", "y")}
    assert not_known(recorder) == {}


def test_nothing_is_hidden_in_what_was_seen(recorder: ComgraRecorder) -> None:
    """Data, masks, plain numbers that are only read, and what is told by its type are no reason for doubt."""
    network, mask, state = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2)), torch.ones(2), torch.zeros(B, 2)
    recorder.track_module("net", network)
    data = torch.from_numpy(np.ones((B, 2), np.float32))
    with recorder.batch(0, B):
        recorder.register_tensor("state", state, is_initial_value=True)
        for _ in range(2):
            with recorder.iteration():
                x, target = data * 1, torch.randn(B, 2)
                recorder.register_tensor("x", x, is_input=True)
                recorder.register_tensor("target", target, is_target=True)
                state = torch.tanh(network(x) + state) * mask
                recorder.register_tensor("h", state)
                recorder.register_tensor("constant", torch.tensor([[1.0, 2.0]] * B))
                loss = (state - target).square().mean()
                recorder.register_tensor("loss", loss, is_loss=True)
                assert np.isfinite(loss.item())
        state.detach().numpy().sum()
    assert not_known(recorder, 0) == not_known(recorder, 1) == {}


@pytest.mark.parametrize(
    ("graph", "edges", "expected"),
    [
        ("data_flow", {("x", "inner"), ("inner", "y"), ("x", "y")}, {}),
        ("autograd", {("x", "y")}, {"inner": "autograd"}),
    ],
)
def test_what_a_reentrant_checkpoint_hides(
    graph: str, edges: set[tuple[str, str]], expected: dict[str, str], make_recorder: MakeRecorder
) -> None:
    recorder = make_recorder(graph=graph)
    x = torch.randn(B, 2, requires_grad=True)

    def block(value: Tensor) -> Tensor:
        inner = torch.tanh(value)
        recorder.register_tensor("inner", inner)
        return torch.exp(inner)

    with recorder.batch(0, B), recorder.iteration():
        recorder.register_tensor("x", x, is_input=True)
        recorder.register_tensor("y", checkpoint(block, x, use_reentrant=True))
    assert read_edges(recorder) == edges
    assert not_known(recorder) == expected


def test_autograd_does_not_know_what_carries_no_gradient(make_recorder: MakeRecorder) -> None:
    recorder = make_recorder(graph="autograd")
    weight, x = torch.ones(2, requires_grad=True), torch.randn(B, 2)
    with recorder.batch(0, B), recorder.iteration():
        recorder.register_tensor("x", x, is_input=True)
        h = x * weight
        recorder.register_tensor("h", h)
        recorder.register_tensor("seen", h.detach() + 1)
        recorder.register_tensor("y", h.exp())
    assert read_edges(recorder) == {("h", "y")}
    assert not_known(recorder) == {"h": "autograd", "seen": "autograd"}
