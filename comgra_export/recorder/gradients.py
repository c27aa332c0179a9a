"""Gradients of registered tensors: seen while they flow, and never altered."""

from __future__ import annotations

from contextlib import ExitStack

import torch
from torch import Tensor

__all__ = ["GradientWatch"]


class _Capture:
    """Hook of one tensor: sums the gradients that reach it.

    It keeps the gradient itself rather than a detached view of it: as long as autograd sees the reference, it does not reuse the
    memory.
    """

    def __init__(self) -> None:
        self.total: Tensor | None = None
        self.error: Exception | None = None

    def __call__(self, gradient: Tensor | None) -> None:
        if gradient is None:
            return
        try:
            with torch.no_grad():
                self.total = gradient if self.total is None else self.total + gradient
        except Exception as error:  # Raised from here, it would end the user's backward pass.
            self.error = error


class GradientWatch:
    """Watches the gradients of one step's tensors, and borrows `requires_grad` where a gradient would not be computed otherwise.

    Args:
        request: Whether `requires_grad` may be borrowed.
    """

    def __init__(self, request: bool) -> None:
        self._request = request
        self._captures: dict[int, _Capture] = {}
        self._leaves: dict[int, Tensor] = {}
        # It runs every callback, whatever the others raise.
        self._undo = ExitStack()

    def request_gradient(self, tensor: Tensor) -> None:
        """Sets `requires_grad` of a tensor until `release`, so that the graph and its gradient can be seen.

        Left as they are: parameters (also frozen ones), tensors that are not floating-point, and everything while gradients are turned
        off.
        """
        if (
            self._request
            and not tensor.requires_grad
            and tensor.is_floating_point()
            and torch.is_grad_enabled()
            and not tensor.is_inference()
            and not isinstance(tensor, torch.nn.Parameter)
        ):
            self._undo.callback(_give_back, tensor, tensor.grad)
            tensor.requires_grad_(True)
            # Autograd would add to the user's gradient in place.
            tensor.grad = None

    def watch(self, number: int, tensor: Tensor) -> None:
        """Begins to watch a tensor, under a number of the caller's choice."""
        if tensor.is_leaf:
            self._leaves[number] = tensor
        elif tensor.requires_grad:
            self._captures[number] = capture = _Capture()
            self._undo.callback(tensor.register_hook(capture).remove)

    def gradient(self, number: int) -> Tensor | None:
        """The gradient that a watched tensor has now, summed over all backward passes since `clear`; None where it has none.

        Raises:
            Exception: What went wrong while it was summed.
        """
        leaf = self._leaves.get(number)
        if leaf is not None:
            # An in-place operation may have made a result of it since; then its `grad` is not this value's.
            return leaf.grad if leaf.is_leaf else None
        capture = self._captures.get(number)
        if capture is None:
            return None
        if capture.error is not None:
            raise capture.error
        return capture.total

    def clear(self, number: int) -> None:
        """Forgets the gradient of a watched tensor."""
        if number in self._leaves:
            if self._leaves[number].is_leaf:
                self._leaves[number].grad = None
        elif number in self._captures:
            self._captures[number].total = None

    def release(self) -> None:
        """Removes every hook, and gives back every flag and gradient that was borrowed."""
        self._captures.clear()
        self._leaves.clear()
        self._undo.close()


def _give_back(tensor: Tensor, gradient_before: Tensor | None) -> None:
    if tensor.is_leaf:
        tensor.requires_grad_(False)
        tensor.grad = gradient_before
