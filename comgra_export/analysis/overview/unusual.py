"""What was unusual in a run, as far as its recording knows without any rule."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from comgra_export.errors import DamagedRecordingError
from comgra_export.storage import Gap, Recording, iterate_records

__all__ = ["FirstNaN", "TriggeredStep", "Unusual", "unusual_of"]

_COUNTS = "counts"


class FirstNaN(NamedTuple):
    """The first NaN that was recorded or checked: its step, and the first tensor of that step that holds one.

    `group` is that of the record: `forward` for values, else the name of a group of gradients.
    """

    step: float
    group: str
    tensor: str


class TriggeredStep(NamedTuple):
    """A step that was recorded for what it showed: its number, its type, and what it showed, as a sentence without its full stop."""

    step: float
    type: str
    reason: str


class Unusual(NamedTuple):
    """What was unusual.

    Attributes:
        first_nan: The first NaN; None if none is known.
        gaps: What could not be recorded, in steps and outside them.
        triggered: The steps that were recorded for what they showed, by number. What several ranks say of a step is there once.
    """

    first_nan: FirstNaN | None
    gaps: tuple[Gap, ...]
    triggered: tuple[TriggeredStep, ...] = ()


def unusual_of(ranks: Sequence[Recording]) -> Unusual:
    """Reads what was unusual in the ranks of a trial. Steps that cannot be read are left out."""
    gaps: list[Gap] = []
    triggered: set[TriggeredStep] = set()
    for rank in ranks:
        gaps += rank.gaps
        for number in rank.steps:
            try:
                step = rank.step(number)
            except DamagedRecordingError:
                continue
            gaps += step.gaps
            if step.triggered is not None:
                triggered.add(TriggeredStep(step.step, step.type_of_execution, step.triggered))
    nans = [nan for rank in ranks if (nan := _first_nan(rank)) is not None]
    return Unusual(min(nans, key=lambda nan: nan.step, default=None), tuple(gaps), tuple(sorted(triggered)))


def _first_nan(recording: Recording) -> FirstNaN | None:
    checked = [
        FirstNaN(point.step, group, name)
        for point in recording.sentinel_points
        for (group, name, _), largest in zip(point.tensors, point.largest, strict=True)
        if math.isnan(largest)
    ]
    first = min(checked, key=lambda nan: nan.step, default=None)
    for number in recording.steps:
        # A recorded step knows more tensors than its check.
        if first is not None and number > first.step:
            break
        nan = _nan_in(recording, number)
        if nan is not None:
            return nan
    return first


def _nan_in(recording: Recording, number: float) -> FirstNaN | None:
    try:
        counts = recording.blobs(number, {_COUNTS})
        places = iterate_records(recording.layout(recording.step(number).layout))
        has_nan = counts[_COUNTS].data.reshape(-1, 5)[:, 0].astype(np.bool_) if _COUNTS in counts else np.zeros(0, np.bool_)
        if has_nan.any():
            place = list(places)[int(np.argmax(has_nan))]
            return FirstNaN(number, place.group, place.entry.name)
    except DamagedRecordingError:
        pass
    return None
