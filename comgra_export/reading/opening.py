"""`comgra_export.read`: opens what was recorded, wherever it is."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from comgra_export.errors import MisuseError, RecordingError
from comgra_export.reading.bundles.files import is_page_folder
from comgra_export.reading.bundles.index import open_bundle
from comgra_export.reading.bundles.source import BundleSource
from comgra_export.reading.recorded import RecordingSource
from comgra_export.reading.trial import Trial
from comgra_export.reading.trials import Trials
from comgra_export.storage import Place, Recording, find_recordings, open_recording, place_of
from comgra_export.storage.trials import names_of_trials, trials_of

__all__ = ["Reading", "is_bundle", "read"]

_LISTED = 8


class Reading:
    """What is at a path: trials, by `GROUP/TRIAL`.

    Attributes:
        trials: The trials, in the order of their groups and names. A trial is found by its name alone, too, if one group only has it.
        problems: A sentence for everything that was there and could not be opened. A trial has problems of its own.
    """

    def __init__(self, trials: Mapping[str, Trial], problems: Sequence[str] = ()) -> None:
        self.trials = Trials(trials)
        self.problems = tuple(problems)

    def __repr__(self) -> str:
        names = list(self.trials)
        more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
        return f"<Reading of {len(names)} {'trial' if len(names) == 1 else 'trials'}: {', '.join(names[:_LISTED])}{more}>"

    @property
    def trial(self) -> Trial:
        """The trial, if there is only one.

        Raises:
            MisuseError: There are several; the message names them.
        """
        if len(self.trials) != 1:
            names = list(self.trials)
            more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
            listed = ", ".join(map(repr, names[:_LISTED])) + more
            raise MisuseError(f"There are {len(names)} trials, so name one: read(path).trials[{names[0]!r}]. They are {listed}.")
        return next(iter(self.trials.values()))

    @property
    def omissions(self) -> tuple[str, ...]:
        """A sentence for everything that a bundle left out, rounded or sampled. Empty for recordings."""
        return tuple(dict.fromkeys(sentence for trial in self.trials.values() for sentence in trial.omissions))


def read(path: str | os.PathLike[str]) -> Reading:
    """Opens recordings or a bundle for reading in Python, without torch. Nothing but headers or the index is read now.

    Args:
        path: The root given to the recorder, or a group, trial or rank folder in it. Or a bundle: `report.html`, `report.zip`, or the
            folder `report/`. Or the address of one of these, such as `s3://bucket/runs`.

    Raises:
        NotARecordingError: There is nothing to read at the path.
        NewerFormatError: A newer version wrote it.
        RecordingError: Nothing that is there can be opened.
    """
    return _read_bundle(place_of(path)) if is_bundle(path) else _read_recordings(path)


def is_bundle(path: str | os.PathLike[str]) -> bool:
    """Whether `read` takes what is at a path or an address for a bundle: a file, or a folder whose `index.html` is a page of ours.

    What cannot be reached is none: whoever looks for recordings there says why.

    Raises:
        MisuseError: As `place_of`.
    """
    place = place_of(path)
    try:
        return place.is_file() or is_page_folder(place)
    except OSError:
        return False


def _read_bundle(path: Place) -> Reading:
    bundle = open_bundle(path)
    trials: dict[str, Trial] = {}
    for entry in bundle.trials:
        # All ranks together come before each of them.
        trials.setdefault(f"{bundle.group}/{entry.name}", Trial(BundleSource(bundle, entry)))
    return Reading(trials, bundle.problems)


def _read_recordings(path: str | os.PathLike[str]) -> Reading:
    opened: list[Recording] = []
    problems: list[str] = []
    errors: list[RecordingError] = []
    for folder in find_recordings(path):
        try:
            opened.append(open_recording(folder))
        except RecordingError as error:
            errors.append(error)
            problems.append(str(error))
    if not opened:
        raise errors[0]
    trials = trials_of(opened)
    named = zip(names_of_trials(trials), trials, strict=True)
    return Reading({name: Trial(RecordingSource(list(ranks.values()))) for name, ranks in named}, problems)
