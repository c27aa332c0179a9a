"""Tells listeners what a function mode sees: in-place functions by the underscore at the end of their names, and backward passes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode
from torch.utils._pytree import tree_leaves


class Listener(Protocol):
    def before_overwrite(self, function: str, tensors: Sequence[Tensor]) -> None: ...

    def after_backward(self) -> None: ...


class Listening(TorchFunctionMode):
    def __init__(self, *listeners: Listener) -> None:
        super().__init__()
        self._listeners = listeners

    def __torch_function__(
        self, function: Callable[..., Any], types: object, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:  # noqa: ANN401
        name = getattr(function, "__name__", "")
        if (name.endswith("_") and not name.endswith("__")) or name.startswith("__i"):
            written = [leaf for leaf in tree_leaves(args[0]) if isinstance(leaf, Tensor)]
            for listener in self._listeners:
                listener.before_overwrite(name, written)
        result = function(*args, **(kwargs or {}))
        if function is torch.Tensor.backward:
            for listener in self._listeners:
                listener.after_backward()
        return result
