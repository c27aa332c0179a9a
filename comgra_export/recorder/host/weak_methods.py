"""Methods that do not keep their objects alive."""

from __future__ import annotations

from collections.abc import Callable
from types import MethodType
from typing import Generic, TypeVar, cast
from weakref import ref

__all__ = ["WeakMethod"]

_Method = TypeVar("_Method", bound=Callable[..., object])


class WeakMethod(Generic[_Method]):
    """A method of an object that may go.

    As that of `weakref`, but no Python code runs when the object goes: an interrupt in it would be swallowed, with a traceback.
    """

    def __init__(self, method: _Method) -> None:
        bound = cast(MethodType, method)
        self._owner = ref(bound.__self__)
        self._function = bound.__func__

    def __call__(self) -> _Method | None:
        """Returns the method; None if its object is gone."""
        owner = self._owner()
        return None if owner is None else cast(_Method, MethodType(self._function, owner))
