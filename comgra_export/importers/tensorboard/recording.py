"""Makes recordings of event files: a trial for each run, with its curves and no steps."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

from comgra_export.errors import ForeignDataError, MisuseError
from comgra_export.importers.target import trial_folder
from comgra_export.importers.tensorboard.events import EventCurve, curves_of_runs
from comgra_export.storage import CurvePoint, Header, Note, RecordingWriter
from comgra_export.version import __version__

__all__ = ["ImportedCurves", "import_tensorboard"]

_TYPE = "train"


class ImportedCurves(NamedTuple):
    """The result of an import.

    Attributes:
        folder: The folder of the group.
        trials: The name of each trial, its curves, and their points.
    """

    folder: Path
    trials: tuple[tuple[str, int, int], ...]


def import_tensorboard(
    logdir: str | os.PathLike[str], recordings: str | os.PathLike[str], *, group: str = "tensorboard", replace: bool = False
) -> ImportedCurves:
    """Makes a recording of each run in a folder of TensorBoard.

    A curve with the tag `loss/train` is the curve `train` of the chart `loss`. If a step was written again after a restart, the later
    points count, as in TensorBoard.

    Args:
        logdir: The folder that `tensorboard --logdir` takes. Each folder in it with event files becomes a trial.
        recordings: The folder of recordings, which is created.
        group: The name of the group.
        replace: Whether to replace trials that were imported before. A trial that was recorded is never replaced.

    Raises:
        ForeignDataError: There is no event file, or the package `tensorboard` is not installed.
        MisuseError: A trial exists already, or a name cannot be the name of a folder.
        OSError: A recording cannot be written.
    """
    try:
        runs = curves_of_runs(logdir)
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] != "tensorboard":
            raise
        raise ForeignDataError("Event files are read with tensorboard, which is not installed: pip install tensorboard") from error
    except MisuseError as error:
        raise ForeignDataError(str(error)) from None
    own_name = Path(logdir).resolve().name or group
    trials = []
    for run, curves in runs.items():
        name = own_name if run == "." else run.replace("/", " - ")
        folder = trial_folder(recordings, group, name, None, replace=replace)
        writer = RecordingWriter(folder, Header(group, name, writer=f"comgra_export {__version__}", checksums=True))
        try:
            writer.add_note(Note(f"Made of TensorBoard's event files of the run {run}."))
            for tag, curve in curves.items():
                writer.add_curve_point(*_points(tag, curve))
        finally:
            writer.close()
        trials.append((name, len(curves), sum(len(curve.steps) for curve in curves.values())))
    return ImportedCurves(Path(recordings) / group, tuple(trials))


def _points(tag: str, curve: EventCurve) -> list[CurvePoint]:
    chart, _, name = tag.rpartition("/")
    return [
        CurvePoint(chart or name, name, _TYPE, step, value) for step, value in zip(curve.steps.tolist(), curve.values.tolist(), strict=True)
    ]
