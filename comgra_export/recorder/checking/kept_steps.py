"""The steps of a run in progress that rules read: few enough that reading them never takes long."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from pathlib import Path

import numpy as np

from comgra_export.storage import Blob, Header, Recording, StepDescription
from comgra_export.storage.arrays.counts import COUNTS, COUNTS_PER_RECORD
from comgra_export.storage.files.tolerant import TolerantFiles

__all__ = ["MOST_STEPS", "KeptSteps", "RecordingInProgress"]

MOST_STEPS = 32
"""How many steps rules read at most, besides those in which something was found."""

# Steps of new kinds are checked at once, unless there are so many kinds.
_MOST_KINDS = 16


class KeptSteps:
    """Chooses the steps that rules read, and says when they read them again.

    The last steps are kept, and fewer and fewer of those before: as if the run had been recorded less often. Rules read them again when
    the run has become a quarter longer, and at once when a step has other tensors, another graph or other losses than all before, or holds
    values that are not finite in another place.
    """

    def __init__(self) -> None:
        self._numbers: list[float] = []
        self._pinned: set[float] = set()
        self._count = 0
        self._next = 1
        self._kinds: set[Hashable] = set()
        self._not_finite: set[Hashable] = set()

    @property
    def numbers(self) -> Sequence[float]:
        """The steps that are kept, in their order."""
        return tuple(self._numbers)

    def add(self, step: StepDescription, arrays: Mapping[str, Blob]) -> bool:
        """Adds a step, and returns whether rules should be checked now.

        Args:
            step: The step.
            arrays: What it holds, as it was written.
        """
        self._count += 1
        self._numbers.append(step.step)
        if len(self._numbers) - len(self._pinned) > MOST_STEPS:
            self._thin_out()
        losses = tuple((call.function, call.prediction, call.target) for call in step.losses)
        is_new = _is_new((step.type_of_execution, step.layout, step.structures, losses), self._kinds)
        not_finite = _not_finite(arrays)
        is_unusual = not_finite is not None and _is_new((step.layout, not_finite), self._not_finite)
        if is_new or is_unusual or self._count >= self._next:
            self._next = self._count + max(1, self._count // 4)
            return True
        return False

    def pin(self, number: float) -> None:
        """Keeps a step for good, since something was found in it."""
        if number in self._numbers:
            self._pinned.add(number)

    def _thin_out(self) -> None:
        """Drops every second step of the older half, but not the first."""
        older = self._numbers[: len(self._numbers) // 2]
        dropped = {number for number in older[1::2] if number not in self._pinned}
        self._numbers = [number for number in self._numbers if number not in dropped]


class RecordingInProgress(Recording):
    """Some steps of a recording that this process is writing. What grows with the run is left out: notes, curves, gaps, checks of steps.

    Args:
        folder: The rank folder.
        header: Its header.
        steps: The numbers of the steps, which are written.
    """

    def __init__(self, folder: Path, header: Header, steps: Sequence[float]) -> None:
        super().__init__(folder, header, _WithoutWhatGrows)
        self.steps = tuple(steps)


class _WithoutWhatGrows(TolerantFiles):
    """Files of a recording, of which none is read that grows with the run."""

    def lines(self, *_: object) -> tuple[()]:
        """No lines, of any file."""
        return ()

    def described_steps(self) -> tuple[float, ...]:
        """No steps: listing their folder takes longer with every step."""
        return ()


def _is_new(kind: Hashable, known: set[Hashable]) -> bool:
    if kind in known or len(known) == _MOST_KINDS:
        return False
    known.add(kind)
    return True


def _not_finite(arrays: Mapping[str, Blob]) -> bytes | None:
    """Which records hold values that are not finite, packed; None if none does."""
    if COUNTS not in arrays:
        return None
    of_records = arrays[COUNTS].data.reshape(-1, COUNTS_PER_RECORD)[:, :3].any(axis=1)
    return np.packbits(of_records).tobytes() if of_records.any() else None
