"""The gradients that come back through single calls of watched modules, against those worked out by hand."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor, nn

from comgra_export import ComgraRecorder
from support.recorder.call_gradients import Residual, Two, alone, means, names_of, record, scale
from support.recorder.reading import read_records

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("requires_grad", [False, True])
def test_the_gradient_through_each_of_two_layers_is_that_worked_out_by_hand(recorder: ComgraRecorder, requires_grad: bool) -> None:
    net = Two()
    recorder.watch(net, "net", histogram_values=10)
    record(recorder, lambda: net(torch.tensor([[1.0, 2.0]], requires_grad=requires_grad)))
    assert names_of(recorder) == {
        ("net", 0, "x"): ("net: input x", None),
        ("net.a", 0, "input"): ("net: input x", "net.a: gradient of input"),
        ("net.b", 0, "input"): ("net: input x", "net.b: gradient of input"),
    }
    records = read_records(recorder)
    # Sums of the columns: [9, 12] of a; three times those of b, [3, -1], are [9, -3].
    assert records["gradients", "net.a: gradient of input", 0].extrema == [9, 12]
    assert records["gradients", "net.b: gradient of input", 0].extrema == [-3, 9]
    assert records["gradients", "net: input x", 0].extrema == [9, 18]
    assert records["gradients", "net.b: gradient of input", 0].statistics["abs_mean"][0] == 6
    entry = records["gradients", "net.a: gradient of input", 0].entry
    assert (entry.type, entry.kind, entry.shape, entry.batch_dimension, entry.module) == ("calculated", "kpis", (1, 2), 0, "net.a")
    assert (entry.node, entry.role, entry.histogram, entry.samples) == ("net.a", "gradient of input", True, 1)
    assert ("forward", "net.a: gradient of input", 0) not in records


def test_a_gradient_through_one_of_two_calls_of_a_module_is_absent_through_the_other(recorder: ComgraRecorder) -> None:
    layer = nn.Linear(2, 1, bias=False)
    layer.weight.data = torch.tensor([[2.0, 4.0]])
    net = nn.ModuleDict({"layer": layer})
    recorder.watch(net, "net")

    def body() -> Tensor:
        x = torch.tensor([[1.0, 1.0]])
        first, _ = layer(x), layer(x)
        return first.sum()  # type: ignore[no-any-return]

    record(recorder, body)
    assert alone(recorder) == {
        ("net.layer", 0, "input"): "net.layer: gradient of input",
        ("net.layer", 1, "input"): "net.layer (call 2): gradient of input",
    }
    mean = means(recorder)
    assert mean["net.layer: gradient of input"] == mean["net.layer: input"] == 3
    assert mean["net.layer (call 2): gradient of input"] is None


def test_of_a_residual_block_the_branch_alone_has_one_less_than_the_total(recorder: ComgraRecorder) -> None:
    net = Residual(scale(5.0))
    recorder.watch(net, "net")
    record(recorder, lambda: net(torch.ones(1, 1)).sum())
    assert alone(recorder) == {("net.branch", 0, "input"): "net.branch: gradient of input"}
    assert means(recorder)["net.branch: gradient of input"] == 5
    assert means(recorder)["net: input x"] == 6


def test_a_tensor_that_goes_into_one_call_alone_has_no_gradient_besides_its_own(recorder: ComgraRecorder) -> None:
    net = nn.Sequential(nn.Sequential(nn.Linear(2, 2), nn.ReLU(inplace=True)), nn.Linear(2, 1))
    recorder.watch(net)
    record(recorder, lambda: net(torch.ones(1, 2)).sum())
    assert alone(recorder) == {}


def test_what_the_loss_uses_besides_the_network_is_no_part_of_the_gradient_through_it(recorder: ComgraRecorder) -> None:
    net = scale(5.0)
    recorder.watch(net, "net")

    def body() -> Tensor:
        x = torch.ones(1, 1)
        recorder.register_tensor("x", x, is_input=True)
        return (net(x) + 2 * x).sum()  # type: ignore[no-any-return]

    record(recorder, body)
    assert names_of(recorder)["net", 0, "input"] == ("x", "net: gradient of input")
    assert (means(recorder)["net: gradient of input"], means(recorder)["x"]) == (5, 7)


def test_calls_that_compute_the_same_share_the_record_of_the_outer_one(recorder: ComgraRecorder) -> None:
    inner = nn.Sequential(nn.Sequential(scale(2.0)))
    net = nn.ModuleDict({"inner": inner, "other": Residual(scale(3.0))})
    recorder.watch(net, "net")

    def body() -> Tensor:
        x = torch.ones(1, 1)
        return (inner(x) + net["other"](x)).sum()  # type: ignore[no-any-return]

    record(recorder, body)
    shared = "net.inner: gradient of input"
    assert alone(recorder) == {
        ("net.inner", 0, "input"): shared,
        ("net.inner.0", 0, "input"): shared,
        ("net.inner.0.0", 0, "input"): shared,
        # The residual connection belongs to the block, but not to what is in it.
        ("net.other", 0, "x"): "net.other: gradient of input x",
        ("net.other.branch", 0, "input"): "net.other.branch: gradient of input",
    }
    mean = means(recorder)
    assert (mean[shared], mean["net.other: gradient of input x"], mean["net.other.branch: gradient of input"]) == (2, 4, 3)
    assert mean["net.inner: input"] == 6


class Attending(nn.Module):
    def forward(self, query: Tensor, key: Tensor) -> Tensor:
        return (query * key).sum()


def test_a_tensor_that_goes_in_at_several_places_of_a_call_has_one_gradient_through_it(recorder: ComgraRecorder) -> None:
    attending = Attending()
    net = nn.ModuleDict({"attending": attending, "other": scale(7.0)})
    recorder.watch(net, "net")

    def body() -> Tensor:
        x = torch.full((1, 1), 4.0)
        return attending(x, key=x) + net["other"](x).sum()  # type: ignore[no-any-return]

    record(recorder, body)
    # Of x * x: 2 x.
    assert means(recorder)["net.attending: gradient of input query"] == 8
    assert alone(recorder)["net.attending", 0, "key"] == alone(recorder)["net.attending", 0, "query"]
