"""What the arguments of a backward pass say about it."""

from __future__ import annotations

from typing import Any

from torch import Tensor
from torch.autograd.graph import GradientEdge

__all__ = ["backward_roots", "frees_graph"]


def backward_roots(arguments: tuple[Any, ...], named: dict[str, Any]) -> list[Tensor | GradientEdge]:
    """The tensors where a backward pass begins: the first argument, whatever its name."""
    first = arguments[0] if arguments else named.get("tensors", named.get("outputs", ()))
    roots = [first] if isinstance(first, (Tensor, GradientEdge)) else first
    return [root for root in roots if isinstance(root, (Tensor, GradientEdge))]


def frees_graph(arguments: tuple[Any, ...], named: dict[str, Any]) -> bool:
    """Whether a call of `backward` runs every operation that it reaches, and lets go of what they saved."""
    # PyTorch hands over by name what is asked about here.
    is_asked_otherwise = named.get("retain_graph") or named.get("create_graph") or named.get("inputs") is not None
    return len(arguments) <= 1 and not is_asked_otherwise
