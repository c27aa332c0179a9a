"""The number of an iteration, which can be called to begin the next one."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

__all__ = ["CurrentIteration"]


class CurrentIteration(int):
    """What `recorder.iteration` is: a number, as in comgra, and `recorder.iteration()` is a context that makes one iteration."""

    _begin: Callable[[], AbstractContextManager[None]]

    @classmethod
    def of(cls, number: int, begin: Callable[[], AbstractContextManager[None]]) -> CurrentIteration:
        """The number of an iteration, and what begins the next one."""
        iteration = cls(number)
        iteration._begin = begin
        return iteration

    def __call__(self) -> AbstractContextManager[None]:
        """As `ComgraRecorder.iteration`."""
        return self._begin()

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy is only the number."""
        return int, (int(self),)
