"""Computing within a training script, whatever modes the script is in, and only when its calls count.

They do not count while autograd runs backwards, nor within what a compiler traces or a CUDA graph captures.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import torch
from torch import Tensor

from comgra_export.recorder.host.compilation import compiler_is_used
from comgra_export.recorder.host.torch_internals import current_backward_pass, without_function_overrides

__all__ = ["Caller", "call_forwards", "choose_caller", "is_being_captured", "is_plain", "is_running_backwards", "undisturbed"]

Caller = Callable[..., None]
"""Calls the function given first with the other arguments."""


@contextmanager
def undisturbed() -> Iterator[None]:
    """Lets the recorder compute with the user's tensors.

    Nothing is tracked, cast to lower precision, or seen by modes and subclasses that override functions. What is made can be changed in
    place later, even if the script is in inference mode.
    """
    autocast = [torch.autocast(kind, enabled=False) for kind in ("cpu", "cuda") if torch.is_autocast_enabled(kind)]
    with without_function_overrides(), torch.inference_mode(False), torch.no_grad():
        for context in autocast:
            context.__enter__()
        try:
            yield
        finally:
            for context in reversed(autocast):
                context.__exit__(None, None, None)


def is_plain(tensor: Tensor) -> bool:
    """Whether torch itself computes with it. A subclass of its own kind might communicate with other processes."""
    return type(tensor).__torch_dispatch__ is Tensor.__torch_dispatch__


def is_running_backwards() -> bool:
    """Whether autograd runs backwards in this thread: in a hook, or in the recomputation of a checkpointed block."""
    return current_backward_pass() != -1


def is_being_captured() -> bool:
    """Whether what this thread computes on CUDA is captured into a graph: it is not computed now, and must not be added to."""
    return torch.cuda.is_initialized() and torch.cuda.is_current_stream_capturing()


def call_forwards(function: Callable[..., None], *arguments: Any, **named: Any) -> None:  # noqa: ANN401
    """Calls a function, unless autograd runs backwards, or what is computed is captured into a CUDA graph."""
    if not is_running_backwards() and not is_being_captured():
        with without_function_overrides():
            function(*arguments, **named)


def choose_caller() -> Caller:
    """`call_forwards`, such that no compiler traces into it."""
    return _untraced_caller() if compiler_is_used() else call_forwards


@cache
def _untraced_caller() -> Caller:
    untraced: Caller = torch.compiler.disable(call_forwards)
    return untraced
