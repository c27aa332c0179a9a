"""What could not be recorded: counted, told once, and never the end of a training run."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from comgra_export.errors import MisuseError, RecordingGapError
from comgra_export.storage.model import Gap

__all__ = ["ComgraRecordingWarning", "GapKeeper", "describe_error"]


class ComgraRecordingWarning(UserWarning):
    """Something could not be recorded. Training goes on; the recording says what is missing, and why."""


def describe_error(error: BaseException) -> str:
    """An exception in one line of at most 300 characters: its class and the first line of its message."""
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[0]}"[:300] if lines else type(error).__name__


class GapKeeper:
    """Turns trouble into gaps, with one warning per kind of trouble.

    Args:
        strict: Raise instead.
        keep: What to do with a gap.
    """

    def __init__(self, strict: bool, keep: Callable[[Gap], None]) -> None:
        self._strict = strict
        self._keep = keep
        self._warned: set[str] = set()

    def report(self, kind: str, gap: Gap, cause: BaseException | None = None) -> None:
        """Keeps a gap, and warns if it is the first of its kind.

        Args:
            kind: What sort of trouble, such as `dtype` or `disk`.
            gap: What is missing, and why.
            cause: The exception behind it.

        Raises:
            RecordingGapError: With `strict`.
        """
        subject = "" if gap.tensor is None else f"the tensor {gap.tensor!r}: "
        if self._strict:
            raise RecordingGapError(f"Not recorded: {subject}{gap.reason}") from cause
        self._keep(gap)
        if kind not in self._warned:
            self._warned.add(kind)
            warnings.warn(
                f"Not recorded: {subject}{gap.reason}. Training is not affected. Further gaps of this kind ({kind}) are kept in "
                "the recording "
                "without a warning.",
                ComgraRecordingWarning,
                stacklevel=2,
            )

    @contextmanager
    def guard(
        self, kind: str, reason: str, *, step: int | None = None, iteration: int | None = None, tensor: str | None = None
    ) -> Iterator[None]:
        """Turns an exception of the body into a gap. Misuse, and gaps that are errors already, pass.

        Args:
            kind: As for `report`.
            reason: What the body does when it fails, such as `its values could not be copied`. The exception is added to it.
            step: As in `Gap`.
            iteration: As in `Gap`.
            tensor: As in `Gap`.
        """
        try:
            yield
        except (MisuseError, RecordingGapError):
            raise
        except Exception as error:
            self.report(kind, Gap(f"{reason} ({describe_error(error)})", step, iteration, None, tensor), error)
