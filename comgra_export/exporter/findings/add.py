"""Checks the rules on the trials of a bundle."""

from __future__ import annotations

from dataclasses import replace

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
from comgra_export.errors import MisuseError, WrongChoiceError
from comgra_export.exporter.findings.document import findings_document
from comgra_export.exporter.plan.plan import Plan, PlannedTrial
from comgra_export.exporter.plan.sources import Source
from comgra_export.exporter.reporting.problems import Problems
from comgra_export.exporter.reporting.progress import Progress, Report

__all__ = ["add_findings"]


def add_findings(plan: Plan, problems: Problems, report: Report) -> Plan:
    """Returns the plan with the findings of each trial.

    They are those of all ranks together, and every rank has them. All recorded steps count, whichever go into the bundle. What
    `comgra-findings.toml` mutes is counted only. Rules of other packages are left out if one of them cannot be loaded.

    Args:
        plan: Everything that was recorded of the trials.
        problems: Gets what could not be checked.
        report: Gets how many steps are read.

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

    def one_more() -> None:
        nonlocal done
        done += 1
        report(Progress("Checking", done, total))

    report(Progress("Checking", 0, total))

    def checked(source: Source) -> FindingsReport:
        """What rules find in a source, and what goes together in it; a failure of the latter is a problem of the export."""
        run = Run(source.recording, one_more)
        report_of_run = find(run, rules, mutes)
        try:
            return replace(report_of_run, associations=associate(run))
        except Exception as error:
            problems.add([f"{source.name}: what goes together was not looked for. {type(error).__name__}"])
        return report_of_run

    reports = {name: checked(source) for name, source in sources.items()}
    documents = {name: findings_document(each, rules) for name, each in reports.items()}
    severities = {name: [incident.cause.severity for incident in each.incidents] for name, each in reports.items()}

    def with_findings(trial: PlannedTrial) -> PlannedTrial:
        name = trial.source.name
        problems_of_trial = sum(severity >= Severity.PROBLEM for severity in severities[name])
        worst = max(severities[name], default=-1)
        return replace(trial, findings=documents[name], problems=problems_of_trial, worst=worst)

    return replace(plan, trials=tuple(with_findings(trial) for trial in plan.trials))


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
