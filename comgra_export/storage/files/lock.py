"""The lock that keeps two processes from writing one recording."""

from __future__ import annotations

import errno
import os
import sys
from contextlib import suppress
from pathlib import Path
from weakref import WeakSet

from comgra_export.errors import TrialExistsError

__all__ = ["LockTakenHereError", "WritingLock", "is_locked_here"]

_TAKEN = frozenset({errno.EAGAIN, errno.EACCES, errno.EDEADLK})
_UNSUPPORTED = frozenset({errno.ENOLCK, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EINVAL})


class LockTakenError(TrialExistsError):
    """Another process writes the recording."""


class LockTakenHereError(LockTakenError):
    """Another object of this process does."""


class WritingLock:
    """Holds the lock of a file until it is released or garbage-collected, or the process ends, however it ends.

    A forked child does not hold it, and cannot release it.

    Args:
        path: The file, which is made if it is not there. It stays when the lock is released.

    Attributes:
        keeps_others_out: False on a file system that knows no locks: then nothing is guaranteed.

    Raises:
        LockTakenError: Another process holds the lock.
        LockTakenHereError: Another object of this process does.
        OSError: The file cannot be made or opened.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.keeps_others_out = True
        self._descriptor: int | None = None
        self._descriptor = descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            _lock(descriptor)
        except OSError as error:
            if error.errno in _UNSUPPORTED:
                self.keeps_others_out = False
            else:
                is_taken_here = _is_held_here(os.fstat(descriptor))
                self.release()
                if error.errno not in _TAKEN:
                    raise
                if is_taken_here:
                    raise LockTakenHereError(
                        f"A recorder of this process still has the recording in {path.parent} open: call finalize() on it first, or use it "
                        "as a context (with ComgraRecorder(...) as recorder, or with watch(...) as recorder). Or choose another name for "
                        "the trial."
                    ) from None
                raise LockTakenError(
                    f"Another process is writing the recording in {path.parent}. Wait until it ends, or choose another name for the trial."
                ) from None
        _living.add(self)

    def release(self) -> None:
        """Gives the lock back; it may be called more than once."""
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is not None:
            # A network file system may report here that it is full.
            with suppress(OSError):
                os.close(descriptor)

    def __del__(self) -> None:
        self.release()


def is_locked_here(path: Path) -> bool:
    """Whether an object of this process holds the lock of the file. Takes no lock; if there is no file, False."""
    try:
        return _is_held_here(path.stat())
    except OSError:
        return False


_living: WeakSet[WritingLock] = WeakSet()


def _is_held_here(wanted: os.stat_result) -> bool:
    """Whether one of the locks of this process is that of the same file."""
    held = [lock._descriptor for lock in list(_living)]
    return any(other is not None and os.path.samestat(wanted, os.fstat(other)) for other in held)


if sys.platform == "win32":
    import msvcrt

    def _lock(descriptor: int) -> None:
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _lock(descriptor: int) -> None:
        # Locks of `flock` belong to the opened file: closing another descriptor of the same file does not end them, as with `lockf`.
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _let_go_in_child() -> None:
    # The child has a copy of the descriptor, which would keep the lock alive when the parent has died. Closing it does not unlock.
    for lock in list(_living):
        lock.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_let_go_in_child)
