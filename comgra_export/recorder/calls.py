"""When calls of the training script count: not while autograd runs backwards, and never within what a compiler traces."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache
from typing import Any

import torch

__all__ = ["Caller", "call_forwards", "choose_caller", "is_running_backwards"]

Caller = Callable[..., None]
"""Calls the function given first with the other arguments."""


def is_running_backwards() -> bool:
    """Whether autograd runs backwards in this thread: in a hook, or in the recomputation of a checkpointed block."""
    current = getattr(torch._C, "_current_graph_task_id", None)
    return current is not None and current() != -1


def call_forwards(function: Callable[..., None], *arguments: Any, **named: Any) -> None:  # noqa: ANN401
    """Calls a function, unless autograd runs backwards."""
    if not is_running_backwards():
        function(*arguments, **named)


def choose_caller() -> Caller:
    """`call_forwards`, such that no compiler traces into it.

    A compiler that is in use is imported already. Where none is, importing it would take a second for nothing.
    """
    return _untraced_caller() if "torch._dynamo" in sys.modules else call_forwards


@cache
def _untraced_caller() -> Caller:
    untraced: Caller = torch.compiler.disable(call_forwards)
    return untraced
