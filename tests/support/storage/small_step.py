"""A minimal step for the writer."""

from __future__ import annotations

from typing import Any

import numpy as np

from comgra_export.storage import Blob, Group, Layout, RecordedSamples, RecordingWriter, StepDescription
from support.storage.entries import tensor_entry


def small_step(writer: RecordingWriter, number: int, **facts: Any) -> tuple[StepDescription, list[tuple[str, Blob]]]:  # noqa: ANN401
    """A step with one parameter of two values."""
    entry = tensor_entry("w", iteration=-1, role="", type="parameter", shape=(2,))
    layout = writer.write_layout(Layout((entry,), (Group("forward", (0,)),)))
    blobs = [
        ("counts", Blob("I32", np.zeros(5, np.int32))),
        ("extrema.F32", Blob("F32", np.array([1, 2], np.float32))),
        ("statistics.F32", Blob("F32", np.array([1.5, 1.5, 0.7, 2], np.float32))),
        ("aggregates.F32", Blob("F32", np.empty(0, np.float32))),
        ("values.F32", Blob("F32", np.array([1, 2], np.float32))),
    ]
    return StepDescription(number, "t", 1, layout, (), RecordedSamples(()), **facts), blobs
