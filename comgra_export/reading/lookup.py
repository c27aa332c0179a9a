"""Finding the record that somebody asks for by the names in their script."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite

from comgra_export.analysis.history.series import FORWARD
from comgra_export.errors import WrongChoiceError
from comgra_export.storage import Layout, RecordPlace, iterate_records
from comgra_export.storage.text.names import names_instead, shown
from comgra_export.storage.text.steps import as_step, step_in_words, step_label, steps_in_short

__all__ = ["find_place", "find_step"]

_LISTED = 8


def find_step(steps: Sequence[float], wanted: float) -> float:
    """A number of a step that is there.

    Raises:
        WrongChoiceError: It is not; the message names the steps around it.
    """
    if wanted in steps:
        return as_step(float(wanted))
    if not steps:
        raise WrongChoiceError("No step was recorded.")
    around = sorted(steps, key=lambda step: abs(step - wanted))[:2] if isinstance(wanted, (int, float)) else steps[:2]
    nearest = " and ".join(map(step_label, sorted(around)))
    number = shown(as_step(wanted) if isinstance(wanted, float) and isfinite(wanted) else wanted)
    raise WrongChoiceError(f"Step {number} was not recorded. Recorded: {steps_in_short(steps)}; the nearest are {nearest}.")


def find_place(layout: Layout, step: float, tensor: str, iteration: int | None, role: str | None, group: str | None) -> RecordPlace:
    """The record of a tensor in a step.

    Args:
        layout: The layout of the step.
        step: The step, for messages.
        tensor: The name of the tensor.
        iteration: Its iteration; None if it has one only.
        role: Its role; None for any.
        group: The group of records; None for the first group of gradients that has it.

    Raises:
        WrongChoiceError: There is none, or there are several.
    """
    where = step_in_words(step)
    places = [place for place in iterate_records(layout) if place.entry.name == tensor]
    if not places:
        names = list(dict.fromkeys(entry.name for entry in layout.tensors))
        raise WrongChoiceError(f"There is no tensor {shown(tensor)} in {where}. {names_instead(str(tensor), names) or ''}".rstrip())
    groups = list(dict.fromkeys(place.group for place in places))
    if group is None:
        group = next((name for name in groups if name != FORWARD), None)
        if group is None:
            raise WrongChoiceError(f"No gradient of {tensor!r} was recorded in {where}.")
    if group not in groups:
        raise WrongChoiceError(f"{tensor!r} has no record in the group {group!r} in {where}. {names_instead(group, groups) or ''}".rstrip())
    places = [place for place in places if place.group == group]
    for what, wanted in (("role", role), ("iteration", iteration)):
        known = list(dict.fromkeys(getattr(place.entry, what) for place in places))
        if wanted is not None and wanted not in known:
            raise WrongChoiceError(f"{tensor!r} has no {what} {wanted!r} in {where}; it has {_listed(known)}.")
        places = [place for place in places if wanted is None or getattr(place.entry, what) == wanted]
    if len(places) > 1:
        iterations = [place.entry.iteration for place in places]
        raise WrongChoiceError(f"{tensor!r} was recorded in {len(places)} iterations of {where}. Give one of them: {_listed(iterations)}.")
    return places[0]


def _listed(values: Sequence[object]) -> str:
    more = f" and {len(values) - _LISTED} more" if len(values) > _LISTED else ""
    return ", ".join(map(repr, values[:_LISTED])) + more
