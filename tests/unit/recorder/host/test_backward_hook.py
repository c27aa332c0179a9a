"""What stands in place of `torch.autograd.backward` calls it, and goes when nobody listens any more."""

from __future__ import annotations

import inspect
import pickle
from collections.abc import Iterator
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode

from comgra_export.recorder.host.backward_hook import BackwardHook

ORIGINAL = torch.autograd.backward


class Listener:
    """Remembers where backward passes began."""

    def __init__(self) -> None:
        self.roots: list[object] = []

    def __call__(self, arguments: tuple[Any, ...], named: dict[str, Any]) -> None:
        self.roots.append(arguments[0] if arguments else named["tensors"])


@pytest.fixture
def hook() -> Iterator[BackwardHook]:
    yield BackwardHook()
    torch.autograd.backward = ORIGINAL


def test_every_backward_pass_is_reported_and_computes_the_same(hook: BackwardHook) -> None:
    listener = Listener()
    hook.add(listener)
    x = torch.tensor(3.0, requires_grad=True)
    first, second = x.square(), x * 2
    first.backward(retain_graph=True)
    assert x.grad == 6
    torch.autograd.backward(tensors=[first, second], grad_tensors=[torch.tensor(10.0), None])
    assert x.grad == 6 + 60 + 2
    assert listener.roots[0] is first
    assert listener.roots[1:] == [[first, second]]
    # Gradients that are asked for are none.
    torch.autograd.grad(x.square(), x)
    assert len(listener.roots) == 2
    with pytest.raises(RuntimeError, match="element 0 of tensors does not require grad"):
        torch.ones(()).backward()


def test_it_looks_like_what_it_stands_for(hook: BackwardHook) -> None:
    hook.add(Listener())
    backward = torch.autograd.backward
    assert backward is not ORIGINAL
    assert (backward.__name__, backward.__module__, inspect.signature(backward)) == (
        "backward",
        "torch.autograd",
        inspect.signature(ORIGINAL),
    )
    assert pickle.loads(pickle.dumps(backward)) is backward


def test_it_goes_with_the_last_listener(hook: BackwardHook) -> None:
    first, second = Listener(), Listener()
    hook.add(first)
    hook.add(second)
    hook.remove(first)
    assert torch.autograd.backward is not ORIGINAL
    hook.remove(second)
    hook.remove(second)
    assert torch.autograd.backward is ORIGINAL
    torch.tensor(3.0, requires_grad=True).square().backward()
    assert (first.roots, second.roots) == ([], [])


def test_one_that_others_have_put_around_it_stays(hook: BackwardHook) -> None:
    listener = Listener()
    hook.add(listener)
    ours = torch.autograd.backward
    calls = []

    def theirs(*arguments: Any, **named: Any) -> None:  # noqa: ANN401
        calls.append(arguments)
        ours(*arguments, **named)

    torch.autograd.backward = theirs
    hook.remove(listener)
    assert torch.autograd.backward is theirs
    torch.tensor(3.0, requires_grad=True).square().backward()
    assert (len(calls), listener.roots) == (1, [])
    # It is there already, so it is not added around theirs.
    hook.add(listener)
    assert torch.autograd.backward is theirs
    torch.tensor(3.0, requires_grad=True).square().backward()
    assert (len(calls), len(listener.roots)) == (2, 1)


def test_a_mode_that_runs_it_again_gets_the_same_result(hook: BackwardHook) -> None:
    class Mode(TorchFunctionMode):
        def __torch_function__(self, function: Any, types: Any, arguments: Any = (), named: Any = None) -> Any:  # noqa: ANN401
            return function(*arguments, **(named or {}))

    hook.add(Listener())
    x: Tensor = torch.tensor(3.0, requires_grad=True)
    with Mode():
        x.square().backward()
    assert x.grad == 6
