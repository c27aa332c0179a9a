"""Hooks on tensors, operations and all modules at once: how they are removed together, and what hooks of modules do not learn."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any

from torch import Tensor, nn
from torch.autograd.graph import Node
from torch.nn.modules import module as torch_modules
from torch.utils.hooks import RemovableHandle

from comgra_export.recorder.host.torch_internals import MODULE_CALL, forget_hook_with_keywords

__all__ = ["NodeHook", "TensorHooks", "is_being_called", "named_arguments", "remove_hooks"]

NodeHook = Callable[[Sequence[Tensor | None], Sequence[Tensor | None]], None]
"""Gets the gradients of the inputs of an operation, and those of its outputs."""

# How many frames may lie between a hook of ours and the one that calls it.
_MAX_FRAMES = 6


class TensorHooks:
    """Hooks on many tensors and operations of autograd that watch gradients.

    It keeps only what PyTorch's handles refer to, since the garbage collector visits every object of thousands of tensors. Like the
    handles, it keeps neither the tensors nor other hooks alive.
    """

    def __init__(self) -> None:
        self._dictionaries: list[Callable[[], dict[int, Any] | None]] = []
        self._ids: list[int] = []

    def add(self, tensor: Tensor, hook: Callable[[Tensor], None]) -> None:
        """Adds a hook to a tensor that requires a gradient."""
        self._keep(tensor.register_hook(hook))

    def add_to_node(self, node: Node, hook: NodeHook) -> None:
        """Adds a hook to an operation of autograd."""
        self._keep(node.register_hook(hook))

    def remove(self) -> None:
        """Removes every hook."""
        for dictionary, number in zip(self._dictionaries, self._ids, strict=True):
            hooks = dictionary()
            if hooks is not None:
                hooks.pop(number, None)
        self._dictionaries.clear()
        self._ids.clear()

    def _keep(self, handle: RemovableHandle) -> None:
        self._dictionaries.append(handle.hooks_dict_ref)
        self._ids.append(handle.id)


def named_arguments(module: nn.Module) -> dict[str, Any]:
    """The arguments by name of a call, within a hook that is called before it.

    PyTorch hands those only to hooks of single modules. They are found where it calls the hook.
    """
    frame = sys._getframe(1)
    for _ in range(_MAX_FRAMES):
        if frame.f_code.co_filename == torch_modules.__file__:
            variables = frame.f_locals
            named = variables.get("kwargs")
            return named if variables.get("self") is module and isinstance(named, dict) else {}
        if frame.f_back is None:
            break
        frame = frame.f_back
    return {}


def remove_hooks(hooks: Sequence[RemovableHandle]) -> None:
    """Removes hooks of all modules."""
    for hook in hooks:
        hook.remove()
        forget_hook_with_keywords(hook.id)


def is_being_called(module: nn.Module, times: int = 1) -> bool:
    """Whether so many calls of a module are in progress in this thread.

    Its hooks do not know: PyTorch calls none if Ctrl-C ends a call.
    """
    frame = sys._getframe(1).f_back
    while frame is not None and times > 0:
        if frame.f_code is MODULE_CALL and frame.f_locals["self"] is module:
            times -= 1
        frame = frame.f_back
    return times <= 0
