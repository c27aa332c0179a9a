"""Checks the rules on the trials of a bundle."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from comgra_export.analysis.associations.associate import associate
from comgra_export.analysis.findings.catalogue import all_rules, own_rules
from comgra_export.analysis.findings.find import find
from comgra_export.analysis.findings.model.finding import Severity
from comgra_export.analysis.findings.model.report import Report as FindingsReport
from comgra_export.analysis.findings.model.rule import Rule
from comgra_export.analysis.findings.muting import Mute
from comgra_export.analysis.findings.reports import mutes_of
from comgra_export.analysis.findings.settings import FILE
from comgra_export.analysis.history.run import Run
from comgra_export.analysis.ranks import MergedRecording
from comgra_export.errors import MisuseError, WrongChoiceError
from comgra_export.exporter.findings.document import findings_document
from comgra_export.exporter.plan.plan import Plan, PlannedTrial
from comgra_export.exporter.plan.reading import Reader
from comgra_export.exporter.plan.sources import Source
from comgra_export.exporter.reporting.problems import Problems
from comgra_export.exporter.reporting.progress import Progress, Report
from comgra_export.storage import Recording

__all__ = ["add_findings"]


def add_findings(plan: Plan, problems: Problems, report: Report, reader: Reader) -> Plan:
    """Returns the plan with the findings of each trial.

    They are those of all ranks together, and every rank has them. All recorded steps count, whichever go into the bundle. What
    `comgra-findings.toml` mutes is counted only. Rules of other packages are left out if one of them cannot be loaded.

    Args:
        plan: Everything that was recorded of the trials.
        problems: Gets what could not be checked.
        report: Gets how many steps are read.
        reader: Reads the recordings.

    Raises:
        WrongChoiceError: `comgra-findings.toml` is not understood.
    """
    rules, mutes = _rules_and_mutes(problems)
    # The ranks of a trial follow what they are together.
    sources: dict[str, Source] = {}
    for trial in plan.trials:
        sources.setdefault(trial.source.name, trial.source)
    total = sum(len(source.recording.steps) for source in sources.values())
    done = 0

    def more(steps: int = 1) -> None:
        nonlocal done
        done += steps
        report(Progress("Checking", done, total))

    report(Progress("Checking", 0, total))
    question = _Question(rules, mutes, more if reader.is_alone else None)
    checked = reader.each(_checked, ((source, [question]) for source in sources.values()))
    reports = {}
    for (name, source), answer in zip(sources.items(), checked, strict=True):
        reports[name] = answer.report
        if answer.failure is not None:
            problems.add([f"{name}: what goes together was not looked for. {answer.failure}"])
        if not reader.is_alone:
            more(len(source.recording.steps))
            for recording, damaged in zip(_recordings_of(source.recording), answer.damaged, strict=True):
                recording.take_problems(damaged)
    documents = {name: findings_document(each, rules) for name, each in reports.items()}
    severities = {name: [incident.severity for incident in each.incidents] for name, each in reports.items()}

    def with_findings(trial: PlannedTrial) -> PlannedTrial:
        name = trial.source.name
        problems_of_trial = sum(severity >= Severity.PROBLEM for severity in severities[name])
        worst = max(severities[name], default=-1)
        return replace(trial, findings=documents[name], problems=problems_of_trial, worst=worst)

    return replace(plan, trials=tuple(with_findings(trial) for trial in plan.trials))


class _Question(NamedTuple):
    """What is to be checked; `on_step` is called after each step, in this process only."""

    rules: tuple[Rule, ...]
    mutes: tuple[Mute, ...]
    on_step: Callable[[], None] | None


class _Answer(NamedTuple):
    """What rules find in a recording and what goes together in it, why the latter is not known, and what of each rank is damaged."""

    report: FindingsReport
    failure: str | None
    damaged: list[list[str]]


def _checked(recording: Recording | MergedRecording, question: _Question) -> _Answer:
    run = Run(recording, question.on_step)
    report, failure = find(run, question.rules, question.mutes), None
    try:
        report = replace(report, associations=associate(run))
    except Exception as error:
        failure = type(error).__name__
    return _Answer(report, failure, [each.problems for each in _recordings_of(recording)])


def _recordings_of(recording: Recording | MergedRecording) -> tuple[Recording, ...]:
    return recording.recordings if isinstance(recording, MergedRecording) else (recording,)


def _rules_and_mutes(problems: Problems) -> tuple[tuple[Rule, ...], tuple[Mute, ...]]:
    try:
        rules = all_rules()
    except MisuseError as error:
        problems.add([f"Rules of other packages were not checked. {error}"])
    else:
        return rules, mutes_of(None, rules)
    try:
        return own_rules(), mutes_of(None, own_rules())
    except WrongChoiceError:
        # It may name a rule that cannot be loaded. The message has the path of the file.
        problems.add([f"Nothing is muted: {FILE} is not understood without the rules of other packages."])
        return own_rules(), ()
