"""Curves of TensorBoard's event files as arrays, and recordings as event files. Neither needs TensorFlow."""

from __future__ import annotations

import math
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import comgra_export
from comgra_export import WrongChoiceError
from comgra_export.importers.tensorboard.events import EventCurve, curves_of_runs
from comgra_export.integrations._host import missing_host

try:
    from tensorboard.compat.proto.event_pb2 import Event
    from tensorboard.compat.proto.summary_pb2 import HistogramProto, Summary
    from tensorboard.summary.writer.event_file_writer import EventFileWriter
except ModuleNotFoundError as error:
    if error.name != "tensorboard":
        raise
    raise missing_host("tensorboard", "tensorboard") from error

if TYPE_CHECKING:
    from comgra_export.reading import Histogram, Trial

__all__ = ["EventCurve", "read_events", "write_events"]

_FORWARD = "forward"


def read_events(logdir: str | os.PathLike[str]) -> dict[str, EventCurve]:
    """Reads every point of every curve in a folder of event files, and in the folders in it.

    To put them into a recording, call `record_kpi_in_graph` with each point.

    Args:
        logdir: The folder that `tensorboard --logdir` takes.

    Returns:
        The curves by their tags. In front of the tag stands the folder below `logdir`, if there is one: `validation/loss`.

    Raises:
        MisuseError: There is no event file.
    """
    runs = curves_of_runs(logdir)
    return {(Path(run) / tag).as_posix(): curve for run, curves in runs.items() for tag, curve in curves.items()}


def write_events(recording: str | os.PathLike[str], logdir: str | os.PathLike[str]) -> None:
    """Writes the curves and histograms of a recording as event files, which `tensorboard --logdir` shows.

    The tag of a curve is its chart and its name, and in evaluations also the type of the steps: `loss/loss (eval)`. Values of a tensor have
    its name as their tag, and gradients also the name of their group. The number of an evaluation is that of the training step before it.

    Args:
        recording: What `comgra_export.read` takes: a recording, a folder of them, or a bundle.
        logdir: The folder; made if missing. If there are several trials, each has a folder in it.

    Raises:
        RecordingError: There is no recording.
    """
    trials = comgra_export.read(recording).trials
    for name, trial in trials.items():
        folder = Path(logdir) if len(trials) == 1 else Path(logdir, *name.split("/"))
        folder.mkdir(parents=True, exist_ok=True)
        writer = EventFileWriter(os.fspath(folder))
        try:
            _write_curves(trial, writer)
            _write_histograms(trial, writer)
        finally:
            writer.close()


def _write_curves(trial: Trial, writer: EventFileWriter) -> None:
    curves = trial.curves
    rows = zip(*(curves[column].tolist() for column in ("curve", "group", "type", "t", "value")), strict=True)
    for name, group, kind, time, value in rows:
        suffix = "" if kind in ("train", "main_execution_type") else f" ({kind})"
        _add(writer, time, Summary.Value(tag=f"{group}/{name}{suffix}", simple_value=value))


def _write_histograms(trial: Trial, writer: EventFileWriter) -> None:
    statistics = trial.statistics
    columns = (statistics[column].tolist() for column in ("step", "tensor", "group", "iteration", "role"))
    for step, tensor, group, iteration, role in dict.fromkeys(zip(*columns, strict=True)):
        try:
            histogram = trial.histogram(tensor, step, group, iteration, role)
        except WrongChoiceError:
            # Only watched modules and parameters have one.
            continue
        words = [tensor, *([group] if group != _FORWARD else []), *([f"iteration {iteration}"] if iteration > 0 else [])]
        _add(writer, step, Summary.Value(tag="/".join(words), histo=_proto(histogram)))


def _add(writer: EventFileWriter, step: float, value: Any) -> None:  # noqa: ANN401
    writer.add_event(Event(step=max(math.floor(step), 0), summary=Summary(value=[value])))


def _proto(histogram: Histogram) -> Any:  # noqa: ANN401
    """The bins as TensorBoard keeps them: of each, where it ends. Values that are not finite are in none."""
    counts, edges = histogram.counts, histogram.edges
    middles = (edges[:-1] + edges[1:]) / 2
    filled = np.flatnonzero(counts)
    first, last = (int(filled[0]), int(filled[-1])) if len(filled) else (0, 0)
    return HistogramProto(
        min=float(edges[first]),
        max=float(edges[last + 1]),
        num=float(counts.sum()),
        sum=float((counts * middles).sum()),
        sum_squares=float((counts * middles**2).sum()),
        # The first bin is an empty one that ends where the others begin.
        bucket_limit=edges.tolist(),
        bucket=[0.0, *counts.tolist()],
    )
