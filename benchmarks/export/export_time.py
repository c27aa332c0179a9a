"""How long the exporter takes for a megabyte of recorded numbers."""

from __future__ import annotations

from functools import partial
from statistics import median

import torch

from benchmarks.harness.table import Row
from benchmarks.harness.timing import in_turn
from benchmarks.harness.workload import Workload
from comgra_export import export

__all__ = ["HEADING", "measure"]

HEADING = "Export of that recording"


def measure(workload: Workload) -> list[Row]:
    """Export to each of the three shapes in turn."""
    recording = workload.recording(torch.float32)
    outputs = {"one file": "report.html", "folder": "report", "zip": "report.zip"}
    exports = {name: partial(export, recording, workload.folder / output, force=True) for name, output in outputs.items()}
    times = in_turn(exports, rounds=1 if workload.quick else 3)
    megabytes = sum(blob.stat().st_size for blob in recording.rglob("*.safetensors")) / 1e6
    return [
        Row(
            f"to {name}",
            [duration / megabytes for duration in durations],
            "s/MB",
            f"{median(durations):.2f} s for {megabytes:.1f} MB of blobs",
        )
        for name, durations in times.items()
    ]
