"""Training does not notice that it is recorded."""

from __future__ import annotations

import copy
import gc
import io
import pickle
import weakref
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from comgra_export import ComgraRecorder, ComgraRecordingWarning, DecisionMakerForRecordingsHardcoded
from comgra_export.storage import open_recording
from support.recorder.fixtures import MakeRecorder
from support.recorder.reading import folder_of, read_edges, read_records

B = 8


class Network(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Linear(4, 16)
        self.norm = nn.BatchNorm1d(16)
        self.dropout = nn.Dropout(0.3)
        self.frozen = nn.Linear(16, 16).requires_grad_(False)
        self.second = nn.Linear(16, 2)

    def forward(self, x: Tensor, recorder: ComgraRecorder | None) -> Tensor:
        if recorder is not None:
            recorder.register_tensor("running mean", self.norm.running_mean, index_of_batch_dimension=None)  # type: ignore[arg-type]
        h = self.dropout(torch.relu(self.norm(self.first(x))))
        if recorder is not None:
            recorder.register_tensor("h", h)
        h.mul_(1.5)
        h = self.frozen(h)
        if recorder is not None:
            recorder.register_tensor("after frozen", h)
        output: Tensor = self.second(h)
        return output


Trace = dict[str, Any]


def train(recorder: ComgraRecorder | None, steps: int = 6) -> Trace:
    """Trains for some steps, and notes everything that a training script could see."""
    torch.manual_seed(7)
    network = Network()
    optimizer = torch.optim.Adam(network.parameters(), 0.01)
    data, targets = torch.randn(steps, B, 4), torch.randn(steps, B, 2)
    losses, gradients = [], []
    if recorder is not None:
        recorder.track_module("net", network)
    for step in range(steps):
        x, y = data[step], targets[step]
        if recorder is not None:
            recorder.start_batch(step, B)
            recorder.start_iteration()
            recorder.register_tensor("x", x, is_input=True)
            recorder.register_tensor("y", y, is_target=True)
        output = network(x, recorder)
        loss = ((output - y) ** 2).mean()
        if recorder is not None:
            recorder.register_tensor("output", output)
            recorder.register_tensor("loss", loss, is_loss=True)
        optimizer.zero_grad()
        loss.backward()
        gradients.append([None if parameter.grad is None else parameter.grad.clone() for parameter in network.parameters()])
        if recorder is not None:
            recorder.record_current_gradients("gradients", set_gradients_to_zero_if_not_a_parameter=True)
            recorder.record_kpi_in_graph("loss", "train", loss)
            recorder.add_note(step)
        optimizer.step()
        if recorder is not None:
            recorder.finish_iteration()
            recorder.finish_batch()
        losses.append(loss.item())
        assert not x.requires_grad
        assert not y.requires_grad
        assert x.grad is None
        assert not output._backward_hooks
        assert not any(parameter._backward_hooks for parameter in network.parameters())
        assert not any(parameter.requires_grad for parameter in network.frozen.parameters())
        assert not any(buffer.requires_grad for buffer in network.buffers())
    attributes = {name: sorted(vars(module)) for name, module in network.named_modules()}
    state = {name: value.clone() for name, value in network.state_dict().items()}
    return {"losses": losses, "gradients": gradients, "state": state, "random": torch.get_rng_state(), "attributes": attributes}


def assert_same(first: Any, second: Any) -> None:  # noqa: ANN401
    if isinstance(first, Tensor):
        assert torch.equal(first, second)
    elif isinstance(first, dict):
        assert first.keys() == second.keys()
        for key in first:
            assert_same(first[key], second[key])
    elif isinstance(first, list):
        for first_item, second_item in zip(first, second, strict=True):
            assert_same(first_item, second_item)
    else:
        assert first == second


def test_training_is_the_same_bit_for_bit(make_recorder: MakeRecorder) -> None:
    alone = train(None)
    assert_same(alone, train(make_recorder()))
    sometimes = make_recorder(decision_maker_for_recordings=DecisionMakerForRecordingsHardcoded({0, 3}))
    assert_same(alone, train(sometimes))
    assert open_recording(folder_of(sometimes)).steps == (0, 3)
    assert_same(alone, train(make_recorder(comgra_is_active=False)))


def test_flags_and_gradients_are_as_before(recorder: ComgraRecorder) -> None:
    plain, with_gradient = torch.ones(B, 1), torch.ones(B, 1)
    gradient = torch.full((B, 1), 5.0)
    with_gradient.grad = gradient
    own = torch.ones(B, 1, requires_grad=True)
    parameter = nn.Parameter(torch.ones(B, 1), requires_grad=False)
    sink = torch.ones(B, 1)
    with recorder.batch(0, B), recorder.iteration():
        for name, tensor in (("plain", plain), ("with gradient", with_gradient), ("own", own), ("parameter", parameter)):
            recorder.register_tensor(name, tensor)
        recorder.add_tensor_connection(own, sink)
        assert not plain.requires_grad
        ((plain + with_gradient + own + parameter + sink) * 2).sum().backward()
        assert plain.grad is None
        recorder.record_current_gradients("gradients")
    records = read_records(recorder)
    for name in ("plain", "with gradient", "own"):
        assert records["gradients", name, 0].statistics["mean"][0] == 2, name
    assert [tensor.requires_grad for tensor in (plain, with_gradient, own, parameter, sink)] == [False, False, True, False, False]
    assert plain.grad is sink.grad is parameter.grad is None
    assert with_gradient.grad is gradient
    assert set(gradient.reshape(-1).tolist()) == {5}
    assert own.grad is not None
    assert set(own.grad.reshape(-1).tolist()) == {2}


def test_an_unrecorded_step_installs_nothing(make_recorder: MakeRecorder) -> None:
    recorder = make_recorder()
    x, h = torch.ones(B, 1), torch.ones(B, 1, requires_grad=True) * 2

    def calls() -> None:
        recorder.register_tensor("x", x)
        recorder.register_tensor("x", h)  # Not even a duplicate name is checked.
        recorder.add_tensor_connection("nobody", x)
        assert recorder.detach_while_keeping_connection(h).is_leaf
        recorder.record_current_gradients("gradients")
        recorder.record_kpi_in_graph("group", "name", 1.0)
        assert not x.requires_grad
        assert h._backward_hooks is None

    calls()
    with recorder.batch(0, B, override__recording_is_active=False), recorder.iteration():
        calls()
        assert not recorder.recording_is_active()
    calls()
    recording = open_recording(folder_of(recorder))
    # The point before the first step is in none that is not recorded.
    assert (recording.steps, [(point.t, point.v) for point in recording.curve_points]) == ((), [(0, 1.0)])


def test_an_inactive_recorder_touches_no_disk(tmp_path: Path) -> None:
    recorder = ComgraRecorder(tmp_path / "nowhere", comgra_is_active=False)
    assert_same(train(None, 2), train(recorder, 2))
    network = nn.Sequential(nn.Linear(1, 1))
    recorder.track_module("other", network)
    assert recorder.get_name_of_module(network[0]) == "other.0"
    with recorder, recorder.batch(0, 1), recorder.iteration():
        recorder.record_kpi_in_graph("group", "name", 1.0, record_even_if_recording_is_inactive=True)
    assert list(tmp_path.iterdir()) == []
    assert recorder.folder is None
    assert "inactive" in repr(recorder)


def test_nothing_of_a_step_is_kept_alive(recorder: ComgraRecorder) -> None:
    class Marker(Tensor):
        pass

    references: list[weakref.ref[Tensor]] = []

    def one_step(step: int) -> None:
        x: Tensor = torch.ones(B, 1).as_subclass(Marker)
        references.append(weakref.ref(x))
        weight = torch.full((1,), 2.0, requires_grad=True)
        with recorder.batch(step, B), recorder.iteration():
            recorder.register_tensor("x", x)
            h = x * weight
            references.append(weakref.ref(h))
            recorder.register_tensor("h", h)
            h.sum().backward()
            recorder.record_current_gradients("gradients")

    one_step(0)
    one_step(1)
    gc.collect()
    assert [reference() for reference in references] == [None] * 4


def test_a_model_that_holds_its_recorder_can_be_copied_and_saved(recorder: ComgraRecorder) -> None:
    model = nn.Linear(1, 1)
    vars(model)["recorder"] = recorder
    assert vars(copy.deepcopy(model))["recorder"] is recorder
    assert not pickle.loads(pickle.dumps(recorder)).comgra_is_active
    buffer = io.BytesIO()
    torch.save(model, buffer)
    buffer.seek(0)
    assert not torch.load(buffer, weights_only=False).recorder.comgra_is_active


def step_with_exception(recorder: ComgraRecorder, x: Tensor, error: BaseException, where: str) -> None:
    with recorder.batch(5, B):
        if where == "batch":
            recorder.register_tensor("x", x, is_initial_value=True)
            raise error
        with recorder.iteration():
            recorder.register_tensor("x", x)
            raise error


@pytest.mark.parametrize("where", ["batch", "iteration"])
@pytest.mark.parametrize("error", [ValueError("mine"), KeyboardInterrupt()], ids=["error", "interrupt"])
def test_an_exception_in_a_step_drops_it_and_passes(recorder: ComgraRecorder, where: str, error: BaseException) -> None:
    x = torch.ones(B, 1)
    h = torch.ones(B, 1, requires_grad=True) * 2
    with recorder.batch(4, B), recorder.iteration():
        recorder.register_tensor("h", h)
    with pytest.raises(type(error)) as caught:
        step_with_exception(recorder, x, error, where)
    assert caught.value is error
    assert not x.requires_grad
    assert not h._backward_hooks
    assert not recorder.recording_is_active()
    with recorder.batch(5, B), recorder.iteration():
        recorder.register_tensor("x", x)
    assert open_recording(folder_of(recorder)).steps == (4, 5)


def test_an_exception_that_the_script_catches_drops_the_step_quietly(recorder: ComgraRecorder) -> None:
    for step in range(2):
        with recorder.batch(step, B), suppress(ValueError), recorder.iteration():
            if step == 0:
                raise ValueError("mine")
    assert open_recording(folder_of(recorder)).steps == (1,)


def test_an_exception_without_contexts_needs_abandon_batch(recorder: ComgraRecorder) -> None:
    x = torch.ones(B, 1)
    recorder.start_batch(0, B)
    recorder.start_iteration()
    recorder.register_tensor("x", x)
    with pytest.raises(ValueError, match="abandon_batch"):
        recorder.start_batch(1, B)
    recorder.abandon_batch()
    assert not x.requires_grad
    recorder.abandon_batch()
    with recorder.batch(0, B), recorder.iteration():
        recorder.register_tensor("x", x)
    recorder.start_batch(1, B)
    with pytest.warns(ComgraRecordingWarning, match="step 1 is not finished"):
        recorder.finalize()
    assert open_recording(folder_of(recorder)).steps == (0,)


def test_backward_after_the_step_is_not_disturbed(recorder: ComgraRecorder) -> None:
    x, weight = torch.ones(B, 1), nn.Parameter(torch.ones(1))
    with recorder.batch(0, B), recorder.iteration():
        recorder.register_tensor("x", x)
        y = x * weight
        recorder.register_tensor("y", y)
    y.sum().backward()
    assert x.grad is None
    assert weight.grad is not None
    assert weight.grad.item() == B


def own_hook_sees(x: Tensor, use: Callable[[Tensor], None]) -> list[float]:
    seen: list[float] = []
    h = x * 2
    h.register_hook(lambda gradient: seen.append(gradient.sum().item()))
    h.retain_grad()
    use(h)
    (h * 3).sum().backward()
    assert h.grad is not None
    return [*seen, h.grad.sum().item()]


def test_hooks_of_the_user_stay(recorder: ComgraRecorder) -> None:
    x = torch.ones(B, 1, requires_grad=True)
    alone = own_hook_sees(x, lambda _: None)
    with recorder.batch(0, B), recorder.iteration():
        assert own_hook_sees(x, lambda h: recorder.register_tensor("h", h)) == alone
        recorder.record_current_gradients("gradients")
    assert read_records(recorder)["gradients", "h", 0].statistics["mean"][0] == 3
    assert read_edges(recorder) == set()


@pytest.mark.parametrize("is_finished", [True, False])
def test_nothing_of_a_step_waits_for_the_garbage_collector(recorder: ComgraRecorder, is_finished: bool) -> None:
    class Marker(Tensor):
        pass

    def one_step() -> list[weakref.ref[Tensor]]:
        x: Tensor = torch.ones(B, 1).as_subclass(Marker)
        kept_by_graph: Tensor = torch.full((B, 1), 2.0, requires_grad=True).as_subclass(Marker)
        recorder.start_batch(0, B)
        recorder.start_iteration()
        recorder.register_tensor("x", x)
        h = x * kept_by_graph
        recorder.register_tensor("h", h)
        h.sum().backward(retain_graph=True)
        recorder.record_current_gradients("gradients")
        if is_finished:
            recorder.finish_iteration()
            recorder.finish_batch()
        else:
            recorder.abandon_batch()
        return [weakref.ref(tensor) for tensor in (x, kept_by_graph, h)]

    gc.collect()
    gc.disable()
    try:
        assert [reference() for reference in one_step()] == [None] * 3
    finally:
        gc.enable()


def test_buffers_of_modules_that_are_not_tracked_are_left_alone(recorder: ComgraRecorder) -> None:
    # Old versions of torch have no class for buffers.
    buffer = getattr(nn, "Buffer", nn.Parameter)(torch.ones(B, 1))
    required = buffer.requires_grad
    with recorder.batch(0, B), recorder.iteration():
        recorder.register_tensor("buffer", buffer)
        assert buffer.requires_grad == required
