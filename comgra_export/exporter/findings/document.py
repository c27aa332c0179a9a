"""A report of findings as JSON."""

from __future__ import annotations

from collections.abc import Sequence

from comgra_export.analysis.findings.find import RULE_FAILED
from comgra_export.analysis.findings.model.association import CAUTION, FAMILIES, Association, Associations
from comgra_export.analysis.findings.model.finding import Evidence, Finding, Place
from comgra_export.analysis.findings.model.report import Report
from comgra_export.analysis.findings.model.rule import Rule
from comgra_export.exporter.format.findings import (
    AssociationsDocument,
    FindingsDocument,
    FoundAssociation,
    FoundEvidence,
    FoundPlace,
    FoundProblem,
    SourceLine,
)
from comgra_export.storage import dumps, encode_number
from comgra_export.storage.text.steps import as_step

__all__ = ["findings_document"]


def findings_document(report: Report, rules: Sequence[Rule]) -> bytes:
    """Writes what was found in a trial.

    What a rule says when it fails may name folders of this machine, so only the kind of failure is written.

    Args:
        report: What was found.
        rules: The rules that were checked, which have the titles.
    """
    titles = {rule.name: rule.title for rule in rules}
    document: FindingsDocument = {
        "steps": report.steps,
        "incidents": [
            {"cause": _finding(incident.cause, titles), "consequences": [_finding(other, titles) for other in incident.consequences]}
            for incident in report.incidents
        ],
        "passed": [{"rule": name, "title": titles[name]} for name in report.passed],
        "not_checked": [
            {
                "rule": name,
                "title": titles[name],
                "reason": _without_message(reason),
                "applies": name not in report.does_not_apply,
                "how_to_record": report.how_to_record.get(name, ""),
            }
            for name, reason in report.not_checked.items()
        ],
        "muted": [{"rule": name, "title": titles[name], "findings": count} for name, count in report.muted.items()],
        "associations": None if report.associations is None else _associations(report.associations),
    }
    return dumps(document)


def _associations(associations: Associations) -> AssociationsDocument:
    return {
        "caution": CAUTION,
        "reported": [_association(each) for each in associations.reported],
        "more": associations.more,
        "checked": [
            {
                "title": FAMILIES[family],
                "result": check.sentence,
                "family": family,
                "pairs": check.pairs,
                "passed": check.passed,
                "smallest": check.smallest,
                "left_out": check.left_out,
            }
            for family, check in associations.checked.items()
        ],
        "not_checked": [
            {"title": FAMILIES[family], "result": reason, "family": family} for family, reason in associations.not_checked.items()
        ],
        "notes": list(associations.notes),
    }


def _association(association: Association) -> FoundAssociation:
    return {
        "message": association.message,
        "evidence": [_evidence(view) for view in association.evidence],
        "family": association.family,
        "measure": association.measure,
        "effect": encode_number(float(association.effect)),
        "discovery": encode_number(float(association.discovery)),
        "confirmation": encode_number(float(association.confirmation)),
        "phases": [None if phase is None else encode_number(float(phase)) for phase in association.phases],
        "q": encode_number(float(association.q)),
        "samples": int(association.samples),
    }


def _finding(finding: Finding, titles: dict[str, str]) -> FoundProblem:
    return {
        "rule": finding.rule,
        "title": titles[finding.rule],
        "severity": int(finding.severity),
        "message": finding.message,
        "places": [_place(place) for place in finding.places],
        "look_next": [_place(place) for place in finding.look_next],
        "step": None if finding.step is None else as_step(finding.step),
        "value": None if finding.value is None else encode_number(float(finding.value)),
        "limit": None if finding.limit is None else encode_number(float(finding.limit)),
        "comparison": finding.comparison,
        "advice": list(finding.advice),
        "wrong_if": finding.wrong_if,
        "evidence": [_evidence(view) for view in finding.evidence],
    }


def _evidence(view: Evidence) -> FoundEvidence:
    return {
        "group": view.group,
        "name": view.name,
        "iteration": view.iteration,
        "step": as_step(view.step),
        "item": view.item,
        "caption": view.caption,
        "sample": None if view.sample is None else int(view.sample),
    }


def _place(place: Place) -> FoundPlace:
    source = place.source
    line: SourceLine | None = None if source is None else {"file": source.file, "line": source.line, "function": source.function}
    return {"kind": place.kind, "name": place.name, "iteration": place.iteration, "source": line}


def _without_message(reason: str) -> str:
    return reason.partition(":")[0] + ")" if reason.startswith(RULE_FAILED) and ":" in reason else reason
