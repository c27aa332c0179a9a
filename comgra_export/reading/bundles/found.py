"""The findings of a bundle, as the rules of a recording give them."""

from __future__ import annotations

from typing import cast, get_args

from comgra_export.analysis.findings.model.finding import Evidence, Finding, Place, PlaceKind, Severity
from comgra_export.analysis.findings.model.report import Incident, Report
from comgra_export.storage import SourceLine
from comgra_export.storage.codec.checked import JsonObject

__all__ = ["decode_report"]

_KINDS = get_args(PlaceKind)


def decode_report(content: object, file: str, run: str, problems: tuple[str, ...]) -> Report:
    """Reads what was found in a trial, without associations, of which a bundle holds sentences only.

    Args:
        content: The document.
        file: What messages call it.
        run: `GROUP/TRIAL`.
        problems: What could not be read when the bundle was made.

    Raises:
        DamagedRecordingError: It contradicts the format.
    """
    document = JsonObject(content, file)
    return Report(
        run=run,
        incidents=tuple(
            Incident(_finding(incident.member("cause")), tuple(_finding(each) for each in incident.objects("consequences")))
            for incident in document.objects("incidents")
        ),
        passed=tuple(each.text("rule") for each in document.objects("passed")),
        not_checked={each.text("rule"): each.text("reason") for each in document.objects("not_checked")},
        muted={each.text("rule"): each.integer("findings", 0) for each in document.objects("muted")},
        steps=document.integer("steps", 0),
        problems=problems,
    )


def _finding(finding: JsonObject) -> Finding:
    places = tuple(_place(each) for each in finding.objects("places"))
    if not places:
        raise finding.wrong("places", "is empty")
    return Finding(
        rule=finding.text("rule"),
        severity=Severity(finding.integer("severity", 0, max(Severity))),
        message=finding.text("message"),
        places=places,
        advice=tuple(finding.texts("advice")),
        step=finding.optional_step("step"),
        value=finding.optional_number("value"),
        limit=finding.optional_number("limit"),
        comparison=finding.text("comparison"),
        wrong_if=finding.text("wrong_if", default=""),
        evidence=tuple(_evidence(each) for each in finding.objects("evidence")),
    )


def _place(place: JsonObject) -> Place:
    source = place.member("source") if place.has("source") else None
    return Place(
        kind=cast("PlaceKind", place.choice("kind", _KINDS)),
        name=place.text("name"),
        iteration=place.optional_integer("iteration", -1),
        source=None if source is None else SourceLine(source.text("file"), source.integer("line", 1), source.text("function")),
    )


def _evidence(view: JsonObject) -> Evidence:
    return Evidence(
        group=view.text("group"),
        name=view.text("name"),
        iteration=view.integer("iteration", -1),
        step=view.step("step"),
        item=view.optional_text("item"),
        caption=view.text("caption"),
        sample=view.optional_integer("sample", 0),
    )
