"""The lanes of one step: its numbers, as they go into a bundle."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from comgra_export.analysis.ranks import MergedRecording
from comgra_export.errors import DamagedRecordingError
from comgra_export.exporter.format.chunks import EncodedChunk, encode_lane_chunk
from comgra_export.exporter.format.constants import CHUNK_BYTES
from comgra_export.exporter.pack.lanes import cut, lanes_of
from comgra_export.exporter.plan.kept_values import kept_arrays
from comgra_export.exporter.plan.plan import PlannedStep, Reduction
from comgra_export.storage import Blob, Recording

__all__ = ["ArrayForm", "Piece", "StepLanes", "WantedStep", "lanes_of_step", "wanted_of"]


class ArrayForm(NamedTuple):
    """What the index says about an array of a step."""

    name: str
    dtype: str
    size: int


class Piece(NamedTuple):
    """The raw bytes of a chunk, and the chunk, if it is encoded already."""

    raw: NDArray[np.uint8]
    chunk: EncodedChunk | None


class StepLanes(NamedTuple):
    """The arrays of a step, and their lanes in pieces, by width."""

    arrays: tuple[ArrayForm, ...]
    lanes: dict[int, Iterable[Piece]]


class WantedStep(NamedTuple):
    """A step whose lanes are wanted. `is_encoded` says whether their chunks are to be encoded at once."""

    number: float
    parameters: dict[str, Blob]
    reduction: Reduction | None
    is_encoded: bool


def wanted_of(step: PlannedStep, *, is_encoded: bool) -> WantedStep:
    """What is wanted of a step of the plan."""
    return WantedStep(step.description.step, step.parameters, step.reduction, is_encoded)


def lanes_of_step(recording: Recording | MergedRecording, step: WantedStep) -> StepLanes | str:
    """Reads a step; a sentence if it is damaged. Pieces that are not encoded share the memory of the arrays, and are cut when taken."""
    try:
        names = None if step.reduction is None else step.reduction.arrays
        arrays = {**recording.blobs(step.number, names), **step.parameters}
        if step.reduction is not None:
            arrays = kept_arrays(step.reduction.layout, step.reduction.kept, arrays)
    except DamagedRecordingError as error:
        return str(error)
    forms = tuple(ArrayForm(name, array.dtype, array.data.size) for name, array in arrays.items())
    lanes: dict[int, Iterable[Piece]] = {}
    for width, lane in lanes_of(arrays.values()).items():
        pieces = cut(lane, CHUNK_BYTES)
        lanes[width] = (
            [Piece(raw, encode_lane_chunk(raw, width)) for raw in pieces] if step.is_encoded else (Piece(raw, None) for raw in pieces)
        )
    return StepLanes(forms, lanes)
