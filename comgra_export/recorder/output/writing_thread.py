"""A thread that writes what the training thread has finished, and the queue between the two.

An interrupt may come between any two instructions of the training thread, and must never leave a lock behind that the other thread
waits for. So there is no `threading.Condition`, whose `with` is Python code and can be left in its middle. The lock's own `with` cannot.
The writing thread sleeps in a `SimpleQueue`, which knows no half-way either. Whoever waits for the writing thread looks at it again and
again. `Thread.start` and `Thread.is_alive` are Python code too, so a thread counts only if its start was not interrupted, and says
itself when it ends.
"""

from __future__ import annotations

import atexit
import os
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable
from multiprocessing import parent_process
from multiprocessing.util import Finalize
from queue import SimpleQueue
from typing import Any, Generic, TypeVar

from comgra_export.recorder.host.threads import leave_processors_to_training

__all__ = ["MAX_BYTES_WAITING", "MAX_STEPS_WAITING", "WORTH_A_WARNING_SECONDS", "WritingThread", "wait_for_abandoned"]

_T = TypeVar("_T")

MAX_STEPS_WAITING = 64
"""How many steps may wait. With more, a disk that is too slow would be noticed later, and a killed process would lose more steps."""

MAX_BYTES_WAITING = 64 * 1024 * 1024
"""How much memory their numbers may take. A step larger than that waits alone."""

WORTH_A_WARNING_SECONDS = 1.0
"""How long the training may wait in all before there is a warning, and a note in the recording."""

# How often a thread that waits looks again.
_LOOK_EVERY_SECONDS = 0.001
# An interrupt at a bad moment may leave a thread of Python that never says that it has ended.
_MOST_SECONDS_TO_END = 5.0


class WritingThread(Generic[_T]):
    """Handles items one after another in a thread of its own, which begins with the first item.

    If the thread cannot be started, or has died, the thread that brings an item handles it. A forked child handles nothing: the items
    belong to the parent.

    Args:
        handle: Handles an item; it may raise nothing. The thread keeps this function alive. So it must not refer to anything that should
            be garbage-collected while the thread sleeps.
        end: Called once after the last item: at the end of the interpreter, or after `abandon`.
        on_wait: Called once, when `put` has waited for `WORTH_A_WARNING_SECONDS` in all.
        on_loss: Called when the thread turns out to be of no use, with a sentence that says why and the item that it had in hand.
        forget: Called in a forked child.

    Attributes:
        seconds_waited: How long `put` has waited in all for room in the queue.
        is_foreign: Whether this is a forked child.
    """

    def __init__(
        self,
        handle: Callable[[_T], None],
        end: Callable[[], None],
        on_wait: Callable[[], None],
        on_loss: Callable[[str, _T | None], None],
        forget: Callable[[], None],
    ) -> None:
        self.seconds_waited = 0.0
        self.is_foreign = False
        self._handle = handle
        self._end = end
        self._on_wait = on_wait
        self._on_loss = on_loss
        self._forget = forget
        self._items: deque[tuple[_T, int]] = deque()
        self._in_hand: _T | None = None
        self._size_in_hand = 0
        self._has_said_so = False
        self._has_died = False
        self._is_lost = False
        self._is_stopping = False
        self._is_abandoned = False
        self._is_ending = False
        self._thread: threading.Thread | None = None
        # Reentrant, since the garbage collector may call `abandon` wherever something is allocated.
        self._lock = threading.RLock()
        # What is in it wakes the thread. A reference says that the owner is gone, and None nothing else.
        self._wake: SimpleQueue[object] = SimpleQueue()
        self._owner: weakref.ref[object] | None = None
        _end_unowned()
        _unended.add(self)
        _stop_all_with_process()

    def end_with(self, owner: object) -> None:
        """As soon as `owner` is gone, the thread handles the items that are there, and ends.

        Then no Python code runs in the thread that lets go of the owner: an interrupt in it would be swallowed. Without a thread, the end
        waits for the next `WritingThread`, or for that of the interpreter.
        """
        self._owner = weakref.ref(owner, self._wake.put)

    def put(self, item: _T, size: int) -> None:
        """Hands over an item that keeps `size` bytes in memory. Waits if the queue is full."""
        if self.is_foreign:
            return
        self._wait_for_room(size)
        with self._lock:
            is_alive = self._is_alive()
            if is_alive:
                # Before the item: after an interrupt between the two, the thread would sleep beside an item that others wait for.
                self._wake.put(None)
            self._items.append((item, size))
        if not is_alive:
            self._handle_here()

    def flush(self, timeout: float | None = None) -> bool:
        """Waits until every item is handled, and returns whether every item is. Without `timeout`, it waits as long as it takes."""
        if self.is_foreign:
            return True
        end = None if timeout is None else time.monotonic() + timeout
        while self._is_busy():
            if end is not None and time.monotonic() >= end:
                return False
            time.sleep(_LOOK_EVERY_SECONDS)
        self._handle_here()
        return True

    def stop(self) -> None:
        """Waits until every item is handled, and ends the thread. Another item begins another one."""
        if self.is_foreign:
            return
        while True:
            self.flush()
            with self._lock:
                if not self._items_waiting():
                    thread, self._thread = self._thread, None
                    break
        self._wake.put(None)
        if thread is not None:
            thread.join(_MOST_SECONDS_TO_END)

    def abandon(self) -> None:
        """Lets the thread handle the items that are there, and end. Waits for nothing."""
        if self.is_foreign:
            return
        with self._lock:
            self._is_abandoned = self._is_stopping = True
            is_alive = self._thread is not None
        if is_alive:
            self._wake.put(None)
            return
        self._handle_here()
        self._end_once()

    def _is_unowned(self) -> bool:
        return self._owner is not None and self._owner() is None

    def _wait_for_room(self, size: int) -> None:
        while not self._has_room(size):
            begin = time.perf_counter()
            time.sleep(_LOOK_EVERY_SECONDS)
            self.seconds_waited += time.perf_counter() - begin
            if self.seconds_waited >= WORTH_A_WARNING_SECONDS and not self._has_said_so:
                self._has_said_so = True
                self._on_wait()

    def _has_room(self, size: int) -> bool:
        """Whether an item can be handed over now. If nothing takes items out any more, it can."""
        with self._lock:
            waiting = self._items_waiting()
            bytes_waiting = self._size_in_hand + sum(size_of_item for _, size_of_item in self._items)
            is_full = waiting >= MAX_STEPS_WAITING or bytes_waiting + size > MAX_BYTES_WAITING
            return not waiting or not is_full or not self._is_alive()

    def _is_busy(self) -> bool:
        """Whether the thread has something to handle, and does."""
        with self._lock:
            return self._items_waiting() > 0 and self._is_alive()

    def _items_waiting(self) -> int:
        return len(self._items) + (self._in_hand is not None)

    def _is_alive(self) -> bool:
        """Whether the thread is there to handle items. Starts it if need be."""
        if self._is_lost:
            return False
        if self._has_died:
            self._lose("the thread that writes has died")
            return False
        if self._thread is None:
            thread = threading.Thread(target=self._run, name="comgra_export writing", daemon=True)
            try:
                thread.start()
            except RuntimeError as error:
                interrupt = error.__context__
                if interrupt is not None and not isinstance(interrupt, Exception):
                    # It left a lock of `start` released, which then was released once more.
                    raise interrupt from None
                self._lose(f"the thread that writes could not be started ({error})")
                return False
            # Not before: an interrupt within `start` may leave a thread that never runs. If it does run, it sees that it does not count.
            self._thread = thread
        return True

    def _lose(self, reason: str) -> None:
        self._is_lost = True
        self._thread = None
        item, self._in_hand, self._size_in_hand = self._in_hand, None, 0
        self._on_loss(reason, item)

    def _run(self) -> None:
        leave_processors_to_training()
        thread = threading.current_thread()
        try:
            while self._take(thread):
                item = self._in_hand
                assert item is not None
                try:
                    self._handle(item)
                finally:
                    # A thread that sleeps must keep nothing of a step.
                    del item
                self._put_down()
        except BaseException:
            with self._lock:
                self._has_died = True
                self._thread = None
            raise
        if self._is_abandoned and self._thread is thread:
            self._end_once()

    def _take(self, thread: threading.Thread) -> bool:
        """Waits for the next item, and takes it in hand. False if none will come, or another thread took the place of this one."""
        while True:
            with self._lock:
                if self._thread is not thread:
                    return False
                if self._items:
                    self._in_hand, self._size_in_hand = self._items.popleft()
                    return True
                if self._is_stopping:
                    return False
            if self._wake.get() is not None:
                with self._lock:
                    self._is_abandoned = self._is_stopping = True

    def _put_down(self) -> None:
        with self._lock:
            self._in_hand = None
            self._size_in_hand = 0

    def _handle_here(self) -> None:
        """Handles the items that the thread will not handle any more."""
        while self._items:
            item, _ = self._items.popleft()
            self._handle(item)

    def _end_once(self) -> None:
        with self._lock:
            if self._is_ending:
                return
            self._is_ending = True
        self._end()
        # Not before: until then, others wait for it.
        _unended.discard(self)

    def _end_with_interpreter(self) -> None:
        self.stop()
        self._end_once()

    def _stay_behind(self) -> None:
        """Forgets all items. In a forked child there is no thread, and its items belong to the parent."""
        self.is_foreign = True
        self._items.clear()
        self._in_hand = None
        self._forget()


_unended: set[WritingThread[Any]] = set()
_stopping_process: int | None = None
"""The process in which `multiprocessing` was asked to stop all threads. It forgets that in a process that it forks."""


def wait_for_abandoned() -> None:
    """Waits for the end of all threads whose owners are gone."""
    _end_unowned()
    for writing in list(_unended):
        thread = writing._thread
        if thread is not None and (writing._is_abandoned or writing._is_unowned()):
            thread.join()


def _end_unowned() -> None:
    """Ends what has no owner any more, and no thread that could see it."""
    for writing in list(_unended):
        if writing._thread is None and writing._is_unowned():
            writing.abandon()


@atexit.register
def _end_all() -> None:
    for thread in list(_unended):
        thread._end_with_interpreter()


def _stop_all() -> None:
    for thread in list(_unended):
        thread.stop()


def _stop_all_with_process() -> None:
    """Waits for what is to be written at the end of a process of `multiprocessing`: one that was forked leaves without `atexit`.

    Nothing ends there: in a process that was not forked, functions of `atexit` still come, and may write.
    """
    global _stopping_process
    process = os.getpid()
    if parent_process() is not None and process != _stopping_process:
        _stopping_process = process
        Finalize(None, _stop_all, exitpriority=0)


def _leave_to_parent() -> None:
    for thread in list(_unended):
        thread._stay_behind()
    _unended.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_leave_to_parent)
