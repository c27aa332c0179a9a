"""Running a network on a changed input, as a new trial beside the one that the input comes from."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from comgra_export.errors import AdapterError, MisuseError, TrialExistsError
from comgra_export.recorder.output.trial_folder import delete_recording
from comgra_export.recorder.session.recorder import ComgraRecorder
from comgra_export.recorder.session.schedules import DecisionMakerForRecordingsFrequencyPerType

__all__ = ["rerun"]

Adapter = Callable[[Tensor, ComgraRecorder], object]


def rerun(
    function: Adapter,
    array: NDArray[Any],
    comgra_root_path: str | os.PathLike[str],
    *,
    group: str,
    trial: str,
    note: str,
) -> Path:
    """Calls a function with a changed input and a recorder, and keeps what it records as a trial of its own.

    The trial is called `TRIAL edit 1`, or the next number that is free. Every step that the function makes is recorded, with all samples.

    Args:
        function: Called once, as `function(input, recorder)`. It runs the network on the input, and records as usual: with
            `recorder.batch`, `recorder.watch` and so on. Its result is ignored.
        array: The input, of any dtype that torch has. The function gets a tensor of its own, of this dtype and shape.
        comgra_root_path: As for `ComgraRecorder`.
        group: The group of the trial that the input comes from.
        trial: That trial.
        note: What was changed, for the notes of the new trial.

    Returns:
        The folder of the new trial.

    Raises:
        AdapterError: The function raised an exception, which is the `__cause__`, or recorded no step. Nothing is left behind.
        MisuseError: The array has a dtype that torch lacks, or a name or the folder is not usable.
    """
    tensor = _tensor_of(array)
    recorder = _new_trial(comgra_root_path, group, trial)
    assert recorder.folder is not None
    try:
        try:
            with recorder:
                recorder.add_note(note)
                function(tensor, recorder)
        except (Exception, SystemExit) as error:
            raise AdapterError(f"The function raised {type(error).__name__}: {error}") from error
        if not any((recorder.folder / "steps").glob("*.json")):
            raise AdapterError(
                "The function recorded no step. Put its body into `with recorder.batch(0, len(input)), recorder.iteration():`."
            )
    except BaseException:
        with suppress(MisuseError, OSError):
            delete_recording(recorder.folder, is_claimed=False)
            recorder.folder.parent.rmdir()
        raise
    return recorder.folder.parent


def _tensor_of(array: NDArray[Any]) -> Tensor:
    try:
        return torch.from_numpy(np.array(array, dtype=array.dtype.newbyteorder("="), order="C"))
    except TypeError:
        raise MisuseError(f"rerun: the input has the dtype {array.dtype}, which torch does not have. Save it with another dtype.") from None


def _new_trial(root: str | os.PathLike[str], group: str, trial: str) -> ComgraRecorder:
    for number in count(1):
        try:
            return ComgraRecorder(
                root,
                group=group,
                trial_id=f"{trial} edit {number}",
                decision_maker_for_recordings=DecisionMakerForRecordingsFrequencyPerType(0),
                check=False,
            )
        except TrialExistsError:
            continue
    raise AssertionError
