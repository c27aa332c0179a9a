"""`watch` finds the steps of scripts that do not call the recorder."""

from __future__ import annotations

import copy
import io
import math
import threading
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.nn.modules import module as torch_modules

from comgra_export import DecisionMakerForRecordingsFrequencyPerType, DecisionMakerForRecordingsHardcoded
from comgra_export.recorder.host.gaps import ComgraRecordingWarning
from comgra_export.storage import open_recording
from support.recorder.automatic_steps import Script, Watch, groups_of, iterations_of, network, types_of, types_of_so_far
from support.recorder.reading import read_call, read_calls, read_records

pytestmark = pytest.mark.slow


def run_all_sorts(script: Script) -> None:
    for _ in range(3):
        script.train(2)
        script.evaluate(2)
        script.train(1, accumulate=3)


@pytest.mark.parametrize("schedule", [1, 3])
def test_training_is_the_same_to_the_bit(watch: Watch, schedule: int) -> None:
    watched, alone = Script(), Script()
    with watch(watched.net, decision_maker_for_recordings=DecisionMakerForRecordingsFrequencyPerType(schedule)):
        torch.manual_seed(1)
        run_all_sorts(watched)
        state = watched.state()
    torch.manual_seed(1)
    run_all_sorts(alone)
    assert all(torch.equal(value, other) for value, other in zip(state, alone.state(), strict=True))


def test_every_step_of_the_optimizer_is_a_training_step(watch: Watch) -> None:
    script = Script()
    with watch(script.net) as recorder:
        script.train(3)
        assert [number for number, _ in types_of_so_far(recorder)] == [0, 1, 2]
    assert types_of(recorder) == [(0, "train"), (1, "train"), (2, "train")]
    assert groups_of(recorder, 2) == ["forward", "gradients"]
    assert [call.module for call in read_calls(recorder, 2)] == ["model"]
    records = read_records(recorder, 2)
    assert records["forward", "model: input", 0].entry.shape == (6, 3)
    assert records["forward", "model: input", 0].entry.type == "input"
    assert records["forward", "model: input", 0].entry.samples == 5
    assert records["gradients", "model: input", 0].counts[4] == 0
    assert records["gradients", "model.3: output", 0].counts[4] == 0


def test_gradients_are_those_that_the_optimizer_finds(watch: Watch) -> None:
    script = Script(torch.optim.SGD)
    largest = []
    script.optimizer.register_step_pre_hook(lambda *_: largest.append(script.net[0].weight.grad.abs().max().item()))  # type: ignore[index]
    with watch(script.net) as recorder:
        script.train(2)
    for step in range(2):
        assert read_records(recorder, step)["gradients", "model.0.weight", -1].statistics["abs_max"] == [largest[step]]
        assert recorder.folder is not None
        description = open_recording(recorder.folder).step(step)
        assert description.gradients[0].changed_in_place_by
        assert description.parameters is not None
        # The step of the optimizer is part of the training step.
        assert all(norm > 0 for norm in description.parameters.update_norm)


def test_accumulated_calls_are_iterations_of_one_step(watch: Watch) -> None:
    script = Script()
    with watch(script.net) as recorder:
        script.train(2, accumulate=4)
    assert types_of(recorder) == [(0, "train"), (1, "train")]
    assert iterations_of(recorder, 1) == 4
    assert [read_call(recorder, "model", step=1, iteration=iteration).number for iteration in range(4)] == [0] * 4
    records = read_records(recorder, 1)
    assert all(records["gradients", "model.3: output", iteration].counts[4] == 0 for iteration in range(4))


def test_evaluations_are_steps_of_their_own_between_training_steps(watch: Watch) -> None:
    script = Script()
    schedule = DecisionMakerForRecordingsFrequencyPerType(3)
    with watch(script.net, decision_maker_for_recordings=schedule) as recorder:
        script.evaluate(2)
        for _ in range(3):
            script.train(4)
            script.evaluate(2)
    # Twelve training steps, and after every four of them an evaluation that is due.
    assert types_of(recorder) == [
        (-0.999999, "eval"), (0, "train"), (3, "train"), (3.000001, "eval"), (6, "train"), (7.000001, "eval"), (9, "train"),
        (11.000001, "eval"),
    ]  # fmt: skip
    assert groups_of(recorder, 3.000001) == ["forward"]
    assert [call.training for call in read_calls(recorder, 3.000001)] == [False]
    assert read_records(recorder, 3.000001)["forward", "model: input", 0].entry.shape == (4, 3)


@pytest.mark.parametrize("sentinels", [False, True])
@pytest.mark.parametrize("every", [1, 2, None])
def test_evaluations_take_no_number_of_training_steps(watch: Watch, every: int | None, sentinels: bool) -> None:
    """A NaN in the fifth training step of the script's own count is in step 5, whatever was evaluated before."""
    script = Script()
    with watch(script.net, every=every, decision_maker_for_recordings=None, sentinels=sentinels, check=False) as recorder:
        for step in range(8):
            if step == 5:
                with torch.no_grad():
                    script.net[3].bias[0] = torch.nan  # type: ignore[index]
            script.train(1)
            script.evaluate(3)
    assert recorder.folder is not None
    recording = open_recording(recorder.folder)
    of_training = [step for step in recording.steps if recording.step(step).type_of_execution == "train"]
    of_evaluation = [step for step in recording.steps if recording.step(step).type_of_execution == "eval"]
    if every != 2:
        assert of_training == list(range(8))
        assert of_evaluation[:4] == [0.000001, 0.000002, 0.000003, 1.000001]
    largest = {step: read_records(recorder, step)["forward", "model.3: output", 0].statistics["abs_max"][0] for step in of_training}
    assert {step for step in of_training if math.isnan(largest[step])} == {step for step in of_training if step >= 5}
    # Every step is checked: by the sentinels, or before each update that no recorded step has.
    first = next((point.step for point in recording.sentinel_points if not all(map(math.isfinite, point.largest))), None)
    assert first == (5 if sentinels or 5 not in of_training else None)
    assert [curve.t for curve in recording.curve_points if curve.name == "loss" and curve.type == "train"] == of_training


def test_evaluations_alone_are_counted(watch: Watch) -> None:
    script = Script()
    schedule = DecisionMakerForRecordingsFrequencyPerType(3)
    with watch(script.net, decision_maker_for_recordings=schedule) as recorder:
        script.evaluate(8)
    assert types_of(recorder) == [(-0.999999, "eval"), (-0.999996, "eval"), (-0.999993, "eval")]


def test_steps_that_are_not_due_have_no_hooks_of_modules(watch: Watch) -> None:
    script = Script()
    hooks: list[bool] = []
    script.net.register_forward_hook(lambda *_: hooks.append(bool(torch_modules._has_any_global_hook())))
    with watch(script.net, decision_maker_for_recordings=DecisionMakerForRecordingsHardcoded({2})) as recorder:
        script.train(4)
    assert hooks == [False, False, True, False]
    assert types_of(recorder) == [(2, "train")]


def test_the_last_step_is_kept(watch: Watch) -> None:
    net = network()
    with watch(net) as recorder:
        loss = net(torch.randn(6, 3)).mean()
        loss.backward(retain_graph=True)
        loss.backward()
    assert types_of(recorder) == [(0, "train")]
    assert recorder.folder is not None
    assert open_recording(recorder.folder).step(0).gradients[0].backward_passes == 2
    with pytest.warns(ComgraRecordingWarning, match="dropped before their end"), watch(net) as recorder:
        net(torch.randn(6, 3))
    assert types_of(recorder) == []
    with watch(net, graph="autograd", request_input_gradients=False) as recorder:
        net(torch.randn(6, 3, requires_grad=True)).mean().backward()
    assert types_of(recorder) == [(0, "train")]


def test_what_is_not_watched_neither_begins_nor_ends_a_step(watch: Watch) -> None:
    script, other = Script(), Script()
    with watch(script.net) as recorder:
        other.train(1)
        script.net(torch.randn(6, 3)).mean().backward()
        other.train(1)
        assert recorder.recording_is_active()
        script.optimizer.step()
        assert not recorder.recording_is_active()
        script.optimizer.step()
        copy.deepcopy(script.net)(torch.randn(6, 3)).mean().backward()
        torch.save(script.net, io.BytesIO())
        script.train(1)
    assert types_of(recorder) == [(0, "train"), (1, "train")]
    assert iterations_of(recorder, 0) == 1


def test_arguments_by_name_count_too(watch: Watch) -> None:
    net = nn.Bilinear(2, 3, 1)
    with watch(net, values=True) as recorder:
        net(input2=torch.ones(7, 3), input1=torch.zeros(7, 2)).mean().backward()
    assert recorder.folder is not None
    assert open_recording(recorder.folder).step(0).batch_size == 7
    assert read_call(recorder, "model").inputs == {"input2": "model: input input2", "input1": "model: input input1"}
    assert read_records(recorder)["gradients", "model: input input1", 0].counts[4] == 0


def test_sentinels_look_at_found_steps(watch: Watch) -> None:
    script = Script()
    with watch(script.net, sentinels=True, decision_maker_for_recordings=DecisionMakerForRecordingsHardcoded({0})) as recorder:
        script.train(2)
        with torch.no_grad():
            script.net[0].bias.fill_(torch.inf)  # type: ignore[index]
        script.train(1)
    assert types_of(recorder) == [(0, "train"), (2, "train")]
    assert recorder.folder is not None
    assert open_recording(recorder.folder).step(2).triggered


@pytest.mark.parametrize("is_given_as_it_was", [False, True])
def test_a_compiled_network_runs_compiled_where_the_step_is_not_due(watch: Watch, is_given_as_it_was: bool) -> None:
    compilations = []

    def backend(graph: torch.fx.GraphModule, inputs: object) -> Callable[..., Any]:
        compilations.append(graph)
        return graph.forward

    net = nn.Sequential(nn.Linear(3, 3), nn.ReLU())
    compiled: Any = torch.compile(net, backend=backend)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    with watch(net if is_given_as_it_was else compiled, decision_maker_for_recordings=DecisionMakerForRecordingsHardcoded({1})) as recorder:
        for _ in range(4):
            compiled(torch.ones(2, 3)).sum().backward()
            optimizer.step()
            optimizer.zero_grad()
    assert types_of(recorder) == [(1, "train")]
    assert [call.module for call in read_calls(recorder, 1)[0].inner] == ["model.0", "model.1"]
    assert len(compilations) == 1
    torch.compiler.reset()


def test_other_threads_take_no_part(watch: Watch) -> None:
    script = Script()

    def train() -> None:
        script.net(torch.randn(6, 3)).mean().backward()
        thread = threading.Thread(target=lambda: (script.net(torch.randn(6, 3)), script.optimizer.step()))
        thread.start()
        thread.join()
        script.optimizer.step()

    with watch(script.net, strict=False) as recorder, pytest.warns(match="calls in other threads than that of the step are left out"):
        train()
    assert types_of(recorder) == [(0, "train")]
    assert iterations_of(recorder, 0) == 1


class Coder(nn.Module):
    """Is used by its methods as well."""

    def __init__(self) -> None:
        super().__init__()
        self.encoder, self.decoder = nn.Linear(3, 2), nn.Linear(2, 3)

    def encode(self, x: Tensor) -> Tensor:
        return self.encoder(x)  # type: ignore[no-any-return]

    def forward(self, x: Tensor) -> Tensor:
        return self.decoder(self.encode(x))  # type: ignore[no-any-return]


def test_parts_called_alone_belong_to_the_training_step(watch: Watch) -> None:
    net = Coder()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    with watch(net) as recorder:
        for _ in range(2):
            code = net.encode(torch.randn(4, 3))
            (net(torch.randn(4, 3)).mean() + net.decoder(code).mean()).backward()
            optimizer.step()
            with torch.no_grad():
                net.encode(torch.randn(4, 3))
    assert types_of(recorder) == [(0, "train"), (1, "train")]
    calls = [[call.module for call in read_calls(recorder, 1, iteration)] for iteration in range(iterations_of(recorder, 1))]
    assert calls == [["model.encoder"], ["model", "model.decoder"]]


def test_containers_are_watched_by_their_parts(watch: Watch) -> None:
    net = nn.ModuleDict({"body": nn.Linear(3, 3), "head": nn.Sequential(nn.Linear(3, 1))})
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    with watch(net) as recorder:
        net["head"](net["body"](torch.randn(4, 3))).mean().backward()
        optimizer.step()
        with torch.no_grad():
            net["head"](torch.randn(5, 3))
    assert types_of(recorder) == [(0, "train"), (0.000001, "eval")]
    assert [call.module for call in read_calls(recorder, 0)] == ["model.body", "model.head"]
    assert read_call(recorder, "model.head", step=0).inputs == {"input": "model.body: output"}
    assert [call.module for call in read_calls(recorder, 0.000001)] == ["model.head"]
