"""`python -m benchmarks`: run all benchmarks and print one table."""

from __future__ import annotations

import argparse
import os
import platform
import tempfile
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from types import ModuleType

import numpy
import orjson
import torch

from benchmarks.export import export_time, flow_estimates, large_export
from benchmarks.harness.report import write_page
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
    unrecorded_calls,
    unrecorded_step,
    watched_step,
)
from benchmarks.tools.environments import COMGRA, TORCHEXPLORER, OtherTool
from comgra_export.version import __version__
from examples.tutorial import one_thread

_BENCHMARKS: tuple[ModuleType, ...] = (
    unrecorded_calls,
    unrecorded_step,
    recorded_step,
    recorded_transformer,
    long_chain,
    watched_step,
    gradient_flow,
    recording_size,
    export_time,
    large_export,
    flow_estimates,
    opening,
    selector_change,
    memory_over_steps,
    curve_chart,
    pinned_panels,
    live_update,
    flow_selection,
    large_graph,
)


def main() -> None:
    """Run the command."""
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
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the rows, with every measurement, to a file")
    parser.add_argument("--write", type=Path, metavar="PAGE", help="also write the tables into a page: docs/performance.md")
    arguments = parser.parse_args()
    chosen: Effort = "quick" if arguments.quick else "full" if arguments.full else "usual"
    others = {tool: chosen != "quick" if asked is None else asked for tool, asked in _asked(arguments).items()}
    facts = _facts([tool.title for tool, is_wanted in others.items() if is_wanted])
    if chosen == "quick":
        facts.append("A quick run: the numbers mean nothing.")
    print("\n".join(facts))
    results: dict[str, list[Row]] = {}
    with tempfile.TemporaryDirectory() as folder, one_thread():
        workload = Workload(Path(folder), chosen, others[COMGRA], others[TORCHEXPLORER])
        for benchmark in _BENCHMARKS:
            print_heading(benchmark.HEADING)
            results[benchmark.HEADING] = benchmark.measure(workload)
            print_rows(results[benchmark.HEADING])
    if arguments.json is not None:
        rows = {heading: [row.as_json() for row in rows] for heading, rows in results.items()}
        arguments.json.write_bytes(orjson.dumps({"facts": facts, "results": rows}, option=orjson.OPT_INDENT_2))
    if arguments.write is not None:
        write_page(arguments.write, facts, results)


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
    main()
