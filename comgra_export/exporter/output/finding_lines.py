"""What is wrong in the trials of a bundle in a few lines, for readers without JavaScript."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from comgra_export.exporter.format.findings import FindingsDocument, FoundPlace, FoundProblem
from comgra_export.exporter.plan.plan import PlannedTrial
from comgra_export.storage.text.steps import step_in_words

__all__ = ["FindingsInLines", "findings_in_lines"]

# So many findings of a trial have a line.
_LINES = 3
_SEVERITIES = ("Information", "Symptom", "Problem", "Bug")


@dataclass(frozen=True)
class FindingsInLines:
    """The findings of a trial.

    Attributes:
        name: The trial.
        summary: How many there are, as a sentence.
        lines: The first of them, a line for each.
    """

    name: str
    summary: str
    lines: tuple[str, ...]


def findings_in_lines(trials: Sequence[PlannedTrial]) -> list[FindingsInLines]:
    """The findings of each trial whose rules were checked. The ranks of a trial have the same, which stand there once."""
    documents = {trial.source.name: trial.findings for trial in trials if trial.findings is not None}
    return [_in_lines(name, json.loads(document)) for name, document in documents.items()]


def _in_lines(name: str, document: FindingsDocument) -> FindingsInLines:
    causes = [incident["cause"] for incident in document["incidents"]]
    muted = sum(rule["findings"] for rule in document["muted"])
    accepted = f" Muted findings: {muted}." if muted else ""
    lacking = sum(rule["applies"] for rule in document["not_checked"])
    rest = f"not checked: {lacking}; do not apply: {len(document['not_checked']) - lacking}"
    checked = f"Rules that found nothing: {len(document['passed'])}; {rest}.{accepted}"
    if not causes:
        return FindingsInLines(name, f"no {'new ' if muted else ''}findings. {checked}", ())
    count = "1 finding" if len(causes) == 1 else f"{len(causes)} findings"
    first = f" The first {_LINES}:" if len(causes) > _LINES else ""
    return FindingsInLines(name, f"{count}. {checked}{first}", tuple(map(_line, causes[:_LINES])))


def _line(finding: FoundProblem) -> str:
    since = "" if finding["step"] is None else f", since {step_in_words(finding['step'])}"
    return f"{_SEVERITIES[finding['severity']]}: {finding['title']}: {_place(finding['places'][0])}{since}"


def _place(place: FoundPlace) -> str:
    iteration = f" in iteration {place['iteration']}" if place["iteration"] else ""
    source = place["source"]
    line = "" if source is None else f" ({source['file']}:{source['line']} in {source['function']})"
    return f"{place['kind']} {place['name']}".rstrip() + iteration + line
