"""What goes into calls of watched modules and comes out of them, of all kinds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from comgra_export import ComgraRecorder
from comgra_export.recorder.host.gaps import ComgraRecordingWarning
from support.recorder.fixtures import MakeRecorder
from support.recorder.reading import read_call, read_calls, read_edges, read_gaps, read_records
from support.recorder.watched_calls import Takes, X, Y, all_nodes, record, tree

pytestmark = pytest.mark.slow

INPUTS: dict[str, tuple[Callable[[Takes], Any], dict[str, str], dict[str, str]]] = {
    "none between": (
        lambda net: net(X, None, Y), {"x": "net: input x", "mask": "None", "y": "net: input y"}, {"output": "net: output"}
    ),
    "by name": (
        lambda net: net(X, y=Y, scale=4), {"x": "net: input x", "y": "net: input y", "scale": "4"}, {"output": "net: output"}
    ),
    "all by name": (lambda net: net(y=Y, x=X), {"x": "net: input x", "y": "net: input y"}, {"output": "net: output"}),
    "a number": (lambda net: net(X, 3), {"x": "net: input x", "mask": "3"}, {"output": "net.inner: output"}),
    "a list with one twice": (
        lambda net: net([X, X]), {"x[0]": "net: input x[0]", "x[1]": "net: input x[0]"}, {"output": "net.inner: output"}
    ),
    "a dict": (
        lambda net: net(X, form="dict"), {"x": "net: input x", "form": "'dict'"},
        {"output.logits": "net.inner: output", "output.none": "None"},
    ),
    "a dataclass": (
        lambda net: net(X, form="dataclass"), {"x": "net: input x", "form": "'dataclass'"},
        {"output.logits": "net.inner: output", "output.count": "3"},
    ),
    "nested": (
        lambda net: net(X, form="pair"), {"x": "net: input x", "form": "'pair'"},
        {"output[0]": "net.inner: output", "output[1][0]": "net: output[1][0]"},
    ),
}  # fmt: skip


@pytest.mark.parametrize(("call", "inputs", "outputs"), INPUTS.values(), ids=INPUTS.keys())
def test_arguments_and_results_of_all_kinds(
    recorder: ComgraRecorder, call: Callable[[Takes], Any], inputs: dict[str, str], outputs: dict[str, str]
) -> None:
    net = Takes()
    recorder.watch(net, "net")
    record(recorder, lambda: call(net), backward=False)
    (outermost,) = read_calls(recorder)
    assert (outermost.module, outermost.number, outermost.training, outermost.raised) == ("net", 0, True, False)
    assert outermost.inputs == inputs
    assert outermost.outputs == outputs
    assert tree(outermost) == {"net.inner#0": {}}
    assert outermost.inner[0].inputs == {"input": inputs.get("x", inputs.get("x[0]"))}
    records = read_records(recorder)
    tensors = {name for name in [*inputs.values(), *outputs.values()] if name.startswith("net")}
    assert {("forward", name, 0) for name in tensors} <= set(records)
    assert {records["forward", name, 0].entry.type for name in inputs.values() if name.startswith("net")} == {"input"}


def test_an_argument_that_a_module_does_not_use_is_no_mistake(recorder: ComgraRecorder) -> None:
    net = Takes()
    recorder.watch(net, "net")
    record(recorder, lambda: net(X, mask=Y).sum())
    assert read_call(recorder, "net").inputs == {"x": "net: input x", "mask": "net: input mask"}


def test_gradients_of_inputs_given_by_name_are_known(recorder: ComgraRecorder) -> None:
    net = Takes()
    recorder.watch(net, "net", values=True)
    record(recorder, lambda: net(x=X, y=Y).sum())
    records = read_records(recorder)
    assert records["gradients", "net: input y", 0].values.tolist() == [1] * 6
    expected = net.inner.weight.sum(0).tolist()
    assert records["gradients", "net: input x", 0].values.tolist() == pytest.approx(expected * 2)


def test_recurrent_and_attention_modules(recorder: ComgraRecorder) -> None:
    lstm, attention = nn.LSTM(3, 4, num_layers=2), nn.MultiheadAttention(4, 2)
    recorder.watch(lstm, "lstm")
    recorder.watch(attention, "attention")

    def body() -> Tensor:
        out, _ = lstm(torch.randn(5, 2, 3))
        attended, weights = attention(out, out, out, need_weights=False)
        assert weights is None
        return attended.sum()  # type: ignore[no-any-return]

    record(recorder, body)
    first, second = read_calls(recorder)
    assert first.outputs == {
        "output[0]": "lstm: output[0]", "output[1][0]": "lstm: output[1][0]", "output[1][1]": "lstm: output[1][1]",
    }  # fmt: skip
    assert second.inputs == {**dict.fromkeys(("query", "key", "value"), "lstm: output[0]"), "need_weights": "False"}
    assert second.outputs == {
        "output[0]": "attention: output[0]", "output[1]": "None", "attention": "not returned: need_weights=False",
    }  # fmt: skip
    assert read_records(recorder)["gradients", "lstm: output[0]", 0].counts[4] == 0
    # The first dimension is that of time: nothing of the size of the batch comes first.
    assert read_records(recorder)["forward", "lstm: output[0]", 0].entry.batch_dimension is None


def test_non_finite_and_empty_tensors_are_counted(recorder: ComgraRecorder) -> None:
    net = nn.Sequential(nn.Identity(), nn.ReLU())
    recorder.watch(net, "net")
    values = torch.tensor([[torch.inf, torch.nan, 1.0], [-torch.inf, torch.nan, 0.0]])
    record(recorder, lambda: net(values), backward=False)
    record(recorder, lambda: net(torch.zeros(0, 3)), step=1, batch_size=0, backward=False)
    counts = read_records(recorder)["forward", "net: input", 0].counts
    assert counts[:4] == [2, 1, 1, 1]
    counts = read_records(recorder)["forward", "net.1: output", 0].counts
    assert counts[:4] == [2, 1, 0, 2]
    assert read_records(recorder, 1)["forward", "net.1: output", 0].entry.shape == (0, 3)


def test_a_module_that_runs_twice_has_a_gradient_where_the_loss_comes_from(recorder: ComgraRecorder) -> None:
    net = nn.Linear(3, 3)
    recorder.watch(net, "net", values=True)

    def body() -> Tensor:
        first, _ = net(X), net(Y)
        return first.sum()  # type: ignore[no-any-return]

    record(recorder, body)
    assert [(call.module, call.number) for call in read_calls(recorder)] == [("net", 0), ("net", 1)]
    records = read_records(recorder)
    assert records["gradients", "net: output", 0].values.tolist() == [1] * 6
    assert records["gradients", "net (call 2): output", 0].counts[4] == 1
    assert records["forward", "net (call 2): input", 0].values.tolist() == [2] * 6


class Registering(nn.Module):
    def __init__(self, recorder: ComgraRecorder) -> None:
        super().__init__()
        self.first, self.second = nn.Linear(3, 3), nn.Linear(3, 3)
        self.register: Callable[..., None]
        vars(self)["register"] = recorder.register_tensor

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        hidden = self.first(x)
        self.register("hidden", hidden)
        result = self.second(hidden)
        self.register("result", result, recording_type="kpis")
        loss = result.square().mean()
        return result, loss


def test_what_the_user_says_of_a_tensor_counts(recorder: ComgraRecorder) -> None:
    net = Registering(recorder)
    recorder.watch(net, "net")

    def body() -> Tensor:
        x = torch.randn(2, 3)
        recorder.register_tensor("x", x, is_input=True)
        _, loss = net(x)
        recorder.register_tensor("loss", loss, is_loss=True)
        return loss  # type: ignore[no-any-return]

    record(recorder, body)
    assert read_call(recorder, "net").inputs == {"x": "x"}
    assert read_call(recorder, "net.first").outputs == {"output": "hidden"}
    assert read_call(recorder, "net.second").inputs == {"input": "hidden"}
    # The second registration of a tensor is another name of it.
    assert read_call(recorder, "net.second").outputs == {"output": "net.second: output"}
    assert read_call(recorder, "net").outputs == {"output[0]": "net.second: output", "output[1]": "loss"}
    records = read_records(recorder)
    assert records["forward", "hidden", 0].values.size == 6
    assert records["gradients", "hidden", 0].counts[4] == 0
    assert records["forward", "loss", 0].entry.type == "loss"
    edges = {(source.split(":")[0], sink.split(":")[0]) for source, sink in read_edges(recorder) if "weight" not in source}
    assert {edge for edge in edges if "bias" not in edge[0]} == {
        ("x", "hidden"), ("hidden", "net.second"), ("net.second", "result"), ("result", "loss"),
    }  # fmt: skip


@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors is in prototype stage:UserWarning")
def test_tensors_without_numbers_have_a_text_and_a_gap(make_recorder: MakeRecorder) -> None:
    recorder = make_recorder(strict=False)
    net = nn.Identity()
    recorder.watch(net, "net")
    nested = torch.nested.as_nested_tensor([torch.zeros(2), torch.zeros(3)], layout=torch.strided)
    with pytest.warns(ComgraRecordingWarning):
        record(recorder, lambda: (net(torch.zeros(2, 3, dtype=torch.complex64)), net(nested)), backward=False)
    assert [call.inputs for call in read_calls(recorder)] == [{"input": "complex64 [2, 3]"}, {"input": "float32 nested"}]
    assert {gap.tensor for gap in read_gaps(recorder)} == {"net: input", "net (call 2): input"}


def test_buffers_are_recorded_as_they_are_before_the_step(recorder: ComgraRecorder) -> None:
    net = nn.Sequential(nn.BatchNorm1d(3, momentum=1.0), nn.BatchNorm1d(3, track_running_stats=False))
    shared = torch.tensor([[1.0, torch.nan]])
    net.register_buffer("table", shared)
    net[1].register_buffer("same", shared, persistent=False)
    other = nn.BatchNorm1d(3)
    recorder.watch(net, "net")
    recorder.track_module("other", other)
    x = torch.tensor([[0.0, 0.0, 0.0], [2.0, 4.0, 12.0]])
    for step in range(2):
        record(recorder, lambda: other(net(x)).sum(), step=step)
    buffers = ["net.0.running_mean", "net.0.running_var", "net.0.num_batches_tracked", "net.table"]
    for step, (mean, seen) in enumerate([(0.0, 0), (3.0, 1)]):
        records = read_records(recorder, step)
        by_name = {name: kept for (group, name, iteration), kept in records.items() if (group, iteration) == ("forward", -1)}
        assert {name for name, kept in by_name.items() if kept.entry.type != "parameter"} == set(buffers)
        assert by_name["net.0.running_mean"].statistics["mean"] == [mean]
        assert by_name["net.0.num_batches_tracked"].statistics == {"single_value": [seen]}
        assert by_name["net.table"].counts[0] == 1
        assert (by_name["net.table"].entry.node, by_name["net.table"].entry.role) == ("net", "buffer table")
        assert not any(("gradients", name, -1) in records for name in buffers)
        assert all_nodes(recorder, step).isdisjoint({"net", "net.0", "net*old", "net.0*old"})


def test_a_name_of_ours_that_is_taken_is_a_gap(make_recorder: MakeRecorder) -> None:
    recorder = make_recorder(strict=False)
    net = nn.Linear(3, 3)
    recorder.watch(net, "net")

    def body() -> None:
        recorder.register_tensor("net: output", torch.zeros(2, 1))
        assert net(X).shape == (2, 3)

    with pytest.warns(ComgraRecordingWarning, match="the outputs of net could not be recorded"):
        record(recorder, body, backward=False)
    (gap,) = read_gaps(recorder)
    assert "'net: output' was given twice" in gap.reason
    assert read_call(recorder, "net").inputs == {"input": "net: input"}
