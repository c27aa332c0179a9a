"""How many bytes a recorded number takes on the disk, everything included."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import torch

from benchmarks.harness.own_process import Series
from benchmarks.harness.recorders import RecorderMaker
from benchmarks.harness.table import Row
from benchmarks.harness.workload import Workload, record_every_length
from benchmarks.tools.environments import COMGRA
from comgra_export.analysis import summarize
from comgra_export.storage import find_recordings, open_recording

__all__ = ["HEADING", "count_bytes_of_comgra", "measure"]

HEADING = "Size of a recording of the tutorial network: all bytes of its folder over all numbers in it"

_TARGETS = {torch.float32: 4.3, torch.bfloat16: 2.3}


def measure(workload: Workload) -> list[Row]:
    """Record in two dtypes, and count."""
    rows = []
    for dtype, target in _TARGETS.items():
        summaries = [summarize(open_recording(folder)) for folder in find_recordings(workload.recording(dtype))]
        size, values = sum(summary.bytes for summary in summaries), sum(summary.values for summary in summaries)
        rows.append(_row(f"{str(dtype).removeprefix('torch.')} network", size, values, target))
    theirs, missing = workload.run_comgra(count_bytes_of_comgra)
    if theirs:
        return [*rows, _row(f"{COMGRA.title}, float32 network", int(theirs["bytes"][0]), int(theirs["values"][0]), None)]
    return [*rows, Row(f"{COMGRA.title}, float32 network", [], "bytes/value", missing)]


def count_bytes_of_comgra(make_recorder: RecorderMaker, folder: Path) -> Series:
    """Record every length once with comgra, and count the floating-point numbers in its files.

    Returns:
        One number of `bytes`, and one of `values`.
    """
    record_every_length(make_recorder, folder, "trial", times=1)
    files = [path for path in folder.rglob("*") if path.is_file()]
    unpack = import_module("msgpack").unpackb
    values = sum(_count_floats(unpack(path.read_bytes(), strict_map_key=False)) for path in files if path.suffix == ".msgpack")
    return {"bytes": [sum(path.stat().st_size for path in files)], "values": [values]}


def _count_floats(item: Any) -> int:  # noqa: ANN401 - any MessagePack
    if isinstance(item, dict):
        return sum(map(_count_floats, item.values()))
    if isinstance(item, list):
        return sum(map(_count_floats, item))
    return isinstance(item, float)


def _row(name: str, size: int, values: int, target: float | None) -> Row:
    return Row(name, [size / values], "bytes/value", f"{size:,} bytes, {values:,} values", target)
