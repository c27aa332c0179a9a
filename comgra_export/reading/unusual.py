"""What was unusual in a trial, as far as it is known without any rule."""

from __future__ import annotations

from comgra_export.analysis.history.series import FORWARD
from comgra_export.analysis.overview.unusual import FirstNaN, TriggeredStep, Unusual
from comgra_export.reading.source import Source
from comgra_export.storage import iterate_records
from comgra_export.storage.text.steps import as_step, updates_between

__all__ = ["unusual_in"]


def unusual_in(source: Source) -> Unusual:
    """Reads what was unusual. A bundle knows of NaN in its own steps only, and not of the checks of others."""
    triggered = [TriggeredStep(step.step, step.type, step.triggered) for step in source.steps if step.triggered is not None]
    return Unusual(_first_nan(source), tuple(source.gaps), tuple(triggered))


def _first_nan(source: Source) -> FirstNaN | None:
    firsts: list[tuple[float, str, str, bool]] = []
    for numbers in source.numbers():
        has_nan = numbers.counts[:, :, 0] > 0
        rows = has_nan.any(axis=1)
        if rows.any():
            row = int(rows.argmax())
            place = list(iterate_records(numbers.layout))[int(has_nan[row].argmax())]
            is_parameter = place.group == FORWARD and place.entry.type == "parameter"
            firsts.append((as_step(float(numbers.steps[row])), place.group, place.entry.name, is_parameter))
    if not firsts:
        return None
    step, group, name, is_parameter = min(firsts, key=lambda each: each[0])
    before = max((number for number in source.step_numbers if number < step), default=None)
    updates = range(0) if before is None or not is_parameter else updates_between(before, step)
    return FirstNaN(updates[0] if len(updates) == 1 else step, group, name)
