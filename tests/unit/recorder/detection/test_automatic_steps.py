"""`watch` finds the steps of scripts that do not call the recorder."""

from __future__ import annotations

import copy
import gc
import io
import itertools
import math
import threading
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Protocol

import pytest
import torch
from torch import Tensor, nn
from torch.nn.modules import module as torch_modules
from torch.optim import optimizer as torch_optimizers
from torch.optim.optimizer import register_optimizer_step_post_hook

import comgra_export
from comgra_export import ComgraRecorder, DecisionMakerForRecordingsFrequencyPerType, DecisionMakerForRecordingsHardcoded
from comgra_export.errors import MisuseError, NotARecordingError
from comgra_export.recorder.host.gaps import ComgraRecordingWarning
from comgra_export.storage import Recording, open_recording
from support.recorder.reading import read_call, read_calls, read_records

pytestmark = pytest.mark.slow


class Watch(Protocol):
    def __call__(self, module: nn.Module, **arguments: Any) -> ComgraRecorder: ...  # noqa: ANN401


@pytest.fixture
def watch(tmp_path: Path) -> Watch:
    """Watches strictly, and records every step, each time as another trial."""
    numbers = itertools.count()

    def make(module: nn.Module, **arguments: Any) -> ComgraRecorder:  # noqa: ANN401
        schedule = DecisionMakerForRecordingsFrequencyPerType(1)
        defaults = {"trial_id": f"trial-{next(numbers)}", "decision_maker_for_recordings": schedule, "strict": True}
        return comgra_export.watch(module, tmp_path, **{**defaults, **arguments})

    return make


@pytest.fixture(autouse=True)
def nothing_is_left() -> Iterator[None]:
    yield
    gc.collect()
    assert not any_hook()
    assert not any("global hooks" in str(entry) for entry in warnings.filters)
    assert torch._C._len_torch_function_stack() == 0


def any_hook() -> bool:
    tables = (torch_optimizers._global_optimizer_pre_hooks, torch_optimizers._global_optimizer_post_hooks)
    marks = (torch_modules._global_forward_hooks_with_kwargs, torch_modules._global_forward_hooks_always_called)
    return bool(torch_modules._has_any_global_hook()) or any(map(bool, (*tables, *marks)))


def types_of(recorder: ComgraRecorder) -> list[tuple[float, str]]:
    """Numbers and types of the recorded steps."""
    assert recorder.folder is not None
    recording = open_recording(recorder.folder)
    assert recording.problems == []
    assert recording.gaps == ()
    return [(step, recording.step(step).type_of_execution) for step in recording.steps]


def groups_of(recorder: ComgraRecorder, step: float) -> list[str]:
    assert recorder.folder is not None
    recording = open_recording(recorder.folder)
    return [group.name for group in recording.layout(recording.step(step).layout).groups]


def iterations_of(recorder: ComgraRecorder, step: float) -> int:
    assert recorder.folder is not None
    return len(open_recording(recorder.folder).step(step).calls)


def network() -> nn.Module:
    return nn.Sequential(nn.Linear(3, 8), nn.ReLU(inplace=True), nn.Dropout(), nn.Linear(8, 1))


class Script:
    """A training script that does not call the recorder."""

    def __init__(self, make_optimizer: Callable[..., torch.optim.Optimizer] = torch.optim.Adam) -> None:
        torch.manual_seed(0)
        self.net = network()
        self.optimizer = make_optimizer(self.net.parameters(), lr=0.01)
        self.results: list[Tensor] = []

    def train(self, steps: int, accumulate: int = 1, size: int = 6) -> None:
        for _ in range(steps):
            self.optimizer.zero_grad()
            for _ in range(accumulate):
                loss = self.net(torch.randn(size, 3)).square().mean()
                loss.backward()
                self.results.append(loss.detach())
            nn.utils.clip_grad_norm_(self.net.parameters(), 0.1)
            self.optimizer.step()

    def evaluate(self, passes: int) -> None:
        self.net.eval()
        with torch.no_grad():
            self.results += [self.net(torch.randn(4, 3)) for _ in range(passes)]
        self.net.train()

    def state(self) -> list[Tensor]:
        return [*self.results, *self.net.state_dict().values(), torch.get_rng_state()]


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


def types_of_so_far(recorder: ComgraRecorder) -> list[tuple[float, str]]:
    recorder.flush()
    return types_of(recorder)


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


def test_a_run_goes_on_with_its_numbers(watch: Watch) -> None:
    script = Script()
    with watch(script.net, trial_id="same"):
        script.train(2)
    with watch(script.net, trial_id="same", existing_trial="append", first_step=2) as recorder:
        script.train(2)
    assert types_of(recorder) == [(step, "train") for step in range(4)]


def test_a_run_that_goes_on_keeps_evaluations(watch: Watch) -> None:
    script = Script()
    with watch(script.net, trial_id="same"):
        script.evaluate(1)
        script.train(2)
        script.evaluate(2)
    with watch(script.net, trial_id="same", existing_trial="append", first_step=2) as recorder:
        script.evaluate(1)
        script.train(2)
    assert types_of(recorder) == [
        (-0.999999, "eval"), (0, "train"), (1, "train"), (1.000001, "eval"), (1.000002, "eval"), (1.000003, "eval"),
        (2, "train"), (3, "train"),
    ]  # fmt: skip


def test_a_run_that_goes_on_from_an_earlier_step_makes_those_behind_it_anew(watch: Watch) -> None:
    script = Script()
    every_fourth = DecisionMakerForRecordingsFrequencyPerType(4)
    with watch(script.net, trial_id="same", decision_maker_for_recordings=every_fourth):
        for _ in range(3):
            script.train(4)
            script.evaluate(1)
    # The training steps 0, 4 and 8, and the evaluations after 3, 7 and 11.
    first = DecisionMakerForRecordingsHardcoded({7})
    with watch(script.net, trial_id="same", existing_trial="append", first_step=7, decision_maker_for_recordings=first) as recorder:
        script.train(2)
    assert types_of(recorder) == [(0, "train"), (3.000001, "eval"), (4, "train"), (7, "train")]


def test_a_disk_that_fails_keeps_no_run_from_going_on(watch: Watch, monkeypatch: pytest.MonkeyPatch) -> None:
    script = Script()
    with watch(script.net, trial_id="same"):
        script.train(2)

    def fail(folder: Path) -> Recording:
        raise NotARecordingError(f"There is no recording.json in {folder}.")

    monkeypatch.setattr("comgra_export.recorder.output.recording_output.open_recording", fail)
    with watch(script.net, trial_id="same", existing_trial="append", first_step=2) as recorder:
        script.train(1)
    assert types_of(recorder) == [(0, "train"), (1, "train"), (2, "train")]


def test_two_networks_that_train_each_other(watch: Watch) -> None:
    torch.manual_seed(0)
    generator, critic = nn.Linear(2, 3), nn.Linear(3, 1)
    of_generator, of_critic = torch.optim.SGD(generator.parameters(), lr=0.1), torch.optim.SGD(critic.parameters(), lr=0.1)

    def train() -> None:
        fake = generator(torch.randn(4, 2))
        of_critic.zero_grad()
        (critic(fake.detach()).mean() - critic(torch.randn(4, 3)).mean()).backward()
        of_critic.step()
        of_generator.zero_grad()
        (-critic(fake).mean()).backward()
        of_generator.step()

    with watch(generator, name="generator") as recorder:
        recorder.watch(critic, "critic")
        for _ in range(2):
            train()
    assert types_of(recorder) == [(step, "train") for step in range(4)]
    assert [iterations_of(recorder, step) for step in range(4)] == [3, 1, 3, 1]
    assert read_calls(recorder, 0, 0)[0].module == "generator"
    assert read_calls(recorder, 3, 0)[0].module == "critic"


@pytest.mark.parametrize("shares_backward", [True, False])
@pytest.mark.parametrize("every", [1, 2])
def test_optimizers_that_take_turns_without_a_call_share_their_steps(watch: Watch, shares_backward: bool, every: int) -> None:
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(3, 3), nn.Tanh(), nn.Linear(3, 1))
    first, second = torch.optim.SGD(net[0].parameters(), lr=0.1), torch.optim.Adam(net[2].parameters(), lr=0.01)
    with watch(net, decision_maker_for_recordings=None, every=every) as recorder:
        for _ in range(7):
            out = net(torch.randn(4, 3)).mean()
            net.zero_grad()
            out.backward(retain_graph=not shares_backward)
            first.step()
            if not shares_backward:
                net.zero_grad()
                (-out).backward(inputs=list(net[2].parameters()))
            second.step()
    steps = list(range(0, 7, every))
    assert types_of(recorder) == [(step, "train") for step in steps]
    assert recorder.folder is not None
    recording = open_recording(recorder.folder)
    assert recording.network.optimizers is not None
    assert [optimizer.name for optimizer in recording.network.optimizers] == ["SGD", "Adam"]
    # Nothing shows in the first step that another optimizer will follow.
    for step in steps[1:]:
        description = recording.step(step)
        assert description.parameters is not None
        assert min(description.parameters.update_norm) > 0
        assert description.learning_rates == ((0.1,), (0.01,))
        assert groups_of(recorder, step) == ["forward", "gradients", "gradients 2"]


def test_an_optimizer_that_takes_part_at_times_puts_off_the_end_of_one_step(watch: Watch) -> None:
    net = nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 1))
    always, at_times = torch.optim.SGD(net[0].parameters(), lr=0.1), torch.optim.SGD(net[1].parameters(), lr=0.1)
    goes_on = []
    with watch(net) as recorder:
        for step in range(6):
            net.zero_grad()
            net(torch.randn(4, 3)).mean().backward()
            always.step()
            if step < 2:
                at_times.step()
            goes_on.append(recorder.recording_is_active())
    # Step 2 waits for it, in vain.
    assert goes_on == [False, False, True, False, False, False]
    assert types_of(recorder) == [(step, "train") for step in range(6)]


@pytest.mark.parametrize("schedule", [1, 3])
def test_an_optimizer_that_follows_only_sometimes_shifts_no_step(watch: Watch, schedule: int) -> None:
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 1))
    first, second = (torch.optim.SGD(part.parameters(), lr=0.1) for part in net)
    with watch(net, decision_maker_for_recordings=None, every=schedule) as recorder:
        for number in range(12):
            net(torch.full((4, 3), float(number))).mean().backward()
            first.step()
            if number % 3 == 1:
                second.step()
    assert recorder.folder is not None
    recording = open_recording(recorder.folder)
    assert recording.steps == tuple(range(0, 12, schedule))
    inputs = [read_records(recorder, step)["forward", "model: input", 0].extrema[0] for step in recording.steps]
    assert inputs == [float(step) for step in recording.steps]
    end = recording.journal[-1].end
    assert end is not None
    assert end.trained == 12


def test_the_script_may_say_where_a_step_ends(watch: Watch) -> None:
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 1))
    optimizers = [torch.optim.SGD(part.parameters(), lr=0.1) for part in net]
    with watch(net) as recorder:
        for _ in range(3):
            for optimizer in optimizers:
                optimizer.zero_grad()
                net(torch.randn(4, 3)).mean().backward()
                optimizer.step()
            recorder.step()
    # Until it was called for the first time, every optimizer ended a step.
    assert types_of(recorder) == [(step, "train") for step in range(4)]
    assert [iterations_of(recorder, step) for step in range(4)] == [1, 1, 2, 2]
    assert groups_of(recorder, 3) == ["forward", "gradients", "gradients 2"]
    net.register_forward_pre_hook(lambda *_: recorder.step())
    dropped = pytest.warns(ComgraRecordingWarning, match="dropped before their end")
    with dropped, watch(net) as recorder, pytest.raises(MisuseError, match="while a watched module was running"):
        net(torch.randn(4, 3))


# LBFGS of torch 2.8 itself calls float(loss).
@pytest.mark.filterwarnings("ignore:Converting a tensor with requires_grad:UserWarning")
def test_an_optimizer_that_calls_the_network_itself(watch: Watch) -> None:
    script = Script(torch.optim.LBFGS)
    script.net.eval()
    script.net.train()

    def closure() -> Tensor:
        script.optimizer.zero_grad()
        loss: Tensor = script.net(torch.ones(6, 3)).square().mean()
        loss.backward()
        return loss

    with watch(script.net) as recorder:
        for _ in range(2):
            script.optimizer.step(closure)  # type: ignore[arg-type]
    assert types_of(recorder) == [(0, "train"), (1, "train")]
    assert groups_of(recorder, 0) == ["forward", "gradients"]


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


class Touchy(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.Linear(3, 1)

    def forward(self, x: Tensor, error: type[BaseException] | None = None) -> Tensor:
        out: Tensor = self.inner(x)
        if error is not None:
            raise error("from the script")
        return out


@pytest.mark.parametrize("kind", ["train", "eval"])
@pytest.mark.parametrize("has_other_hook", [False, True])
def test_an_exception_of_the_network_passes_and_the_next_step_is_found(watch: Watch, kind: str, has_other_hook: bool) -> None:
    net = Touchy()
    net.train(kind == "train")
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    with watch(net) as recorder:
        handle = None

        def hook_in_between(*_: object) -> None:
            nonlocal handle
            handle = handle or torch_modules.register_module_forward_hook(lambda *_: None, always_call=True)

        if has_other_hook:
            net.inner.register_forward_hook(hook_in_between)
        with pytest.raises(ValueError, match="from the script"):
            net(torch.randn(4, 3), ValueError)
        for _ in range(2):
            loss = net(torch.randn(4, 3)).mean()
            if kind == "train":
                loss.backward()
                optimizer.step()
        if handle is not None:
            handle.remove()
    if kind == "train":
        # The call that failed is an iteration of the step that then succeeded.
        assert types_of(recorder) == [(0, "train"), (1, "train")]
        assert [call.raised for iteration in range(2) for call in read_calls(recorder, 0, iteration)] == [True, False]
    else:
        assert [kind for _, kind in types_of(recorder)] == ["eval", "eval"]
        assert all(not read_call(recorder, "model", step=step).raised for step, _ in types_of(recorder))


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_an_exception_out_of_the_context_drops_the_step(watch: Watch, error: type[BaseException]) -> None:
    net = Touchy()
    recorder = watch(net)

    def train() -> None:
        with recorder:
            net(torch.randn(4, 3)).mean().backward()
            net(torch.randn(4, 3), error)

    with pytest.raises(error):
        train()
    assert types_of(recorder) == []
    assert not any_hook()


@pytest.mark.parametrize("kind", ["train", "eval"])
def test_steps_are_found_after_an_interrupt(watch: Watch, kind: str) -> None:
    net = Touchy()
    net.train(kind == "train")
    with watch(net) as recorder:
        for _ in range(2):
            with pytest.raises(KeyboardInterrupt):
                net(torch.randn(4, 3), KeyboardInterrupt)
            net(torch.randn(4, 3)).mean().backward()
            recorder.step()
    second = 1 if kind == "train" else -0.999998
    assert types_of(recorder) == [(0 if kind == "train" else -0.999999, kind), (second, kind)]
    last = iterations_of(recorder, second) - 1
    assert last == (1 if kind == "train" else 0)
    assert [(call.module, list(call.outputs)) for call in read_calls(recorder, second, last)] == [("model", ["output"])]
    if kind == "train":
        assert [(call.module, call.raised) for call in read_calls(recorder, 1, 0)] == [("model", True)]


def test_a_step_can_be_said_to_end_after_an_interrupt(watch: Watch) -> None:
    net = Touchy()
    with watch(net) as recorder:
        net(torch.randn(4, 3)).mean().backward()
        with pytest.raises(KeyboardInterrupt):
            net(torch.randn(4, 3), KeyboardInterrupt)
        recorder.step()
    assert types_of(recorder) == [(0, "train")]


@pytest.mark.parametrize("kind", ["train", "eval"])
def test_a_network_that_calls_itself_is_called_once(watch: Watch, kind: str) -> None:
    class Tree(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.leaf = nn.Linear(3, 3)

        def forward(self, x: Tensor, depth: int) -> Tensor:
            return torch.tanh(self(x, depth - 1)) + self.leaf(x) if depth else x

    net = Tree().train(kind == "train")
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    with watch(net) as recorder:
        for _ in range(2):
            net(torch.randn(4, 3), 2).mean().backward()
            optimizer.step()
    steps = [0, 1] if kind == "train" else [-0.999999, -0.999998]
    assert types_of(recorder) == [(step, kind) for step in steps]
    for step in steps:
        assert iterations_of(recorder, step) == 1
        (outermost,) = read_calls(recorder, step)
        assert [(call.module, call.number) for call in outermost.all()] == [
            ("model", 0), ("model", 1), ("model", 2), ("model.leaf", 0), ("model.leaf", 1),
        ]  # fmt: skip
        assert outermost.outputs == {"output": "model: output"}


def test_gradients_recorded_by_the_script_under_the_same_name_stay(watch: Watch) -> None:
    script = Script()
    recorder = watch(script.net, strict=False)

    def train() -> None:
        with recorder:
            for _ in range(2):
                script.net(torch.randn(6, 3)).mean().backward()
                recorder.record_current_gradients("gradients")
                script.optimizer.step()

    with pytest.warns(ComgraRecordingWarning, match="gradients could not be recorded"):
        train()
    assert types_of(recorder) == [(0, "train"), (1, "train")]
    assert groups_of(recorder, 1) == ["forward", "gradients"]


def test_another_hook_of_optimizers_only_puts_the_end_off(watch: Watch) -> None:
    script = Script()
    handles: list[Any] = []

    def hook_after(*_: object) -> None:
        if not handles:
            handles.append(register_optimizer_step_post_hook(lambda *_: None))

    script.net.register_forward_hook(hook_after)
    with watch(script.net) as recorder:
        script.train(3)
        handles[0].remove()
    assert types_of(recorder) == [(step, "train") for step in range(3)]
    assert [iterations_of(recorder, step) for step in range(3)] == [1] * 3


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


@pytest.mark.parametrize("is_recorded", [True, False])
def test_optimizers_are_known_without_being_told(watch: Watch, is_recorded: bool) -> None:
    script = Script(torch.optim.Adam)
    other = torch.optim.SGD([nn.Parameter(torch.zeros(2))], lr=1)
    never = DecisionMakerForRecordingsHardcoded([])
    with watch(script.net, **({} if is_recorded else {"decision_maker_for_recordings": never, "strict": False})) as recorder:
        script.net(torch.randn(4, 3))
        other.step()
        script.train(2)
        assert recorder.folder is not None
        recorder.flush()
        (optimizer,) = open_recording(recorder.folder).network.optimizers or ()
        if not is_recorded:
            return
    assert (optimizer.name, optimizer.type) == ("Adam", "Adam")
    names = [parameter.name for parameter in open_recording(recorder.folder).network.parameters]
    (group,) = optimizer.groups
    assert [names[position] for position in group.parameters] == ["model.0.weight", "model.0.bias", "model.3.weight", "model.3.bias"]
    assert group.options["lr"] == 0.01
    assert open_recording(recorder.folder).step(1).learning_rates == ((0.01,),)


def test_an_optimizer_that_the_script_tracks_itself_is_there_once(watch: Watch) -> None:
    before, after = Script(), Script(torch.optim.SGD)
    with watch(before.net) as recorder:
        recorder.watch(after.net, "second")
        recorder.track_optimizers(early=before.optimizer)
        before.train(1)
        after.train(1)
        recorder.track_optimizers(late=after.optimizer)
        after.train(1)
    assert recorder.folder is not None
    recording = open_recording(recorder.folder)
    assert [optimizer.name for optimizer in recording.network.optimizers or ()] == ["early", "late"]
    assert recording.step(2).learning_rates == ((0.01,), (0.01,))


@pytest.mark.parametrize(
    ("error", "where", "expected"),
    [
        (RuntimeError("boom\nand more"), "in", "ended by RuntimeError: boom in step 1"),
        (ValueError("no '/home/an author/x.pt' and /home/author/y.pt"), "after", "ended by ValueError: no '…' and … after step 0"),
        (KeyboardInterrupt(), "before", "ended by KeyboardInterrupt before the first step"),
        (RuntimeError("x" * 1000), "in", f"ended by RuntimeError: {'x' * 286} in step 1"),
        (SystemExit(), "in", None),
        (SystemExit(3), "in", "ended by SystemExit: 3 in step 1"),
    ],
)
@pytest.mark.parametrize("every", [1, 100])
def test_the_exception_that_ends_a_run_is_noted(watch: Watch, error: BaseException, where: str, expected: str | None, every: int) -> None:
    script = Script()
    recorder = watch(script.net, decision_maker_for_recordings=DecisionMakerForRecordingsFrequencyPerType(every))

    def run() -> None:
        with recorder:
            if where != "before":
                script.train(1)
            if where == "in":
                script.net(torch.randn(4, 3))
            raise error

    with pytest.raises(type(error)):
        run()
    assert recorder.folder is not None
    assert [note.text for note in open_recording(recorder.folder).notes] == ([] if expected is None else [expected])


def test_the_recorder_can_be_used_within_found_steps(watch: Watch) -> None:
    script = Script()
    with watch(script.net) as recorder:
        for step in range(2):
            loss = script.net(torch.randn(6, 3)).mean()
            recorder.register_tensor("loss", loss, is_loss=True)
            recorder.record_kpi_in_graph("loss", "train", loss)
            loss.backward()
            script.optimizer.step()
            recorder.add_note(f"after {step}")
    assert types_of(recorder) == [(0, "train"), (1, "train")]
    assert recorder.folder is not None
    recording = open_recording(recorder.folder)
    assert [(point.t, point.type) for point in recording.curve_points if not point.is_own] == [(0, "train"), (1, "train")]
    assert [note.step for note in recording.notes] == [0, 1]
    assert read_records(recorder, 1)["forward", "loss", 0].entry.type == "loss"


def test_curves_of_steps_that_are_not_recorded_have_their_numbers(watch: Watch) -> None:
    script = Script()
    schedule = DecisionMakerForRecordingsHardcoded({2})
    with watch(script.net, decision_maker_for_recordings=schedule) as recorder:
        for step in range(4):
            script.train(1)
            recorder.record_kpi_in_graph("a", "b", step, record_even_if_recording_is_inactive=True)
            if step == 1:
                script.evaluate(1)
    assert types_of(recorder) == [(1.000001, "eval"), (2, "train")]
    assert recorder.folder is not None
    assert [(point.t, point.v) for point in open_recording(recorder.folder).curve_points if point.name == "b"] == [
        (0, 0),
        (1, 1),
        (2, 2),
        (3, 3),
    ]


def test_steps_of_the_script_itself_come_first(watch: Watch) -> None:
    script = Script()
    with watch(script.net) as recorder:
        with recorder.batch(0, 6, "mine"), recorder.iteration():
            script.train(1)
        script.train(1)
    assert types_of(recorder) == [(0, "mine"), (1, "train")]
    assert [call.module for call in read_calls(recorder, 0)] == ["model"]


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


def test_a_step_without_end_has_so_many_calls_and_is_warned_of(watch: Watch) -> None:
    net = nn.Linear(3, 1)

    def train() -> None:
        for _ in range(103):
            net(torch.randn(2, 3)).mean().backward()

    recorder = watch(net, strict=False)
    with pytest.warns(ComgraRecordingWarning) as warned, recorder:
        train()
    assert recorder.folder is not None
    recording = open_recording(recorder.folder)
    assert recording.steps == (0,)
    assert len(recording.step(0).calls) == 100
    assert [gap.reason for gap in recording.step(0).gaps] == ["only the first 100 calls of watched modules within this step were recorded"]
    messages = [str(warning.message) for warning in warned]
    assert any("Call the recorder's step() at the end of each." in message for message in messages)


@pytest.mark.parametrize("call", ["none", "forward", "part", "copy"])
def test_a_network_that_is_never_called_is_warned_of(watch: Watch, call: str) -> None:
    net = network()
    calls: dict[str, Callable[[Tensor], object]] = {"none": len, "forward": net.forward, "part": net[0], "copy": copy.deepcopy(net)}  # type: ignore[index]
    recorder = watch(net)
    expected_warning = pytest.warns(ComgraRecordingWarning, match="No call of a watched module was seen, so nothing was recorded")
    with expected_warning as warned, recorder, torch.no_grad():
        calls[call](torch.randn(2, 3))
    assert types_of(recorder) == []
    message = str(warned[0].message)
    plain_causes_first = [message.index(cause) for cause in ("the loop made none", "model.forward(x)", "module.compile()")]
    assert plain_causes_first == sorted(plain_causes_first)


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


def test_nothing_happens_where_recording_is_turned_off(watch: Watch, tmp_path: Path) -> None:
    script = Script()
    with watch(script.net, comgra_is_active=False) as recorder:
        assert not any_hook()
        script.train(1)
        recorder.step()
    assert not any(tmp_path.iterdir())


def test_a_recorder_that_is_dropped_leaves_no_hook(watch: Watch) -> None:
    script = Script()
    recorder = watch(script.net)
    script.net(torch.randn(6, 3))
    assert any_hook()
    del recorder
    gc.collect()
    assert not any_hook()
    script.train(1)


def test_wrong_arguments_are_refused_and_leave_nothing(watch: Watch, tmp_path: Path) -> None:
    with pytest.raises(MisuseError, match="first_step is -1"):
        watch(network(), first_step=-1)
    with pytest.raises(MisuseError, match="Give a torch"):
        watch("net")  # type: ignore[arg-type]
    with pytest.raises(MisuseError, match=r'a str, the second a Sequential.*watch\(model, "recordings"\)'):
        comgra_export.watch(str(tmp_path), network())  # type: ignore[arg-type]
    with pytest.raises(MisuseError, match="the second a Linear"):
        comgra_export.watch(network(), nn.Linear(1, 1))  # type: ignore[arg-type]
    with pytest.raises(MisuseError, match="comgra_root_path is None"):
        comgra_export.watch(network(), None)  # type: ignore[arg-type]
    assert list(tmp_path.iterdir()) == []
    assert not any_hook()


def test_two_watches_at_once_do_not_mix(watch: Watch) -> None:
    script, other_script = Script(), Script()
    with warnings.catch_warnings(), watch(script.net) as first, watch(other_script.net) as second:
        script.train(2)
        other_script.train(1)
        script.train(1)
    assert len(types_of(first)) == 3
    assert len(types_of(second)) == 1
    assert [call.module for call in read_calls(second, 0)] == ["model"]
