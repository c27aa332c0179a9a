"""Watched modules in a script that says itself where its steps begin and end."""

from __future__ import annotations

import copy
import io
import pickle
import threading
import weakref
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.nn.modules import module as torch_modules
from torch.utils.checkpoint import checkpoint

from comgra_export import ComgraRecorder
from comgra_export.errors import MisuseError
from comgra_export.recorder.host.gaps import ComgraRecordingWarning
from comgra_export.storage import open_recording
from support.recorder.fixtures import MakeRecorder
from support.recorder.reading import Call, folder_of, read_call, read_calls, read_edges, read_gaps, read_records, read_structure

pytestmark = pytest.mark.slow


def record(recorder: ComgraRecorder, body: Callable[[], Any], step: int = 0, batch_size: int = 2, *, backward: bool = True) -> None:
    """Records a step of one iteration: what the body returns is the loss."""
    with recorder.batch(step, batch_size), recorder.iteration():
        loss = body()
        if backward:
            loss.backward()
            recorder.record_current_gradients("gradients")


def tree(call: Call) -> dict[str, Any]:
    return {f"{inner.module}#{inner.number}": tree(inner) for inner in call.inner}


def all_nodes(recorder: ComgraRecorder, step: int = 0) -> set[str]:
    return {row.node for row in read_structure(recorder, step).tensors}


def test_the_numbers_are_those_worked_out_by_hand(recorder: ComgraRecorder) -> None:
    net = nn.Linear(2, 2)
    net.weight.data = torch.tensor([[3.0, 4.0], [0.0, 0.0]])
    net.bias.data.zero_()
    recorder.watch(net, "net", values=True)
    record(recorder, lambda: net(torch.tensor([[1.0, 0.0], [0.0, 2.0]]))[:, 0].sum())
    records = read_records(recorder)
    assert records["forward", "net: output", 0].values.tolist() == [3, 0, 8, 0]
    assert records["gradients", "net: output", 0].values.tolist() == [1, 0, 1, 0]
    assert records["forward", "net: input", 0].values.tolist() == [1, 0, 0, 2]
    # Each row of W is [3, 4] for the output that counts: the norm of a row is 5.
    assert records["gradients", "net: input", 0].values.tolist() == [3, 4, 3, 4]
    # The gradients are [[1, 2], [0, 0]] and [2, 0].
    assert records["gradients", "net.weight", -1].statistics["mean"] == [0.75]
    assert records["gradients", "net.bias", -1].statistics["abs_max"] == [2]
    entry = records["forward", "net: output", 0].entry
    assert (entry.type, entry.batch_dimension, entry.module, entry.operation) == ("calculated", 0, "net", "AddmmBackward0")
    assert entry.device == "cpu"
    entry = records["forward", "net: input", 0].entry
    assert (entry.type, entry.batch_dimension, entry.module) == ("input", 0, None)
    assert read_edges(recorder) == {
        ("net: input", "net: output"), ("net.weight", "net: output"), ("net.bias", "net: output"),
        ("net: output", "getitem"), ("getitem", "sum"),
    }  # fmt: skip


def test_only_statistics_are_kept_unless_values_are_asked_for(recorder: ComgraRecorder) -> None:
    net = nn.Linear(3, 4)
    recorder.watch(net)
    record(recorder, lambda: net(torch.randn(2, 3)).sum())
    records = read_records(recorder)
    for name in ("model: input", "model: output"):
        assert records["forward", name, 0].entry.kind == "kpis"
        assert records["forward", name, 0].values.size == 0
        assert len(records["forward", name, 0].statistics["mean"]) == 3 + 2


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(3, 3, 3, padding=1)
        self.norm = nn.BatchNorm2d(3)
        self.relu = nn.ReLU(inplace=True)
        self.dropout = nn.Dropout()

    def forward(self, x: Tensor) -> Tensor:
        identity = x
        out: Tensor = self.norm(self.relu(self.conv(x)))
        out += identity
        return self.dropout(self.relu(out))  # type: ignore[no-any-return]


def train_blocks(recorder: ComgraRecorder | None) -> list[Tensor]:
    torch.manual_seed(3)
    net = nn.Sequential(Block(), Block(), nn.Flatten(), nn.Linear(48, 2))
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    if recorder is not None:
        recorder.watch(net, "net")
    results = []
    for step in range(4):
        x = torch.randn(5, 3, 4, 4)
        if recorder is not None:
            # Steps 1 and 3 are not recorded.
            recorder.start_batch(step, 5, override__recording_is_active=step % 2 == 0)
            recorder.start_iteration()
        loss = net(x).square().mean()
        optimizer.zero_grad()
        loss.backward()
        if recorder is not None:
            assert torch_modules._has_any_global_hook() == {} or step % 2 == 0
            recorder.record_current_gradients("gradients")
            recorder.finish_iteration()
            recorder.finish_batch()
        optimizer.step()
        results.append(loss.detach())
    return [*results, *(value.detach() for value in net.state_dict().values()), torch.get_rng_state()]


def test_training_is_the_same_to_the_bit(recorder: ComgraRecorder) -> None:
    watched, alone = train_blocks(recorder), train_blocks(None)
    assert all(torch.equal(value, other) for value, other in zip(watched, alone, strict=True))
    # Every module's output has a gradient, those changed in place too.
    records = read_records(recorder, 2)
    modules = [module.name for module in open_recording(folder_of(recorder)).network.modules]
    assert len(modules) == 1 + 2 * 5 + 2
    for module in modules:
        output = read_call(recorder, module, step=2).outputs["output"]
        assert records["gradients", output, 0].counts[4] == 0, module
    second = read_call(recorder, "net.0.relu", 1, step=2)
    assert second.inputs["input"] == "net.0.relu (call 2): input"
    assert records["forward", "net.0.relu (call 2): input", 0].extrema[0] < 0
    assert second.outputs["output"] == "net.0.relu (call 2): output"
    assert records["forward", "net.0.relu (call 2): output", 0].extrema[0] == 0


@dataclass
class Output:
    logits: Tensor
    count: int


class Takes(nn.Module):
    """Takes and returns values of many types."""

    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.Linear(3, 3)

    def forward(self, x: Any, mask: Any = None, y: Any = None, *, scale: Any = 1, form: str = "tensor") -> Any:  # noqa: ANN401, ARG002
        first = x[0] if isinstance(x, list) else x
        out = self.inner(first)
        if isinstance(y, Tensor):
            out = out + y
        forms: dict[str, Any] = {
            "tensor": out,
            "dict": {"logits": out, "none": None},
            "dataclass": Output(out, 3),
            "pair": (out, [out * 2]),
        }
        return forms[form]


X, Y = torch.ones(2, 3), torch.full((2, 3), 2.0)
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


class Wandering(nn.Module):
    """Takes another way through its parts each time."""

    def __init__(self) -> None:
        super().__init__()
        self.left, self.right = nn.Linear(3, 3), nn.Linear(3, 3)

    def forward(self, x: Tensor, way: str) -> Tensor:
        for letter in way:
            x = (self.left if letter == "l" else self.right)(x)
        return x


def test_each_step_has_the_calls_that_were_made_in_it(recorder: ComgraRecorder) -> None:
    net = Wandering()
    recorder.watch(net, "net")
    for step, way in enumerate(["l", "r", "rlllr", ""]):
        with torch.set_grad_enabled(step != 0):
            record(recorder, partial(net, X, way), step=step, backward=False)
    for step, way in enumerate(["l", "r", "rlllr", ""]):
        (call,) = read_calls(recorder, step)
        assert [inner.module for inner in call.inner] == [{"l": "net.left", "r": "net.right"}[letter] for letter in way]
        assert call.inputs == {"x": "net: input x", "way": f"'{way}'"}
    assert read_calls(recorder, 2)[0].inner[3].outputs == {"output": "net.left (call 3): output"}
    assert "net.left (call 3): output" in all_nodes(recorder, 2)
    # Steps with the same calls share a file.
    record(recorder, lambda: net(X, "r"), step=4, backward=False)
    recording = open_recording(folder_of(recorder))
    assert recording.step(4).calls == recording.step(1).calls
    assert len(list((folder_of(recorder) / "calls").iterdir())) == 4


class Masked(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList(Takes() for _ in range(4))

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        for layer in self.layers:
            x = layer(x, mask, y=mask)
        return x


def test_what_many_modules_share_is_shown_once_and_leads_to_each(recorder: ComgraRecorder) -> None:
    net = Masked()
    recorder.watch(net, "net")
    record(recorder, lambda: net(X, Y).sum())
    sinks = {sink.split(":")[0] for source, sink in read_edges(recorder) if source.startswith("net: input mask")}
    assert sinks == {f"net.layers.{layer}" for layer in range(4)}
    assert [call.inputs["mask"] for call in read_calls(recorder)[0].inner] == ["net: input mask"] * 4
    assert read_gaps(recorder) == []


@pytest.mark.parametrize("reentrant", [True, False])
def test_a_checkpointed_block_runs_once(make_recorder: MakeRecorder, reentrant: bool) -> None:
    recorder = make_recorder(strict=False)
    net = nn.Sequential(nn.Linear(3, 3), nn.ReLU(), nn.Linear(3, 3))
    recorder.watch(net, "net")
    first = nn.Linear(3, 3)

    def body() -> Tensor:
        result: Tensor = checkpoint(net, first(X), use_reentrant=reentrant)
        return result.sum()

    record(recorder, body)
    (call,) = read_calls(recorder)
    assert tree(call) == {"net.0#0": {}, "net.1#0": {}, "net.2#0": {}}
    assert call.outputs == {"output": "net.2: output"}
    if not reentrant:
        assert read_records(recorder)["gradients", "net.1: output", 0].counts[4] == 0


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


def test_models_can_be_copied_and_saved_within_a_step(recorder: ComgraRecorder) -> None:
    net = nn.Sequential(nn.Linear(3, 3), nn.ReLU())
    before = pickle.dumps(net)
    recorder.watch(net, "net")

    def body() -> Tensor:
        out = net(X)
        assert pickle.dumps(net) == before
        torch.save(net, io.BytesIO())
        twin = copy.deepcopy(net)
        assert torch.equal(twin(X), out)
        return out.sum()  # type: ignore[no-any-return]

    record(recorder, body)
    assert [call.module for call in read_calls(recorder)] == ["net"]


class Failing(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.Linear(3, 3), nn.Linear(4, 4)

    def forward(self, x: Tensor, error: type[BaseException] | None = None) -> Tensor:
        x = self.first(x)
        if error is not None:
            raise error
        try:
            self.second(x)
        except RuntimeError:
            x = x + 1
        return self.first(x)  # type: ignore[no-any-return]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_calls_go_on_after_exceptions(recorder: ComgraRecorder, error: type[BaseException]) -> None:
    net = Failing()
    outer = nn.ModuleList([net])
    recorder.watch(outer, "net")

    def body() -> Tensor:
        with pytest.raises(error):
            net(X, error)
        return net(X).sum()  # type: ignore[no-any-return]

    record(recorder, body)
    calls = read_calls(recorder)
    assert [(call.module, call.raised, call.outputs) for call in calls] == [
        ("net.0", True, {}), ("net.0", False, {"output": "net.0.first (call 3): output"}),
    ]  # fmt: skip
    assert [(call.module, call.number, call.raised) for call in calls[1].inner] == [
        ("net.0.first", 1, False), ("net.0.second", 0, True), ("net.0.first", 2, False),
    ]  # fmt: skip


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_what_follows_an_exception_that_a_module_catches_is_not_within_the_call_that_raised(
    recorder: ComgraRecorder, error: type[BaseException]
) -> None:
    class Catching(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.failing, self.last = Failing(), nn.Linear(3, 3)

        def forward(self, x: Tensor) -> Tensor:
            with suppress(error):
                self.failing(x, error)
            return self.last(x)  # type: ignore[no-any-return]

    net = Catching()
    recorder.watch(net, "net")
    record(recorder, lambda: net(X).sum())
    (call,) = read_calls(recorder)
    assert tree(call) == {"net.failing#0": {"net.failing.first#0": {}}, "net.last#0": {}}
    assert [inner.module for inner in call.all() if inner.raised] == ["net.failing"]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_the_last_call_of_an_iteration_may_raise(recorder: ComgraRecorder, error: type[BaseException]) -> None:
    net = Failing()
    recorder.watch(net, "net")

    def body() -> None:
        with pytest.raises(error):
            net(X, error)

    record(recorder, body, backward=False)
    assert [(call.module, call.raised) for call in read_call(recorder, "net").all()] == [("net", True), ("net.first", False)]


def test_a_long_network_has_all_of_its_calls(recorder: ComgraRecorder) -> None:
    net = nn.Sequential(*(nn.Linear(2, 2) for _ in range(300)))
    recorder.watch(net, "net")
    record(recorder, lambda: net(torch.randn(2, 2)).sum())
    (call,) = read_calls(recorder)
    assert [inner.module for inner in call.inner] == [f"net.{position}" for position in range(300)]
    assert call.outputs == {"output": "net.299: output"}
    edges = read_edges(recorder)
    assert {(f"net.{k}: output", f"net.{k + 1}: output") for k in range(299)} <= edges
    assert ("net.299: output", "sum") in edges
    assert len(edges) == 300 * 3 + 1


def test_two_models_do_not_mix(make_recorder: MakeRecorder) -> None:
    first, second = make_recorder(), make_recorder()
    first_net, second_net = nn.Linear(3, 3), nn.Linear(3, 3)
    first.watch(first_net, "one")
    second.watch(second_net, "other")
    with first.batch(0, 2), first.iteration(), second.batch(0, 2), second.iteration():
        second_net(first_net(X))
    assert [call.module for call in read_calls(first)] == ["one"]
    assert [call.module for call in read_calls(second)] == ["other"]


def test_a_part_can_be_watched_more_closely(recorder: ComgraRecorder) -> None:
    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.body, self.head = nn.Linear(3, 3), nn.Linear(3, 1)

        def forward(self, x: Tensor) -> Tensor:
            return self.head(self.body(x).relu())  # type: ignore[no-any-return]

    net = Net()
    recorder.track_module("net", net)
    recorder.watch(net.head, values=True)
    recorder.watch(net)
    record(recorder, lambda: net(X).sum())
    assert tree(read_calls(recorder)[0]) == {"net.body#0": {}, "net.head#0": {}}
    records = read_records(recorder)
    kinds = {name: (kept.entry.type, kept.entry.kind) for (group, name, iteration), kept in records.items() if iteration == 0}
    assert kinds == {
        "net: input x": ("input", "kpis"), "net.body: output": ("calculated", "kpis"),
        "net.head: input": ("calculated", "neuron"), "net.head: output": ("calculated", "neuron"),
        "sum": ("loss", "single_value"),
    }  # fmt: skip


def test_iterations_have_their_own_calls(recorder: ComgraRecorder) -> None:
    net = nn.Linear(3, 3)
    recorder.watch(net, "net")
    with recorder.batch(0, 2):
        net(X)  # In no iteration.
        state = X
        for _ in range(2):
            with recorder.iteration():
                state = net(state)
        with recorder.iteration():
            pass
        state.sum().backward()
        recorder.record_current_gradients("gradients")
    assert [[call.number for call in read_calls(recorder, iteration=iteration)] for iteration in range(3)] == [[0], [0], []]
    assert read_calls(recorder, iteration=1)[0].inputs == {"input": "net: output"}
    recording = open_recording(folder_of(recorder))
    tree = recording.calls(recording.step(0).calls[1] or "")
    # It is that of the iteration before.
    assert [(port.record_name, port.record_iteration) for port in tree.ports] == [("net: output", 0), ("net: output", 1)]
    assert read_records(recorder)["gradients", "net: output", 1].counts[4] == 0


def test_an_iteration_within_a_call_has_the_calls_made_in_it(recorder: ComgraRecorder) -> None:
    class Loop(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.cell = nn.Linear(3, 3)

        def forward(self, x: Tensor) -> Tensor:
            for _ in range(2):
                with recorder.iteration():
                    x = self.cell(x)
            return x

    net = Loop()
    recorder.watch(net, "net")
    with recorder.batch(0, 2):
        net(X)
    assert [[call.module for call in read_calls(recorder, iteration=iteration)] for iteration in range(2)] == [["net.cell"], ["net.cell"]]


def test_dynamic_steps_and_sentinels(make_recorder: MakeRecorder) -> None:
    recorder = make_recorder(sentinels=True)
    net = nn.Linear(3, 3)
    recorder.watch(net, "net")
    for step, (kind, value) in enumerate([("a", 1.0), (None, 1.0), ("b", 1.0), ("b", torch.inf)]):
        recorder.start_batch(step, 2, None, override__recording_is_active=None)
        with recorder.iteration():
            net(torch.full((2, 3), value))
        recorder.decide_recording_of_batch(kind)
        recorder.finish_batch()
    recording = open_recording(folder_of(recorder))
    assert recording.steps == (0, 2, 3)
    for recorded in recording.steps:
        assert read_call(recorder, "net", step=recorded).outputs == {"output": "net: output"}


def test_the_graph_of_autograd_has_the_same_calls(make_recorder: MakeRecorder) -> None:
    recorder = make_recorder(graph="autograd")
    net = nn.Sequential(nn.Linear(3, 3), nn.ReLU(inplace=True), nn.Dropout(), nn.Linear(3, 3))
    recorder.watch(net, "net")
    record(recorder, lambda: net(X.clone().requires_grad_()).sum())
    (call,) = read_calls(recorder)
    assert [inner.outputs["output"] for inner in call.inner] == [f"net.{position}: output" for position in range(4)]
    assert ("net.0: output", "net.1: output") in read_edges(recorder)
    assert read_records(recorder)["gradients", "net.1: output", 0].counts[4] == 0


def test_compiled_modules_are_seen_on_recorded_steps(recorder: ComgraRecorder) -> None:
    net = nn.Sequential(nn.Linear(3, 3), nn.ReLU())
    compiled = torch.compile(net, backend="eager")
    recorder.watch(compiled, "net")  # type: ignore[arg-type]
    compiled(X)
    record(recorder, lambda: compiled(X).sum())
    compiled(X)
    (call,) = read_calls(recorder)
    assert tree(call) == {"net.0#0": {}, "net.1#0": {}}
    torch.compiler.reset()


def test_other_threads_are_not_seen(make_recorder: MakeRecorder) -> None:
    recorder, net = make_recorder(strict=False), nn.Linear(3, 3)
    recorder.watch(net, "net")

    def body() -> None:
        thread = threading.Thread(target=net, args=(X,))
        thread.start()
        thread.join()

    with pytest.warns(match="calls in other threads than that of the step are left out, with what they compute: net"):
        record(recorder, body, backward=False)
    assert read_calls(recorder) == []
    assert open_recording(folder_of(recorder)).step(0).calls == (None,)


def test_a_recorder_dropped_within_a_step_leaves_nothing(make_recorder: MakeRecorder, tmp_path: Any) -> None:  # noqa: ANN401
    recorder = ComgraRecorder(tmp_path, trial_id="dropped")
    net = nn.Linear(3, 3)
    recorder.watch(net, "net")
    recorder.start_batch(0, 2)
    recorder.start_iteration()
    out = net(X)
    tensor = weakref.ref(out)
    gone = weakref.ref(recorder)
    del recorder, out
    assert gone() is None
    assert tensor() is None
    assert not torch_modules._has_any_global_hook()


def test_parts_added_later_are_watched(recorder: ComgraRecorder) -> None:
    net = nn.Sequential(nn.Linear(3, 3))
    recorder.watch(net, "net")
    record(recorder, lambda: net(X).sum())
    net.append(nn.Linear(3, 2))
    record(recorder, lambda: net(X).sum(), step=1)
    assert tree(read_calls(recorder, 0)[0]) == {"net.0#0": {}}
    assert tree(read_calls(recorder, 1)[0]) == {"net.0#0": {}, "net.1#0": {}}


def test_descriptions_of_modules_are_kept(recorder: ComgraRecorder) -> None:
    class Odd(nn.Module):
        def extra_repr(self) -> str:
            raise ValueError

    recorder.track_module("net", nn.Sequential(nn.Linear(3, 2), nn.Dropout(0.25), Odd()))
    assert [module.description for module in open_recording(folder_of(recorder)).network.modules] == [
        "", "in_features=3, out_features=2, bias=True", "p=0.25, inplace=False", "",
    ]  # fmt: skip


@pytest.mark.parametrize("batch_first", [True, False])
def test_an_attention_says_which_dimension_is_that_of_the_samples(recorder: ComgraRecorder, batch_first: bool) -> None:
    recorder.track_module("net", nn.MultiheadAttention(4, 2, batch_first=batch_first))
    assert open_recording(folder_of(recorder)).network.modules[0].description == f"batch_first={batch_first}"


def test_wrong_calls_are_refused(recorder: ComgraRecorder) -> None:
    net = nn.Sequential(nn.Linear(3, 3))
    recorder.watch(net, "net")
    with pytest.raises(MisuseError, match="is watched already, as 'net'"):
        recorder.watch(net, "again")
    with pytest.raises(MisuseError, match="'net' is taken"):
        recorder.watch(nn.Linear(1, 1), "net")
    with pytest.raises(MisuseError, match=r"watch: 'x' is a list\. Give a torch\.nn\.Module"):
        recorder.watch([], "x")  # type: ignore[arg-type]
    with pytest.raises(MisuseError, match="Watch modules between steps"), recorder.batch(0, 2):
        recorder.watch(nn.Linear(1, 1), "late")
    with pytest.raises(MisuseError, match=r"step: only a recorder made by comgra_export\.watch"):
        recorder.step()
    # A tracked module is watched under the name that it has.
    tracked = nn.Linear(1, 1)
    recorder.track_module("tracked", tracked)
    recorder.watch(tracked)
    record(recorder, lambda: tracked(torch.ones(2, 1)).sum())
    assert [call.module for call in read_calls(recorder)] == ["tracked"]
