"""Runs all programs, judges them by all rules, and prints how well the findings fit: `python -m evaluation`."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from evaluation.outcome import Outcome, Variant, write_outcomes
from evaluation.own_process import Task, run_tasks
from evaluation.page import write_between
from evaluation.program import Program
from evaluation.suite import collect_programs
from evaluation.table import results


def begin(*, held_out: bool = False, every_step: bool = False) -> str:
    """The line of a page after which the tables of some options go."""
    return f"<!-- results: written by python -m evaluation{' --held-out' * held_out}{' --every-step' * every_step} --write -->"


def main(argv: Sequence[str] | None = None) -> int:
    """Runs what the command line asks for, and returns the exit status: 1 if a run failed."""
    arguments = _parser().parse_args(argv)
    try:
        programs = collect_programs(arguments.only, held_out=arguments.held_out)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    tasks = [task for program in programs for task in _tasks(program, arguments)]
    with tempfile.TemporaryDirectory() as temporary:
        outcomes = run_tasks(tasks, arguments.keep or Path(temporary), arguments.jobs, _Progress(len(tasks)))
    tables = results(outcomes, programs, held_out=arguments.held_out, every_step=arguments.every_step)
    print(f"\n{tables}", end="")
    if arguments.json is not None:
        write_outcomes(arguments.json, outcomes)
    if arguments.write is not None:
        write_between(arguments.write, begin(held_out=arguments.held_out, every_step=arguments.every_step), tables)
    return int(any(outcome.error is not None for outcome in outcomes))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m evaluation", description=__doc__)
    parser.add_argument("--only", nargs="+", default=(), metavar="NAME", help="programs, or folders of them such as loop or healthy")
    parser.add_argument(
        "--held-out", action="store_true", help="run only the programs that no rule was tried on, which are left out otherwise"
    )
    parser.add_argument("--seeds", type=int, default=3, help="how many runs of each program, seeded 0, 1, 2, ... (default 3)")
    parser.add_argument(
        "--every-step", action="store_true", help="record every step instead of those of the default schedule; only the first table"
    )
    parser.add_argument("--jobs", type=int, default=2, help="how many runs at a time (default 2)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write what every run resulted in")
    parser.add_argument("--write", type=Path, metavar="PAGE", help="write the tables into a page: docs/findings-evaluation.md")
    parser.add_argument(
        "--keep",
        type=Path,
        metavar="FOLDER",
        help="keep recordings here. What is there is judged again, and trained only if its file changed",
    )
    return parser


def _tasks(program: Program, arguments: argparse.Namespace) -> list[Task]:
    variants: tuple[Variant, ...] = ("healthy",) if program.truth is None else ("buggy", "fixed")
    return [
        Task(program.name, variant, seed, arguments.every_step, arguments.held_out)
        for variant in variants
        for seed in range(arguments.seeds)
    ]


class _Progress:
    """Prints a line per outcome."""

    def __init__(self, total: int) -> None:
        self._total, self._done = total, 0

    def __call__(self, outcome: Outcome) -> None:
        self._done += 1
        if outcome.error is None:
            causes = ", ".join(seen.short for seen in outcome.causes) or "nothing"
            what = f"{outcome.seconds:.1f} s, {len(outcome.training_steps)} training steps: {causes}"
        else:
            what = f"FAILED: {outcome.error}"
        print(f"{self._done}/{self._total} {outcome.program} {outcome.variant} {outcome.seed}: {what}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
