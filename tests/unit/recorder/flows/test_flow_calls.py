"""Recording a gradient flow on every kind of step does not change training. If it cannot be recorded, a message says why."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from comgra_export import ComgraRecorder, ComgraRecordingWarning, DecisionMakerForRecordingsFrequencyPerType, MisuseError
from comgra_export.recorder.flows import progress as flow_progress
from comgra_export.storage import open_recording
from support.recorder.fixtures import MakeRecorder
from support.recorder.reading import folder_of, read_records
from support.recorder.recorded_flows import read_flow, record_flow

B = 2


class Network(nn.Module):
    """With dropout in a checkpointed block, which draws its numbers again in every backward pass."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Linear(3, 4)
        self.block = nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.5), nn.Tanh())
        self.last = nn.Linear(4, 2)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        h = self.first(x)
        after = checkpoint(self.block, h, use_reentrant=False, preserve_rng_state=False)
        assert isinstance(after, Tensor)
        return h, after, self.last(after)


def train(recorder: ComgraRecorder, *, with_flow: bool) -> dict[str, Any]:
    torch.manual_seed(1)
    network = Network()
    recorder.track_module("network", network)
    optimizer = torch.optim.Adam(network.parameters(), 0.1)
    losses, gradients = [], []
    for step in range(3):
        with recorder.batch(step, B), recorder.iteration():
            x = torch.rand(B, 3)
            recorder.register_tensor("x", x, is_input=True)
            h, after, output = network(x)
            recorder.register_tensor("h", h)
            recorder.register_tensor("output", output)
            loss = output.square().mean()
            optimizer.zero_grad()
            if with_flow:
                recorder.record_gradient_flow(loss, {"x": x, "h": h, "after": after, "output": output}, samples=[0, 1])
                recorder.record_gradient_flow(loss, ["x", "h", "output"], name="by name")
                assert x.grad is None
                assert all(parameter.grad is None for parameter in network.parameters())
            loss.backward()
            gradients.append([parameter.grad.clone() for parameter in network.parameters() if parameter.grad is not None])
            recorder.record_current_gradients("gradients")
            optimizer.step()
            losses.append(loss.item())
    return {"losses": losses, "gradients": gradients, "state": network.state_dict(), "random": torch.get_rng_state()}


def test_training_and_what_else_is_recorded_are_the_same_bit_for_bit(make_recorder: MakeRecorder) -> None:
    recorders = [make_recorder(), make_recorder()]
    without, with_flow = (train(recorder, with_flow=flow) for recorder, flow in zip(recorders, (False, True), strict=True))
    assert without["losses"] == with_flow["losses"]
    assert torch.equal(without["random"], with_flow["random"])
    for expected, gradients in zip(without["gradients"], with_flow["gradients"], strict=True):
        assert all(torch.equal(first, second) for first, second in zip(expected, gradients, strict=True))
    assert all(torch.equal(value, with_flow["state"][name]) for name, value in without["state"].items())
    for step in range(3):
        first, second = (read_records(recorder, step) for recorder in recorders)
        assert first.keys() == second.keys()
        for key, record in first.items():
            assert record.statistics == second[key].statistics
            assert record.values.tobytes() == second[key].values.tobytes()
        facts = [open_recording(folder_of(recorder)).step(step) for recorder in recorders]
        assert facts[0].gradients == facts[1].gradients
        assert [len(fact.flows) for fact in facts] == [0, 2]


def test_gradients_that_have_come_stay(recorder: ComgraRecorder) -> None:
    """After a backward pass of another loss, which keeps the graph."""
    x = torch.rand(B, 3, requires_grad=True)
    with recorder.batch(0, B), recorder.iteration():
        recorder.register_tensor("x", x)
        h = x * 2
        recorder.register_tensor("h", h)
        y = h.exp()
        y.sum().backward(retain_graph=True)
        assert x.grad is not None
        before = x.grad.clone()
        recorder.record_gradient_flow(y.square().sum(), {"x": x, "h": h, "y": y})
        recorder.record_current_gradients("gradients")
    assert torch.equal(x.grad, before)
    assert read_records(recorder)["gradients", "h", 0].values.tobytes() == y.detach().numpy().tobytes()


def test_hooks_of_the_user_are_called_and_stay(recorder: ComgraRecorder) -> None:
    x = torch.rand(1, 3, requires_grad=True)
    h = x * 2
    calls: list[Tensor] = []
    handle = h.register_hook(calls.append)
    y = h.sin()
    record_flow(recorder, {"x": x, "y": y}, y.sum(), max_memory=1)
    assert len(calls) == 1 + 3
    assert h._backward_hooks is not None
    assert list(h._backward_hooks) == [handle.id]
    assert not y._backward_hooks
    assert not x._backward_hooks


def test_a_step_that_is_not_recorded_looks_at_nothing(make_recorder: MakeRecorder) -> None:
    recorder = make_recorder(decision_maker_for_recordings=DecisionMakerForRecordingsFrequencyPerType(1_000_000))
    recorder.record_gradient_flow(None, None)  # type: ignore[arg-type]
    x = torch.rand(1, 3, requires_grad=True)
    for step in range(2):
        y = x * 2
        record_flow(recorder, {"x": x, "y": y} if step == 0 else {}, y.sum() if step == 0 else x, step)
    assert open_recording(folder_of(recorder)).steps == (0,)
    ComgraRecorder("", comgra_is_active=False).record_gradient_flow(None, None)  # type: ignore[arg-type]


def test_it_works_with_single_calls(recorder: ComgraRecorder) -> None:
    recorder.start_batch(0, 1)
    recorder.start_iteration()
    x = torch.rand(1, 3)
    recorder.register_tensor("x", x, is_input=True)
    y = x * torch.ones(3, requires_grad=True)
    recorder.record_gradient_flow(y.sum(), {"x": x, "y": y})
    recorder.finish_iteration()
    recorder.finish_batch()
    assert len(read_flow(recorder)[1].pairs[0].flows) == 3


def reasons_of(recorder: ComgraRecorder, step: int = 0) -> list[str]:
    return [gap.reason for gap in open_recording(folder_of(recorder)).step(step).gaps]


def test_on_a_step_whose_type_comes_late_it_is_missing(make_recorder: MakeRecorder) -> None:
    recorder = make_recorder(strict=False)
    x = torch.rand(1, 3, requires_grad=True)
    for step, is_told_first in enumerate((False, True)):
        with recorder.batch(step, 1, None), recorder.iteration():
            y = x * 2
            if is_told_first:
                recorder.decide_recording_of_batch("train")
            recorder.record_gradient_flow(y.sum(), {"x": x, "y": y})
            if not is_told_first:
                with pytest.warns(ComgraRecordingWarning, match="decided to record this step only after record_gradient_flow"):
                    recorder.decide_recording_of_batch("train")
    assert len(reasons_of(recorder, 0)) == 1
    assert reasons_of(recorder, 1) == []
    assert [len(open_recording(folder_of(recorder)).step(step).flows) for step in (0, 1)] == [0, 1]


def test_on_steps_that_are_only_watched_for_what_is_unusual_nothing_is_computed(make_recorder: MakeRecorder) -> None:
    recorder = make_recorder(
        decision_maker_for_recordings=DecisionMakerForRecordingsFrequencyPerType(1_000_000), sentinels=True, strict=False
    )
    x = torch.rand(1, 3, requires_grad=True)
    calls: list[int] = []
    for step in range(3):
        with recorder.batch(step, 1), recorder.iteration():
            so_far = len(calls)
            y = x * (torch.nan if step == 2 else 2)
            recorder.register_tensor("y", y)
            recorder.record_gradient_flow(y.sum(), {"x": x, "y": y}, progress=lambda *numbers: calls.append(numbers[0]))
            if step == 2:
                with pytest.warns(ComgraRecordingWarning, match="gradient flow"):
                    recorder.record_current_gradients("gradients")
        assert (len(calls) > so_far) == (step == 0)
    recording = open_recording(folder_of(recorder))
    assert recording.steps == (0, 2)
    assert "'gradient flow' is missing" in reasons_of(recorder, 2)[0]


def test_what_the_loss_does_not_depend_on_is_left_out(make_recorder: MakeRecorder) -> None:
    recorder = make_recorder(strict=False)
    x = torch.rand(1, 2, requires_grad=True)
    y, aside = x * 2, x * 3
    z = y * 2
    with pytest.warns(ComgraRecordingWarning, match="through the layer 'aside': the loss does not depend on it"):
        record_flow(recorder, {"x": x, "y": y, "z": z, "aside": aside}, z.sum())
    flow, _ = read_flow(recorder)
    assert [layer.name for layer in flow.layers] == ["x", "y", "z"]
    assert [(pair.source, pair.target) for pair in flow.pairs] == [(0, 1), (1, 2)]
    assert len(reasons_of(recorder)) == 1


def test_layers_that_do_not_follow_one_another_are_reported(make_recorder: MakeRecorder) -> None:
    recorder = make_recorder(strict=False)
    x = torch.rand(1, 2, requires_grad=True)
    doubled, tripled = x * 2, x * 3
    both = doubled * tripled
    with pytest.warns(ComgraRecordingWarning, match="from 'one' to 'other', which does not depend on it"):
        record_flow(recorder, {"x": x, "one": doubled, "other": tripled, "both": both}, both.sum())
    flow, _ = read_flow(recorder)
    assert [(pair.source, pair.target) for pair in flow.pairs] == [(0, 1), (2, 3)]


def test_a_gradient_that_is_lost_on_its_way_is_reported(make_recorder: MakeRecorder) -> None:
    recorder = make_recorder(strict=False)
    with recorder.batch(0, 1), recorder.iteration():
        x = torch.rand(1, 2)
        recorder.register_tensor("x", x, is_input=True)
        y = checkpoint(nn.Linear(2, 2), x, use_reentrant=False)
        recorder.register_tensor("y", y)
        with pytest.warns(ComgraRecordingWarning, match="through the layer 'x': .* as in a checkpointed block"):
            recorder.record_gradient_flow(y.sum(), ["x", "y"])
    assert open_recording(folder_of(recorder)).step(0).flows == ()


def graph() -> dict[str, Tensor]:
    x = torch.rand(2, 3, requires_grad=True)
    y = x * 2
    return {"x": x, "y": y, "z": y.exp(), "integers": torch.ones(2, dtype=torch.int64), "plain": torch.rand(2, 3)}


def chosen(*names: str) -> Callable[[dict[str, Tensor]], dict[str, Any]]:
    return lambda tensors: {"layers": {name: tensors[name] for name in names}}


MISUSE: dict[str, tuple[Callable[[dict[str, Tensor]], dict[str, Any]], str]] = {
    "one layer": (chosen("x"), "fewer than two layers"),
    "a text": (lambda _: {"layers": "x"}, "layers is 'x'"),
    "tensors in a list": (lambda tensors: {"layers": [tensors["x"], tensors["y"]]}, "give a dictionary of names and tensors"),
    "no tensor": (lambda tensors: {"layers": {"x": tensors["x"], "y": 3}}, "'y' is a int"),
    "the wrong order": (chosen("y", "x"), "'y' is computed from 'x', and comes before it"),
    "the wrong order, further on": (chosen("x", "z", "y"), "'z' is computed from 'y'"),
    "the same tensor": (lambda tensors: {"layers": {"x": tensors["x"], "again": tensors["x"]}}, "'x' and 'again' are the same tensor"),
    "integers": (chosen("integers", "y"), "'integers' has no gradient: it is of the type torch.int64"),
    "no gradient": (chosen("plain", "y"), "'plain' has no gradient: it requires none"),
    "an unknown name": (
        lambda _: {"layers": ["registred", "y"]},
        "iteration 0 of step 0 has no tensor 'registred'. Did you mean 'registered'?",
    ),
    "a name like no other": (lambda _: {"layers": ["q", "y"]}, "There are 'registered'"),
    "a name twice": (lambda _: {"layers": ["registered", "registered"]}, "'registered' is given twice"),
    "a loss of many numbers": (lambda tensors: {"loss": tensors["z"]}, r"the loss has the shape \[2, 3\]"),
    "a loss that is a number": (lambda _: {"loss": 3.0}, "the loss is 3.0"),
    "a loss without a graph": (lambda _: {"loss": torch.ones(())}, "depends on nothing that requires a gradient"),
    "an empty name": (lambda _: {"name": ""}, "the name of the flow is empty"),
    "no flows": (lambda _: {"max_flows": 0}, "max_flows is 0"),
    "half a byte": (lambda _: {"max_memory": 0.5}, "max_memory is 0.5"),
    "a batch of text": (lambda _: {"batch_dimension": "0"}, "batch_dimension is '0'"),
    "no such dimension": (lambda _: {"batch_dimension": 2}, r"'x' has the shape \[2, 3\], and no dimension 2"),
    "no such sample": (lambda _: {"samples": [2]}, "no sample 2 in a batch of 2. Give positions from 0 to 1"),
    "a sample twice": (lambda _: {"samples": [1, 1]}, r"samples is \[1, 1\]"),
    "no sample": (lambda _: {"samples": []}, r"samples is \[\]"),
    "samples as a number": (lambda _: {"samples": 1}, "samples is 1"),
    "samples without a batch": (lambda _: {"samples": [0], "batch_dimension": None}, "Leave one of the two out"),
}


@pytest.mark.parametrize("name", MISUSE)
def test_wrong_calls_are_refused_in_words(recorder: ComgraRecorder, name: str) -> None:
    tensors = graph()
    change, message = MISUSE[name]
    arguments: dict[str, Any] = {"loss": tensors["z"].sum(), "layers": {"x": tensors["x"], "z": tensors["z"]}, **change(tensors)}
    with recorder.batch(0, 2), recorder.iteration():
        recorder.register_tensor("registered", tensors["y"])
        with pytest.raises(MisuseError, match=f"record_gradient_flow: .*{message}"):
            recorder.record_gradient_flow(**arguments)
    assert open_recording(folder_of(recorder)).step(0).flows == ()


def test_layers_of_different_batches_are_refused(recorder: ComgraRecorder) -> None:
    x = torch.rand(2, 3, requires_grad=True)
    y = x.sum(0)
    with pytest.raises(MisuseError, match=r"different sizes in the dimension 0, which is that of the batch: 'x' 2, 'y' 3\."):
        record_flow(recorder, {"x": x, "y": y}, y.sum())


def test_a_name_is_taken_once_in_a_step(recorder: ComgraRecorder) -> None:
    tensors = graph()
    layers = {"x": tensors["x"], "y": tensors["y"]}
    for step in range(2):
        with recorder.batch(step, 2), recorder.iteration():
            recorder.record_gradient_flow(tensors["y"].sum(), layers)
            with pytest.raises(MisuseError, match="the name 'gradient flow' is taken"):
                recorder.record_gradient_flow(tensors["y"].sum(), layers)


def test_after_the_backward_pass_it_is_too_late(recorder: ComgraRecorder) -> None:
    tensors = graph()
    loss = tensors["z"].square().sum()
    loss.backward()
    with pytest.raises(MisuseError, match=r"the graph of the loss is gone. Call it before loss.backward\(\)"):
        record_flow(recorder, {"x": tensors["x"], "z": tensors["z"]}, loss)


def test_outside_of_an_iteration_it_is_refused(recorder: ComgraRecorder) -> None:
    recorder.start_batch(0, 1)
    with pytest.raises(MisuseError, match=r"record_gradient_flow was called in step 0, in which no iteration has begun. Call it within"):
        recorder.record_gradient_flow(torch.ones(()), [])


@pytest.mark.parametrize("arguments", [{"graph": "autograd"}, {"request_input_gradients": False}])
def test_an_input_whose_gradient_is_not_asked_for_is_refused(make_recorder: MakeRecorder, arguments: dict[str, Any]) -> None:
    recorder = make_recorder(**arguments)
    weight = torch.rand(3, requires_grad=True)
    with recorder.batch(0, 2), recorder.iteration():
        x = torch.rand(2, 3)
        recorder.register_tensor("x", x, is_input=True)
        h = x * weight
        recorder.register_tensor("h", h)
        y = h.exp()
        recorder.register_tensor("y", y)
        with pytest.raises(MisuseError, match="the layer 'x' has no gradient: it requires no gradient, and gradients of such tensors"):
            recorder.record_gradient_flow(y.sum(), ["x", "y"])
        recorder.record_gradient_flow(y.sum(), ["h", "y"])
    assert len(read_flow(recorder)[1].pairs[0].flows) == 3


def test_what_cannot_be_computed_is_a_gap(make_recorder: MakeRecorder) -> None:
    def fail(gradient: Tensor) -> None:
        raise ZeroDivisionError

    recorder = make_recorder(strict=False)
    x = torch.rand(1, 2, requires_grad=True)
    h = x * 2
    h.register_hook(fail)
    y = h * 2
    with pytest.warns(ComgraRecordingWarning, match=r"the gradient flow 'gradient flow' could not be computed \(ZeroDivisionError\)"):
        record_flow(recorder, {"x": x, "y": y}, y.sum())
    assert open_recording(folder_of(recorder)).step(0).flows == ()


def test_nothing_is_kept_alive(recorder: ComgraRecorder) -> None:
    def one_step() -> list[weakref.ref[Tensor]]:
        x = torch.rand(1, 3)
        with recorder.batch(0, 1), recorder.iteration():
            recorder.register_tensor("x", x)
            y = x * torch.ones(3, requires_grad=True)
            recorder.record_gradient_flow(y.sum(), {"x": x, "y": y})
        return [weakref.ref(x), weakref.ref(y)]

    gc.collect()
    gc.disable()
    try:
        assert [reference() for reference in one_step()] == [None, None]
    finally:
        gc.enable()


def test_a_recording_with_flows_is_replaced_as_a_whole(tmp_path: Path) -> None:
    x = torch.rand(1, 3, requires_grad=True)
    for with_flow in (True, False):
        with ComgraRecorder(tmp_path, existing_trial="replace") as recorder, recorder.batch(0, 1), recorder.iteration():
            if with_flow:
                y = x * 2
                recorder.record_gradient_flow(y.sum(), {"x": x, "y": y})
        assert recorder.folder is not None
        assert (recorder.folder / "flows").exists() == with_flow


def test_memory_bounds_the_blocks(recorder: ComgraRecorder) -> None:
    """A product takes 2 * (4 * 10 + 4 * 20) bytes for gradients and 24 * 10 for flows: five fit into 2,500 bytes."""
    x = torch.rand(1, 10, requires_grad=True)
    y = x @ torch.rand(10, 20)
    done: list[int] = []
    record_flow(recorder, {"x": x, "y": y}, y.sum(), max_memory=2_500, progress=lambda so_far, _: done.append(so_far))
    assert done[:4] == [5, 10, 15, 20]


def test_the_progress_bar_comes_after_a_while_and_only_on_a_terminal(
    make_recorder: MakeRecorder, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(flow_progress, "_PATIENCE_SECONDS", 0)
    x = torch.rand(1, 2, requires_grad=True)
    y = x * 2
    shown = []
    for is_terminal, progress in ((True, True), (True, False), (False, True)):
        monkeypatch.setenv("FORCE_COLOR", "1") if is_terminal else monkeypatch.delenv("FORCE_COLOR", raising=False)
        record_flow(make_recorder(), {"x": x, "y": y}, y.sum(), name="my flow", progress=progress)
        output = capsys.readouterr()
        assert output.out == ""
        shown.append(output.err)
    assert "my flow" in shown[0]
    assert "2/2" in shown[0]
    assert shown[1:] == ["", ""]
