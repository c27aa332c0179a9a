"""Interrupts at any moment: nothing hangs, nothing is lost or handled twice."""

from __future__ import annotations

import subprocess
import sys
import threading
import time

import pytest

from comgra_export.recorder.output.writing_thread import WritingThread
from support.breadth import at_breadth

# Interrupts come every few hundred microseconds, while items are handed over and waited for.
_SCRIPT = """
import random, signal, sys

from comgra_export.recorder.output.writing_thread import WritingThread

rounds = int(sys.argv[1])
handled, interrupts = [], 0
chance = random.Random(0)


def interrupt(number, frame):
    raise KeyboardInterrupt


def nothing(*arguments):
    pass


signal.signal(signal.SIGALRM, interrupt)
for round in range(rounds):
    handled.clear()
    thread = WritingThread(handled.append, nothing, nothing, nothing, nothing)
    begun = done = 0
    try:
        signal.setitimer(signal.ITIMER_REAL, chance.uniform(0, 3e-3))
        while True:
            begun += 1
            assert begun < 1_000_000, "the interrupt was swallowed"
            thread.put(begun, 1)
            done = begun
            if done % 7 == 0:
                thread.flush()
    except KeyboardInterrupt:
        interrupts += 1
    signal.setitimer(signal.ITIMER_REAL, 0)
    thread.stop()
    # The item that was being handed over may have arrived or not.
    assert sorted(handled) in (list(range(1, done + 1)), list(range(1, begun + 1))), (round, handled, done, begun)
    thread.abandon()
print(interrupts)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no interval timers")
def test_an_interrupt_at_any_moment_leaves_nothing_locked_and_loses_nothing() -> None:
    rounds = at_breadth(quick=50, ci=300, full=5000)
    done = subprocess.run([sys.executable, "-c", _SCRIPT, str(rounds)], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    assert int(done.stdout) == rounds


class _InterruptsAfterRelease:
    """A lock that raises a KeyboardInterrupt as soon as one thread has released it, as Python does if a signal came meanwhile."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self.thread_to_interrupt: threading.Thread | None = None

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, *exception: object) -> None:
        self._lock.release()
        if self.thread_to_interrupt is threading.current_thread():
            self.thread_to_interrupt = None
            raise KeyboardInterrupt


def _nothing(*_: object) -> None:
    pass


def test_an_interrupt_after_the_hand_over_does_not_leave_the_thread_asleep_beside_the_item() -> None:
    handled: list[int] = []
    thread = WritingThread[int](handled.append, _nothing, _nothing, _nothing, _nothing)
    lock = _InterruptsAfterRelease()
    thread._lock = lock  # type: ignore[assignment]
    thread.put(1, 1)
    assert thread.flush(timeout=60)
    # Now the thread goes to sleep. The interrupt of the next hand-over comes when the item is in the queue.
    time.sleep(0.05)
    thread._has_room = lambda _: True  # type: ignore[assignment]
    lock.thread_to_interrupt = threading.current_thread()
    with pytest.raises(KeyboardInterrupt):
        thread.put(2, 1)
    assert thread.flush(timeout=60)
    assert handled == [1, 2]
    thread.stop()
    thread.abandon()


def test_an_interrupt_that_start_turns_into_an_error_stays_one(monkeypatch: pytest.MonkeyPatch) -> None:
    handled: list[int] = []
    thread = WritingThread[int](handled.append, _nothing, _nothing, _nothing, _nothing)

    def start(_: threading.Thread) -> None:
        # As the event that `start` waits for does if the interrupt comes while it takes its lock again.
        with (lock := threading.Lock()):
            lock.release()
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", start)
        with pytest.raises(KeyboardInterrupt):
            thread.put(1, 1)
    thread.put(2, 1)
    assert thread.flush(timeout=60)
    assert handled == [2]
    thread.stop()
    thread.abandon()
