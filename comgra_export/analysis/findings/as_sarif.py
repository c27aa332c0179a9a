"""Reports as SARIF 2.1.0, which code scanning shows beside the lines of the code."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from urllib.parse import quote

from comgra_export.analysis.findings.model.finding import Finding, Place, Severity
from comgra_export.analysis.findings.model.report import Report
from comgra_export.analysis.findings.model.rule import Rule
from comgra_export.analysis.findings.plain_text import in_plain_text
from comgra_export.storage import SourceLine
from comgra_export.storage.text.names import clean_text
from comgra_export.storage.text.steps import as_step, step_in_words

__all__ = ["count_without_line", "reports_as_sarif"]

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS = {Severity.BUG: "error", Severity.PROBLEM: "warning", Severity.SYMPTOM: "note", Severity.INFORMATION: "note"}


def reports_as_sarif(reports: Sequence[Report], rules: Sequence[Rule], version: str) -> str:
    """All reports as one run of SARIF, in ASCII. It holds the findings whose first place has a line of the code.

    Args:
        reports: What was found.
        rules: The rules that were checked.
        version: That of the package.
    """
    positions = {rule.name: position for position, rule in enumerate(rules)}
    driver = {"name": "comgra_export", "version": version, "rules": [_rule(rule) for rule in rules]}
    results = [
        _result(report, finding, line, positions[finding.rule], cause) for report in reports for finding, line, cause in _located(report)
    ]
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [{"tool": {"driver": driver}, "results": results}]}, indent=2) + "\n"


def count_without_line(reports: Sequence[Report]) -> int:
    """How many findings are left out, since the line of their first place is not known."""
    return sum(finding.place.source is None for report in reports for finding in report.findings)


def _located(report: Report) -> Iterator[tuple[Finding, SourceLine, Finding | None]]:
    """The findings that have a line, each with that line and what probably is its cause."""
    for incident in report.incidents:
        for finding in (incident.cause, *incident.consequences):
            if finding.place.source is not None:
                yield finding, finding.place.source, None if finding is incident.cause else incident.cause


def _rule(rule: Rule) -> dict[str, object]:
    advice = "".join(f"\n- {sentence}" for sentence in rule.advice)
    return {
        "id": rule.name,
        "shortDescription": {"text": rule.title},
        "fullDescription": {"text": in_plain_text(f"{rule.title}. It fires if {rule.formula}.")},
        "help": {
            "text": in_plain_text(f"{rule.title}.\n\nTo try:\n{advice}\n\nIt fires if {rule.formula}.\n"),
            "markdown": f"{rule.title}.\n\n**To try**\n{advice}\n\nIt fires if {_as_text(rule.formula)}.\n",
        },
        "defaultConfiguration": {"level": _LEVELS[rule.severity]},
    }


def _result(report: Report, finding: Finding, line: SourceLine, rule: int, cause: Finding | None) -> dict[str, object]:
    since = "" if finding.step is None else f" Since {step_in_words(as_step(finding.step))} of {report.run}."
    follows = "" if cause is None else f" It probably follows from {cause.rule}."
    others = [place for place in finding.places[1:] if place.source is not None]
    return {
        "ruleId": finding.rule,
        "ruleIndex": rule,
        "level": _LEVELS[finding.severity],
        "message": {"text": _without_links(f"{in_plain_text(finding.message)} Where: {_name(finding.place)}.{since}{follows}")},
        "locations": [{"physicalLocation": _location(line)}],
        "relatedLocations": [
            {"id": number, "physicalLocation": _location(place.source), "message": {"text": _without_links(_name(place))}}
            for number, place in enumerate(others, 1)
            if place.source is not None
        ],
    }


def _location(line: SourceLine) -> dict[str, object]:
    # A name with a colon, a percent sign or a slash in front would be another address.
    return {
        "artifactLocation": {"uri": quote(clean_text(line.file).lstrip("/")), "uriBaseId": "%SRCROOT%"},
        "region": {"startLine": line.line},
    }


def _name(place: Place) -> str:
    iteration = f" in iteration {place.iteration}" if place.iteration else ""
    return f"{place.kind} {place.name}".rstrip() + iteration


def _without_links(text: str) -> str:
    """A message without the links that SARIF reads in `[text](address)`: names may be those of somebody else."""
    return clean_text(text).replace("](", "] (")


def _as_text(formula: str) -> str:
    """A formula, of which Markdown makes neither an element nor emphasis."""
    return formula.replace("&", "&amp;").replace("<", "&lt;").replace("*", "\\*").replace("_", "\\_")
