"""Dependencies unknown to autograd, with the expected connections written out."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from comgra_export import ComgraRecorder
from comgra_export.errors import MisuseError
from support.recorder.fixtures import MakeRecorder
from support.recorder.reading import read_edges, read_edges_without_gradient, read_records

B = 4


def edges_of(recorder: ComgraRecorder, **tensors: Callable[..., Tensor]) -> tuple[set[tuple[str, str]], set[tuple[str, str]]]:
    """Registers tensors, each computed from those before, and returns the dependencies with a gradient and those without."""
    known: list[Tensor] = []
    with recorder.batch(0, B), recorder.iteration():
        for name, make in tensors.items():
            known.append(make(*known))
            recorder.register_tensor(name, known[-1], index_of_batch_dimension=None)
    without = read_edges_without_gradient(recorder)
    return read_edges(recorder) - without, without


def test_detached_values(recorder: ComgraRecorder) -> None:
    weight = torch.ones(2, requires_grad=True)
    with_gradient, without = edges_of(
        recorder,
        x=lambda: torch.randn(B, 2),
        h=lambda x: x * weight,
        detached=lambda _, h: h.detach() + 1,
        data=lambda _, h, __: h.data * 2,
        both=lambda _, h, *__: h * h.detach(),
    )
    assert with_gradient == {("x", "h"), ("h", "both")}
    assert without == {("h", "detached"), ("h", "data")}


@pytest.mark.parametrize("mode", [torch.no_grad, torch.inference_mode])
def test_values_computed_without_gradients(recorder: ComgraRecorder, mode: Callable[[], AbstractContextManager[None]]) -> None:
    network = nn.Sequential(nn.Linear(2, 3), nn.ReLU(inplace=True), nn.Linear(3, 1, bias=False)).eval()
    recorder.track_module("net", network)
    with mode():
        with_gradient, without = edges_of(
            recorder,
            x=lambda: torch.randn(B, 2),
            hidden=lambda x: network[1](network[0](x)),
            row=lambda _, hidden: hidden[0],
            y=lambda _, hidden, __: network[2](hidden),
        )
    assert with_gradient == set()
    assert without == {
        ("x", "hidden"),
        ("net.0.weight", "hidden"),
        ("net.0.bias", "hidden"),
        ("hidden", "row"),
        ("hidden", "y"),
        ("net.2.weight", "y"),
    }


def test_integers_and_truth_values(recorder: ComgraRecorder) -> None:
    table = torch.randn(5, 3, requires_grad=True)
    with_gradient, without = edges_of(
        recorder,
        ids=lambda: torch.tensor([0, 3, 3, 1]),
        embedded=lambda ids: F.embedding(ids, table),
        best=lambda _, embedded: embedded.argmax(dim=1, keepdim=True),
        picked=lambda _, embedded, best: embedded.gather(1, best),
        mask=lambda _, embedded, *__: embedded > 0,
        masked=lambda _, embedded, __, ___, mask: torch.where(mask, embedded, 0.0),
        indexed=lambda _, embedded, __, ___, mask, *____: embedded[mask],
    )
    assert with_gradient == {("embedded", "picked"), ("embedded", "masked"), ("embedded", "indexed")}
    assert without == {
        ("ids", "embedded"),
        ("embedded", "best"),
        ("best", "picked"),
        ("embedded", "mask"),
        ("mask", "masked"),
        ("mask", "indexed"),
    }
    assert read_records(recorder)["forward", "best", 0].entry.operation == "argmax"
    assert read_records(recorder)["forward", "picked", 0].entry.operation == "GatherBackward0"


def test_only_the_outputs_of_an_operation_that_carry_gradients(recorder: ComgraRecorder) -> None:
    weight = torch.ones(1, requires_grad=True)
    with_gradient, without = edges_of(
        recorder,
        x=lambda: torch.randn(B, 5),
        largest=lambda x: (x * weight).topk(2).values,
        places=lambda x, _: (x * weight).topk(2).indices,
    )
    assert with_gradient == {("x", "largest")}
    assert without == {("x", "places")}


def test_frozen_parameters_are_shown(recorder: ComgraRecorder) -> None:
    network = nn.Sequential(nn.Linear(2, 2, bias=False).requires_grad_(False), nn.Linear(2, 2, bias=False))
    recorder.track_module("net", network)
    with_gradient, without = edges_of(recorder, x=lambda: torch.randn(B, 2), h=lambda x: network[0](x), y=lambda _, h: network[1](h))
    assert with_gradient == {("x", "h"), ("h", "y"), ("net.1.weight", "y")}
    assert without == {("net.0.weight", "h")}


def test_a_tensor_registered_after_it_was_used_stands_between(recorder: ComgraRecorder) -> None:
    x = torch.ones(B, 2, dtype=torch.int64)
    with recorder.batch(0, B), recorder.iteration():
        middle = x * 2
        end = middle + 1
        recorder.register_tensor("end", end)
        recorder.register_tensor("x", x)
        recorder.register_tensor("middle", middle)
    assert read_edges(recorder) == {("x", "middle"), ("middle", "end")}


@pytest.mark.parametrize("context", [nullcontext, torch.no_grad, torch.inference_mode])
def test_changes_in_place(recorder: ComgraRecorder, context: Callable[[], AbstractContextManager[None]]) -> None:
    with recorder.batch(0, B), context(), recorder.iteration():
        a, b, c = (torch.randn(B, 2) for _ in range(3))
        for name, tensor in (("a", a), ("b", b), ("c", c)):
            recorder.register_tensor(name, tensor)
        row, other = b[0], b.view(-1)
        a.add_(b)
        recorder.register_tensor("added", a)
        row.mul_(c[0])
        recorder.register_tensor("base after its view was changed", b)
        recorder.register_tensor("another view of it", other.reshape(B, 2))
        target = torch.empty(B, 2)
        target[:, 0] = c[:, 0]
        recorder.register_tensor("assigned", target)
        out = torch.zeros(B, 2)
        torch.mul(c, 2, out=out)
        recorder.register_tensor("out", out)
        torch._foreach_add_([out], 1)
        recorder.register_tensor("foreach", out)
        F.relu(out, inplace=True)
        recorder.register_tensor("rectified", out)
    assert read_edges(recorder) == {
        ("a", "added"),
        ("b", "added"),
        ("b", "base after its view was changed"),
        ("c", "base after its view was changed"),
        ("b", "another view of it"),
        ("c", "another view of it"),
        ("c", "assigned"),
        ("c", "out"),
        ("out", "foreach"),
        ("foreach", "rectified"),
    }


def test_running_statistics_depend_on_the_batch(recorder: ComgraRecorder) -> None:
    norm = nn.BatchNorm1d(2)
    assert norm.running_mean is not None
    with recorder.batch(0, B), recorder.iteration():
        x = torch.randn(B, 2)
        recorder.register_tensor("x", x)
        y = norm(x)
        recorder.register_tensor("mean", norm.running_mean, index_of_batch_dimension=None)
        recorder.register_tensor("y", y)
        norm.eval()
        recorder.register_tensor("z", norm(y))
    assert read_edges(recorder) == {("x", "mean"), ("x", "y"), ("y", "z"), ("mean", "z"), ("x", "z")}
    # That of x and z is by way of the variance, which is not registered.
    assert read_edges_without_gradient(recorder) == {("x", "mean"), ("mean", "z"), ("x", "z")}


def test_parts_of_one_array_do_not_depend_on_each_other(recorder: ComgraRecorder) -> None:
    outside = torch.randn(2 * B, 2)
    first, second = outside[:B], outside[B:]
    with recorder.batch(0, B), recorder.iteration():
        recorder.register_tensor("first", first)
        recorder.register_tensor("second", second)
        recorder.register_tensor("part of the first", first[:, :1])
        recorder.register_tensor("third", outside[:B])
    assert read_edges(recorder) == {("first", "part of the first")}


def test_what_is_not_seen_is_found_in_the_graph_of_autograd(recorder: ComgraRecorder) -> None:
    class Twice(torch.autograd.Function):
        @staticmethod
        def forward(context: object, x: Tensor) -> Tensor:  # noqa: ARG004
            return torch.from_numpy(x.detach().numpy() * 2)

        @staticmethod
        def backward(context: object, gradient: Tensor) -> Tensor:  # noqa: ARG004
            return gradient * 2

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        scripted = torch.jit.trace(nn.Linear(2, 2), torch.randn(B, 2))
    table = torch.randn(5, 2, requires_grad=True)
    with recorder.batch(0, B), recorder.iteration():
        ids = torch.tensor([0, 3, 3, 1])
        recorder.register_tensor("ids", ids)
        for name, parameter in scripted.named_parameters():
            recorder.register_tensor(f"scripted.{name}", parameter, is_parameter=True)
        h = F.embedding(ids, table) * 2
        recorder.register_tensor("y", scripted(h))
        recorder.register_tensor("z", Twice.apply(h) + 1)  # type: ignore[no-untyped-call]
    parameters = {("scripted.weight", "y"), ("scripted.bias", "y")}
    assert read_edges(recorder) == {("ids", "y"), ("ids", "z")} | parameters
    assert read_edges_without_gradient(recorder) == {("ids", "y"), ("ids", "z")}


def test_gradients_that_are_used_as_values(recorder: ComgraRecorder) -> None:
    x = torch.randn(B, 2, requires_grad=True)
    with recorder.batch(0, B), recorder.iteration():
        recorder.register_tensor("x", x)
        h = x**3
        recorder.register_tensor("h", h)
        (plain,) = torch.autograd.grad(h.sum(), x, retain_graph=True)
        recorder.register_tensor("plain", plain)
        (with_graph,) = torch.autograd.grad(h.sum(), x, create_graph=True)
        recorder.register_tensor("with graph", with_graph)
    assert read_edges(recorder) == {("x", "h"), ("h", "plain"), ("x", "plain"), ("x", "with graph")}
    assert read_edges_without_gradient(recorder) == {("h", "plain"), ("x", "plain")}


def test_vectorized_functions(recorder: ComgraRecorder) -> None:
    with recorder.batch(0, B), recorder.iteration():
        x = torch.randn(B, 2)
        recorder.register_tensor("x", x)
        recorder.register_tensor("y", torch.vmap(lambda row: (row * 2).sum())(x), index_of_batch_dimension=None)
    assert read_edges(recorder) == {("x", "y")}


def test_parameters_changed_by_an_optimizer_stay_what_they_are(recorder: ComgraRecorder) -> None:
    network = nn.Linear(2, 1, bias=False)
    recorder.track_module("net", network)
    optimizer = torch.optim.Adam(network.parameters())
    with recorder.batch(0, B):
        for _ in range(2):
            with recorder.iteration():
                x = torch.randn(B, 2)
                recorder.register_tensor("x", x)
                y = network(x)
                recorder.register_tensor("y", y)
                y.sum().backward()
                optimizer.step()
                with torch.no_grad():
                    network.weight.mul_(0.9)
    for iteration in range(2):
        assert read_edges(recorder, iteration=iteration) == {("x", "y"), ("net.weight", "y")}
        assert read_edges_without_gradient(recorder, iteration=iteration) == set()


def test_the_graph_of_autograd_alone(make_recorder: MakeRecorder) -> None:
    recorder = make_recorder(graph="autograd", request_input_gradients=False)
    weight = torch.ones(2, requires_grad=True)
    with_gradient, without = edges_of(
        recorder, x=lambda: torch.randn(B, 2), h=lambda x: x * weight, y=lambda _, h: h + 1, z=lambda _, h, __: h.detach()
    )
    assert (with_gradient, without) == ({("h", "y")}, set())
    with pytest.raises(MisuseError, match="data_flow, autograd"):
        make_recorder(graph="dispatch")
