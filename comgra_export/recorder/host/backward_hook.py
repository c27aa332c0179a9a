"""The beginnings of all backward passes, reported to any number of listeners."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import torch

__all__ = ["BEFORE_BACKWARD", "BackwardHook", "BackwardListener"]

BackwardListener = Callable[[tuple[Any, ...], dict[str, Any]], None]
"""Gets the arguments of `torch.autograd.backward`, by position and by name. It must not raise."""


class BackwardHook:
    """Calls listeners before each call of `torch.autograd.backward`, which `Tensor.backward` makes too.

    PyTorch has no hook there. So as long as there are listeners, a function of ours stands in its place and calls it. If others have put
    one of theirs around ours meanwhile, ours stays and does nothing.
    """

    # Every change is one assignment, which no other thread can see half done. No lock: the garbage collector may remove a listener at any
    # time, and a process may be forked.
    def __init__(self) -> None:
        self._listeners: tuple[BackwardListener, ...] = ()
        self._is_there = False
        self._original: Callable[..., None] = torch.autograd.backward

        @wraps(torch.autograd.backward)
        def backward(*arguments: Any, **named: Any) -> None:  # noqa: ANN401
            if not torch.compiler.is_dynamo_compiling():
                for listener in self._listeners:
                    listener(arguments, named)
            self._original(*arguments, **named)

        self._ours = backward

    @property
    def is_there(self) -> bool:
        """Whether the function of ours is in its place, or within one of others."""
        return self._is_there

    def add(self, listener: BackwardListener) -> None:
        """From now on, the listener is called."""
        self._listeners = (*self._listeners, listener)
        if not self._is_there:
            self._original = torch.autograd.backward
            self._is_there = True
            torch.autograd.backward = self._ours

    def remove(self, listener: BackwardListener) -> None:
        """The listener is not called any more. Does nothing if it is not there."""
        self._listeners = tuple(other for other in self._listeners if other != listener)
        if not self._listeners and torch.autograd.backward is self._ours:
            torch.autograd.backward = self._original
            self._is_there = False


BEFORE_BACKWARD = BackwardHook()
"""Calls its listeners before a backward pass begins."""
