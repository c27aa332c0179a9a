"""What could not be recorded: counted, reported once, and never the end of a training run."""

from __future__ import annotations

import re
import threading
import warnings
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from comgra_export.errors import MisuseError, RecordingGapError
from comgra_export.recorder.host.callers import level_of_user
from comgra_export.storage.model.lines import Gap

__all__ = ["ComgraRecordingWarning", "GapKeeper", "describe_error", "with_short_paths"]


_BEGINNING = r"(?:[A-Za-z]:[/\\]|file:/{2,3}|~?/|\\\\)"
_PATH = re.compile(rf"""(?<='){_BEGINNING}[^']*[/\\][^']*(?=')|(?<![\w.:/\\]){_BEGINNING}[^\s'"`,;:()\[\]]*[/\\][^\s'"`,;:()\[\]]*""")
"""An absolute path. Between quotation marks it may hold spaces."""


_WHOLE_PATH = re.compile(rf"{_BEGINNING}.*[/\\].*")
# Below these, the name of a folder is that of a user.
_HOMES = frozenset({"home", "users", "documents and settings"})


class ComgraRecordingWarning(UserWarning):
    """Something could not be recorded. Training goes on; the recording says what is missing, and why."""


def describe_error(error: BaseException, most_characters: int = 300) -> str:
    """An exception in one line, cut if it is long: its class and the first line of its message, without paths of files."""
    # The message of an OSError ends in a path of this machine, and a recording is made to be shared.
    try:
        message = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    except Exception:  # The class may be the user's.
        message = ""
    lines = _PATH.sub("…", message).strip().splitlines()
    return f"{type(error).__name__}: {lines[0]}"[:most_characters] if lines else type(error).__name__


def with_short_paths(text: str) -> str:
    """A text with only the last part of each absolute path, which names no user: `…/data`."""
    return _last_part(text) if _WHOLE_PATH.fullmatch(text) else _PATH.sub(lambda match: _last_part(match[0]), text)


def _last_part(path: str) -> str:
    *folders, last = re.split(r"[/\\]+", path.rstrip("/\\"))
    return "…" if not folders or folders[-1].lower() in _HOMES else f"…/{last}"


class GapKeeper:
    """Turns trouble into gaps, with one warning per kind of trouble. Several threads may use it. With `strict`, it raises instead."""

    def __init__(self, strict: bool, keep: Callable[[Gap], None]) -> None:
        self._strict = strict
        self._keep = keep
        # Which call was the first of its kind. Dictionaries and deques need no lock, which a forked child might find held.
        self._warned: dict[str, object] = {}
        self._postponed: deque[str | RecordingGapError] = deque()
        self._background = threading.local()

    def report(self, kind: str, gap: Gap, cause: BaseException | None = None) -> None:
        """Keeps a gap, and warns if it is the first of its kind, such as `dtype` or `disk`.

        Raises:
            RecordingGapError: With `strict`.
        """
        subject = "" if gap.tensor is None else f"the tensor {gap.tensor!r}: "
        if self._strict:
            raise RecordingGapError(f"Not recorded: {subject}{gap.reason}") from cause
        self._keep(gap)
        self.warn(
            kind,
            f"Not recorded: {subject}{gap.reason}. Training is not affected. Further gaps of this kind ({kind}) are kept in "
            "the recording without a warning.",
        )

    def note(self, gap: Gap) -> None:
        """Keeps a gap without a warning, since nobody has asked for what is missing."""
        self._keep(gap)

    def warn(self, kind: str, message: str) -> None:
        """Gives a warning, unless there was one of its kind."""
        token = object()
        if self._warned.setdefault(kind, token) is not token:
            return
        if self.is_in_background:
            self._postponed.append(message)
        else:
            warnings.warn(message, ComgraRecordingWarning, stacklevel=level_of_user())

    @property
    def is_in_background(self) -> bool:
        """Whether this thread is not that of the training, but one of ours."""
        return getattr(self._background, "is_here", False)

    @contextmanager
    def in_background(self) -> Iterator[None]:
        """Within it, in this thread, warnings and errors are put off until `deliver` is called in another one."""
        self._background.is_here = True
        try:
            yield
        except RecordingGapError as error:
            self._postponed.append(error)
        finally:
            self._background.is_here = False

    def deliver(self) -> None:
        """Gives the warnings that were put off.

        Raises:
            RecordingGapError: One was put off. If there are more, the next call raises the next one.
        """
        while self._postponed:
            trouble = self._postponed.popleft()
            if isinstance(trouble, RecordingGapError):
                raise trouble
            warnings.warn(trouble, ComgraRecordingWarning, stacklevel=level_of_user())

    def deliver_the_last(self) -> None:
        """Gives the warnings that were put off, when nobody is left who could get them otherwise. Raises nothing."""
        while self._postponed:
            with suppress(ComgraRecordingWarning):
                warnings.warn(str(self._postponed.popleft()), ComgraRecordingWarning, stacklevel=level_of_user())

    @contextmanager
    def guard(
        self, kind: str, reason: str, *, step: float | None = None, iteration: int | None = None, whole_step: bool = False
    ) -> Iterator[None]:
        """Turns an exception of the body into a gap. Misuse, and gaps that are errors already, pass.

        `reason` says what the body does when it fails, such as `its values could not be copied`. The exception is added to it.
        """
        try:
            yield
        except (MisuseError, RecordingGapError):
            raise
        except Exception as error:
            gap = Gap(f"{reason} ({describe_error(error)})", step, iteration, whole_step=whole_step)
            self.report(kind, gap, error)
