"""The temporary folder beside a bundle's place, in which it is written, and what killed builds have left of theirs.

A workplace holds a lock while its build lives. The next build beside it removes one whose lock is free. If two folders cannot change
places in one step, a journal in the workplace says which place is empty meanwhile, so that the next build can fill it.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from comgra_export.storage.files.lock import LockTakenError, WritingLock

__all__ = ["JOURNAL", "REPLACED", "make_workplace", "remove_leftovers"]

JOURNAL = "journal"
"""Two lines: the name of the bundle, and that of the folder in the workplace that takes its place."""
REPLACED = "replaced"
"""What was at the bundle's place."""

_PREFIX = ".comgra-export-"
_LOCK = "lock"


@contextmanager
def make_workplace(parent: Path) -> Iterator[Path]:
    """Makes an empty folder for one build, and removes it in the end."""
    folder, lock = _make(parent)
    try:
        yield folder
    finally:
        _remove(folder, lock)


def remove_leftovers(parent: Path) -> None:
    """Ends what killed builds have begun in a folder, and removes what they have left. What cannot be removed stays."""
    try:
        folders = [entry for entry in parent.iterdir() if entry.name.startswith(_PREFIX)]
    except OSError:
        return
    for folder in folders:
        # Without a lock, it is not ours, or it is just being made.
        if folder.is_symlink() or not (folder / _LOCK).is_file():
            continue
        with suppress(OSError, LockTakenError):
            lock = WritingLock(folder / _LOCK)
            if lock.keeps_others_out:
                _end_replacing(folder)
                _remove(folder, lock)
            lock.release()


def _make(parent: Path) -> tuple[Path, WritingLock]:
    while True:
        folder = Path(tempfile.mkdtemp(dir=parent, prefix=_PREFIX))
        try:
            lock = WritingLock(folder / _LOCK)
        except LockTakenError:
            # Another build takes it for what a killed one has left.
            continue
        if (folder / _LOCK).exists():
            return folder, lock
        lock.release()


def _remove(folder: Path, lock: WritingLock) -> None:
    for entry in folder.iterdir():
        if entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry, ignore_errors=True)
        elif entry.name != _LOCK:
            with suppress(OSError):
                entry.unlink()
    # Some systems remove no file that is open.
    lock.release()
    shutil.rmtree(folder, ignore_errors=True)


def _end_replacing(folder: Path) -> None:
    """Fills the place that a killed build has emptied: with the new bundle, or else with what was there."""
    try:
        name, result = (folder / JOURNAL).read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError):
        return
    place = folder.parent / name
    if place.parent != folder.parent or name in ("", os.curdir, os.pardir) or os.path.lexists(place):
        return
    for candidate in (folder / Path(result).name, folder / REPLACED):
        if candidate.is_dir() and not candidate.is_symlink():
            os.rename(candidate, place)
            return
