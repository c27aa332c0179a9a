"""Hooks of all modules at once: what they are not told, and how they are removed."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from torch import nn
from torch.nn.modules import module as torch_modules
from torch.utils.hooks import RemovableHandle

__all__ = ["is_being_called", "named_arguments", "remove_hooks"]

# How many frames may lie between a hook of ours and the one that calls it.
_MAX_FRAMES = 6
# What a call of a module begins with. It has few variables, all of which are copied when one is asked for.
_CALL = nn.Module._wrapped_call_impl.__code__


def named_arguments(module: nn.Module) -> dict[str, Any]:
    """The arguments by name of a call, within a hook that is called before it.

    PyTorch hands those only to hooks of single modules. They are found where it calls the hook.
    """
    frame = sys._getframe(1)
    for _ in range(_MAX_FRAMES):
        if frame.f_code.co_filename == torch_modules.__file__:
            found = frame.f_locals
            named = found.get("kwargs")
            return named if found.get("self") is module and isinstance(named, dict) else {}
        if frame.f_back is None:
            break
        frame = frame.f_back
    return {}


def remove_hooks(hooks: Sequence[RemovableHandle]) -> None:
    """Removes hooks of all modules."""
    for hook in hooks:
        hook.remove()
        # PyTorch forgets to remove this mark, by which it takes the hook for one that is still there.
        getattr(torch_modules, "_global_forward_hooks_with_kwargs", {}).pop(hook.id, None)


def is_being_called(module: nn.Module, times: int = 1) -> bool:
    """Whether so many calls of a module are in progress in this thread.

    Its hooks do not know: PyTorch calls none where Ctrl-C ends a call.
    """
    frame = sys._getframe(1).f_back
    while frame is not None and times > 0:
        if frame.f_code is _CALL and frame.f_locals["self"] is module:
            times -= 1
        frame = frame.f_back
    return times <= 0
