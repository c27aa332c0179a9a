"""What a script may call itself where `watch` detects its steps, and what it is warned of."""

from __future__ import annotations

import copy
import gc
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn

import comgra_export
from comgra_export import DecisionMakerForRecordingsHardcoded
from comgra_export.errors import MisuseError
from comgra_export.recorder.host.gaps import ComgraRecordingWarning
from comgra_export.recorder.host.optimizer_hooks import UpdateHook
from comgra_export.storage import open_recording
from support.recorder.automatic_steps import Script, Watch, any_hook, groups_of, iterations_of, network, types_of
from support.recorder.reading import read_calls, read_records

pytestmark = pytest.mark.slow


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


@pytest.mark.filterwarnings("ignore:torch.cpu.amp:FutureWarning")
@pytest.mark.parametrize("is_told", [False, True])
@pytest.mark.parametrize("every", [1, 3])
def test_an_update_that_a_loss_scale_skips_has_a_number_if_the_script_says_where_steps_end(watch: Watch, every: int, is_told: bool) -> None:
    torch.manual_seed(0)
    net = nn.Linear(3, 1)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    scaler = torch.amp.GradScaler("cpu", init_scale=16.0)
    weights = []
    with watch(net, every=every, decision_maker_for_recordings=None, check=False) as recorder:
        for step in range(7):
            weights.append(net.weight.detach().clone())
            optimizer.zero_grad()
            loss = net(torch.full((4, 3), step + 1.0)).mean()
            scaler.scale(loss * (torch.inf if step == 3 else 1)).backward()
            scaler.step(optimizer)
            scaler.update()
            if is_told:
                recorder.step()
    assert torch.equal(weights[3], weights[4])
    recorded = [step for step, _ in types_of(recorder)]
    inputs = {step: read_records(recorder, step)["forward", "model: input", 0].extrema[0] - 1 for step in recorded}
    if is_told:
        assert inputs == {step: step for step in range(0, 7, every)}
    else:
        # What follows is a second iteration of that step, and later steps have the number before theirs.
        assert inputs == {step: step + (step > 3) for step in range(0, 6, every)}
        assert iterations_of(recorder, 3) == 2


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


@pytest.mark.parametrize("steps", [{0}, set(range(100))])
def test_a_loss_for_each_batch_of_an_evaluation_is_kept(watch: Watch, steps: set[int]) -> None:
    script = Script()
    with watch(script.net, decision_maker_for_recordings=DecisionMakerForRecordingsHardcoded(steps)) as recorder:
        recorder.record_kpi_in_graph("validation", "begun", 1.0, record_even_if_recording_is_inactive=True)
        for _ in range(2):
            script.train(1)
            for batch in range(4):
                script.evaluate(1)
                recorder.record_kpi_in_graph("validation", "batch", batch, record_even_if_recording_is_inactive=True)
    assert recorder.folder is not None
    points = [point for point in open_recording(recorder.folder).curve_points if not point.is_own]
    assert [(point.type, point.v) for point in points] == [("train", 1.0), *(("eval", batch) for _ in range(2) for batch in range(4))]
    assert [int(point.t) for point in points] == [0] * 5 + [1] * 4


def test_steps_of_the_script_itself_come_first(watch: Watch) -> None:
    script = Script()
    with watch(script.net) as recorder:
        with recorder.batch(0, 6, "mine"), recorder.iteration():
            script.train(1)
        script.train(1)
    assert types_of(recorder) == [(0, "mine"), (1, "train")]
    assert [call.module for call in read_calls(recorder, 0)] == ["model"]


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
    assert any("Call the recorder's step() at the end of each training step." in message for message in messages)


@pytest.mark.parametrize("call", ["none", "forward", "copy"])
def test_a_network_that_is_never_called_is_warned_of(watch: Watch, call: str) -> None:
    net = nn.Linear(3, 1)
    calls: dict[str, Callable[[Tensor], object]] = {"none": len, "forward": net.forward, "copy": copy.deepcopy(net)}
    recorder = watch(net)
    expected_warning = pytest.warns(ComgraRecordingWarning, match="No call of a watched module was seen, so nothing was recorded")
    with expected_warning as warned, recorder, torch.no_grad():
        calls[call](torch.randn(2, 3))
    assert types_of(recorder) == []
    message = str(warned[0].message)
    plain_causes_first = [message.index(cause) for cause in ("the loader yield batches", "model.forward(x)", "module.compile()")]
    assert plain_causes_first == sorted(plain_causes_first)


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


def test_another_thread_may_train_while_watching_begins(watch: Watch, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its optimizer makes a step as soon as there is a hook."""
    other = torch.optim.SGD([nn.Parameter(torch.ones(1))])
    add = UpdateHook.add

    def add_and_train(hook: UpdateHook, *arguments: Any, **named: Any) -> None:  # noqa: ANN401
        add(hook, *arguments, **named)
        other.step()

    script = Script()
    monkeypatch.setattr(UpdateHook, "add", add_and_train)
    with watch(script.net) as recorder:
        script.train(2)
    assert types_of(recorder) == [(0, "train"), (1, "train")]
