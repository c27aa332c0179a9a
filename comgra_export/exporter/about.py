"""What a bundle says about where it comes from, for the page and for readers without JavaScript."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from comgra_export.exporter.format import AboutRecording, Session
from comgra_export.exporter.plan.plan import PlannedTrial
from comgra_export.exporter.reporting.problems import steps_in_words
from comgra_export.storage import JournalEntry, MissingStep, Recording

__all__ = ["about_recording", "missing_steps", "no_steps"]


def about_recording(planned: PlannedTrial, recording: Recording) -> AboutRecording:
    """Describes a rank of a trial, and the processes that wrote it one after another."""
    header = recording.header
    return {
        "trial": planned.source.name,
        "rank": header.rank,
        "world_size": header.world_size,
        "writer": header.writer,
        "torch_version": header.torch_version,
        "started": header.started,
        "sessions": _sessions(planned, recording.journal),
        "left_behind": len(recording.left_behind),
    }


def _sessions(planned: PlannedTrial, journal: Iterable[JournalEntry]) -> list[Session]:
    steps: defaultdict[int, list[int]] = defaultdict(list)
    closed: dict[int, bool] = {}
    for step in planned.steps:
        steps[step.description.session].append(step.description.step)
    for entry in journal:
        closed[entry.session] = closed.get(entry.session, False) or entry.event == "closed"
    return [
        {
            "first": min(steps[session], default=None),
            "last": max(steps[session], default=None),
            "steps": len(steps[session]),
            "closed": closed.get(session),
        }
        for session in sorted({*steps, *closed})
    ]


def missing_steps(label: str, missing: Iterable[MissingStep]) -> list[str]:
    """Says which steps were finished but are not in a recording: a sentence per reason."""
    by_reason: defaultdict[str, list[int]] = defaultdict(list)
    for step in missing:
        by_reason[step.reason or "Its process ended before it was written."].append(step.step)
    return [f"{steps_in_words(label, steps)} was finished, but is missing. {reason}" for reason, steps in by_reason.items()]


def no_steps(label: str, recording: Recording) -> list[str]:
    """Says what to do where a recording has no step, and none is missing."""
    if recording.steps or recording.missing_steps:
        return []
    return [
        f"{label} has no recorded step, so there are no tensors to show. Steps are recorded between start_batch and finish_batch, "
        "or where a module given to comgra_export.watch is called, and the schedule (decision_maker_for_recordings) asks for them."
    ]
