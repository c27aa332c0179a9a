"""Hooks on many tensors and operations of autograd, all of which are removed together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from torch import Tensor
from torch.autograd.graph import Node
from torch.utils.hooks import RemovableHandle

__all__ = ["NodeHook", "TensorHooks"]

NodeHook = Callable[[Sequence[Tensor | None], Sequence[Tensor | None]], None]
"""Gets the gradients of the inputs of an operation, and those of its outputs."""


class TensorHooks:
    """Hooks that watch gradients.

    Of PyTorch's handles only what they refer to is kept, since the garbage collector looks at every object of thousands of tensors. Like
    them, it keeps neither the tensors nor other hooks alive.
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
