"""Reading a whole recording, to see whether all of it can be read."""

from __future__ import annotations

from collections.abc import Callable

from comgra_export.errors import DamagedRecordingError
from comgra_export.storage.reader import Recording
from comgra_export.storage.text.steps import step_in_words

__all__ = ["verify"]


def verify(recording: Recording, on_step: Callable[[], object] = lambda: None) -> tuple[str, ...]:
    """Reads everything that a recording holds, and compares it with its checksums.

    A recording that was made without checksums is read too. Then only what contradicts the format is noticed.

    Args:
        recording: An open recording.
        on_step: Called after each step, for progress.

    Returns:
        A sentence for everything that is damaged.
    """
    # Read for their problems alone.
    _ = recording.network, recording.config, recording.notes, recording.curve_points, recording.gaps, recording.sentinel_points
    faults = []
    for number in (*recording.steps, *recording.left_behind):
        try:
            _read_step(recording, number)
        except DamagedRecordingError as error:
            faults.append(f"{step_in_words(number).capitalize()} is damaged. {error}")
        on_step()
    return tuple(dict.fromkeys([*recording.problems, *faults]))


def _read_step(recording: Recording, number: float) -> None:
    step = recording.step(number)
    for structure in dict.fromkeys(step.structures):
        if structure is not None:
            recording.structure(structure)
    for calls in dict.fromkeys(step.calls):
        if calls is not None:
            recording.calls(calls)
    recording.blobs(number)
    recording.histograms(number)
    recording.units(number)
    for position in range(len(step.flows)):
        recording.flow_numbers(number, position)
