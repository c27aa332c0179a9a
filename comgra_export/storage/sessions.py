"""Which steps of a recording count, if several processes wrote it one after another."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable
from itertools import accumulate
from typing import NamedTuple

from comgra_export.storage.model.lines import CurvePoint, JournalEntry
from comgra_export.storage.text.steps import parts_of_step

__all__ = [
    "MissingStep",
    "is_closed",
    "last_session",
    "next_training_step",
    "sort_steps",
    "steps_outlived",
    "without_repeated_curves",
    "without_rewound_points",
]

_SAME = {"lr": "learning rate", "grad norm": "gradient norm"}


class MissingStep(NamedTuple):
    """A step that was finished but cannot be read, since its process ended before it was written, or it could not be written.

    Attributes:
        reason: What a gap says of it, or that no reason could be written; None if its process was killed.
    """

    step: float
    reason: str | None


class StepsOfSessions(NamedTuple):
    """The steps of a recording. All ascending.

    Attributes:
        steps: Those that count: they are written, and no later session began at or before them.
        left_behind: Those that are written, but belong to a session that a later one took up again from an earlier step.
        missing: Those that count and were finished, but are not written.
    """

    steps: tuple[float, ...]
    left_behind: tuple[float, ...]
    missing: tuple[float, ...]


def last_session(journal: Iterable[JournalEntry]) -> int | None:
    """The number of the last session; None if the journal names none."""
    return max((entry.session for entry in journal), default=None)


def is_closed(journal: Collection[JournalEntry]) -> bool:
    """Whether the last session was ended by its process. Without a journal, nothing speaks against it."""
    last = last_session(journal)
    return last is None or any(entry.event == "closed" and entry.session == last for entry in journal)


def next_training_step(journal: Iterable[JournalEntry]) -> int:
    """The number of the first training step of a run that goes on where the last session of a recording ended.

    A session that was ended says how many training steps it made, recorded or not. A killed session made at least those that it finished
    recording. A session that went back to an earlier step is taken to have begun at the first step that it recorded.
    """
    sessions: defaultdict[int, list[JournalEntry]] = defaultdict(list)
    for entry in journal:
        sessions[entry.session].append(entry)
    position = 0
    for _, entries in sorted(sessions.items()):
        finished = [parts_of_step(entry.step) for entry in entries if entry.step is not None]
        begin = min((trained for trained, _ in finished), default=position)
        # An evaluation comes behind as many training steps as its number says.
        reached = max((trained if evaluation else trained + 1 for trained, evaluation in finished), default=0)
        made = next((entry.end.trained for entry in entries if entry.end is not None), None)
        position = max(min(begin, position) + (made or 0), reached)
    return position


def sort_steps(journal: Iterable[JournalEntry], written: Collection[float], session_of: Callable[[float], int | None]) -> StepsOfSessions:
    """Tells the steps that count from those that a resumed run left behind.

    Args:
        journal: What was finished, by which session.
        written: Numbers of the steps that have a description.
        session_of: Reads from a step's description which session wrote it; None if that cannot be read. Called only where the
            journal leaves it open.
    """
    begins: dict[int, float] = {}
    finished: defaultdict[float, set[int]] = defaultdict(set)
    for entry in journal:
        if entry.step is not None:
            begins.setdefault(entry.session, entry.step)
            finished[entry.step].add(entry.session)
    sessions = sorted(begins)
    # Per session, the smallest step at which it or a later one began.
    smallest = list(accumulate((begins[session] for session in reversed(sessions)), min))[::-1]

    def counts(step: float, session: int) -> bool:
        later = bisect_right(sessions, session)
        return later == len(sessions) or step < smallest[later]

    def session_that_wrote(step: float) -> int | None:
        candidates = finished.get(step, ())
        return next(iter(candidates)) if len(candidates) == 1 else session_of(step)

    steps: list[float] = []
    left_behind: list[float] = []
    for step in sorted(written):
        # A step that counts even if the first session wrote it counts in any case.
        session = None if counts(step, 0) else session_that_wrote(step)
        (steps if session is None or counts(step, session) else left_behind).append(step)
    present = set(steps)
    missing = [step for step in sorted(finished) if step not in present and counts(step, max(finished[step]))]
    return StepsOfSessions(tuple(steps), tuple(left_behind), tuple(missing))


def steps_outlived(journal: Iterable[JournalEntry], written: Iterable[float]) -> set[float]:
    """The finished steps whose process went on long enough to write them: it wrote a later step, or ended the recording itself."""
    sessions: dict[float, int] = {}
    last: dict[int, float] = {}
    for entry in journal:
        if entry.step is not None:
            sessions[entry.step] = entry.session
        if entry.event == "closed":
            last[entry.session] = math.inf
    for step in written:
        if step in sessions:
            last[sessions[step]] = max(step, last.get(sessions[step], -math.inf))
    return {step for step, session in sessions.items() if step < last.get(session, -math.inf)}


def without_repeated_curves(points: Iterable[CurvePoint]) -> tuple[CurvePoint, ...]:
    """Leaves out curves of the recorder's own if the script has recorded one of that name or group in steps of the same type."""
    every = tuple(points)
    given = {(point.type, name) for point in every if not point.is_own for name in (_plain(point.group), _plain(point.name))}
    return tuple(point for point in every if not (point.is_own and (point.type, point.group) in given))


def _plain(name: str) -> str:
    plain = name.casefold().replace("_", " ")
    return _SAME.get(plain, plain)


def without_rewound_points(points: Iterable[CurvePoint]) -> tuple[CurvePoint, ...]:
    """Leaves out the points of curves that later ones took the place of: a resumed run records them again."""
    kept: dict[int, CurvePoint] = {}
    # A curve of the script and one of the recorder's own may have the same name.
    curves: defaultdict[tuple[str, str, str, bool], list[int]] = defaultdict(list)
    for position, point in enumerate(points):
        curve = curves[point.group, point.name, point.type, point.is_own]
        while curve and kept[curve[-1]].t >= point.t:
            del kept[curve.pop()]
        curve.append(position)
        kept[position] = point
    return tuple(kept.values())
