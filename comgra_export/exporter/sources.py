"""Which recordings go into a bundle, and what they are called in it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from comgra_export.errors import ExportError, NotARecordingError, RecordingError
from comgra_export.storage import Recording, find_recordings, open_recording

__all__ = ["Source", "Sources", "open_sources"]


@dataclass(frozen=True)
class Source:
    """One rank of one trial, and its name in the bundle, which no other has."""

    name: str
    recording: Recording


@dataclass(frozen=True)
class Sources:
    """All recordings of a bundle; they belong to one group. `problems` says which were found but cannot be read."""

    group: str
    sources: tuple[Source, ...]
    problems: tuple[str, ...]


def open_sources(recordings: Path | str | Sequence[Path | str]) -> Sources:
    """Opens all recordings at or below the paths given.

    Args:
        recordings: One or several root, group, trial or rank folders. A recording found twice is taken once.

    Returns:
        The recordings in the order of the paths, and by trial and rank below each of them.

    Raises:
        NotARecordingError: No path was given, or there is no recording at one of them.
        RecordingError: None of the recordings can be read; the error of the first one.
        ExportError: They belong to several groups.
    """
    paths = [recordings] if isinstance(recordings, (str, Path)) else list(recordings)
    if not paths:
        raise NotARecordingError("No recording was given. Give the folder of a group, a trial or a rank.")
    folders = dict.fromkeys(folder.resolve() for path in paths for folder in find_recordings(Path(path)))
    opened: list[Recording] = []
    errors: list[RecordingError] = []
    problems: list[str] = []
    for folder in folders:
        try:
            opened.append(open_recording(folder))
        except RecordingError as error:
            errors.append(error)
            problems.append(_without_place(str(error), folder))
    if not opened:
        raise errors[0]
    return Sources(_only_group(opened), _named(opened), tuple(problems))


def _without_place(message: str, folder: Path) -> str:
    """Takes the machine's folders out of a message: trial and rank say enough."""
    return message.replace(str(folder), f"{folder.parent.name}/{folder.name}")


def _only_group(opened: list[Recording]) -> str:
    places: dict[str, Path] = {}
    for recording in opened:
        places.setdefault(recording.header.group, recording.folder.parent.parent)
    if len(places) > 1:
        listed = ", ".join(f"{group} ({place})" for group, place in places.items())
        raise ExportError(
            f"These recordings belong to {len(places)} groups, and a bundle shows one: {listed}. Give the folder of one group."
        )
    return next(iter(places))


def _named(opened: list[Recording]) -> tuple[Source, ...]:
    ranks = Counter(recording.folder.parent for recording in opened)
    used: Counter[str] = Counter()
    sources = []
    for recording in opened:
        header = recording.header
        name = f"{header.trial} (rank {header.rank})" if ranks[recording.folder.parent] > 1 else header.trial
        used[name] += 1
        # Trials of the same name come from different roots, or from folders that were copied.
        sources.append(Source(name if used[name] == 1 else f"{name} ({used[name]})", recording))
    return tuple(sources)
