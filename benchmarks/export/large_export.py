"""Measures whether exporting a large recording takes little longer than encoding its bytes."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import pairwise
from pathlib import Path
from statistics import median
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from benchmarks.harness.memory import peak_memory
from benchmarks.harness.own_process import Series, Unavailable, run_alone
from benchmarks.harness.recorders import RecorderMaker
from benchmarks.harness.synthetic_recordings import write_recording, written
from benchmarks.harness.table import Row
from benchmarks.harness.timing import in_turn, ratios, seconds
from benchmarks.harness.workload import Workload
from comgra_export import export
from comgra_export.exporter.format.chunks import encode_lane_chunk
from comgra_export.storage import Recording, find_recordings, open_recording

__all__ = ["HEADING", "measure", "watch_export"]

HEADING = "Export of a large recording, compared with shuffling, compressing and base64-encoding its numbers alone"

_THREADS = 2
_CHUNK_BYTES = 4 * 1024 * 1024
_SAMPLES = 8
_VALUES = 12_288
_TARGET = 1.5
_MEMORY = 300.0
_SILENCE = 1.0


def measure(workload: Workload) -> list[Row]:
    """Export to a file and to a folder, and with a limit; encode alone."""
    root = workload.folder / "large"
    write_recording(root, steps=2 if workload.quick else 16, samples=_SAMPLES, values=_VALUES)
    calls: dict[str, Callable[[], object]] = {
        "alone": partial(_encode_alone, root),
        "to one file": partial(export, root, workload.folder / "large.html", force=True),
        "to a folder": partial(export, root, workload.folder / "large-folder", force=True),
        "to one file of a third of the size": partial(
            export, root, workload.folder / "large-third.html", force=True, max_size=_size(root) * 4 // 9
        ),
    }
    times = in_turn(calls, rounds=1 if workload.quick else 3)
    alone = times.pop("alone")
    remark = f"{median(alone):.2f} s alone, {_THREADS} threads, {_size(root) / 1e6:.0f} MB of blobs"
    rows = [Row(name, ratios(taken, alone), "x", remark, None if "third" in name else _TARGET) for name, taken in times.items()]
    return rows + _gigabyte(workload)


def _gigabyte(workload: Workload) -> list[Row]:
    """Once, as it takes half a minute."""
    root = written(workload, "1 GB")
    size = _size(root)
    remark = f"{size / 1e6:.0f} MB of blobs in {len(list(root.rglob('*.safetensors')))} steps"
    alone, folder = seconds(partial(_encode_alone, root)), seconds(partial(export, root, workload.folder / "1-gb", force=True))
    try:
        apart = run_alone(Path(sys.executable), "our recorder", watch_export, 600, root=str(root))
        missing = ""
    except Unavailable as reason:
        apart, missing = {}, str(reason)
    return [
        Row("1 GB to a folder", [folder / alone], "x", f"{alone:.2f} s alone, {remark}", _TARGET),
        Row("1 GB to a folder: memory added at the peak", [held / 1e6 for held in apart.get("memory", [])], "MB", missing, _MEMORY),
        Row("1 GB to a folder: longest time without a word of progress", apart.get("silence", []), "s", missing, _SILENCE),
    ]


def watch_export(_: RecorderMaker, folder: Path, *, root: str) -> Series:
    """Export to a folder, in a process that has done nothing else.

    Returns:
        `memory`: bytes by which it raised the peak of the process; `silence`: the most seconds between two reports of progress.
    """
    before = peak_memory()
    reports = [perf_counter()]
    export(root, folder / "watched", progress=lambda _: reports.append(perf_counter()))
    reports.append(perf_counter())
    return {"memory": [peak_memory() - before], "silence": [max(b - a for a, b in pairwise(reports))]}


def _encode_alone(root: Path) -> int:
    """Encode the numbers of all steps, four megabytes at a time, and return how many characters they take."""
    with ThreadPoolExecutor(_THREADS) as threads:
        (folder,) = find_recordings(root)
        recording = open_recording(folder)
        return sum(sum(threads.map(_encoded_length, _chunks(recording, step))) for step in recording.steps)


def _chunks(recording: Recording, step: float) -> Iterator[NDArray[np.uint8]]:
    for blob in recording.blobs(step).values():
        raw = blob.data.reshape(-1).view(np.uint8)
        yield from (raw[start : start + _CHUNK_BYTES] for start in range(0, raw.size, _CHUNK_BYTES))


def _encoded_length(raw: NDArray[np.uint8]) -> int:
    return len(encode_lane_chunk(raw, 4).base64)


def _size(root: Path) -> int:
    return sum(path.stat().st_size for path in root.rglob("*.safetensors"))
