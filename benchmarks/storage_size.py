"""How many bytes a recorded number takes on the disk, everything included."""

from __future__ import annotations

import torch

from benchmarks.table import Row
from benchmarks.workload import Workload
from comgra_export.analysis import summarize
from comgra_export.storage import find_recordings, open_recording

__all__ = ["HEADING", "measure"]

HEADING = "Size of a recording of the tutorial network: all bytes of its folder over all numbers in it"


def measure(workload: Workload) -> list[Row]:
    """Record in two dtypes, and count."""
    rows = []
    for dtype in (torch.float32, torch.bfloat16):
        summaries = [summarize(open_recording(folder)) for folder in find_recordings(workload.recording(dtype))]
        size, values = sum(summary.bytes for summary in summaries), sum(summary.values for summary in summaries)
        name = str(dtype).removeprefix("torch.")
        rows.append(Row(f"{name} network", size / values, "bytes/value", f"{size:,} bytes, {values:,} values"))
    return rows
