"""The steps of optimizers are reported while other threads train: no hook comes or goes while PyTorch goes through them."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping

import pytest
import torch
from torch import nn
from torch.optim.optimizer import (
    _global_optimizer_post_hooks,
    _global_optimizer_pre_hooks,
    register_optimizer_step_post_hook,
    register_optimizer_step_pre_hook,
)

from comgra_export.recorder.host.optimizer_hooks import AFTER_UPDATE, BEFORE_UPDATE, UpdateHook, hold_optimizer_hooks

KINDS: list[tuple[UpdateHook, Mapping[int, object]]] = [
    (BEFORE_UPDATE, _global_optimizer_pre_hooks),
    (AFTER_UPDATE, _global_optimizer_post_hooks),
]


class Holder:
    """As a recorder."""


def nothing(*_: object) -> None:
    pass


def optimizer() -> torch.optim.Optimizer:
    return torch.optim.SGD([nn.Parameter(torch.ones(1))])


class SlowStep:
    """A step of an optimizer in another thread that is within a hook of the user's, before our hook and after it, until it may go on."""

    def __init__(self) -> None:
        self._is_within, self._may_go_on = threading.Event(), threading.Event()
        self.errors: list[Exception] = []
        self._thread = threading.Thread(target=self._step)

    def _step(self) -> None:
        try:
            optimizer().step()
        except Exception as error:
            self.errors.append(error)

    def hook(self, *_: object) -> None:
        if threading.current_thread() is self._thread:
            self._is_within.set()
            assert self._may_go_on.wait(10)

    def begin(self) -> None:
        self._thread.start()
        assert self._is_within.wait(10)

    def end(self) -> None:
        self._may_go_on.set()
        self._thread.join(10)


@pytest.fixture(params=[False, True])
def slow_step(request: pytest.FixtureRequest) -> Iterator[SlowStep]:
    step = SlowStep()
    register = register_optimizer_step_post_hook if request.param else register_optimizer_step_pre_hook
    handle = register(step.hook)
    yield step
    step.end()
    handle.remove()


@pytest.mark.parametrize(("hook", "hooks"), KINDS)
def test_listeners_are_called_in_their_order(hook: UpdateHook, hooks: Mapping[int, object]) -> None:
    called: list[tuple[str, object]] = []

    def note_first(*arguments: object) -> None:
        called.append(("first", arguments[0]))

    def note(*arguments: object) -> None:
        called.append(("other", arguments[0]))
        hook.remove(note_last)

    def note_last(*arguments: object) -> None:
        called.append(("last", arguments[0]))

    for listener in (note, note_last):
        hook.add(listener)
    hook.add(note_first, first=True)
    assert list(hooks.values()) == [hook]
    steps = optimizer()
    steps.step()
    # A listener that another one removes meanwhile is still called.
    assert called == [("first", steps), ("other", steps), ("last", steps)]
    hook.remove(note)
    hook.remove(note)
    assert hook in hooks.values()
    hook.remove(note_first)
    assert not hooks


@pytest.mark.parametrize(("hook", "hooks"), KINDS)
def test_the_hook_stays_as_long_as_anything_holds_it(hook: UpdateHook, hooks: Mapping[int, object]) -> None:
    first, second = Holder(), Holder()
    release = hold_optimizer_hooks(first)
    hold_optimizer_hooks(second)
    assert not hooks
    hook.add(print)
    hook.remove(print)
    release()
    release()
    assert list(hooks.values()) == [hook]
    del second
    assert not hooks


def test_nothing_changes_while_another_thread_goes_through_hooks(slow_step: SlowStep) -> None:
    holder = Holder()
    release = hold_optimizer_hooks(holder)
    for hook, _ in KINDS:
        hook.add(print)
    slow_step.begin()
    for hook, _ in KINDS:
        hook.remove(print)
        hook.add(nothing)
        hook.remove(nothing)
    release()
    slow_step.end()
    assert slow_step.errors == []
    # They could not go then.
    for hook, hooks in KINDS:
        assert hook in hooks.values()
        hook.leave()
        assert hook not in hooks.values()


def test_the_hook_is_added_between_the_steps_of_other_threads(slow_step: SlowStep) -> None:
    slow_step.begin()
    timer = threading.Timer(0.05, slow_step.end)
    timer.start()
    for hook, _ in KINDS:
        hook.add(print)
    timer.join()
    assert slow_step.errors == []
    for hook, _ in KINDS:
        hook.remove(print)
