"""Detected steps of scripts with several optimizers, and with unusual ones."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.optim.optimizer import register_optimizer_step_post_hook

from comgra_export import DecisionMakerForRecordingsHardcoded
from comgra_export.recorder.modules import optimizers
from comgra_export.recorder.session import step_recording
from comgra_export.storage import open_recording
from support.recorder.automatic_steps import Script, Watch, groups_of, iterations_of, types_of
from support.recorder.reading import read_calls, read_records

pytestmark = pytest.mark.slow


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


def test_gradients_are_seen_before_an_update_that_is_told_of_no_closure(watch: Watch) -> None:
    script = Script()
    with watch(script.net) as recorder:
        script.net(torch.ones(6, 3)).square().mean().backward()
        # As Accelerate calls it, and what it wraps is over before the script ends the step.
        script.optimizer.step(None)
        recorder.step()
        script.net(torch.ones(6, 3)).square().mean().backward()
        script.optimizer.step(None)
        script.optimizer.zero_grad()
        recorder.step()
    for step in (0, 1):
        assert read_records(recorder, step)["gradients", "model.0.weight", -1].extrema[1] > 0


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


def test_an_optimizer_that_is_made_in_each_step_does_not_fill_the_recording(watch: Watch, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (optimizers, step_recording):
        monkeypatch.setattr(module, "MOST_OPTIMIZERS", 3)
    net = nn.Linear(3, 1)
    with watch(net, decision_maker_for_recordings=DecisionMakerForRecordingsHardcoded([0, 5])) as recorder:
        for _ in range(6):
            optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
            optimizer.zero_grad()
            net(torch.randn(4, 3)).mean().backward()
            optimizer.step()
    assert recorder.folder is not None
    recording = open_recording(recorder.folder)
    assert list(recording.steps) == [0, 5]
    assert recording.network.optimizers is not None
    assert [optimizer.name for optimizer in recording.network.optimizers] == ["SGD", "SGD 2", "SGD 3"]
    reasons = [gap.reason for gap in recording.gaps]
    assert reasons == ["the training has more than 3 optimizers, and those after them are left out"]
