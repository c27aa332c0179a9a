"""When calls of the training script count: not while autograd runs backwards, and never within what a compiler traces."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import cache
from typing import Any

import torch

from comgra_export.recorder.host.compilation import compiler_is_used

__all__ = ["Caller", "call_forwards", "choose_caller", "is_running_backwards", "unseen"]

Caller = Callable[..., None]
"""Calls the function given first with the other arguments."""

_current_graph_task = getattr(torch._C, "_current_graph_task_id", None)


def is_running_backwards() -> bool:
    """Whether autograd runs backwards in this thread: in a hook, or in the recomputation of a checkpointed block."""
    return _current_graph_task is not None and _current_graph_task() != -1


def unseen() -> AbstractContextManager[None]:
    """A context for what the recorder computes: no function mode sees it, neither one of the user's nor our own."""
    context: AbstractContextManager[None] = torch._C.DisableTorchFunction()
    return context


def call_forwards(function: Callable[..., None], *arguments: Any, **named: Any) -> None:  # noqa: ANN401
    """Calls a function, unless autograd runs backwards."""
    if not is_running_backwards():
        with unseen():
            function(*arguments, **named)


def choose_caller() -> Caller:
    """`call_forwards`, such that no compiler traces into it."""
    return _untraced_caller() if compiler_is_used() else call_forwards


@cache
def _untraced_caller() -> Caller:
    untraced: Caller = torch.compiler.disable(call_forwards)
    return untraced
