"""Reading the files of a recording that belong to no single step, as far as it is possible."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from comgra_export.errors import DamagedRecordingError
from comgra_export.storage.files.places import Place, exists
from comgra_export.storage.files.recording_files import RecordingFiles
from comgra_export.storage.text import paths

__all__ = ["TolerantFiles"]

_T = TypeVar("_T")


class TolerantFiles:
    """Leaves out what is damaged, instead of raising, and says what that is.

    Attributes:
        problems: A sentence for everything found damaged so far.
    """

    def __init__(self, folder: Place, files: RecordingFiles) -> None:
        self._folder = folder
        self._files = files
        self.problems: list[str] = []
        self._known: set[str] = set()

    def note(self, sentence: str) -> None:
        """Adds a sentence to the problems, once."""
        if sentence not in self._known:
            self._known.add(sentence)
            self.problems.append(sentence)

    def json(self, name: str, decode: Callable[[object, str], _T], most_bytes: int | None = None) -> _T | None:
        """The decoded content of a JSON file; None if there is no file, or it is damaged."""
        if not exists(self._folder / name):
            return None
        try:
            return decode(*self._files.json(name, most_bytes))
        except DamagedRecordingError as error:
            self.note(str(error))
            return None

    def lines(self, name: str, decode: Callable[[object, str], _T], skip: Callable[[], None] = lambda: None) -> tuple[_T, ...]:
        """The lines of a file that is appended to, as `RecordingFiles.lines`. A damaged one is left out."""
        try:
            decoded, faults = self._files.lines(name, decode, skip)
        except DamagedRecordingError as error:
            self.note(str(error))
            return ()
        if faults:
            lines = f"{len(faults)} of {len(faults) + len(decoded)} lines"
            self.note(f"{lines} of {self._files.label(name)} are left out. The first: {faults[0]}")
        return decoded

    def described_steps(self) -> tuple[float, ...]:
        """The numbers of the steps that have a description; none if their folder cannot be read."""
        try:
            names = self._files.names_in(paths.STEPS)
        except DamagedRecordingError as error:
            self.note(str(error))
            return ()
        return tuple(step for step in map(paths.step_of_description, names) if step is not None)
