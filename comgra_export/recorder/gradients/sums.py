"""Summing gradients while they flow, without altering them."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import NamedTuple

import torch
from torch import Tensor, nn

from comgra_export.recorder.host.memory import bytes_of
from comgra_export.recorder.host.torch_internals import version_of, without_function_overrides
from comgra_export.recorder.numbers.collector import TensorNumbers
from comgra_export.recorder.numbers.held_values import LARGE_TENSOR

__all__ = ["GRADIENT_BYTES", "GradientSum", "Listening", "TakenGradient", "take_together"]

GRADIENT_BYTES = 2_000_000_000
"""How much memory the gradients of one step may take that only the recorder keeps."""


class TakenGradient(NamedTuple):
    """The gradient that a tensor has now: its values, or the statistics that were computed when it came.

    Attributes:
        values: The gradient; None if it was not held.
        statistics: Its statistics; None if it is held.
        lasts: Whether the values stay as they are, since nothing of the user's shares their memory.
        parameter: The tensor, if it is a parameter.
    """

    values: Tensor | None = None
    statistics: TensorNumbers | None = None
    lasts: bool = False
    parameter: nn.Parameter | None = None


class Listening:
    """Which gradients are taken: those of the training, up to a limit of memory.

    Attributes:
        is_suspended: Whether the gradients that come now do not belong to the training.
        passed: The identities of the sums that a gradient has reached since the last suspension.
        bytes: How much memory the held gradients take. A gradient that is held in two places counts once.
        peak: The largest value of `bytes` so far.
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
        """No longer counts a gradient as held."""
        uses = self._uses.pop(id(gradient))
        if uses > 1:
            self._uses[id(gradient)] = uses - 1
        else:
            self.bytes -= bytes_of(gradient)


class GradientSum:
    """Sums the gradients of a tensor, as a hook of it.

    A large gradient is not copied. The sum keeps the gradient itself rather than a detached view: autograd does not reuse memory that it
    sees a reference to. Only the user's code can change it then, such as a backward function of their own, and that is noticed. A subclass
    may override `_compute_statistics` to compute the statistics of a large gradient at once, so that it need not be kept.

    Attributes:
        held: The sum so far, valid or not; None if no gradient has come.
        statistics: Those of the only gradient, which is not held; None if none has come, or it is held.
    """

    __slots__ = ("_error", "_listening", "_version", "held", "statistics")

    def __init__(self, listening: Listening) -> None:
        self._listening = listening
        self.held: Tensor | None = None
        self.statistics: TensorNumbers | None = None
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

    def take(self) -> TakenGradient | None:
        """The sum so far, or the statistics of the only gradient; None if no gradient has come.

        Raises:
            Exception: What went wrong while it was summed.
        """
        if self.statistics is not None:
            return TakenGradient(statistics=self.statistics)
        total = self.total()
        return None if total is None else TakenGradient(total, lasts=self.is_copy)

    def total(self) -> Tensor | None:
        """The sum so far; None if no gradient has come.

        Raises:
            Exception: What went wrong while it was summed.
        """
        if self._error is not None:
            # A copy: a traceback would refer to this object, and to the frames of the script.
            raise copy(self._error)
        if self.statistics is not None:
            raise RuntimeError("another gradient came after one that had to be the last, so that their sum is not known")
        if self.held is not None and self._version is not None and version_of(self.held) != self._version:
            raise RuntimeError("this gradient was changed in place before it was recorded")
        return self.held

    @property
    def has_come(self) -> bool:
        """Whether a gradient has come, also if it could not be summed."""
        return self.held is not None or self.statistics is not None or self._error is not None

    @property
    def is_copy(self) -> bool:
        """Whether the sum has its memory for itself."""
        return self._version is None

    def clear(self) -> None:
        """Forgets the gradients that have come so far, and any error."""
        if self.held is not None:
            self._listening.let_go(self.held)
        self.held = self._version = self._error = self.statistics = None

    def _compute_statistics(self, gradient: Tensor) -> TensorNumbers | None:  # noqa: ARG002
        """Computes the statistics of a large gradient that came first; returns None if it has to be held."""
        return None

    def _take(self, gradient: Tensor) -> None:
        before = self.total()
        if before is None:
            with without_function_overrides():
                self.statistics = self._compute_statistics(gradient) if gradient.numel() > LARGE_TENSOR else None
            if self.statistics is not None:
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


def take_together(sums: Sequence[GradientSum]) -> TakenGradient | None:
    """The gradient that several sums make up together; None if none of them has a gradient."""
    if len(sums) == 1:
        return sums[0].take()
    parts = [part for part in (of_call.total() for of_call in sums) if part is not None]
    if len(parts) < 2:
        return TakenGradient(parts[0], lasts=all(of_call.is_copy for of_call in sums)) if parts else None
    with torch.no_grad():
        return TakenGradient(_add(parts), lasts=True)


def _add(parts: Sequence[Tensor]) -> Tensor:
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return total
