"""Counts false triggers: healthy programs are trained with sentinels, and whatever they record is unusual by mistake.

    python -m evaluation.triggers --write docs/findings-evaluation.md

Nothing is recorded by schedule, so every step is one that sentinels may ask for.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
import tempfile
from collections.abc import Callable, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import nn

import comgra_export
from comgra_export import ComgraRecorder
from comgra_export.storage import find_recordings, open_recording
from evaluation.page import write_between
from evaluation.program import Setting
from evaluation.suite import collect_programs

__all__ = ["Count", "count_triggers", "table"]

BEGIN = "<!-- results: written by python -m evaluation.triggers --write -->"


class Count(NamedTuple):
    """What sentinels did in a program: its steps, and the reasons for which they would have recorded some."""

    program: str
    steps: int
    reasons: tuple[str, ...]


@dataclass(frozen=True)
class _OnlySentinels(Setting):
    def watch(self, model: nn.Module, **arguments: Any) -> ComgraRecorder:  # noqa: ANN401
        never = comgra_export.DecisionMakerForRecordingsHardcoded(set())
        return comgra_export.watch(model, self.recordings, **arguments, sentinels=True, decision_maker_for_recordings=never)


def count_triggers(name: str) -> Count:
    """Trains a program, and counts."""
    torch.set_num_threads(1)
    (program,) = collect_programs([name])
    with tempfile.TemporaryDirectory() as folder, redirect_stdout(StringIO()), redirect_stderr(StringIO()):
        program.run(_OnlySentinels(Path(folder)))
        (recording,) = find_recordings(Path(folder))
        points = open_recording(recording).sentinel_points
    return Count(name, len(points), tuple(point.triggered for point in points if point.triggered is not None))


def table(counts: Sequence[Count]) -> str:
    """The counts in Markdown: all programs together, and those with a trigger."""
    steps, triggers = sum(count.steps for count in counts), sum(len(count.reasons) for count in counts)
    unusual = [count for count in counts if count.reasons]
    lines = [
        f"### False triggers ({len(counts)} healthy programs)",
        "",
        "| steps checked | triggered | per 1,000 steps | programs with any |",
        "|---|---|---|---|",
        f"| {steps:,} | {triggers} | {1000 * triggers / max(1, steps):.2f} | {len(unusual)} of {len(counts)} |",
    ]
    if unusual:
        lines += ["", "| program | steps | reasons |", "|---|---|---|"]
        lines += [f"| {count.program} | {count.steps} | {'<br>'.join(count.reasons)} |" for count in unusual]
    return "\n".join(lines) + "\n"


def _count_all(names: Sequence[str], jobs: int, on_count: Callable[[Count], None]) -> list[Count]:
    counts = []
    with multiprocessing.get_context("spawn").Pool(jobs, maxtasksperchild=1) as pool:
        for count in pool.imap(count_triggers, names):
            on_count(count)
            counts.append(count)
    return counts


def main(argv: Sequence[str] | None = None) -> int:
    """Prints the table, and writes it into a page if asked to."""
    parser = argparse.ArgumentParser(prog="python -m evaluation.triggers", description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--only", nargs="+", default=("healthy",), metavar="NAME", help="programs, or folders of them (default: healthy)")
    parser.add_argument("--jobs", type=int, default=2, help="how many at a time (default 2)")
    parser.add_argument("--write", type=Path, metavar="PAGE", help="write the table into a page: docs/findings-evaluation.md")
    arguments = parser.parse_args(argv)
    names = [program.name for program in collect_programs(arguments.only) if program.truth is None]
    counts = _count_all(names, arguments.jobs, lambda count: print(count, file=sys.stderr, flush=True))
    print(table(counts), end="")
    if arguments.write is not None:
        write_between(arguments.write, BEGIN, table(counts))
    return 0


if __name__ == "__main__":
    sys.exit(main())
