"""`python -m benchmarks`: run all benchmarks and print one table."""

from __future__ import annotations

import argparse
import os
import tempfile
from dataclasses import asdict
from pathlib import Path
from types import ModuleType

import orjson
import torch

from benchmarks import calls, export_time, long_chain, opening, recorded_step, selecting, storage_size
from benchmarks.table import Row, print_heading, print_rows
from benchmarks.workload import Workload
from examples.tutorial import one_thread

_BENCHMARKS: tuple[ModuleType, ...] = (calls, recorded_step, storage_size, long_chain, export_time, opening, selecting)


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Measure what recording, exporting and opening cost.")
    parser.add_argument("--quick", action="store_true", help="run everything once, on little: whether it works, not how fast it is")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the rows to a file")
    arguments = parser.parse_args()
    print(_machine())
    if arguments.quick:
        print("A quick run: the numbers mean nothing.")
    results: dict[str, list[Row]] = {}
    with tempfile.TemporaryDirectory() as folder, one_thread():
        workload = Workload(Path(folder), quick=arguments.quick)
        for benchmark in _BENCHMARKS:
            print_heading(benchmark.HEADING)
            results[benchmark.HEADING] = benchmark.measure(workload)
            print_rows(results[benchmark.HEADING])
    if arguments.json is not None:
        rows = {heading: [asdict(row) for row in rows] for heading, rows in results.items()}
        arguments.json.write_bytes(orjson.dumps({"machine": _machine(), "results": rows}, option=orjson.OPT_INDENT_2))


def _machine() -> str:
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return f"{os.cpu_count()} cores, {memory:.0f} GiB of memory; torch {torch.__version__} on one thread"


if __name__ == "__main__":
    main()
