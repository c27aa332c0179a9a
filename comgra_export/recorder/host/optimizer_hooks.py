"""The steps of all optimizers, reported to any number of listeners in any number of threads."""

from __future__ import annotations

import sys
import threading
import time
import weakref
from collections.abc import Callable
from types import FrameType

from comgra_export.recorder.host.torch_internals import OPTIMIZER_STEP, OptimizerHook, hook_after_optimizers, hook_before_optimizers

__all__ = ["AFTER_UPDATE", "BEFORE_UPDATE", "UpdateHook", "UpdateListener", "hold_optimizer_hooks"]

UpdateListener = Callable[..., None]
"""Gets the optimizer, and the arguments of its step by position and by name. The optimizer itself is among those by position."""

_PATIENCE_SECONDS = 1.0

_holders: set[object] = set()


class UpdateHook:
    """One hook among PyTorch's of all optimizers, which calls all listeners.

    PyTorch goes through those hooks while it calls them, in every thread that trains. If one is added or removed meanwhile, it raises, and
    ends a training that may know nothing of a recorder. So this hook is added once, and only what it calls changes. It is removed when
    there are neither listeners nor recorders, unless a thread is within the step of an optimizer. Then it stays, and does nothing.
    If others have added hooks, it also waits a little for the steps of other threads before it is added.
    """

    # Every change is one operation of a dictionary, which no other thread can see half done. No lock: the garbage collector may remove a
    # listener at any time, and a process may be forked.
    def __init__(self, place: OptimizerHook) -> None:
        self._place = place
        self._first: dict[UpdateListener, None] = {}
        self._others: dict[UpdateListener, None] = {}

    def __call__(self, *arguments: object) -> None:
        """Calls the listeners, as PyTorch calls its hooks."""
        for listener in (*self._first, *self._others):
            listener(*arguments)

    def add(self, listener: UpdateListener, *, first: bool = False) -> None:
        """From now on, the listener is called, before all that were not added as `first`."""
        (self._first if first else self._others)[listener] = None
        if not self._place.is_there:
            deadline = time.monotonic() + _PATIENCE_SECONDS
            while self._place.are_others and _is_any_optimizer_stepping(but_not_in=threading.get_ident()) and time.monotonic() < deadline:
                time.sleep(0.001)
            self._place.put(self)

    def remove(self, listener: UpdateListener) -> None:
        """The listener is not called any more. Does nothing if it is not there."""
        self._first.pop(listener, None)
        self._others.pop(listener, None)
        self.leave()

    def leave(self) -> None:
        """Removes the hook from PyTorch, unless it is needed."""
        if _holders or self._first or self._others or not self._place.is_there or _is_any_optimizer_stepping():
            return
        self._place.drop()
        if self._first or self._others:
            # Another thread has added one just now.
            self._place.put(self)


def _is_any_optimizer_stepping(but_not_in: int | None = None) -> bool:
    """Whether any thread is within the step of an optimizer, this one included, but the thread of this number left out."""
    return any(thread != but_not_in and _is_within_step(frame) for thread, frame in sys._current_frames().items())


def _is_within_step(frame: FrameType | None) -> bool:
    # No other function of ours names a frame: one that names its own keeps what the script holds until the garbage collector comes.
    while frame is not None:
        if frame.f_code is OPTIMIZER_STEP:
            return True
        frame = frame.f_back
    return False


BEFORE_UPDATE = UpdateHook(hook_before_optimizers())
"""Calls its listeners before an optimizer makes a step."""

AFTER_UPDATE = UpdateHook(hook_after_optimizers())
"""Calls its listeners after an optimizer has made a step."""


def hold_optimizer_hooks(holder: object) -> Callable[[], object]:
    """Keeps both hooks, once they have been added, until `holder` is gone or the function that this returns is called."""
    key = object()
    _holders.add(key)
    release = weakref.finalize(holder, _release, key)
    release.atexit = False
    return release


def _release(key: object) -> None:
    _holders.discard(key)
    BEFORE_UPDATE.leave()
    AFTER_UPDATE.leave()
