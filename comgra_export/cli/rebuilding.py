"""`comgra-export build --watch`: the bundle is built again whenever its recordings have changed."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from comgra_export.cli.console import out, warn
from comgra_export.errors import ComgraExportError
from comgra_export.storage import find_recordings

__all__ = ["State", "Watched", "state_of", "watch"]

_CHECK_EVERY_SECONDS = 1.0
# Recordings that keep changing are built anyway after this many checks.
_LONGEST_WAIT = 30

# The files of recordings with their sizes and the times of their last change; of folders the latter.
State = frozenset[tuple[str, int, int]]


def state_of(recordings: Sequence[str | Path]) -> State:
    """What recordings look like from outside. A step that is added changes the time of its folder."""
    files: set[tuple[str, int, int]] = set()
    for folder in {Path(folder) for path in recordings for folder in find_recordings(path)}:
        # What has just been replaced or deleted is left out; the next check finds what has come in its place.
        with suppress(OSError):
            for entry in list(folder.iterdir()):
                with suppress(OSError):
                    status = entry.stat()
                    files.add((str(entry), status.st_mtime_ns, -1 if entry.is_dir() else status.st_size))
    return frozenset(files)


class Watched:
    """Decides when to build again: when what has changed has come to rest. `built` is the state that was built."""

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
    """Builds again and again until interrupted. Prints what goes wrong meanwhile, and tries again after the next change."""
    watched = Watched(built)
    last_error = ""
    try:
        out.print("Watching the recordings. Open pages take in what is new; Ctrl+C ends this.")
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
