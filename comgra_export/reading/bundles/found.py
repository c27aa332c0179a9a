"""The findings of a bundle, as the rules of a recording give them."""

from __future__ import annotations

from typing import cast, get_args

from comgra_export.analysis.findings.model.association import FAMILIES, Association, Associations, Family, FamilyCheck, Measure
from comgra_export.analysis.findings.model.finding import Evidence, Finding, Place, PlaceKind, Severity
from comgra_export.analysis.findings.model.report import Incident, Report
from comgra_export.storage import SourceLine
from comgra_export.storage.codec.checked import JsonObject

__all__ = ["decode_report"]

_KINDS = get_args(PlaceKind)
_MEASURES = get_args(Measure)
_PHASES = 3


def decode_report(content: object, file: str, run: str, problems: tuple[str, ...]) -> Report:
    """Reads what was found in a trial. Associations of a bundle that holds only sentences of them are left out.

    Args:
        content: The document.
        file: What messages call it.
        run: `GROUP/TRIAL`.
        problems: What could not be read when the bundle was made.

    Raises:
        DamagedRecordingError: It contradicts the format.
    """
    document = JsonObject(content, file)
    not_checked = document.objects("not_checked")
    return Report(
        run=run,
        incidents=tuple(
            Incident(_finding(incident.member("cause")), tuple(_finding(each) for each in incident.objects("consequences")))
            for incident in document.objects("incidents")
        ),
        passed=tuple(each.text("rule") for each in document.objects("passed")),
        not_checked={each.text("rule"): each.text("reason") for each in not_checked},
        muted={each.text("rule"): each.integer("findings", 0) for each in document.objects("muted")},
        steps=document.integer("steps", 0),
        problems=problems,
        associations=_associations(document.member("associations")) if document.has("associations") else None,
        does_not_apply=tuple(each.text("rule") for each in not_checked if not each.boolean("applies", default=True)),
        how_to_record={each.text("rule"): text for each in not_checked if (text := each.text("how_to_record", default=""))},
    )


def _associations(document: JsonObject) -> Associations | None:
    """None if the bundle is of a version that wrote sentences alone."""
    reported, checked, not_checked = (document.objects(key) for key in ("reported", "checked", "not_checked"))
    if not all(each.has("family") for each in (*reported, *checked, *not_checked)):
        return None
    return Associations(
        reported=tuple(map(_association, reported)),
        more=document.integer("more", 0),
        checked={
            _family(each): FamilyCheck(
                each.integer("pairs", 0), each.integer("passed", 0), each.text("smallest"), each.integer("left_out", 0)
            )
            for each in checked
        },
        not_checked={_family(each): each.text("result") for each in not_checked},
        notes=tuple(document.texts("notes")),
    )


def _association(association: JsonObject) -> Association:
    phases = association.optional_numbers("phases")
    if len(phases) != _PHASES:
        raise association.wrong("phases", f"has not {_PHASES} entries")
    return Association(
        family=_family(association),
        message=association.text("message"),
        measure=cast("Measure", association.choice("measure", _MEASURES)),
        effect=association.number("effect"),
        discovery=association.number("discovery"),
        confirmation=association.number("confirmation"),
        phases=(phases[0], phases[1], phases[2]),
        q=association.number("q"),
        samples=association.integer("samples", 0),
        evidence=tuple(map(_evidence, association.objects("evidence"))),
    )


def _family(member: JsonObject) -> Family:
    return cast("Family", member.choice("family", FAMILIES))


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
        evidence=tuple(map(_evidence, finding.objects("evidence"))),
        look_next=tuple(map(_place, finding.objects("look_next"))) if finding.has("look_next") else (),
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
