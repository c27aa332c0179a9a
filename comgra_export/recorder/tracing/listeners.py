"""What wants to know of the functions of PyTorch that are called in a step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from torch import Tensor
from torch.autograd.graph import GradientEdge

from comgra_export.recorder.tracing.functions import Function

__all__ = ["UPDATE", "BeforeBackward", "OperationListener", "ResultListener"]

UPDATE = "step of an optimizer"
"""How listeners learn that an optimizer is about to change its parameters."""

BeforeBackward = Callable[[Sequence[Tensor | GradientEdge], bool, bool], None]
"""Called before a backward pass: with the tensors where it begins, whether it will make a graph of its own, and whether every operation on
its way will run and let go of what it saved, so that none of them can run again."""


class OperationListener(Protocol):
    """Wants to know what is about to happen to tensors."""

    def before_overwrite(self, function: str, tensors: Sequence[Tensor]) -> None:
        """A function is about to write to the memory of tensors."""

    def after_backward(self) -> None:
        """A backward pass, called as `Tensor.backward` or `torch.autograd.backward`, is over."""


class ResultListener(Protocol):
    """Wants to know what functions return, and where backward passes begin."""

    def wants(self, function: Function) -> bool:
        """Whether it wants to know what a function returns that was called now."""

    def after_function(
        self, function: Function, original: Callable[..., Any], arguments: tuple[Any, ...], named: dict[str, Any], result: object
    ) -> None:
        """A function was called, and has returned a result."""

    def before_backward(self, roots: Sequence[Tensor | GradientEdge]) -> None:
        """A backward pass is about to begin at these tensors. One whose gradients belong to what the script computes is not reported."""
