"""Hooks on many tensors, all of which are removed together."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch import Tensor

__all__ = ["TensorHooks"]


class TensorHooks:
    """Hooks that watch the gradients of tensors.

    Of PyTorch's handles only what they refer to is kept, since the garbage collector looks at every object of thousands of tensors. Like
    them, it keeps neither the tensors nor other hooks alive.
    """

    def __init__(self) -> None:
        self._dictionaries: list[Callable[[], dict[int, Any] | None]] = []
        self._ids: list[int] = []

    def add(self, tensor: Tensor, hook: Callable[[Tensor], None]) -> None:
        """Adds a hook to a tensor that requires a gradient."""
        handle = tensor.register_hook(hook)
        self._dictionaries.append(handle.hooks_dict_ref)
        self._ids.append(handle.id)

    def remove(self) -> None:
        """Removes every hook."""
        for dictionary, number in zip(self._dictionaries, self._ids, strict=True):
            hooks = dictionary()
            if hooks is not None:
                hooks.pop(number, None)
        self._dictionaries.clear()
        self._ids.clear()
