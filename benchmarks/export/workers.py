"""How an export scales from one worker to two, which part of it stays in one process, and what a rank costs."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter, process_time

from benchmarks.harness.memory import peak_memory
from benchmarks.harness.own_process import Series, Unavailable, run_alone
from benchmarks.harness.recorders import RecorderMaker
from benchmarks.harness.synthetic_recordings import write_recording, written
from benchmarks.harness.table import Row
from benchmarks.harness.workload import Workload
from comgra_export import export

__all__ = ["HEADING", "export_ranks", "measure"]

HEADING = "Export by the workers of a Dask cluster on this machine, and by ranks"

_ROUNDS = 3
_FEW_RANKS, _MANY_RANKS = 4, 12
_STEPS_OF_RANKS = 20

_OF_NUMBERS = (
    ("alone: processor time", "s/GB"),
    ("one worker: processor time of the exporting process", "s/GB"),
    ("one worker: processor time of the worker", "s/GB"),
    ("two workers: processor time of the exporting process", "s/GB"),
    ("two workers: processor time of both", "s/GB"),
    ("two workers: share of the time with one", "x"),
)
_OF_RANKS = (("per rank and step: processor time", "ms"), ("per rank and step: memory added at the peak", "kB"))


def measure(workload: Workload) -> list[Row]:
    """Export alone, with one worker and with two, in turn; then trials of few and of many ranks."""
    return [*_numbers(workload), *_ranks(workload)]


def _numbers(workload: Workload) -> list[Row]:
    # A cluster takes several seconds to start, so a quick run has none.
    if workload.quick or find_spec("joblib") is None or find_spec("distributed") is None:
        missing = "a quick run" if workload.quick else "joblib or distributed is not installed"
        return [Row(name, [], unit, missing) for name, unit in _OF_NUMBERS]
    from distributed import Client, LocalCluster

    root = written(workload, "steps of 1 MB")
    size = sum(file.stat().st_size for file in root.rglob("*.safetensors"))
    measured: dict[str, list[float]] = {name: [] for name, _ in _OF_NUMBERS}
    export(root, workload.folder / "warm", force=True)
    for _ in range(_ROUNDS):
        begin = process_time()
        export(root, workload.folder / "alone", force=True)
        row = [process_time() - begin]
        taken = []
        for count in (1, 2):
            with (
                LocalCluster(n_workers=count, threads_per_worker=1, dashboard_address=":0") as cluster,
                Client(cluster, set_as_default=False) as client,
            ):
                # What workers import is there before anything is measured.
                export(root, workload.folder / "workers", force=True, backend="dask", address=cluster.scheduler_address, steps="first 4")
                before = sum(client.run(process_time).values())
                begin, begin_of_time = process_time(), perf_counter()
                export(root, workload.folder / "workers", force=True, backend="dask", address=cluster.scheduler_address)
                row += [process_time() - begin, sum(client.run(process_time).values()) - before]
                taken.append(perf_counter() - begin_of_time)
        for series, value in zip(measured.values(), [*(seconds * 1e9 / size for seconds in row), taken[1] / taken[0]], strict=True):
            series.append(value)
    return [Row(name, measured[name], unit, f"{size / 1e6:.0f} MB of blobs in steps of 1 MB") for name, unit in _OF_NUMBERS]


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
