"""Reads the curves of TensorBoard's event files, with TensorBoard's own package and without TensorFlow."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from comgra_export.errors import MisuseError

__all__ = ["EventCurve", "curves_of_runs"]

_EVENT_FILE = "events.out.tfevents."


class EventCurve(NamedTuple):
    """A curve in event files, in the order in which it was written. All points are kept, NaN and infinities too.

    Attributes:
        steps: int64 `[n]`.
        values: float64 `[n]`.
        times: float64 `[n]`: when each point was written, in seconds since 1970.
    """

    steps: NDArray[np.int64]
    values: NDArray[np.float64]
    times: NDArray[np.float64]


def curves_of_runs(logdir: str | os.PathLike[str]) -> dict[str, dict[str, EventCurve]]:
    """Reads every point of every curve in a folder of event files, and in the folders in it.

    Returns:
        For each folder below `logdir` that holds event files, the curves by their tags. `logdir` itself is `.`.

    Raises:
        ModuleNotFoundError: The package `tensorboard` is not installed.
        MisuseError: There is no event file.
    """
    from tensorboard.backend.event_processing.event_accumulator import STORE_EVERYTHING_SIZE_GUIDANCE, EventAccumulator
    from tensorboard.util.tensor_util import make_ndarray

    root = Path(logdir)
    folders = sorted({file.parent for file in root.rglob(f"*{_EVENT_FILE}*")})
    if not folders:
        raise MisuseError(f"In {root}, there is no event file. Give the folder that `tensorboard --logdir` takes.")
    runs: dict[str, dict[str, EventCurve]] = {}
    for folder in folders:
        events = EventAccumulator(os.fspath(folder), STORE_EVERYTHING_SIZE_GUIDANCE, purge_orphaned_data=False)
        events.Reload()
        tags, curves = events.Tags(), runs.setdefault(folder.relative_to(root).as_posix(), {})
        for tag in tags["scalars"]:
            curves[tag] = _curve([(point.step, point.value, point.wall_time) for point in events.Scalars(tag)])
        for tag in tags["tensors"]:
            if events.SummaryMetadata(tag).plugin_data.plugin_name == "scalars":
                points = [(point.step, make_ndarray(point.tensor_proto).item(), point.wall_time) for point in events.Tensors(tag)]
                curves[tag] = _curve(points)
    return runs


def _curve(points: list[tuple[int, float, float]]) -> EventCurve:
    steps, values, times = zip(*points, strict=True) if points else ((), (), ())
    return EventCurve(np.array(steps, np.int64), np.array(values, np.float64), np.array(times, np.float64))
