"""Checks all rules on a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

from comgra_export.analysis.findings.incidents import group_into_incidents
from comgra_export.analysis.findings.model.finding import Finding
from comgra_export.analysis.findings.model.report import Report
from comgra_export.analysis.findings.model.rule import NotCheckedError, Rule
from comgra_export.analysis.findings.muting import Mute
from comgra_export.analysis.findings.neighbours import with_neighbours
from comgra_export.analysis.findings.source_lines import with_source_lines
from comgra_export.analysis.history.graph import StepGraph
from comgra_export.analysis.history.run import Run

__all__ = ["RULE_FAILED", "find"]

RULE_FAILED = "the rule failed"
"""How the reason begins why a rule was not checked that raised an exception of its own. What it raised follows."""


def find(run: Run, rules: Sequence[Rule], mutes: Collection[Mute] = ()) -> Report:
    """Checks rules on a run, and sorts what they find into causes and consequences.

    A rule that raises an exception of its own counts as not checked, and so does one that finds nothing in a run without a step. Nothing is
    read but what rules ask for.

    Args:
        run: The run.
        rules: The rules, each name once.
        mutes: What is known and accepted.
    """
    findings: list[Finding] = []
    passed: list[str] = []
    not_checked: dict[str, str] = {}
    does_not_apply: list[str] = []
    how_to_record: dict[str, str] = {}
    muted: Counter[str] = Counter()
    for rule in rules:
        try:
            new = list(rule.check(run))
        except NotCheckedError as reason:
            not_checked[rule.name] = str(reason)
            # Without a step, nothing shows what the run has.
            if run.steps and not reason.applies:
                does_not_apply.append(rule.name)
            if reason.how_to_record:
                how_to_record[rule.name] = reason.how_to_record
            continue
        except Exception as error:
            not_checked[rule.name] = f"{RULE_FAILED} ({type(error).__name__}: {error})"
            continue
        kept = [finding for finding in new if not any(mute.covers(finding) for mute in mutes)]
        muted[rule.name] += len(new) - len(kept)
        findings += kept
        if new:
            continue
        if run.steps:
            passed.append(rule.name)
        else:
            not_checked[rule.name] = "no step was recorded"
    by_name = {rule.name: rule for rule in rules}
    placed = with_source_lines(with_neighbours(findings, run), run)
    incidents = group_into_incidents(placed, by_name, _graph_of_training(run))
    return Report(
        run.name,
        incidents,
        tuple(passed),
        not_checked,
        muted={name: n for name, n in muted.items() if n},
        steps=len(run.steps),
        problems=run.problems,
        does_not_apply=tuple(does_not_apply),
        how_to_record=how_to_record,
    )


def _graph_of_training(run: Run) -> StepGraph:
    """The graph of the first training step that has one."""
    for position in range(len(run.steps)):
        if run.is_training[position] and run.graph(position).shown:
            return run.graph(position)
    return StepGraph()
