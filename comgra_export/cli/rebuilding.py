"""`comgra-export build --watch`: the bundle is built again whenever its recordings have changed."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from comgra_export.cli.console import out, warn
from comgra_export.errors import ComgraExportError
from comgra_export.storage import find_recordings

__all__ = ["Entry", "State", "Watched", "state_of", "watch"]

_CHECK_EVERY_SECONDS = 1.0
# Recordings that keep changing are built anyway after this many checks.
_LONGEST_WAIT = 30


class Entry(NamedTuple):
    """A file of a recording, or a folder in it.

    Attributes:
        changed: When it was last changed, in nanoseconds.
        size: In bytes; None for a folder.
    """

    path: str
    changed: int
    size: int | None


State = frozenset[Entry]


def state_of(recordings: Sequence[str | Path]) -> State:
    """What recordings look like from outside. A new step shows in the time at which its folder was changed."""
    entries: set[Entry] = set()
    for folder in {Path(folder) for path in recordings for folder in find_recordings(path)}:
        # Files that were just replaced or deleted are left out. The next check sees what has come in their place.
        with suppress(OSError):
            for path in list(folder.iterdir()):
                with suppress(OSError):
                    status = path.stat()
                    entries.add(Entry(str(path), status.st_mtime_ns, None if path.is_dir() else status.st_size))
    return frozenset(entries)


class Watched:
    """Decides when to build again: once nothing has changed between two checks, or after many checks.

    Args:
        built: The state that was built last.
    """

    def __init__(self, built: State) -> None:
        self._built = self._last = built
        self._checks = 0

    def is_due(self, state: State) -> bool:
        """Takes note of a check, and says whether to build now."""
        at_rest, self._last = state == self._last, state
        if state == self._built:
            self._checks = 0
            return False
        self._checks += 1
        if not at_rest and self._checks < _LONGEST_WAIT:
            return False
        self._built, self._checks = state, 0
        return True


def watch(recordings: Sequence[str | Path], build: Callable[[], object], built: State) -> None:
    """Builds again after each change, until Ctrl+C. If a build fails, it prints the error and tries again after the next change."""
    watched = Watched(built)
    last_error = ""
    try:
        out.print("Watching the recordings. Open pages show new data. Press Ctrl+C to stop.")
        while True:
            time.sleep(_CHECK_EVERY_SECONDS)
            try:
                if watched.is_due(state_of(recordings)):
                    build()
                    last_error = ""
            except ComgraExportError as error:
                if str(error) != last_error:
                    warn(str(error))
                last_error = str(error)
    except KeyboardInterrupt:
        out.print("Stopped watching.")
