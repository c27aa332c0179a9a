"""Summing gradients while they flow, without altering them."""

from __future__ import annotations

from copy import copy

import torch
from torch import Tensor

from comgra_export.recorder.host.memory import bytes_of
from comgra_export.recorder.host.torch_internals import version_of, without_function_overrides
from comgra_export.recorder.numbers.collector import TensorNumbers
from comgra_export.recorder.numbers.held_values import LARGE_TENSOR

__all__ = ["GRADIENT_BYTES", "GradientSum", "Listening"]

GRADIENT_BYTES = 2_000_000_000
"""How much memory the gradients of one step may take that only the recorder keeps."""


class Listening:
    """Which gradients are taken: those of the training, until they fill what is set aside for them.

    Attributes:
        is_suspended: Whether those that come are not of the training.
        passed: The identities of the sums to which a gradient came since it was suspended last.
        bytes: How much those take that are held. One that is held in two places counts once.
        peak: The most that it was.
    """

    __slots__ = ("_uses", "bytes", "is_suspended", "passed", "peak")

    def __init__(self) -> None:
        self.is_suspended = False
        self.passed: set[int] = set()
        self.bytes = self.peak = 0
        self._uses: dict[int, int] = {}

    def hold(self, gradient: Tensor) -> None:
        """Counts a gradient as held until `let_go`.

        Raises:
            RuntimeError: There is no room for it.
        """
        uses = self._uses.get(id(gradient), 0)
        if not uses:
            size = bytes_of(gradient)
            if self.bytes + size > GRADIENT_BYTES:
                raise RuntimeError(f"more than {GRADIENT_BYTES / 1e9:g} GB of gradients would be held in this step")
            self.bytes += size
            self.peak = max(self.peak, self.bytes)
        self._uses[id(gradient)] = uses + 1

    def let_go(self, gradient: Tensor) -> None:
        """Counts it no longer."""
        uses = self._uses.pop(id(gradient))
        if uses > 1:
            self._uses[id(gradient)] = uses - 1
        else:
            self.bytes -= bytes_of(gradient)


class GradientSum:
    """Sums the gradients of a tensor, as a hook of it.

    A large gradient is not copied. The gradient itself is kept rather than a detached view of it: as long as autograd sees the
    reference, it does not reuse the memory. Then only code of the user can change it, such as a backward function of their own, and
    that is noticed. Where `_look` is overridden, it may look at a large gradient at once, which is not kept then.

    Args:
        listening: Whether to take what comes.

    Attributes:
        held: The sum so far, whether it can be trusted or not; None where no gradient has come.
        looked_at: What was found of the gradient, which is the only one, and is not held; None where nothing has come, or it is held.
    """

    __slots__ = ("_error", "_listening", "_version", "held", "looked_at")

    def __init__(self, listening: Listening) -> None:
        self._listening = listening
        self.held: Tensor | None = None
        self.looked_at: TensorNumbers | None = None
        self._version: int | None = None
        self._error: Exception | None = None

    def __call__(self, gradient: Tensor | None) -> None:
        """Adds a gradient. Raises nothing, since that would end the user's backward pass."""
        if gradient is None:
            return
        if self._listening.is_suspended:
            self._listening.passed.add(id(self))
            return
        try:
            if torch.is_grad_enabled():
                with torch.no_grad():
                    self._take(gradient)
            else:
                self._take(gradient)
        except Exception as error:
            self.clear()
            # Its traceback refers to this object, and nothing of a step may wait for the garbage collector.
            self._error = error.with_traceback(None)

    def total(self) -> Tensor | None:
        """The sum so far, where it is held; None where no gradient has come.

        Raises:
            Exception: What went wrong.
        """
        if self._error is not None:
            # A copy: a traceback would refer to this object, and to the frames of the script.
            raise copy(self._error)
        if self.looked_at is not None:
            raise RuntimeError("another gradient came after one that had to be the last, so that their sum is not known")
        if self.held is not None and self._version is not None and version_of(self.held) != self._version:
            raise RuntimeError("this gradient was changed in place before it was recorded")
        return self.held

    @property
    def is_copy(self) -> bool:
        """Whether nobody else has the memory of the sum."""
        return self._version is None

    def clear(self) -> None:
        """Forgets the gradients that have come so far, and what went wrong with them."""
        if self.held is not None:
            self._listening.let_go(self.held)
        self.held = self._version = self._error = self.looked_at = None

    def _look(self, gradient: Tensor) -> TensorNumbers | None:  # noqa: ARG002
        """Looks at a large gradient that came first; returns None where it has to be held."""
        return None

    def _take(self, gradient: Tensor) -> None:
        before = self.total()
        if before is None:
            with without_function_overrides():
                self.looked_at = self._look(gradient) if gradient.numel() > LARGE_TENSOR else None
            if self.looked_at is not None:
                return
        if before is not None:
            taken, version = before + gradient, None
        elif gradient.numel() <= LARGE_TENSOR or version_of(gradient) is None:
            taken, version = gradient.clone(), None
        else:
            taken, version = gradient, version_of(gradient)
        self.clear()
        self._listening.hold(taken)
        self.held, self._version = taken, version
