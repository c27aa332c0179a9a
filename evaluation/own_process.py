"""Runs each program in a process of its own, with one thread."""

from __future__ import annotations

import hashlib
import multiprocessing
import shutil
import sys
import traceback
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, replace
from io import StringIO
from pathlib import Path
from time import perf_counter

import torch

from comgra_export.analysis.findings.catalogue import all_rules
from comgra_export.analysis.findings.find import find
from comgra_export.analysis.history.run import read_runs
from evaluation.outcome import Outcome, Variant, outcome_of, read_outcomes, write_outcomes
from evaluation.program import Setting
from evaluation.published import fired
from evaluation.suite import collect_programs

__all__ = ["Task", "run_tasks"]

_SECONDS_AT_MOST = 600


@dataclass(frozen=True)
class Task:
    """One run of a program.

    Attributes:
        program: Its name.
        variant: With its bug, with the bug fixed, or a healthy program.
        seed: Seeds all random numbers.
        every_step: Whether every step is recorded.
        held_out: Whether it is a program that no rule was tried on.
    """

    program: str
    variant: Variant
    seed: int
    every_step: bool = False
    held_out: bool = False

    @property
    def folder(self) -> str:
        """Where its recording is kept."""
        return f"{self.program}/{self.variant}-{self.seed}" + ("-every-step" if self.every_step else "")


def run_tasks(tasks: Sequence[Task], folder: Path, jobs: int, on_outcome: Callable[[Outcome], None]) -> list[Outcome]:
    """Runs tasks in processes of their own.

    A recording that is in the folder already is judged again and not made again, unless the file of its program changed since.

    Args:
        tasks: What to run.
        folder: Where recordings are kept.
        jobs: How many processes run at a time.
        on_outcome: Called with each outcome as soon as it is known.

    Returns:
        An outcome per task, in their order.
    """
    context = multiprocessing.get_context("forkserver")
    # So that a process does not begin by importing torch.
    context.set_forkserver_preload(["evaluation.own_process"])

    def run(task: Task) -> Outcome:
        result = folder / task.folder / "outcome.json"
        result.unlink(missing_ok=True)
        process = context.Process(target=_run_here, args=(task, folder / task.folder))
        process.start()
        process.join(_SECONDS_AT_MOST)
        if process.is_alive():
            process.kill()
            process.join()
            return Outcome(task.program, task.variant, task.seed, error=f"It was ended after {_SECONDS_AT_MOST} seconds.")
        # The exit status may be that of nothing: another thread that starts a process asks for it as well, and only one gets it.
        if not result.exists():
            return Outcome(task.program, task.variant, task.seed, error=f"Its process ended with exit status {process.exitcode}.")
        return read_outcomes(result)[0]

    with ThreadPoolExecutor(jobs) as pool:
        waiting = {pool.submit(run, task): task for task in tasks}
        outcomes = {}
        for future in as_completed(waiting):
            outcomes[waiting[future]] = future.result()
            on_outcome(future.result())
    return [outcomes[task] for task in tasks]


def _run_here(task: Task, folder: Path) -> None:
    """Trains unless the recording is there, judges it, and writes the outcome into its folder."""
    torch.set_num_threads(1)
    folder.mkdir(parents=True, exist_ok=True)
    try:
        seconds = _train(task, folder)
        (run,) = read_runs(folder / "recordings")
        report = find(run, all_rules())
        outcome = replace(outcome_of(task.program, task.variant, task.seed, run, report, fired(run)), seconds=seconds)
    except Exception as error:
        (folder / "error.txt").write_text(traceback.format_exc())
        outcome = Outcome(task.program, task.variant, task.seed, error=f"{type(error).__name__}: {error}")
    write_outcomes(folder / "outcome.json", [outcome])


def _train(task: Task, folder: Path) -> float:
    """Trains, and returns how long it took. What tells that the recording is complete is written last."""
    (program,) = collect_programs([task.program], held_out=task.held_out)
    source = sys.modules[program.train.__module__].__file__
    assert source is not None
    done = folder / "trained.txt"
    digest = hashlib.sha256(Path(source).read_bytes()).hexdigest()
    if done.exists():
        before, seconds = done.read_text().split()
        if before == digest:
            return float(seconds)
        done.unlink()
    # A recording that is not complete goes as well.
    shutil.rmtree(folder / "recordings", ignore_errors=True)
    start = perf_counter()
    # What a script prints, and what it is warned of, is for its user.
    with redirect_stdout(StringIO()), redirect_stderr(StringIO()):
        program.run(Setting(folder / "recordings", task.seed, task.variant == "fixed", task.every_step))
    seconds_taken = perf_counter() - start
    done.write_text(f"{digest} {seconds_taken:.2f}")
    return seconds_taken
