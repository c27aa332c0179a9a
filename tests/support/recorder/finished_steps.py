"""Finished steps for the recorder's writer. Their numbers follow from the step's number."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from comgra_export.recorder.output.finished_step import FinishedStep, StepNumbers
from comgra_export.recorder.output.recording_output import RecordingOutput
from comgra_export.recorder.output.trial_folder import ExistingTrial, claim_folder
from comgra_export.storage import Blob, Group, Header, Layout, RecordedSamples, Recording
from support.storage.entries import tensor_entry

LAYOUT = Layout((tensor_entry("x", type="input", shape=(1, 100), batch_dimension=0, samples=1),), (Group("forward", (0,)),))


def make_output(root: Path, existing_trial: ExistingTrial = "error", *, strict: bool = False) -> RecordingOutput:
    claimed = claim_folder(root, "g", "t", 0, 1, existing_trial)
    return RecordingOutput(claimed, Header("g", claimed.trial), strict)


def values_of(number: int) -> NDArray[np.float32]:
    """Random bits, NaNs among them."""
    return np.frombuffer(np.random.default_rng(number).bytes(400), np.float32)


def arrays_of(number: int) -> list[tuple[str, Blob]]:
    return [
        ("counts", Blob("I32", np.full(5, number % 2**31, np.int32))),
        ("extrema.F32", Blob("F32", values_of(number)[:2])),
        ("statistics.F32", Blob("F32", values_of(number)[:16])),
        ("aggregates.F32", Blob("F32", np.tile(values_of(number), 3))),
        ("values.F32", Blob("F32", values_of(number))),
    ]


class _Numbers:
    def __init__(self, arrays: Callable[[], Sequence[tuple[str, Blob]]]) -> None:
        self._arrays = arrays

    def compute(self) -> StepNumbers:
        return StepNumbers(LAYOUT, self._arrays())


def finished_step(number: int, arrays: Callable[[], Sequence[tuple[str, Blob]]] | None = None, size: int = 1200) -> FinishedStep:
    return FinishedStep(
        number=number,
        type_of_execution="main",
        batch_size=1,
        numbers=_Numbers(partial(arrays_of, number) if arrays is None else arrays),
        size=size,
        samples=RecordedSamples((0,)),
        structures=(None,),
    )


def is_whole(recording: Recording, number: float) -> bool:
    """Whether a step has exactly the numbers that it was given, bit for bit."""
    read = recording.blobs(number)
    return all(read[name].data.tobytes() == blob.data.tobytes() for name, blob in arrays_of(int(number)))
