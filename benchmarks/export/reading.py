"""How long it takes to read the statistics of a recording in Python, and of a page of it."""

from __future__ import annotations

from pathlib import Path
from time import process_time

from benchmarks.harness.synthetic_recordings import write_recording
from benchmarks.harness.table import Row
from benchmarks.harness.workload import Workload
from comgra_export import export, read

__all__ = ["HEADING", "measure"]

HEADING = "Reading in Python: the statistics of 24 records"

_STEPS, _QUICK_STEPS = 2000, 20
_SECONDS = 0.5
_ROUNDS = 5


def measure(workload: Workload) -> list[Row]:
    """Open and read, several times, what lies in the cache of the system."""
    root, page = workload.folder / "read", workload.folder / "read.html"
    steps = _QUICK_STEPS if workload.quick else _STEPS
    write_recording(root, steps=steps, samples=4, values=64)
    export(root, page)
    rounds = 1 if workload.quick else _ROUNDS
    remark = f"{len(read(root).trial.statistics):,} rows of {steps:,} steps"
    return [
        Row(f"statistics of a {name}: processor time", [_seconds(path) for _ in range(rounds)], "s", remark, _SECONDS)
        for name, path in (("recording", root), ("page", page))
    ]


def _seconds(path: Path) -> float:
    begin = process_time()
    # Columns are made when they are asked for.
    read(path).trial.statistics["mean"].sum()
    return process_time() - begin
