"""Which recordings go into a bundle, and what they are called in it."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from comgra_export.analysis.ranks import MergedRecording, merge_ranks
from comgra_export.errors import ExportError, NotARecordingError, RecordingError
from comgra_export.exporter.plan.trial_names import different_names
from comgra_export.storage import Place, Recording, find_recordings, open_recording, place_of
from comgra_export.storage.find import oddities_below
from comgra_export.storage.trials import Trial, trials_of

__all__ = ["Source", "Sources", "open_sources"]

_RANKS_LISTED = 5


@dataclass(frozen=True)
class Source:
    """One rank of one trial, or all of its ranks merged.

    Attributes:
        name: The trial's name in the bundle, which all of its ranks have, and no other trial.
        rank: The rank; None for all of them merged.
        label: How sentences call it.
    """

    name: str
    rank: int | None
    label: str
    recording: Recording | MergedRecording


@dataclass(frozen=True)
class Sources:
    """All recordings of a bundle; they belong to one group. `problems` says what was found but cannot be read, and what is not there."""

    group: str
    sources: tuple[Source, ...]
    problems: tuple[str, ...]


def open_sources(recordings: str | os.PathLike[str] | Sequence[str | os.PathLike[str]]) -> Sources:
    """Opens all recordings at or below the paths given.

    Args:
        recordings: One or several root, group, trial or rank folders, or addresses of them. A recording found twice is taken once.

    Returns:
        The recordings in the order of the paths, and by trial and rank below each of them. The ranks of a trial come after what they are
        together, if there are several.

    Raises:
        NotARecordingError: No path was given, or there is no recording at one of them.
        RecordingError: None of the recordings can be read; the error of the first one.
        ExportError: They belong to several groups.
    """
    paths = [recordings] if isinstance(recordings, (str, os.PathLike)) else list(recordings)
    if not paths:
        raise NotARecordingError("No recording was given. Give the folder of a group, a trial or a rank.")
    # By each folder, the name of the one that was given. A recording found twice counts for the first.
    folders: dict[Place, str] = {}
    for path in paths:
        for folder in find_recordings(path):
            folders.setdefault(folder.resolve(), place_of(path).name)
    opened: list[Recording] = []
    errors: list[RecordingError] = []
    problems = [sentence for path in paths for sentence in oddities_below(path)]
    for folder in folders:
        try:
            opened.append(open_recording(folder))
        except RecordingError as error:
            errors.append(error)
            # Without the machine's folders: trial and rank say enough.
            problems.append(str(error).replace(str(folder), f"{folder.parent.name}/{folder.name}"))
    if not opened:
        raise errors[0]
    group = _only_group(opened)
    trials = _trials(opened, folders)
    for name, ranks in trials.items():
        problems.extend(_missing_ranks(name, ranks))
    sources = [source for name, ranks in trials.items() for source in _sources_of(name, ranks)]
    return Sources(group, tuple(sources), tuple(problems))


def _only_group(opened: list[Recording]) -> str:
    places: dict[str, Place] = {}
    for recording in opened:
        places.setdefault(recording.header.group, recording.folder.parent.parent)
    if len(places) > 1:
        listed = ", ".join(f"{group} ({place})" for group, place in places.items())
        raise ExportError(
            f"These recordings belong to {len(places)} groups, and a bundle shows one: {listed}. Give the folder of one group, such as "
            f"{next(iter(places.values()))}."
        )
    return next(iter(places))


def _trials(opened: list[Recording], given: Mapping[Place, str]) -> dict[str, Trial]:
    """Returns the ranks of every trial, by a name that no other trial has. `given` has the name of the folder that each was found in."""
    trials = trials_of(opened)
    firsts = [next(iter(ranks.values())) for ranks in trials]
    names = different_names([(first.header.trial, given[first.folder]) for first in firsts])
    return dict(zip(names, trials, strict=True))


def _sources_of(name: str, ranks: Trial) -> list[Source]:
    if len(ranks) == 1:
        return [Source(name, rank, name, recording) for rank, recording in ranks.items()]
    sources = [Source(name, rank, f"{name} (rank {rank})", recording) for rank, recording in sorted(ranks.items())]
    merged = merge_ranks([ranks[rank] for rank in sorted(ranks)])
    return [Source(name, None, f"{name} (all ranks together)", merged), *sources]


def _missing_ranks(name: str, ranks: Trial) -> list[str]:
    world_size = max(recording.header.world_size for recording in ranks.values())
    count = world_size - len(ranks)
    if count <= 0 or len(ranks) == 1:
        return []
    missing = [str(rank) for rank in range(min(world_size, len(ranks) + _RANKS_LISTED)) if rank not in ranks][:_RANKS_LISTED]
    more = f" and {count - len(missing):,} more" if count > len(missing) else ""
    return [f"{name} ran on {world_size:,} ranks, and some of them are not here: {', '.join(missing)}{more}."]
