"""The lock that keeps two processes from writing one recording."""

from __future__ import annotations

import errno
import os
import sys
import time
from contextlib import suppress
from pathlib import Path
from weakref import WeakSet

from comgra_export.errors import TrialExistsError

__all__ = ["LockTakenError", "LockTakenHereError", "WritingLock", "is_locked", "is_locked_here"]

_TAKEN = frozenset({errno.EAGAIN, errno.EACCES, errno.EDEADLK})
_UNSUPPORTED = frozenset({errno.ENOLCK, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EINVAL})


# Who only looks whether a lock is held holds it for an instant.
_TRIES = 3
_SECONDS_BETWEEN_TRIES = 0.01


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
        self._descriptor = descriptor = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o666)
        try:
            _lock_patiently(descriptor)
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
                        f"A recorder of this process still has the recording in {path.parent} open. Call its finalize() first, or use the "
                        "recorder as a context manager (with ComgraRecorder(...) as recorder, or with watch(...) as recorder), or choose "
                        "another name for the trial."
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


def is_locked(path: Path) -> bool:
    """Whether a living process holds the lock of the file. False if there is no file, or if that cannot be seen."""
    # A link or a pipe under this name is not ours.
    if path.is_symlink() or not path.is_file():
        return False
    if is_locked_here(path):
        return True
    try:
        descriptor = os.open(path, os.O_RDWR if sys.platform == "win32" else os.O_RDONLY)
    except OSError:
        return False
    try:
        _try_and_release(descriptor)
        return False
    except OSError as error:
        return error.errno in _TAKEN
    finally:
        os.close(descriptor)


_living: WeakSet[WritingLock] = WeakSet()


def _is_held_here(wanted: os.stat_result) -> bool:
    """Whether one of the locks of this process is that of the same file."""
    held = [lock._descriptor for lock in list(_living)]
    return any(other is not None and os.path.samestat(wanted, os.fstat(other)) for other in held)


if sys.platform == "win32":
    import msvcrt

    def _lock(descriptor: int) -> None:
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)

    def _try_and_release(descriptor: int) -> None:
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _lock(descriptor: int) -> None:
        # Locks of `flock` belong to the opened file: closing another descriptor of the same file does not end them, as with `lockf`.
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def _try_and_release(descriptor: int) -> None:
        # Shared, so that several may look at once. Unlocked, since a child that is forked in between keeps the descriptor.
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        fcntl.flock(descriptor, fcntl.LOCK_UN)


def _lock_patiently(descriptor: int) -> None:
    for tries_left in reversed(range(_TRIES)):
        try:
            _lock(descriptor)
            return
        except OSError as error:
            if error.errno not in _TAKEN or not tries_left:
                raise
            time.sleep(_SECONDS_BETWEEN_TRIES)


def _let_go_in_child() -> None:
    # The child has a copy of the descriptor, which would keep the lock alive when the parent has died. Closing it does not unlock.
    for lock in list(_living):
        lock.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_let_go_in_child)
