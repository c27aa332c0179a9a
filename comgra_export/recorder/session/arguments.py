"""Checking what the recorder is made with."""

from __future__ import annotations

import os
from pathlib import Path
from typing import get_args

from comgra_export.errors import MisuseError
from comgra_export.recorder.step.options import GraphSource
from comgra_export.storage.text.names import shown

__all__ = ["check_arguments", "root_folder"]


def check_arguments(max_samples: object, graph: object, schedule: object) -> None:
    """Checks arguments of `ComgraRecorder` that are not checked where they are used.

    Args:
        max_samples: `max_num_batch_size_to_record`.
        graph: `graph`.
        schedule: `decision_maker_for_recordings`.

    Raises:
        MisuseError: One of them is not usable.
    """
    if max_samples is not None and not (isinstance(max_samples, int) and max_samples >= 0):
        raise MisuseError(f"ComgraRecorder: max_num_batch_size_to_record is {shown(max_samples)}. Give 0 or more, or None for all samples.")
    if graph not in get_args(GraphSource):
        raise MisuseError(f"ComgraRecorder: graph is {shown(graph)}. Use one of {', '.join(get_args(GraphSource))}.")
    if schedule is not None and not hasattr(schedule, "is_record_on_this_step"):
        raise MisuseError(
            f"ComgraRecorder: decision_maker_for_recordings is {shown(schedule)}. Give a schedule, such as "
            "DecisionMakerForRecordingsFrequencyPerType(10) or DecisionMakerForRecordingsHardcoded({0, 10})."
        )


def root_folder(path: object) -> Path:
    """The folder of all recordings, as an absolute path.

    Args:
        path: `comgra_root_path`.

    Raises:
        MisuseError: It is no path.
    """
    if not isinstance(path, str | os.PathLike):
        raise MisuseError(f'ComgraRecorder: comgra_root_path is {shown(path)}. Give the path of a folder, such as "recordings".')
    return Path(path).absolute()
