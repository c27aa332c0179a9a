"""Watching unusual training: shared and frozen modules, several backward passes, skipped steps."""

from __future__ import annotations

import copy
import io
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.utils.checkpoint import checkpoint

import comgra_export
from comgra_export import ComgraRecorder, ComgraRecordingWarning, DecisionMakerForRecordingsFrequencyPerType
from comgra_export.storage import open_recording
from comgra_export.storage.model.layout import FLAG_GRADIENT_ABSENT
from support.processes import ReadyProcesses
from support.recorder.fixtures import MakeRecorder
from support.recorder.reading import Call, folder_of, read_call, read_calls, read_edges, read_gaps, read_records

X = torch.tensor([[1.0, 2.0], [3.0, -4.0]])


def record(recorder: ComgraRecorder, body: Callable[[], Any], step: int = 0, batch_size: int = 2) -> None:
    """Records a step of one iteration: what the body returns is the loss."""
    with recorder.batch(step, batch_size), recorder.iteration():
        loss = body()
        if loss is not None:
            loss.backward()
            recorder.record_current_gradients("gradients")


def watch(net: nn.Module, path: Path, **arguments: Any) -> ComgraRecorder:  # noqa: ANN401
    """Watches a network, and records every step."""
    schedule = DecisionMakerForRecordingsFrequencyPerType(1)
    return comgra_export.watch(net, path, decision_maker_for_recordings=schedule, **arguments)


def tree(call: Call) -> dict[str, Any]:
    return {f"{inner.module}#{inner.number}": tree(inner) for inner in call.inner}


def test_gradients_of_several_backward_passes_are_summed(recorder: ComgraRecorder) -> None:
    net = nn.Linear(2, 2)
    recorder.watch(net, "net", values=True)
    with recorder.batch(0, 2), recorder.iteration():
        out = net(X)
        out[:, 0].sum().backward(retain_graph=True)
        recorder.record_current_gradients("first")
        (3 * out).sum().backward(retain_graph=True)
        out[:, 1].sum().backward()
        recorder.record_current_gradients("all")
    records = read_records(recorder)
    assert records["first", "net: output", 0].values.tolist() == [1, 0, 1, 0]
    assert records["all", "net: output", 0].values.tolist() == [4, 4, 4, 4]
    facts = open_recording(folder_of(recorder)).step(0).gradients
    assert [group.backward_passes for group in facts] == [1, 3]


class Nested(nn.Module):
    """Calls itself, until it is deep enough."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(2, 2)

    def forward(self, x: Tensor, depth: int) -> Tensor:
        x = self.layer(x)
        return self(x, depth - 1) if depth else x


def test_a_module_may_call_itself(recorder: ComgraRecorder) -> None:
    net = Nested()
    recorder.watch(net, "net")
    record(recorder, lambda: net(X, 2).sum())
    (call,) = read_calls(recorder)
    assert tree(call) == {"net.layer#0": {}, "net#1": {"net.layer#1": {}, "net#2": {"net.layer#2": {}}}}
    inner = read_call(recorder, "net", 2)
    assert inner.inputs == {"x": "net.layer (call 2): output", "depth": "0"}
    assert call.outputs == inner.outputs == {"output": "net.layer (call 3): output"}


class Half(nn.Module):
    def __init__(self, shared: nn.Module) -> None:
        super().__init__()
        self.shared = shared
        self.own = nn.Linear(2, 2)

    def forward(self, x: Tensor) -> Tensor:
        return self.own(self.shared(x))  # type: ignore[no-any-return]


def test_a_module_that_two_others_share_is_one(recorder: ComgraRecorder) -> None:
    shared = nn.Linear(2, 2)
    net = nn.Sequential(Half(shared), Half(shared))
    recorder.watch(net, "net")
    record(recorder, lambda: net(X).sum())
    (call,) = read_calls(recorder)
    assert tree(call) == {
        "net.0#0": {"net.0.shared#0": {}, "net.0.own#0": {}},
        "net.1#0": {"net.0.shared#1": {}, "net.1.own#0": {}},
    }  # fmt: skip
    records = read_records(recorder)
    weights = {name for group, name, _ in records if group == "gradients" and name.endswith("weight")}
    assert weights == {"net.0.shared.weight", "net.0.own.weight", "net.1.own.weight"}
    assert {source for source, sink in read_edges(recorder) if sink == "net.0.shared (call 2): output"} == {
        "net.0.own: output", "net.0.shared.weight", "net.0.shared.bias",
    }  # fmt: skip


class Residual(nn.Module):
    """Changes its input in place, like a block of many autoencoders."""

    def __init__(self) -> None:
        super().__init__()
        self.block = nn.Sequential(nn.ReLU(inplace=True), nn.Linear(2, 2))

    def forward(self, x: Tensor) -> Tensor:
        return x + self.block(x)  # type: ignore[no-any-return]


def losses_of_frozen(path: Path | None) -> tuple[list[float], ComgraRecorder | None]:
    torch.manual_seed(1)
    net = nn.Sequential(nn.Linear(2, 2), Residual(), nn.Linear(2, 2)).requires_grad_(False)
    schedule = DecisionMakerForRecordingsFrequencyPerType(2)
    recorder = None if path is None else comgra_export.watch(net, path, decision_maker_for_recordings=schedule, strict=True)
    losses = []
    with recorder or warnings.catch_warnings():
        for _ in range(4):
            out = net(X)
            assert not out.requires_grad
            losses.append(out.square().mean().item())
            if recorder is not None:
                recorder.step()
    return losses, recorder


def test_a_frozen_network_stays_as_it_is(tmp_path: Path) -> None:
    watched, recorder = losses_of_frozen(tmp_path)
    alone, _ = losses_of_frozen(None)
    # Recorded or not, it is the same.
    assert watched == alone
    assert len(set(watched)) == 1
    assert recorder is not None
    assert open_recording(folder_of(recorder)).steps == (0, 2)
    assert tree(read_calls(recorder, 2)[0])["model.1#0"] == {"model.1.block#0": {"model.1.block.0#0": {}, "model.1.block.1#0": {}}}


def test_gradients_go_through_a_frozen_part(recorder: ComgraRecorder) -> None:
    net = nn.Sequential(nn.Linear(2, 2).requires_grad_(False), nn.Linear(2, 1, bias=False))
    recorder.watch(net, "net", values=True)
    record(recorder, lambda: net(X).sum())
    records = read_records(recorder)
    second = next(net[1].parameters())[0]
    assert records["gradients", "net.0: output", 0].values.tolist() == second.tolist() * 2
    assert records["gradients", "net: input", 0].values.tolist() == pytest.approx((second @ next(net[0].parameters())).tolist() * 2)
    assert records["gradients", "net.0.weight", -1].counts[4] == 1
    assert net[0].weight.grad is None
    assert read_gaps(recorder) == []


class Borrowing(nn.Module):
    """Uses the parameters of its parts without calling them, and one of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(4, 2)
        self.scale = nn.Parameter(torch.tensor([2.0, 3.0]))

    def forward(self, words: Tensor) -> Tensor:
        return (self.embedding(words) * self.scale) @ self.embedding.weight.T  # type: ignore[no-any-return]


def test_parameters_may_be_used_by_others(recorder: ComgraRecorder) -> None:
    net = Borrowing()
    head = nn.Linear(4, 1, bias=False)
    recorder.watch(net, "net")
    recorder.watch(head, "head")

    def body() -> Tensor:
        out = functional.linear(net(torch.tensor([1, 2])), head.weight)
        recorder.register_tensor("out", out)
        return out.sum()

    record(recorder, body)
    # The head was never called.
    assert [tree(call) for call in read_calls(recorder)] == [{"net.embedding#0": {}}]
    assert {("net.scale", "net: output"), ("net.embedding.weight", "net: output"), ("head.weight", "out")} <= read_edges(recorder)
    records = read_records(recorder)
    for name, parameter in (("head.weight", head.weight), ("net.scale", net.scale), ("net.embedding.weight", net.embedding.weight)):
        assert parameter.grad is not None
        assert records["gradients", name, -1].extrema == [parameter.grad.min().item(), parameter.grad.max().item()]


class Functional(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        for number in range(600):
            x = torch.sin(x) if number % 2 else x * 1.01
        return x


def test_long_functional_code_is_one_call(recorder: ComgraRecorder) -> None:
    net = Functional()
    recorder.watch(net, "net")
    record(recorder, lambda: net(X.clone().requires_grad_()).sum())
    (call,) = read_calls(recorder)
    assert (call.inputs, call.outputs, call.inner) == ({"x": "net: input x"}, {"output": "net: output"}, [])
    assert read_edges(recorder) == {("net: input x", "net: output"), ("net: output", "sum")}
    assert read_records(recorder)["gradients", "net: input x", 0].counts[4] == 0


class Wrapped(nn.Module):
    """Runs a block as it is, or checkpointed, so that the backward pass computes it again."""

    def __init__(self, way: str) -> None:
        super().__init__()
        self.block = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 2))
        self.way = way

    def forward(self, x: Tensor) -> Tensor:
        if "checkpointed" in self.way:
            return checkpoint(self.block, x, use_reentrant="reentrant" in self.way)  # type: ignore[no-any-return]
        return self.block(x)  # type: ignore[no-any-return]


@pytest.mark.parametrize("way", ["eager", "compiled", "checkpointed", "checkpointed, reentrant"])
def test_numbers_are_the_same_in_every_way(way: str, recorder: ComgraRecorder) -> None:
    torch.manual_seed(2)
    net = Wrapped(way)
    x = X.clone().requires_grad_()
    first, _, second = net.block
    hidden = torch.tanh(functional.linear(x, first.weight, first.bias))  # type: ignore[arg-type]
    out = functional.linear(hidden, second.weight, second.bias)  # type: ignore[arg-type]
    of_out, of_hidden, of_x = torch.autograd.grad(out.square().sum(), (out, hidden, x))
    run: Callable[[Tensor], Tensor] = net
    if way == "compiled":
        run = torch.compile(net, backend="eager")
        run(x)
    recorder.watch(net, "net", values=True)
    record(recorder, lambda: run(X.clone().requires_grad_()).square().sum())
    records = read_records(recorder)
    assert tree(read_calls(recorder)[0]) == {"net.block#0": {f"net.block.{number}#0": {} for number in range(3)}}
    expected = {"net: input x": (x, of_x), "net.block.1: output": (hidden, of_hidden), "net.block.2: output": (out, of_out)}
    for name, (values, gradient) in expected.items():
        assert records["forward", name, 0].values.tolist() == pytest.approx(values.flatten().tolist())
        if "reentrant" in way and name == "net.block.1: output":
            # In the forward pass, it requires no gradient.
            assert records["gradients", name, 0].counts[4] == 1
        else:
            assert records["gradients", name, 0].values.tolist() == pytest.approx(gradient.flatten().tolist())
    torch.compiler.reset()


def test_copies_are_not_watched_and_saved_networks_are_as_before(recorder: ComgraRecorder) -> None:
    net = nn.Sequential(nn.Linear(2, 2))
    recorder.watch(net, "net")
    average = copy.deepcopy(net)
    saved = io.BytesIO()
    torch.save(net, saved)
    saved.seek(0)
    loaded = torch.load(saved, weights_only=False)

    def body() -> Tensor:
        assert torch.equal(average(X), net(X))
        assert torch.equal(loaded(X), average(X))
        return net(X).sum()  # type: ignore[no-any-return]

    record(recorder, body)
    assert [(call.module, call.number) for call in read_calls(recorder)] == [("net", 0), ("net", 1)]


def test_a_step_that_a_scaler_skips_has_the_next_pass_as_well(tmp_path: Path) -> None:
    torch.manual_seed(0)
    net = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    scaler = torch.amp.GradScaler("cpu", init_scale=8.0)
    losses = [torch.inf, 1.0, 1.0]
    with watch(net, tmp_path, values=True) as recorder:
        recorder.track_grad_scaler(scaler)
        recorder.track_optimizers(adam=optimizer)
        for factor in losses:
            optimizer.zero_grad()
            scaler.scale(net(X).sum() * factor).backward()
            scaler.step(optimizer)
            scaler.update()
    recording = open_recording(folder_of(recorder))
    # The first pass leads to no step of the optimizer, so that the second belongs to it.
    assert [(step, len(recording.step(step).calls)) for step in recording.steps] == [(0, 2), (1, 1)]
    assert read_gaps(recorder) == []
    records = read_records(recorder)
    assert records["gradients", "model: output", 0].counts[:3] == [0, 2, 0]
    # The skipped step halves the scale. The gradient is recorded without the scale.
    assert records["gradients", "model: output", 1].values.tolist() == [1, 1]
    assert recording.step(1).parameters is not None


def test_optimizers_within_the_backward_pass_need_to_be_told_where_a_step_ends(tmp_path: Path) -> None:
    def train(recorder: ComgraRecorder | None, net: nn.Module) -> list[Tensor]:
        optimizers = {parameter: torch.optim.SGD([parameter], lr=0.1) for parameter in net.parameters()}

        def update(parameter: Tensor) -> None:
            optimizers[parameter].step()  # type: ignore[index]
            parameter.grad = None

        hooks = [parameter.register_post_accumulate_grad_hook(update) for parameter in net.parameters()]
        for _ in range(3):
            net(X).square().sum().backward()
            if recorder is not None:
                recorder.step()
        for hook in hooks:
            hook.remove()
        return [parameter.detach().clone() for parameter in net.parameters()]

    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1))
    alone = copy.deepcopy(net)
    with watch(net, tmp_path) as recorder:
        watched = train(recorder, net)
    assert all(torch.equal(value, other) for value, other in zip(watched, train(None, alone), strict=True))
    recording = open_recording(folder_of(recorder))
    assert [(step, len(recording.step(step).calls)) for step in recording.steps] == [(0, 1), (1, 1), (2, 1)]
    records = read_records(recorder, 2)
    assert records["gradients", "model.0: output", 0].counts[4] == 0
    # It is gone before it could be recorded.
    assert records["gradients", "model.0.weight", -1].counts[4] == 1
    assert all(norm > 0 for norm in recording.step(2).parameters.update_norm)  # type: ignore[union-attr]


def test_optimizers_within_the_backward_pass_alone_end_no_step(tmp_path: Path) -> None:
    net = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    net.bias.register_post_accumulate_grad_hook(lambda _: optimizer.step())
    recorder = watch(net, tmp_path)

    def train() -> None:
        with recorder:
            for _ in range(2):
                net(X).sum().backward()

    with pytest.warns(ComgraRecordingWarning, match=r"Call the recorder's step\(\) at the end of each"):
        train()
    assert len(open_recording(folder_of(recorder)).step(0).calls) == 2


def test_watches_of_the_same_network_do_not_disturb_each_other(make_recorder: MakeRecorder) -> None:
    first, second = make_recorder(), make_recorder()
    net = nn.Sequential(nn.Linear(2, 2), nn.ReLU(inplace=True))
    x = X.clone().requires_grad_()
    first.watch(net, "net")
    second.watch(net, "net")
    with first.batch(0, 2), first.iteration(), second.batch(0, 2), second.iteration():
        net(x).sum().backward()
        first.record_current_gradients("gradients")
        second.record_current_gradients("gradients")
    assert read_calls(first) == read_calls(second)
    first_records, second_records = read_records(first), read_records(second)
    assert {key: kept.statistics for key, kept in first_records.items()} == {key: kept.statistics for key, kept in second_records.items()}


def test_of_two_watches_only_the_first_has_gradients_of_inputs_that_require_none(make_recorder: MakeRecorder) -> None:
    first, second = make_recorder(), make_recorder(strict=False)
    net = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
    first.watch(net, "net")
    second.watch(net, "net")

    def step() -> None:
        with first.batch(0, 2), second.batch(0, 2), first.iteration(), second.iteration():
            x = X * 2
            second.register_tensor("x", x, is_input=True)
            first.register_tensor("x", x, is_input=True)
            net(x + 1).sum().backward()
            first.record_current_gradients("gradients")
            second.record_current_gradients("gradients")

    with pytest.warns(match="the tensor 'x': its gradient is not known: .* another recorder, whose step began first"):
        step()
    assert read_edges(first) == read_edges(second)
    assert ("x", "net: input") in read_edges(first)
    assert read_calls(first) == read_calls(second)
    first_records, second_records = read_records(first), read_records(second)
    assert {key for key in first_records if first_records[key].counts != second_records[key].counts} == {
        ("gradients", "x", 0),
        ("gradients", "net: input", 0),
    }
    assert not first_records["gradients", "x", 0].counts[4] & FLAG_GRADIENT_ABSENT
    assert first_records["gradients", "net.0: output", 0].statistics == second_records["gradients", "net.0: output", 0].statistics


@pytest.mark.parametrize("ending", ["", "sys.exit(3)", "raise ValueError"])
def test_the_process_ends_after_training(ending: str, processes: ReadyProcesses, tmp_path: Path) -> None:
    script = f"""
import sys, torch, comgra_export
schedule = comgra_export.DecisionMakerForRecordingsFrequencyPerType(1)
net = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
recorder = comgra_export.watch(net, {str(tmp_path)!r}, decision_maker_for_recordings=schedule)
for _ in range(2):
    net(torch.ones(2, 2)).sum().backward()
    optimizer.step()
net(torch.ones(2, 2)).sum().backward()
{ending}
"""
    done = processes.run(script, tmp_path)
    assert done.returncode == {"": 0, "sys.exit(3)": 3, "raise ValueError": 1}[ending], done.stderr
    (folder,) = tmp_path.glob("*/*/rank-0")
    assert open_recording(folder).steps[:2] == (0, 1)
