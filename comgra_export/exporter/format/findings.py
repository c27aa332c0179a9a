"""What is wrong in a trial, where, and since when."""

from __future__ import annotations

from typing import TypedDict

from comgra_export.exporter.format.constants import JsonNumber

__all__ = [
    "AssociationsDocument",
    "CheckedPairs",
    "FindingsDocument",
    "FoundAssociation",
    "FoundEvidence",
    "FoundIncident",
    "FoundPlace",
    "FoundProblem",
    "MutedRule",
    "NotCheckedRule",
    "PassedRule",
    "SourceLine",
]


class SourceLine(TypedDict):
    """A line of the code: its file relative to the project, and the function that it is part of."""

    file: str
    line: int
    function: str


class FoundPlace(TypedDict):
    """Where something is wrong. `iteration` is None for all but tensors, and `source` if no line is known."""

    kind: str
    name: str
    iteration: int | None
    source: SourceLine | None


class FoundEvidence(TypedDict):
    """A view that shows it: a statistic over the steps, or, if `item` is None, the tensor at that step.

    `sample` is the position in the batch of the sample to look at, or None for the mean over the batch.
    """

    group: str
    name: str
    iteration: int
    step: float
    item: str | None
    caption: str
    sample: int | None


class FoundProblem(TypedDict):
    """A finding. `severity` is 0 to 3. `step` is None if it holds for the whole trial, `value` and `limit` if there is no limit.

    `look_next` has the places to look at if the first of `places` is not it. `wrong_if` is empty if nothing is known that would show
    that the finding is wrong.
    """

    rule: str
    title: str
    severity: int
    message: str
    places: list[FoundPlace]
    look_next: list[FoundPlace]
    step: float | None
    value: JsonNumber | None
    limit: JsonNumber | None
    comparison: str
    advice: list[str]
    wrong_if: str
    evidence: list[FoundEvidence]


class FoundIncident(TypedDict):
    """A cause, and what probably follows from it."""

    cause: FoundProblem
    consequences: list[FoundProblem]


class PassedRule(TypedDict):
    """A rule that was checked and found nothing."""

    rule: str
    title: str


class NotCheckedRule(TypedDict):
    """A rule that was not checked: the recording lacks something, or it does not apply to this run.

    `how_to_record` is empty if it is not known what to do about it.
    """

    rule: str
    title: str
    reason: str
    applies: bool
    how_to_record: str


class MutedRule(TypedDict):
    """A rule some of whose findings are not shown."""

    rule: str
    title: str
    findings: int


class FoundAssociation(TypedDict):
    """Two things that go together. The numbers are those of an `Association`."""

    message: str
    evidence: list[FoundEvidence]
    family: str
    measure: str
    effect: JsonNumber
    discovery: JsonNumber
    confirmation: JsonNumber
    phases: list[JsonNumber | None]
    q: JsonNumber
    samples: int


class UncheckedPairs(TypedDict):
    """A kind of pairs that was not checked, and why not."""

    title: str
    result: str
    family: str


class CheckedPairs(UncheckedPairs):
    """A kind of pairs that was checked, what came out, and the numbers of a `FamilyCheck`."""

    pairs: int
    passed: int
    smallest: str
    left_out: int


class AssociationsDocument(TypedDict):
    """What goes together in a trial. It says how to read them, and `more` counts those that are not listed."""

    caution: str
    reported: list[FoundAssociation]
    more: int
    checked: list[CheckedPairs]
    not_checked: list[UncheckedPairs]
    notes: list[str]


class FindingsDocument(TypedDict):
    """A findings chunk: what rules found in a trial, whose `steps` they read. `associations` is None if none were looked for."""

    steps: int
    incidents: list[FoundIncident]
    passed: list[PassedRule]
    not_checked: list[NotCheckedRule]
    muted: list[MutedRule]
    associations: AssociationsDocument | None
