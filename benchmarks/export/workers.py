"""How an export scales from one worker to two, which part of it stays in one process, and what a rank costs."""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter, process_time, sleep

from benchmarks.harness.memory import peak_memory
from benchmarks.harness.own_process import Series, Unavailable, run_alone
from benchmarks.harness.recorders import RecorderMaker
from benchmarks.harness.synthetic_recordings import write_recording
from benchmarks.harness.table import Row
from benchmarks.harness.workload import Workload
from comgra_export import export
from comgra_export.workers import Workers

__all__ = ["HEADING", "export_ranks", "measure"]

HEADING = "Export by workers of this machine, and by ranks"

_ROUNDS = 3
_FEW_RANKS, _MANY_RANKS = 4, 12
_STEPS_OF_RANKS = 20

_FEW_STEPS, _MANY_STEPS = 40, 160
_SAMPLES, _VALUES = 4, 1536
_ENGINE = "loky"

_OF_NUMBERS = (
    ("alone: processor time", "s/GB"),
    ("one worker: processor time", "s/GB"),
    ("two workers: processor time of the exporting process", "s/GB"),
    ("two workers: processor time of both", "s/GB"),
    ("two workers: share of the time with one", "x"),
)
_OF_RANKS = (("per rank and step: processor time", "ms"), ("per rank and step: memory added at the peak", "kB"))


def measure(workload: Workload) -> list[Row]:
    """Export alone, with one worker and with two, in turn; then trials of few and of many ranks."""
    return [*_numbers(workload), *_ranks(workload)]


def _numbers(workload: Workload) -> list[Row]:
    # Workers take several seconds to start, so a quick run has none.
    if workload.quick or find_spec("joblib") is None:
        missing = "a quick run" if workload.quick else "joblib is not installed"
        return [Row(name, [], unit, missing) for name, unit in _OF_NUMBERS]
    roots = {}
    for steps in (_FEW_STEPS, _MANY_STEPS):
        roots[steps] = workload.folder / f"{steps}-steps"
        write_recording(roots[steps], steps=steps, samples=_SAMPLES, values=_VALUES)
    few, many = (sum(file.stat().st_size for file in root.rglob("*.safetensors")) for root in roots.values())
    measured: dict[str, list[float]] = {name: [] for name, _ in _OF_NUMBERS}
    for _ in range(_ROUNDS):
        fixed, whole = (_times(root, workload.folder / "exported") for root in roots.values())
        *processor, time_with_one, time_with_two = (b - a for a, b in zip(fixed, whole, strict=True))
        for series, value in zip(
            measured.values(), [*(seconds * 1e9 / (many - few) for seconds in processor), time_with_two / time_with_one], strict=True
        ):
            series.append(value)
    remark = f"the difference between {_FEW_STEPS} and {_MANY_STEPS} steps of 1 MB"
    return [Row(name, measured[name], unit, remark) for name, unit in _OF_NUMBERS]


def _times(root: Path, output: Path) -> list[float]:
    """Processor time alone, with one worker, beside two, and of these two; time with one, and with two."""
    begin = process_time()
    export(root, output, force=True)
    alone = process_time()
    # joblib has a single worker compute in the exporting process.
    begin_of_time = perf_counter()
    export(root, output, force=True, jobs=1, backend=_ENGINE)
    end, time_with_one = process_time(), perf_counter() - begin_of_time
    before, begin_beside, begin_of_time = _times_of_workers(), process_time(), perf_counter()
    export(root, output, force=True, jobs=2, backend=_ENGINE)
    beside, time_with_two = process_time() - begin_beside, perf_counter() - begin_of_time
    both = sum(_times_of_workers().values()) - sum(before.values())
    return [alone - begin, end - alone, beside, both, time_with_one, time_with_two]


def _times_of_workers() -> dict[int, float]:
    """The processor time of both workers, which are started if they are not there."""
    times: dict[int, float] = {}
    while len(times) < 2:
        times |= dict(Workers(2, _ENGINE).map(_processor_time, range(2)))
    return times


def _processor_time(_: int) -> tuple[int, float]:
    # The other worker gets the other one meanwhile.
    sleep(0.2)
    return os.getpid(), process_time()


def _ranks(workload: Workload) -> list[Row]:
    steps = 2 if workload.quick else _STEPS_OF_RANKS
    roots = {}
    for ranks in (_FEW_RANKS, _MANY_RANKS):
        roots[ranks] = workload.folder / f"{ranks}-ranks"
        for rank in range(ranks):
            write_recording(roots[ranks], steps=steps, samples=3, values=16, rank=rank, ranks=ranks)
    remark = f"the difference between {_FEW_RANKS} and {_MANY_RANKS} ranks of {steps} steps, each with 12 tensors and gradients"
    count = (_MANY_RANKS - _FEW_RANKS) * steps
    rounds = 1 if workload.quick else _ROUNDS
    try:
        few, many = (
            run_alone(Path(sys.executable), "our recorder", export_ranks, 600, root=str(root), rounds=rounds) for root in roots.values()
        )
    except Unavailable as reason:
        return [Row(name, [], unit, str(reason)) for name, unit in _OF_RANKS]
    return [
        Row(name, [(b - a) * scale / count for a, b in zip(few[key], many[key], strict=True)], unit, remark)
        for (name, unit), (key, scale) in zip(_OF_RANKS, (("seconds", 1e3), ("memory", 1e-3)), strict=True)
    ]


def export_ranks(_: RecorderMaker, folder: Path, *, root: str, rounds: int) -> Series:
    """Export a trial with several ranks, in a process that has done nothing else.

    Returns:
        `seconds` of processor time, of each round but the first; `memory`: bytes by which the first raised the peak of the process.
    """
    before = peak_memory()
    export(root, folder / "first.html")
    series: Series = {"seconds": [], "memory": [peak_memory() - before]}
    for _round in range(rounds):
        begin = process_time()
        export(root, folder / "again.html", force=True)
        series["seconds"].append(process_time() - begin)
    return series
