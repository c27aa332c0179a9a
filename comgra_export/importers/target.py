"""Where an import goes: a trial of its own, which may replace an earlier import, and never a recording of a training run."""

from __future__ import annotations

import os
from pathlib import Path
from shutil import rmtree

from comgra_export.errors import RecordingError
from comgra_export.storage import check_folder_name, folder_of_name, open_recording

__all__ = ["trial_folder"]

_RANK = "rank-0"


def trial_folder(recordings: str | os.PathLike[str], group: str, trial: str, step_types: set[str] | None, *, replace: bool) -> Path:
    """Makes way for an import, and returns the folder of its rank.

    Args:
        recordings: The folder of recordings.
        group: The name of the group.
        trial: The name of the trial.
        step_types: Types of steps that only this import makes. None: it makes no steps.
        replace: Whether to remove an earlier import of this name, which holds steps of these types and nothing else.

    Raises:
        MisuseError: A name cannot be the name of a folder.
        OSError: The earlier import cannot be removed.
    """
    for kind, name in (("group", group), ("trial", trial)):
        check_folder_name(kind, name)
    folder = Path(recordings) / folder_of_name(group) / folder_of_name(trial)
    if replace and _is_an_import(folder, step_types or set()):
        rmtree(folder)
    return folder / _RANK


def _is_an_import(trial: Path, step_types: set[str]) -> bool:
    try:
        recording = open_recording(trial / _RANK)
        types = {recording.step(number).type_of_execution for number in recording.steps}
    except RecordingError:
        return False
    return types == step_types and [file.name for file in trial.iterdir()] == [_RANK]
