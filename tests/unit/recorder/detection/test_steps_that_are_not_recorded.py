"""What a watched training does in steps that are not recorded: little, and nothing twice."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from weakref import ref

import pytest
import torch
from torch import nn

import comgra_export
from comgra_export import DecisionMakerForRecordings
from comgra_export.recorder.detection.optimizers import SharedUpdates
from comgra_export.recorder.host.torch_internals import GLOBAL_FORWARD_PRE_HOOKS
from comgra_export.recorder.modules.watched import WatchedModules


class Never(DecisionMakerForRecordings):
    """Records no step but those given, and keeps what it was asked."""

    def __init__(self, *recorded: int) -> None:
        self.recorded = recorded
        self.asked: list[tuple[int, str]] = []

    def is_record_on_this_step(self, training_step: int, type_of_execution: str) -> bool:
        self.asked.append((training_step, type_of_execution))
        return training_step in self.recorded

    def mark_recording_on_this_step(self, training_step: int, type_of_execution: str) -> None:
        pass


def make_training() -> tuple[nn.Module, Callable[[], None]]:
    model = nn.Sequential(*(nn.Linear(4, 4) for _ in range(8)))
    optimizer = torch.optim.SGD(model.parameters(), 0.1)

    def train() -> None:
        optimizer.zero_grad()
        model(torch.ones(2, 4)).sum().backward()
        optimizer.step()

    return model, train


def nothing(*_: object) -> None:
    pass


def calls_of_ours(call: Callable[[], None]) -> list[str]:
    """Which functions of the package run."""
    names: list[str] = []
    package = str(Path(comgra_export.__file__).parent)

    def profile(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(package):
            names.append(frame.f_code.co_name)

    sys.setprofile(profile)
    try:
        call()
    finally:
        sys.setprofile(None)
    return names


def test_a_step_that_is_not_recorded_costs_few_calls(tmp_path: Path) -> None:
    """Each takes a fifth of a microsecond, and small networks have no more than some hundreds of these."""
    model, train = make_training()
    with comgra_export.watch(model, tmp_path, decision_maker_for_recordings=Never()):
        train()
        assert len(calls_of_ours(train)) <= 49
    with comgra_export.watch(model, tmp_path, every=1000, trial_id="a schedule of ours"):
        train()
        # Everything is still checked in this one; those that follow go the same way.
        train()
        assert len(calls_of_ours(train)) <= 19


def test_modules_within_the_first_call_are_not_seen(tmp_path: Path) -> None:
    model, train = make_training()
    with comgra_export.watch(model, tmp_path, decision_maker_for_recordings=Never()):
        train()
        assert calls_of_ours(train).count("before_call") == 1


@pytest.mark.parametrize("sentinels", [False, True])
def test_the_schedule_is_asked_once_for_each_step(tmp_path: Path, sentinels: bool) -> None:
    model, train = make_training()
    schedule = Never(1)
    with comgra_export.watch(model, tmp_path, decision_maker_for_recordings=schedule, sentinels=sentinels):
        for _ in range(3):
            train()
        with torch.no_grad():
            model.eval()(torch.ones(2, 4))
    assert schedule.asked == [(0, "train"), (1, "train"), (2, "train"), (3, "eval")]


def test_the_order_of_hooks_is_that_of_their_registration(tmp_path: Path) -> None:
    """Between steps, the hook before calls comes after those that the script has registered meanwhile, as a new one would."""
    model, train = make_training()
    with comgra_export.watch(model, tmp_path, decision_maker_for_recordings=Never()):
        (ours,) = GLOBAL_FORWARD_PRE_HOOKS.values()
        handle = nn.modules.module.register_module_forward_pre_hook(nothing)
        train()
        assert list(GLOBAL_FORWARD_PRE_HOOKS.values()) == [nothing, ours]
        handle.remove()
    assert not GLOBAL_FORWARD_PRE_HOOKS


def dead_references() -> int:
    return sum(type(each) is ref and each() is None for each in gc.get_objects())


def test_optimizers_that_are_gone_leave_nothing() -> None:
    """Some scripts make one for every task or step."""
    model = nn.Linear(2, 2)
    updates, watched = SharedUpdates(), WatchedModules()
    watched.add(model, with_values=False, histogram_values=0)
    gc.collect()
    before = dead_references()
    for _ in range(10):
        optimizer = torch.optim.SGD(model.parameters(), 0.1)
        updates.begin_step()
        assert updates.is_new(optimizer)
        assert not updates.is_new(optimizer)
        assert watched.are_updated_by(optimizer)
        updates.add(optimizer)
        updates.follow(optimizer)
        del optimizer
    updates.begin_step()
    gc.collect()
    assert dead_references() <= before


def test_an_optimizer_that_is_gone_is_not_waited_for() -> None:
    model = nn.Linear(2, 2)
    updates = SharedUpdates()
    first, second = (torch.optim.SGD(model.parameters(), 0.1) for _ in range(2))
    updates.follow(second)
    updates.begin_step()
    assert not updates.add(first)
    assert updates.add(second)
    updates.begin_step()
    del second
    gc.collect()
    assert updates.add(first)
