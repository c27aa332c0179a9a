"""A copy of a folder that is damaged again and again. Only what was damaged is copied again."""

from __future__ import annotations

import os
import shutil
import stat
from pathlib import Path
from typing import NamedTuple

__all__ = ["FileState", "MendedCopy", "states_below"]


class FileState(NamedTuple):
    """By which a changed file is known."""

    mode: int
    bytes: int
    changed: int
    inode: int


def states_below(folder: Path) -> dict[str, FileState]:
    """Every file, link and folder below a folder, by its path."""
    states: dict[str, FileState] = {}
    with os.scandir(folder) as entries:
        for entry in entries:
            status = entry.stat(follow_symlinks=False)
            states[entry.path] = FileState(status.st_mode, status.st_size, status.st_mtime_ns, status.st_ino)
            if entry.is_dir(follow_symlinks=False):
                states |= states_below(Path(entry.path))
    return states


class MendedCopy:
    """A copy of a sound folder.

    Args:
        sound: The folder.
        place: Where the copy is made.
    """

    def __init__(self, sound: Path, place: Path) -> None:
        shutil.copytree(sound, place)
        self.sound = sound
        self.place = place
        self._states = states_below(place)

    def changed(self) -> list[str]:
        """The paths of files that are no longer as they were, or that were not there."""
        states = states_below(self.place)
        both = sorted({*states, *self._states})
        return [path for path in both if not _is_same(states.get(path), self._states.get(path))]

    def mend(self) -> None:
        """Makes the copy again what the sound folder is."""
        for path in self.changed():
            file = Path(path)
            if file.is_dir() and not file.is_symlink():
                shutil.rmtree(file)
            else:
                file.unlink(missing_ok=True)
            if path in self._states:
                shutil.copy2(self.sound / file.relative_to(self.place), file)
                status = file.stat()
                self._states[path] = FileState(status.st_mode, status.st_size, status.st_mtime_ns, status.st_ino)


def _is_same(now: FileState | None, before: FileState | None) -> bool:
    if now is not None and before is not None and stat.S_ISDIR(now.mode) and stat.S_ISDIR(before.mode):
        return True
    return now == before
