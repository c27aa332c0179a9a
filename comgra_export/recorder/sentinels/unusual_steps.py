"""Checking every step, recorded or not, for a reason to record it in full."""

from __future__ import annotations

from collections.abc import Iterable

from torch import Tensor

from comgra_export.recorder.sentinels.check import SentinelWatch, TensorKey
from comgra_export.recorder.sentinels.triggers import TriggerRule
from comgra_export.storage.model.lines import SentinelPoint

__all__ = ["UnusualSteps"]


class UnusualSteps:
    """Checks the tensors of every step, and says which steps are unusual.

    Attributes:
        reason: Why the step in progress is recorded, if it is recorded because it is unusual; None otherwise.
    """

    def __init__(self) -> None:
        self.reason: str | None = None
        self._rule = TriggerRule()
        self._watch = SentinelWatch()
        self._tensors: list[TensorKey] = []
        self._largest: list[float] = []

    def begin(self) -> None:
        """Begins a step."""
        self.reason = None
        self._watch = SentinelWatch()
        self._tensors.clear()
        self._largest.clear()

    def add(self, key: TensorKey, tensor: Tensor) -> None:
        """Checks a tensor as it is now. Never raises."""
        self._watch.add(key, tensor)

    def add_all(self, tensors: Iterable[tuple[TensorKey, Tensor]]) -> None:
        """Checks many tensors that exist at the same time."""
        self._watch.add_all(tensors)

    def judge(self, step: int, type_of_execution: str) -> str | None:
        """Judges what was checked since the last call, and says why the step is unusual; None if it is not. Waits for the device."""
        watch, self._watch = self._watch, SentinelWatch()
        if not watch.tensors:
            return None
        largest = watch.largest()
        self._tensors += watch.tensors
        self._largest += largest
        return self._rule.observe(step, type_of_execution, watch.tensors, largest)

    def end(self, step: int, type_of_execution: str) -> SentinelPoint | None:
        """Ends the step, and returns what was judged in it; None if nothing was."""
        self._watch = SentinelWatch()
        if not self._tensors:
            return None
        return SentinelPoint(step, type_of_execution, tuple(self._tensors), tuple(self._largest), self.reason)
