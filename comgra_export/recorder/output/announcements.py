"""What checks of recorded steps find: from the thread that writes to that of the training."""

from __future__ import annotations

import warnings
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import Any, NamedTuple, Protocol

from comgra_export.recorder.host.callers import level_of_user
from comgra_export.storage.model.layout import Blob
from comgra_export.storage.model.step_description import StepDescription

__all__ = ["Announcement", "Announcements", "Checked", "ComgraFindingWarning", "OnFinding", "StepChecker"]

OnFinding = Callable[[Any], object]
"""A function of the user's that gets findings. What a finding is, only a checker knows."""


class ComgraFindingWarning(UserWarning):
    """Something looks wrong in the training that is being recorded: what, where, and since which step."""


class Announcement(NamedTuple):
    """A finding, and how a warning words it."""

    message: str
    finding: object


class Checked(NamedTuple):
    """What a check brought to light.

    Attributes:
        announcements: What was found and was not announced before.
        failures: What could not be checked, as a sentence without a full stop, with the reason.
    """

    announcements: tuple[Announcement, ...] = ()
    failures: tuple[str, ...] = ()


class StepChecker(Protocol):
    """Checks what is recorded. The thread that writes keeps it alive, so it must not refer to the recorder."""

    def check(self, step: StepDescription, arrays: Mapping[str, Blob]) -> Checked:
        """Called by the thread that writes after each step that is on the disk, with what it wrote."""


class Announcements:
    """Findings that wait for the thread of the training. One thread adds them, and another one delivers them.

    Attributes:
        waiting: Those that are not delivered yet.
    """

    def __init__(self) -> None:
        self.waiting: deque[Announcement] = deque()
        self._stopped_by: BaseException | None = None

    def add(self, announcement: Announcement) -> None:
        """Adds a finding. It waits until `deliver` is called."""
        self.waiting.append(announcement)

    def deliver(self, on_finding: OnFinding | None) -> None:
        """Warns of each finding at the user's line, and then passes it to a function of the user's, in this thread.

        What that function raises passes. It is then not called any more: a training that it stops can end without being stopped again.
        """
        for message, finding in self._taken():
            warnings.warn(message, ComgraFindingWarning, stacklevel=level_of_user())
            if on_finding is not None and self._stopped_by is None:
                try:
                    on_finding(finding)
                except BaseException as error:
                    self._stopped_by = error
                    raise

    def is_stop(self, error: BaseException) -> bool:
        """Whether an exception is the one with which the user's function has stopped the training."""
        return error is self._stopped_by

    def deliver_the_last(self) -> None:
        """Warns of what is left, when nobody is left who could get it otherwise. Raises nothing."""
        for announcement in self._taken():
            with suppress(ComgraFindingWarning):
                warnings.warn(announcement.message, ComgraFindingWarning, stacklevel=level_of_user())

    def _taken(self) -> Iterator[Announcement]:
        """Takes what waits, one by one. Another thread may take some too."""
        with suppress(IndexError):
            while True:
                yield self.waiting.popleft()
