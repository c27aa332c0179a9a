"""`python -m benchmarks`: run the benchmarks and print a table of their rows."""

from __future__ import annotations

import argparse
import os
import platform
import sys
import tempfile
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from types import ModuleType

import numpy
import torch

from benchmarks.export import export_time, flow_estimates, large_export, large_run, reading, workers
from benchmarks.harness.report import write_page
from benchmarks.harness.results import Results, compare, read_results, write_results
from benchmarks.harness.table import Row, print_heading, print_rows
from benchmarks.harness.transformer import THREADS
from benchmarks.harness.workload import Effort, Workload
from benchmarks.page import (
    curve_chart,
    flow_selection,
    large_graph,
    live_update,
    memory_over_steps,
    opening,
    pinned_panels,
    selector_change,
)
from benchmarks.recorder import (
    gradient_flow,
    long_chain,
    recorded_step,
    recorded_transformer,
    recording_size,
    sizes,
    unrecorded_calls,
    unrecorded_step,
    watched_step,
    without_kernels,
)
from benchmarks.tools.environments import COMGRA, TORCHEXPLORER, OtherTool
from comgra_export.version import __version__
from examples.tutorial import one_thread

_BENCHMARKS: tuple[ModuleType, ...] = (
    unrecorded_calls,
    unrecorded_step,
    recorded_step,
    recorded_transformer,
    without_kernels,
    long_chain,
    watched_step,
    sizes,
    gradient_flow,
    recording_size,
    large_run,
    export_time,
    large_export,
    workers,
    flow_estimates,
    reading,
    opening,
    selector_change,
    memory_over_steps,
    curve_chart,
    pinned_panels,
    live_update,
    flow_selection,
    large_graph,
)

_RESULTS = "benchmarks/results"


def main() -> int:
    """Run the command, and return its exit status."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Measure what recording, exporting and opening cost.")
    effort = parser.add_mutually_exclusive_group()
    effort.add_argument("--quick", action="store_true", help="run everything once, on little: whether it works, not how fast it is")
    effort.add_argument("--full", action="store_true", help="run also what takes comgra many minutes")
    for tool in (COMGRA, TORCHEXPLORER):
        parser.add_argument(
            f"--{tool.package}",
            action=argparse.BooleanOptionalAction,
            help=f"compare with {tool.name}, which is installed under build/ when it is first needed (default: unless --quick)",
        )
    names = [_name(benchmark) for benchmark in _BENCHMARKS]
    parser.add_argument("--only", nargs="+", choices=names, metavar="NAME", help=f"run only these: {', '.join(names)}")
    parser.add_argument("--json", type=Path, metavar="FILE", help=f"write every row to a file, such as {_RESULTS}/2026-11-22.json")
    parser.add_argument("--write", type=Path, metavar="PAGE", help="write the rows that matter into a page: docs/performance.md")
    parser.add_argument(
        "--from", type=Path, metavar="FILE", dest="source", help="with --write: measure nothing, take the rows of this file"
    )
    parser.add_argument("--compare", nargs=2, type=Path, metavar=("OLD", "NEW"), help="measure nothing, compare the rows of two files")
    arguments = parser.parse_args()
    if arguments.compare is not None:
        return _compare(*arguments.compare)
    if arguments.source is not None:
        if arguments.write is None:
            parser.error("--from needs --write")
        write_page(arguments.write, read_results(arguments.source), _place(arguments.source))
        return 0
    if arguments.only and arguments.write is not None:
        parser.error("--write needs all rows, so it does not go with --only")
    _run(arguments)
    return 0


def _run(arguments: argparse.Namespace) -> None:
    """Measure, print, and write what was asked for."""
    chosen: Effort = "quick" if arguments.quick else "full" if arguments.full else "usual"
    others = {tool: chosen != "quick" if asked is None else asked for tool, asked in _asked(arguments).items()}
    facts = _facts([tool.title for tool, is_wanted in others.items() if is_wanted])
    if chosen == "quick":
        facts.append("A quick run: the numbers mean nothing.")
    print("\n".join(facts))
    rows: dict[str, list[Row]] = {}
    with tempfile.TemporaryDirectory() as folder, one_thread():
        workload = Workload(Path(folder), chosen, others[COMGRA], others[TORCHEXPLORER])
        for benchmark in _BENCHMARKS:
            if arguments.only and _name(benchmark) not in arguments.only:
                continue
            print_heading(benchmark.HEADING)
            rows[benchmark.HEADING] = benchmark.measure(workload)
            print_rows(rows[benchmark.HEADING])
    results = Results(facts, rows)
    if arguments.json is not None:
        write_results(arguments.json, results)
    if arguments.write is not None:
        write_page(arguments.write, results, "this run" if arguments.json is None else _place(arguments.json))


def _compare(old: Path, new: Path) -> int:
    """Print what differs between two files, and return the exit status: 1 if a row is slower."""
    lines, slower = compare(read_results(old), read_results(new))
    print("\n".join(lines))
    print(f"{slower} rows are slower by more than 3 % and by more than the noise.")
    return 1 if slower else 0


def _name(benchmark: ModuleType) -> str:
    return benchmark.__name__.rpartition(".")[2]


def _place(results: Path) -> str:
    """Where the page says that the rows are. It names no folder of this machine."""
    return f"`{_RESULTS}/{results.name}`"


def _asked(arguments: argparse.Namespace) -> dict[OtherTool, bool | None]:
    return {tool: getattr(arguments, tool.package) for tool in (COMGRA, TORCHEXPLORER)}


def _facts(others: Sequence[str]) -> list[str]:
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    versions = [f"comgra_export {__version__}", *others, f"Python {platform.python_version()}", f"torch {torch.__version__}"]
    return [
        f"Measured on {date.today().isoformat()} on {os.cpu_count()} cores with {memory:.0f} GiB of memory.",
        f"{', '.join(versions)}, numpy {numpy.__version__}.",
        f"torch computes on one thread, and on {THREADS} for the transformer.",
    ]


if __name__ == "__main__":
    sys.exit(main())
