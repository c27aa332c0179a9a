"""Reports as JSON for other programs. `docs/findings.md` is the specification."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict

from comgra_export.analysis.findings.model.association import Associations
from comgra_export.analysis.findings.model.finding import Evidence, Finding, Place
from comgra_export.analysis.findings.model.report import Report
from comgra_export.storage import encode_number
from comgra_export.storage.text.steps import as_step

__all__ = ["FORMAT", "VERSION", "reports_as_json"]

FORMAT = "comgra-findings"
VERSION = 1


def reports_as_json(reports: Iterable[Report]) -> str:
    """Reports as a line of JSON in ASCII, which every terminal and pipe takes. Numbers that are not finite become texts."""
    document = {"format": FORMAT, "version": VERSION, "runs": [_run(report) for report in reports]}
    return json.dumps(document, allow_nan=False)


def _run(report: Report) -> dict[str, object]:
    incidents = []
    position = 0
    for incident in report.incidents:
        count = len(incident.consequences)
        incidents.append({"cause": position, "consequences": list(range(position + 1, position + 1 + count))})
        position += 1 + count
    return {
        "run": report.run,
        "folder": report.folder,
        "steps": report.steps,
        "incidents": incidents,
        "findings": [_finding(finding) for finding in report.findings],
        "passed": list(report.passed),
        "not_checked": dict(report.not_checked),
        "does_not_apply": list(report.does_not_apply),
        "how_to_record": dict(report.how_to_record),
        "muted": dict(report.muted),
        "problems": list(report.problems),
        "associations": None if report.associations is None else _associations(report.associations),
    }


def _associations(associations: Associations) -> dict[str, object]:
    return {
        "reported": [
            {
                "family": each.family,
                "message": each.message,
                "measure": each.measure,
                "effect": _number(each.effect),
                "discovery": _number(each.discovery),
                "confirmation": _number(each.confirmation),
                "phases": [_number(phase) for phase in each.phases],
                "q": _number(each.q),
                "samples": each.samples,
                "evidence": [_evidence(evidence) for evidence in each.evidence],
            }
            for each in associations.reported
        ],
        "more": associations.more,
        "checked": {family: asdict(check) for family, check in associations.checked.items()},
        "not_checked": dict(associations.not_checked),
        "notes": list(associations.notes),
    }


def _finding(finding: Finding) -> dict[str, object]:
    return {
        "rule": finding.rule,
        "severity": str(finding.severity),
        "message": finding.message,
        "places": [_place(place) for place in finding.places],
        "look_next": [_place(place) for place in finding.look_next],
        "step": None if finding.step is None else as_step(finding.step),
        "value": _number(finding.value),
        "limit": _number(finding.limit),
        "comparison": finding.comparison,
        "margin": _number(finding.margin),
        "advice": list(finding.advice),
        "wrong_if": finding.wrong_if,
        "evidence": [_evidence(evidence) for evidence in finding.evidence],
    }


def _evidence(evidence: Evidence) -> dict[str, object]:
    return {
        "group": evidence.group,
        "name": evidence.name,
        "iteration": int(evidence.iteration),
        "step": as_step(evidence.step),
        "item": evidence.item,
        "caption": evidence.caption,
        "sample": _integer(evidence.sample),
    }


def _place(place: Place) -> dict[str, object]:
    source = None if place.source is None else place.source._asdict()
    return {"kind": place.kind, "name": place.name, "iteration": _integer(place.iteration), "source": source}


def _number(value: float | None) -> float | int | str | None:
    return None if value is None else encode_number(value)


def _integer(value: int | None) -> int | None:
    """A rule may give an integer of NumPy."""
    return None if value is None else int(value)
