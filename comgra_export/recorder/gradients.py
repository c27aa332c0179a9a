"""Gradients of registered tensors: seen while they flow, and never altered."""

from __future__ import annotations

from contextlib import ExitStack

import torch
from torch import Tensor, nn
from torch.utils.hooks import RemovableHandle

from comgra_export.recorder.dependencies import version_of
from comgra_export.recorder.measurements import LARGE_TENSOR

__all__ = ["GradientWatch"]

# What belongs to a module, and is saved and trained with it. Old versions of torch have no class for buffers.
_STATE_OF_MODULES = (nn.Parameter, getattr(nn, "Buffer", nn.Parameter))


class _Capture:
    """Hook of one tensor: sums the gradients that reach it.

    A large gradient is not copied. The gradient itself is kept rather than a detached view of it: as long as autograd sees the
    reference, it does not reuse the memory. Then only code of the user can change it, such as a backward function of their own, and
    that is noticed.
    """

    def __init__(self) -> None:
        self._total: Tensor | None = None
        self._version: int | None = None
        self._error: Exception | None = None

    def __call__(self, gradient: Tensor | None) -> None:
        if gradient is None:
            return
        try:
            with torch.no_grad():
                self._take(gradient)
        except Exception as error:  # Raised from here, it would end the user's backward pass.
            # Its traceback refers to this object, and nothing of a step may wait for the garbage collector.
            self._error = error.with_traceback(None)

    def total(self) -> Tensor | None:
        """The sum so far; None where no gradient has come.

        Raises:
            Exception: What went wrong.
        """
        if self._error is not None:
            raise self._error
        if self._total is not None and self._version is not None and version_of(self._total) != self._version:
            raise RuntimeError("this gradient was changed in place before it was recorded")
        return self._total

    def clear(self) -> None:
        """Forgets the gradients that have come so far."""
        self._total = self._version = None

    def _take(self, gradient: Tensor) -> None:
        before = self.total()
        if before is not None:
            self._total, self._version = before + gradient, None
        elif gradient.numel() <= LARGE_TENSOR:
            self._total = gradient.clone()
        else:
            self._total, self._version = gradient, version_of(gradient)


class GradientWatch:
    """Watches the gradients of one step's tensors, and borrows `requires_grad` where a gradient would not be computed otherwise.

    Args:
        request: Whether `requires_grad` may be borrowed.
    """

    def __init__(self, request: bool) -> None:
        self._request = request
        self._captures: dict[int, _Capture] = {}
        self._leaves: dict[int, Tensor] = {}
        self._hooks: list[RemovableHandle] = []
        # It runs every callback, whatever the others raise.
        self._borrowed = ExitStack()

    def request_gradient(self, tensor: Tensor) -> None:
        """Sets `requires_grad` of a tensor until `release`, so that the graph and its gradient can be seen.

        Left as they are: parameters (also frozen ones), buffers, tensors that are not floating-point, and everything while gradients
        are turned off.
        """
        if (
            self._request
            and not tensor.requires_grad
            and tensor.is_floating_point()
            and torch.is_grad_enabled()
            and not tensor.is_inference()
            and not isinstance(tensor, _STATE_OF_MODULES)
        ):
            self._borrowed.callback(_give_back, tensor, tensor.grad)
            tensor.requires_grad_(True)
            # Autograd would add to the user's gradient in place.
            tensor.grad = None

    def watch(self, number: int, tensor: Tensor) -> None:
        """Begins to watch a tensor, under a number of the caller's choice."""
        if tensor.is_leaf:
            self._leaves[number] = tensor
        elif tensor.requires_grad:
            self._captures[number] = capture = _Capture()
            self._hooks.append(tensor.register_hook(capture))

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
        return None if capture is None else capture.total()

    def clear(self, number: int) -> None:
        """Forgets the gradient of a watched tensor, unless it is a parameter, whose gradient the optimizer needs."""
        leaf = self._leaves.get(number)
        if leaf is not None:
            if leaf.is_leaf and not isinstance(leaf, nn.Parameter):
                leaf.grad = None
        elif number in self._captures:
            self._captures[number].clear()

    def release(self) -> None:
        """Removes every hook, and gives back every flag and gradient that was borrowed."""
        for hook in self._hooks:
            hook.remove()
        self._hooks.clear()
        self._captures.clear()
        self._leaves.clear()
        self._borrowed.close()


def _give_back(tensor: Tensor, gradient_before: Tensor | None) -> None:
    if tensor.is_leaf:
        tensor.requires_grad_(False)
        tensor.grad = gradient_before
