"""Which recordings are the ranks of one trial, and what each trial is called."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import chain, count

from comgra_export.storage.files.places import Place
from comgra_export.storage.reader import Recording

__all__ = ["Trial", "folders_of_namesakes", "names_of_trials", "trials_of", "with_folder"]

# A recording is ROOT/GROUP/TRIAL/rank-0.
_LEVELS = 3

Trial = dict[int, Recording]
"""The ranks of a trial, by their numbers; at least one."""


def trials_of(recordings: Iterable[Recording]) -> list[Trial]:
    """Finds the ranks that belong together, in the order of the first rank of each trial.

    Trials in different folders are different ones, also if they have the same name, as those of several runs with the default names. So
    are a rank and a copy of its folder beside it.
    """
    trials: dict[tuple[Place, str, str], list[Trial]] = {}
    in_order: list[Trial] = []
    for recording in recordings:
        header = recording.header
        of_name = trials.setdefault((recording.folder.parent, header.group, header.trial), [])
        trial = next((each for each in of_name if header.rank not in each), None)
        if trial is None:
            trial = {}
            of_name.append(trial)
            in_order.append(trial)
        trial[header.rank] = recording
    return in_order


def names_of_trials(trials: Iterable[Trial]) -> list[str]:
    """`GROUP/TRIAL` for each trial, and a number behind it if an earlier one has this name."""
    names: dict[str, None] = {}
    for trial in trials:
        name = _name(trial)
        candidates = chain([name], (f"{name} ({number})" for number in count(2)))
        names[next(each for each in candidates if each not in names)] = None
    return list(names)


def folders_of_namesakes(trials: Sequence[Trial], below: Place) -> list[str]:
    """The place of each trial below the folder that was given, if another trial has the same name; else an empty text.

    It is the root folder, such as `monday`, if that tells the trials of this name apart; else the folder of the first rank.
    """
    places: defaultdict[str, list[tuple[str, ...]]] = defaultdict(list)
    for trial in trials:
        places[_name(trial)].append(_parts(trial, below))
    folders = []
    for trial in trials:
        parts, others = _parts(trial, below), places[_name(trial)]
        roots = {each[:-_LEVELS] for each in others}
        is_told = len(roots) == len(others) and () not in roots
        folders.append("/".join(parts[:-_LEVELS] if is_told else parts) if len(others) > 1 else "")
    return folders


def with_folder(name: str, folder: str) -> str:
    """How a person reads the name of a trial: `default/trial (2), in monday`."""
    return f"{name}, in {folder}" if folder else name


def _parts(trial: Trial, below: Place) -> tuple[str, ...]:
    return _first(trial).folder.parts[len(below.parts) :]


def _name(trial: Trial) -> str:
    header = _first(trial).header
    return f"{header.group}/{header.trial}"


def _first(trial: Trial) -> Recording:
    return next(iter(trial.values()))
