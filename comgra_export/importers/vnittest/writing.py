"""Writes a gradient flow of a recording as files that vnittest opens."""

from __future__ import annotations

import os
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
from comgra_export.storage.text.steps import as_step, step_in_words

__all__ = ["Written", "write_vnittest"]


class Written(NamedTuple):
    """The result of writing.

    Attributes:
        layers: The number of layers written.
        remarks: Sentences about what was chosen or made up.
    """

    folder: Path
    step: float
    flow: str
    layers: int
    remarks: tuple[str, ...]


def write_vnittest(
    recordings: str | os.PathLike[str],
    output: str | os.PathLike[str],
    *,
    step: float | None = None,
    flow: str | None = None,
    sample: int | None = None,
    channels: Sequence[str] = (),
    force: bool = False,
) -> Written:
    """Writes the three files of vnittest, for one sample and one channel per layer.

    Args:
        recordings: A folder with one recording that has gradient flows.
        output: The folder for the files, which is created.
        step: The step. By default, it is the last step that has flows.
        flow: The name of the flow whose numbers are written. By default, it is the first flow of the step, together with the others of the
            same layers, because an import makes several flows if the files leave some of them to vnittest. Estimates are then left to
            vnittest again.
        sample: The position in the batch. By default, it is the first sample of the flow.
        channels: The channel of layers that have several: `3`, or `conv1=3` for one layer. A channel is a picture `[rows, columns]` of a
            layer with more dimensions. By default, it is the channel with the largest flows.
        force: Whether to replace existing files.

    Raises:
        RecordingError: There is no recording that can be read.
        WrongChoiceError: Several recordings have flows, or none has; or a step, flow, sample, layer or channel does not exist; or a matrix
            is too large for vnittest.
        OutputExistsError: A file exists already.
        OSError: A file cannot be written.
    """
    recordings, output = Path(recordings), Path(output)
    files = [output / name for name in (FLOW_INFO, INPUT, TARGET)]
    existing = next((file for file in files if file.exists()), None)
    if existing is not None and not force:
        raise OutputExistsError(f"There is a {existing.name} in {output} already.", is_replaceable=True)
    recording, number = _choose_step(recordings, step)
    contents = FileContents(recording, recording.step(number), flow, sample, _channels(channels))
    data = [write_pickle(contents.flow_info()), _npy(contents.picture("input")), _npy(contents.picture("target"))]
    output.mkdir(parents=True, exist_ok=True)
    for file, content in zip(files, data, strict=True):
        write_whole(file, [content])
    return Written(output, number, contents.name, len(contents.gradients), tuple(contents.remarks))


def _choose_step(recordings: Path, step: float | None) -> tuple[Recording, float]:
    choices: dict[str, tuple[Recording, float]] = {}
    for folder in find_recordings(recordings):
        recording = open_recording(folder)
        with_flows = [number for number in recording.steps if step in (None, number) and recording.step(number).flows]
        if with_flows:
            choices[str(folder)] = recording, with_flows[-1]
    if not choices:
        where = "No step" if step is None else f"No {step_in_words(as_step(step))}"
        raise WrongChoiceError(f"{where} with a gradient flow is in {recordings}. comgra-export inspect --steps lists the steps.")
    if len(choices) > 1:
        folders = ", ".join([*choices][:5])
        raise WrongChoiceError(f"{len(choices)} recordings in {recordings} have gradient flows. Give the folder of one of them: {folders}.")
    return next(iter(choices.values()))


def _channels(given: Sequence[str]) -> dict[str, int]:
    """Channels by the names of layers. The empty name stands for all other layers."""
    channels = {}
    for text in given:
        name, _, channel = text.rpartition("=")
        if not (channel.isascii() and channel.isdigit()):
            raise WrongChoiceError(f"The channel {text!r} is not understood. Give a number, or a layer and a number: conv1=3.")
        channels[name] = int(channel)
    return channels


def _npy(array: NDArray[np.generic]) -> bytes:
    stream = BytesIO()
    np.save(stream, np.ascontiguousarray(array), allow_pickle=False)
    return stream.getvalue()
