"""Makes recordings of comgra's folders: a trial for each of its trials."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from comgra_export.errors import ForeignDataError, MisuseError
from comgra_export.importers.comgra.graphs import read_graphs
from comgra_export.importers.comgra.numbers import read_records
from comgra_export.importers.comgra.packed_files import check_reader, read_packed
from comgra_export.importers.target import trial_folder
from comgra_export.storage import CurvePoint, Gap, Header, Note, RecordedSamples, RecordingWriter, StepDescription
from comgra_export.version import __version__

__all__ = ["ImportedComgra", "find_comgra_trials", "import_comgra"]

_RECORDINGS, _CONFIGURATIONS, _STRUCTURES = "recordings", "configurations", "node_graph_structure"
_STEP = re.compile("([0-9]{1,12})__(.+)", re.DOTALL)
_SAMPLE = re.compile(r"Sample ([0-9]{1,9})(?: \| (.*))?", re.DOTALL)
_UNKNOWN = "comgra does not count NaN, infinities and zeros, and keeps no smallest and largest value; they are missing in this recording."


class ImportedComgra(NamedTuple):
    """The result of an import.

    Attributes:
        trials: The folder of each trial, and its steps.
        gaps: What was left out, and why.
    """

    trials: tuple[tuple[Path, int], ...]
    gaps: tuple[str, ...]


def find_comgra_trials(folder: Path) -> list[Path]:
    """The trials of comgra in its root folder, in a group, or at a trial; none if there are none."""
    patterns = (".", "trials/*", "*/trials/*")
    return [
        trial
        for pattern in patterns
        for trial in (sorted(folder.glob(pattern)) if pattern != "." else [folder])
        if (trial / _RECORDINGS).is_dir() and (trial / _CONFIGURATIONS).is_dir()
    ]


def import_comgra(folder: str | os.PathLike[str], recordings: str | os.PathLike[str], *, replace: bool = False) -> ImportedComgra:
    """Makes a recording of each trial in a folder of comgra 0.11, with its group and name.

    Numbers, graphs, modules, curves and notes are read. Pickles are read as plain data: nothing in them is called.

    Args:
        folder: The root folder that comgra's recorder was given, a group in it, or a trial.
        recordings: The folder of recordings, which is created.
        replace: Whether to replace trials that hold no more steps than an import makes. Recordings of a run are never replaced.

    Raises:
        ForeignDataError: There is no trial, or a file is damaged or has another serialization than `msgpack`; or the package
            `msgpack` is not installed.
        MisuseError: A trial exists already, or a name cannot be the name of a folder.
        OSError: A file cannot be read or written.
    """
    check_reader()
    trials = find_comgra_trials(Path(folder))
    if not trials:
        raise ForeignDataError(f"In {folder}, there is no trial of comgra. Give the folder that its recorder was given.")
    gaps: list[str] = []
    return ImportedComgra(tuple(_import_trial(trial.resolve(), Path(recordings), replace, gaps) for trial in trials), tuple(gaps))


def _import_trial(trial: Path, recordings: Path, replace: bool, gaps: list[str]) -> tuple[Path, int]:
    steps = sorted(_steps(trial))
    group = trial.parent.parent.name
    folder = trial_folder(recordings, group, trial.name, {kind for _, kind, _ in steps}, replace=replace)
    writer = RecordingWriter(folder, Header(group, trial.name, writer=f"comgra_export {__version__}", checksums=True))
    try:
        writer.add_note(Note(f"Made of a recording of comgra. {_UNKNOWN[0].upper()}{_UNKNOWN[1:]}"))
        for note in _json_texts(trial / "notes.json"):
            writer.add_note(Note(note))
        for number, kind, source in steps:
            try:
                _import_step(writer, trial, number, kind, source)
            except (ForeignDataError, FileNotFoundError, MisuseError) as error:
                gaps.append(f"step {number}: {error}")
                writer.add_gap(Gap(str(error), number))
        for point in _curve_points(trial / "kpi_graph.msgpack"):
            writer.add_curve_point(point)
    finally:
        writer.close()
    return folder.parent, len(steps)


def _steps(trial: Path) -> Iterator[tuple[int, str, Path]]:
    for folder in (trial / _RECORDINGS).iterdir():
        match = _STEP.fullmatch(folder.name)
        if match is not None and folder.is_dir():
            yield int(match[1]), match[2], folder


def _import_step(writer: RecordingWriter, trial: Path, number: int, kind: str, source: Path) -> None:
    files = sorted(source.iterdir(), key=lambda file: (len(file.stem), file.stem))
    if not files or any(file.suffix != ".msgpack" for file in files):
        raise ForeignDataError(f"{source.name} holds other files than .msgpack. Record with type_of_serialization='msgpack'.")
    graphs = read_graphs(trial / _CONFIGURATIONS / f"{number}.pkl", trial.parent.parent / _STRUCTURES)
    records = read_records(files)
    samples = [_SAMPLE.fullmatch(label) for label in records.samples]
    if not all(samples):
        raise ForeignDataError(f"{source.name} names samples in a way that comgra does not.")
    index = tuple(int(match[1]) for match in samples if match is not None)
    categories = tuple(match[2] or "" for match in samples if match is not None)
    layout = records.layout(graphs)
    sizes = [entry.shape[entry.batch_dimension] for entry in layout.tensors if entry.batch_dimension is not None]
    writer.write_network(graphs.network)
    blobs = records.blobs(layout, graphs)
    description = StepDescription(
        number,
        kind,
        max(sizes, default=1),
        writer.write_layout(layout),
        tuple(writer.write_structure(structure) for structure in graphs.structures),
        RecordedSamples(index, category=categories if any(categories) else None),
    )
    writer.add_finished_step(number)
    writer.write_step(description, blobs)


def _json_texts(path: Path) -> list[str]:
    try:
        content = json.loads(path.read_bytes())
    except FileNotFoundError:
        return []
    except (ValueError, RecursionError):
        raise ForeignDataError(f"{path.name} is not read: it is damaged.") from None
    return [str(note) for note in content] if isinstance(content, list) else []


def _curve_points(path: Path) -> Iterator[CurvePoint]:
    if not path.is_file():
        return
    try:
        content: Any = read_packed(path.read_bytes(), path.name)
        for group, kinds in content.items():
            for kind, curves in kinds.items():
                for name, curve in curves.items():
                    for point in curve["vals"]:
                        yield CurvePoint(str(group), str(name), str(kind), float(point["timepoint"]), float(point["val"]))
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise ForeignDataError(f"{path.name} is not read: it is not one of comgra's.") from error
