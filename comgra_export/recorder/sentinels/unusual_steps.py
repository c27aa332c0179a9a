"""Checking every step, recorded or not, for a reason to record it in full."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from math import isfinite

from torch import Tensor

from comgra_export.recorder.numbers.parts import FORWARD
from comgra_export.recorder.sentinels.check import SentinelWatch, TensorKey
from comgra_export.recorder.sentinels.origins import FunctionOrigins
from comgra_export.recorder.sentinels.triggers import TriggerRule
from comgra_export.storage.model.lines import NonFiniteOrigin, SentinelPoint

__all__ = ["UnusualSteps"]


class UnusualSteps:
    """Checks the tensors of every step, and says which steps are unusual.

    Attributes:
        functions: What functions were called with and returned in the step in progress.
        reason: Why the step in progress is recorded, if it is recorded because it is unusual; None otherwise.
    """

    def __init__(self) -> None:
        self.functions = FunctionOrigins()
        self._origin: NonFiniteOrigin | None = None
        self.reason: str | None = None
        self._rule = TriggerRule()
        self._watch = SentinelWatch()
        self._tensors: list[TensorKey] = []
        self._largest: list[float] = []

    def begin(self) -> None:
        """Begins a step."""
        self.reason = self._origin = None
        self.functions.clear()
        self._watch = SentinelWatch()
        self._tensors.clear()
        self._largest.clear()

    def add(self, key: TensorKey, tensor: Tensor) -> None:
        """Checks a tensor as it is now. Never raises."""
        self._watch.add(key, tensor)

    def add_all(self, tensors: Iterable[tuple[TensorKey, Tensor]]) -> None:
        """Checks many tensors that exist at the same time."""
        self._watch.add_all(tensors)

    def judge(self, step: float, type_of_execution: str) -> str | None:
        """Judges what was checked since the last call, and says why the step is unusual; None if it is not. Waits for the device."""
        watch, self._watch = self._watch, SentinelWatch()
        if not watch.tensors:
            return None
        largest = watch.largest()
        self._tensors += watch.tensors
        self._largest += largest
        not_finite = {group for (group, _, _), magnitude in zip(self._tensors, self._largest, strict=True) if not isfinite(magnitude)}
        if not_finite and self._origin is None:
            # Whatever it meets there, such as a device that is full, the step is still judged.
            with suppress(Exception):
                self._origin = self.functions.find(in_gradients=FORWARD not in not_finite)
        return self._rule.observe(step, type_of_execution, watch.tensors, largest)

    def forget(self) -> None:
        """Lets go of what is kept of the step in progress, which may have been dropped."""
        self._watch = SentinelWatch()
        self.functions.clear()

    def end(self, step: float, type_of_execution: str) -> SentinelPoint | None:
        """Ends the step, and returns what was judged in it; None if nothing was."""
        self.forget()
        if not self._tensors:
            return None
        return SentinelPoint(step, type_of_execution, tuple(self._tensors), tuple(self._largest), self.reason, self._origin)
