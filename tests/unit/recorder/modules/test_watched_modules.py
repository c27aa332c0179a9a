"""What is recorded of the calls of watched modules: numbers, structure and descriptions."""

from __future__ import annotations

from functools import partial

import pytest
import torch
from torch import Tensor, nn
from torch.nn.modules import module as torch_modules
from torch.utils.checkpoint import checkpoint

from comgra_export import ComgraRecorder
from comgra_export.storage import open_recording
from support.recorder.fixtures import MakeRecorder
from support.recorder.reading import folder_of, read_call, read_calls, read_edges, read_gaps, read_records
from support.recorder.watched_calls import Takes, X, Y, all_nodes, record, tree

pytestmark = pytest.mark.slow


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
