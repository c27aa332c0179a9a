"""What was unusual in a run, as far as its recording knows without any rule."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from comgra_export.errors import DamagedRecordingError
from comgra_export.storage import Gap, Recording, iterate_records
from comgra_export.storage.arrays.layout_arrays import RecordPlace
from comgra_export.storage.text.steps import updates_between

__all__ = ["FirstNaN", "TriggeredStep", "Unusual", "unusual_of"]

_COUNTS = "counts"
_FORWARD = "forward"
# The iteration of parameters and of their gradients.
_OF_PARAMETERS = -1


class FirstNaN(NamedTuple):
    """The first NaN that was recorded or checked: its step, and the first tensor of that step that holds one.

    If it is a parameter that holds one at the beginning of a step, and it is known which update made it, `step` is that of the update.

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
    points = [point for point in recording.sentinel_points if any(map(math.isnan, point.largest))]
    point = min(points, key=lambda point: point.step, default=None)
    loss = _first_loss(recording)
    checked = min((each.step for each in (point, loss) if each is not None), default=math.inf)
    for number in recording.steps:
        # A recorded step knows more tensors than its check.
        if number > checked:
            break
        place = _first_place_with_nan(recording, number)
        if place is not None:
            is_parameter = place.group == _FORWARD and place.entry.type == "parameter"
            step = _step_of_update(recording, number, checks_updates=False) if is_parameter else number
            return FirstNaN(step, place.group, place.entry.name)
    if loss is not None and (point is None or loss.step < point.step):
        return loss
    if point is None:
        return None
    group, name, iteration = next(tensor for tensor, largest in zip(point.tensors, point.largest, strict=True) if math.isnan(largest))
    # Without sentinels, only parameters and gradients are checked, and those of every step.
    checks_updates = all(iteration == _OF_PARAMETERS for _, _, iteration in point.tensors)
    # No update makes a buffer.
    is_parameter = checks_updates or name in {parameter.name for parameter in recording.network.parameters}
    if (group, iteration) != (_FORWARD, _OF_PARAMETERS) or not is_parameter:
        return FirstNaN(point.step, group, name)
    return FirstNaN(_step_of_update(recording, point.step, checks_updates=checks_updates), group, name)


def _first_loss(recording: Recording) -> FirstNaN | None:
    """The first loss that was NaN in a step that was only checked, by the name that it has in recorded steps."""
    step = min((point.step for point in recording.sentinel_points if point.loss is not None and math.isnan(point.loss)), default=None)
    if step is None:
        return None
    for number in recording.steps:
        try:
            roots = recording.step(number).backward_roots
        except DamagedRecordingError:
            continue
        if roots:
            return FirstNaN(step, _FORWARD, roots[0].name)
    return None


def _step_of_update(recording: Recording, step: float, *, checks_updates: bool) -> float:
    """The step whose update made a parameter NaN that is so at the beginning of a step; this step itself if that is not known."""
    known = [*recording.steps, *(point.step for point in recording.sentinel_points)]
    last = max((number for number in known if number < step), default=None)
    updates = range(0) if last is None else updates_between(last, step)
    return updates[-1] if len(updates) == 1 or (updates and checks_updates) else step


def _first_place_with_nan(recording: Recording, number: float) -> RecordPlace | None:
    try:
        counts = recording.blobs(number, {_COUNTS})
        places = iterate_records(recording.layout(recording.step(number).layout))
        has_nan = counts[_COUNTS].data.reshape(-1, 5)[:, 0].astype(np.bool_) if _COUNTS in counts else np.zeros(0, np.bool_)
        return list(places)[int(np.argmax(has_nan))] if has_nan.any() else None
    except DamagedRecordingError:
        return None
