"""Which calls of modules listeners see, and in which order."""

from __future__ import annotations

import gc
import threading
import weakref
from contextlib import suppress
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from comgra_export.recorder.host.module_calls import ModuleCalls
from comgra_export.recorder.host.torch_internals import GLOBAL_FORWARD_HOOKS, GLOBAL_FORWARD_PRE_HOOKS


class Interrupt(BaseException):
    """As Ctrl-C: PyTorch calls no hooks when it passes."""


class Layer(nn.Module):
    """Calls a module within it, or raises."""

    def __init__(self, inner: nn.Module | None = None, error: BaseException | None = None) -> None:
        super().__init__()
        self.inner, self.error = inner, error

    def forward(self, x: Tensor) -> Tensor:
        if self.error is not None:
            raise self.error
        return x if self.inner is None else self.inner(x)


class Log:
    """A listener that writes down what it is told, and raises in a certain call if asked to."""

    def __init__(self, names: dict[nn.Module, str], log: list[str], name: str = "", fails_after: str | None = None) -> None:
        self.names, self.log, self.name, self.fails_after = names, log, name, fails_after

    has_calls_in_progress = True

    def before_call(self, module: nn.Module, arguments: tuple[Any, ...]) -> None:
        assert isinstance(arguments[0], Tensor)
        self.log.append(f"{self.name}+{self.names[module]}")

    def after_call(self, module: nn.Module, result: object, has_raised: bool) -> None:
        assert isinstance(result, Tensor) or has_raised
        self.log.append(f"{self.name}{'!' if has_raised else '-'}{self.names[module]}")
        if self.fails_after == self.names[module]:
            raise ValueError("of the listener")

    def call_was_interrupted(self, module: nn.Module) -> None:
        self.log.append(f"{self.name}~{self.names[module]}")

    def elsewhere_called(self, module: nn.Module) -> None:
        self.log.append(f"{self.name}?{self.names[module]}")


def x() -> Tensor:
    return torch.ones(2, requires_grad=True)


def test_every_listener_is_told_in_order() -> None:
    inner = Layer()
    outer = Layer(inner)
    names: dict[nn.Module, str] = {inner: "inner", outer: "outer"}
    calls, log = ModuleCalls(), list[str]()
    first, second = Log(names, log, "1"), Log(names, log, "2")
    calls.add(first)
    calls.add(second)
    outer(x())
    assert log == ["1+outer", "2+outer", "1+inner", "2+inner", "1-inner", "2-inner", "1-outer", "2-outer"]
    calls.remove(first)
    calls.remove(first)
    log.clear()
    inner(x())
    assert log == ["2+inner", "2-inner"]
    calls.remove(second)
    inner(x())
    assert len(log) == 2


def test_the_hooks_are_there_as_long_as_any_listener() -> None:
    before = len(GLOBAL_FORWARD_PRE_HOOKS), len(GLOBAL_FORWARD_HOOKS)
    calls = ModuleCalls()
    first, second = Log({}, []), Log({}, [])
    for listener in (first, second):
        calls.add(listener)
        assert (len(GLOBAL_FORWARD_PRE_HOOKS), len(GLOBAL_FORWARD_HOOKS)) == (before[0] + 1, before[1] + 1)
    calls.remove(first)
    assert len(GLOBAL_FORWARD_HOOKS) == before[1] + 1
    calls.remove(second)
    assert (len(GLOBAL_FORWARD_PRE_HOOKS), len(GLOBAL_FORWARD_HOOKS)) == before


def test_a_call_that_raises_is_over() -> None:
    inner = Layer(error=ValueError("of the layer"))
    outer = Layer(inner)
    calls, log = ModuleCalls(), list[str]()
    listener = Log({inner: "inner", outer: "outer"}, log)
    calls.add(listener)
    with pytest.raises(ValueError, match="of the layer"):
        outer(x())
    calls.remove(listener)
    assert log == ["+outer", "+inner", "!inner", "!outer"]


@pytest.mark.parametrize("told_by", ["the next call", "the same module again", "a question", "the module around it"])
def test_a_call_that_ctrl_c_has_ended_is_over(told_by: str) -> None:
    inner, other = Layer(error=Interrupt()), Layer()
    middle = Layer(inner)

    class Catching(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            try:
                middle(x)
            except Interrupt:
                inner.error = None
            if told_by == "the next call":
                other(x)
            elif told_by == "the same module again":
                middle(x)
            elif told_by == "a question":
                calls.end_interrupted()
            log.append("caught")
            return x

    outer = Catching()
    calls, log = ModuleCalls(), list[str]()
    listener = Log({inner: "inner", other: "other", middle: "middle", outer: "outer"}, log)
    calls.add(listener)
    outer(x())
    calls.remove(listener)
    over = ["~inner", "~middle"]
    called = {"the next call": ["+other", "-other"], "the same module again": ["+middle", "+inner", "-inner", "-middle"]}.get(told_by, [])
    rest = ["caught", *over] if told_by == "the module around it" else [*over, *called, "caught"]
    assert log == ["+outer", "+middle", "+inner", *rest, "-outer"]


def test_a_listener_that_raises_keeps_no_other_from_being_told() -> None:
    layer = Layer()
    names: dict[nn.Module, str] = {layer: "layer"}
    calls, log = ModuleCalls(), list[str]()
    listeners = [Log(names, log, "1"), Log(names, log, "2", fails_after="layer"), Log(names, log, "3")]
    for listener in listeners:
        calls.add(listener)
    with pytest.raises(ValueError, match="of the listener"):
        layer(x())
    for listener in listeners:
        calls.remove(listener)
    assert log == ["1+layer", "2+layer", "3+layer", "1-layer", "2-layer", "3!layer"]


def test_a_listener_that_raises_keeps_no_tensor_alive() -> None:
    results: list[weakref.ref[Tensor]] = []

    class Doubling(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            result = x * 2
            results.append(weakref.ref(result))
            return result

    layer = Doubling()
    calls = ModuleCalls()
    listener = Log({layer: "layer"}, [], fails_after="layer")
    calls.add(listener)
    gc.collect()
    gc.disable()
    try:
        with suppress(ValueError):
            layer(x())
        assert [result() for result in results] == [None]
    finally:
        gc.enable()
        calls.remove(listener)


def test_calls_of_other_threads_are_told_apart_and_recomputations_not_at_all() -> None:
    layer = Layer()
    calls, log = ModuleCalls(), list[str]()
    listener = Log({layer: "layer"}, log)
    calls.add(listener)
    thread = threading.Thread(target=layer, args=(x(),))
    thread.start()
    thread.join()
    assert log == ["?layer"]
    log.clear()
    result = checkpoint(lambda value: layer(value).exp(), x(), use_reentrant=False)
    assert isinstance(result, Tensor)
    result.sum().backward()
    calls.remove(listener)
    assert log == ["+layer", "-layer"]
