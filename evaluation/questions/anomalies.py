"""Do rules recognize collapse and unbalanced gradients without a person?

`python -m evaluation --only healthy` measures how often they raise a false alarm on healthy programs.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from comgra_export.analysis.findings.model.finding import Severity
from evaluation.outcome import Outcome, Variant
from evaluation.own_process import Task, run_tasks
from evaluation.program import Program
from evaluation.scoring import flagged, score_run
from evaluation.suite import collect_programs

__all__ = ["results"]

_COLLAPSE = ("generator-without-noise", "posterior-collapse", "policy-collapses", "six-tasks-lose-units", "no-residual-connections")
_GRADIENTS = "gradients"


def results(seeds: int) -> str:
    """The table."""
    kinds = {
        "collapse of what the network computes": collect_programs(_COLLAPSE),
        "gradients or updates too small or too large": collect_programs([_GRADIENTS]),
    }
    lines = [
        "| kind of bug | programs | right rule | right place among the first three | fixed twins with a problem or a bug |",
        "|---|---|---|---|---|",
    ]
    for kind, programs in kinds.items():
        variants: tuple[Variant, ...] = ("buggy", "fixed")
        outcomes = _run([(program, variant, seed) for program in programs for variant in variants for seed in range(seeds)])
        truths = {program.name: program.truth for program in programs}
        scores = [score_run(outcome, truth) for outcome in outcomes if outcome.variant == "buggy" and (truth := truths[outcome.program])]
        places = [score.node_three for score in scores if score.node_three is not None]
        fixed = [flagged(outcome, Severity.PROBLEM) for outcome in outcomes if outcome.variant == "fixed"]
        rules = f"{sum(score.rule_anywhere for score in scores)} of {len(scores)}"
        lines.append(f"| {kind} | {len(programs)} | {rules} | {sum(places)} of {len(places)} | {sum(fixed)} of {len(fixed)} |")
    return "\n".join(lines) + "\n"


def _run(wanted: list[tuple[Program, Variant, int]]) -> list[Outcome]:
    tasks = [Task(program.name, variant, seed) for program, variant, seed in wanted]
    with tempfile.TemporaryDirectory() as folder:
        return run_tasks(tasks, Path(folder), 1, lambda _: None)
