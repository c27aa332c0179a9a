"""A recording's gradient flow as files that vnittest opens."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from comgra_export.errors import OutputExistsError, WrongChoiceError
from comgra_export.importers.pickles.writer import write_pickle
from comgra_export.importers.vnittest.file_contents import FileContents
from comgra_export.importers.vnittest.files import FLOW_INFO, INPUT, TARGET
from comgra_export.storage import Recording, find_recordings, open_recording
from comgra_export.storage.files.writing import write_whole

__all__ = ["Written", "write_vnittest"]


class Written(NamedTuple):
    """What was written.

    Attributes:
        folder: Where.
        step: Of which step.
        flow: Of which flow.
        layers: How many layers.
        remarks: What was chosen or made up, as sentences.
    """

    folder: Path
    step: int
    flow: str
    layers: int
    remarks: tuple[str, ...]


def write_vnittest(
    recordings: Path,
    output: Path,
    *,
    step: int | None = None,
    flow: str | None = None,
    sample: int | None = None,
    channels: Sequence[str] = (),
    force: bool = False,
) -> Written:
    """Writes the three files of vnittest, for one sample and one channel per layer.

    Args:
        recordings: A folder with one recording that has gradient flows.
        output: Folder for the files; it is created.
        step: The step; by default the last one that has flows.
        flow: The name of the flow, of which the numbers are written. By default the first of the step, together with the others of the
            same layers: an import makes several of files that hold some flows and leave others to vnittest. Those that are estimates are
            then left to it again.
        sample: Position in the batch; by default the first sample of the flow.
        channels: Which channel of layers that have several: `3`, or `conv1=3` for one of them. A channel is a picture `[rows, columns]` of
            a layer with more dimensions. By default the one with the largest flows.
        force: Whether files that are there are replaced.

    Raises:
        RecordingError: There is no recording that can be read.
        WrongChoiceError: There are several recordings with flows, or none; or a step, flow, sample, layer or channel is not there; or
            a matrix is too large for vnittest.
        OutputExistsError: A file is there already.
        OSError: A file cannot be written.
    """
    files = [output / name for name in (FLOW_INFO, INPUT, TARGET)]
    there = next((file for file in files if file.exists()), None)
    if there is not None and not force:
        raise OutputExistsError(f"There is a {there.name} in {output} already. Choose another folder, or replace it with --force.")
    recording, number = _choose_step(recordings, step)
    contents = FileContents(recording, recording.step(number), flow, sample, _channels(channels))
    octets = [write_pickle(contents.flow_info()), _saved(contents.picture("input")), _saved(contents.picture("target"))]
    output.mkdir(parents=True, exist_ok=True)
    for file, content in zip(files, octets, strict=True):
        write_whole(file, [content])
    return Written(output, number, contents.name, len(contents.gradients), tuple(contents.remarks))


def _choose_step(recordings: Path, step: int | None) -> tuple[Recording, int]:
    found: list[tuple[Recording, int]] = []
    folders: list[str] = []
    for folder in find_recordings(recordings):
        recording = open_recording(folder)
        with_flows = [number for number in recording.steps if (step is None or number == step) and recording.step(number).flows]
        if with_flows:
            found.append((recording, with_flows[-1]))
            folders.append(str(folder))
    if not found:
        where = "No step" if step is None else f"No step {step}"
        raise WrongChoiceError(f"{where} with a gradient flow is in {recordings}. comgra-export inspect --steps lists the steps.")
    if len(found) > 1:
        raise WrongChoiceError(
            f"{len(found)} recordings in {recordings} have gradient flows. Give the folder of one of them: {', '.join(folders[:5])}."
        )
    return found[0]


def _channels(given: Sequence[str]) -> dict[str, int]:
    """Channels by the names of layers; that of all others, if one is given, under the empty name."""
    channels = {}
    for text in given:
        name, _, channel = text.rpartition("=")
        if not (channel.isascii() and channel.isdigit()):
            raise WrongChoiceError(f"The channel {text!r} is not understood. Give a number, or a layer and a number: conv1=3.")
        channels[name] = int(channel)
    return channels


def _saved(array: NDArray[np.generic]) -> bytes:
    stream = BytesIO()
    np.save(stream, np.ascontiguousarray(array), allow_pickle=False)
    return stream.getvalue()
