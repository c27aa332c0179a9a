"""What a rule is: what it looks for, why, and how it is checked."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

from comgra_export.analysis.findings.model.finding import Evidence, Finding, Neighbour, Place, Severity
from comgra_export.analysis.findings.model.not_checked import NotCheckedError
from comgra_export.analysis.history.run import Run

__all__ = ["Check", "Explains", "NotCheckedError", "Relation", "Rule", "Threshold"]

Relation = Literal["anywhere", "downstream", "upstream", "same"]
"""The place of a consequence, seen from its cause: anywhere in the run, in what was computed from it, in what it was computed from, or
at the same place."""

Check = Callable[[Run], Iterable[Finding]]


@dataclass(frozen=True)
class Threshold:
    """A limit of a rule.

    Attributes:
        name: What is compared with it.
        value: The limit.
        source: Where the number comes from.
    """

    name: str
    value: float
    source: str


@dataclass(frozen=True)
class Explains:
    """A rule whose findings may be consequences.

    Attributes:
        rule: Its name.
        where: Where such a finding must be.
    """

    rule: str
    where: Relation = "anywhere"


@dataclass(frozen=True, kw_only=True)
class Rule:
    """Something that can be wrong in a run.

    Attributes:
        name: What people call it, in lower case with hyphens: `dead-relu`.
        title: What is wrong, in a few words, for lists.
        severity: That of its findings, unless a finding says otherwise.
        formula: When it fires, in words and symbols.
        source: Where the rule comes from.
        needs: What the recording must hold, in a few words.
        advice: One to three things to try, each a sentence in the imperative.
        wrong_if: What would show that such a finding is wrong, as a sentence; empty if nothing is known.
        neighbours: What to look at next if the first place is not it, the most likely first, unless a finding says otherwise.
        check: Looks for it. Yields one finding for each cause, or raises `NotCheckedError`.
        thresholds: Its limits; empty if it is exact.
        explains: What may follow from it.
        priority: Causes are ranked by it before anything else: 0 are facts of the code, 7 are mere symptoms.
        follows_anything: Whether its findings may follow from any problem of a lower priority, as a loss that does not fall may.
        while_training: From how many recorded training steps on it can be checked while the training goes on; None if only a whole
            run can be judged. What it finds in the beginning of a run must be true, and stay true, and it must read neither notes,
            curves nor checks of steps that were not recorded.
    """

    name: str
    title: str
    severity: Severity
    formula: str
    source: str
    needs: str
    advice: tuple[str, ...]
    check: Check
    neighbours: tuple[Neighbour, ...] = ()
    thresholds: tuple[Threshold, ...] = ()
    explains: tuple[Explains, ...] = ()
    priority: int
    wrong_if: str = ""
    follows_anything: bool = False
    while_training: int | None = None

    def finding(
        self,
        message: str,
        *places: Place,
        step: float | None = None,
        value: float | None = None,
        limit: float | None = None,
        comparison: str = "",
        evidence: tuple[Evidence, ...] = (),
        severity: Severity | None = None,
        neighbours: tuple[Neighbour, ...] | None = None,
    ) -> Finding:
        """Makes a finding of this rule."""
        return Finding(
            rule=self.name,
            severity=self.severity if severity is None else severity,
            message=message,
            places=places,
            advice=self.advice,
            wrong_if=self.wrong_if,
            step=step,
            value=value,
            limit=limit,
            comparison=comparison,
            evidence=evidence,
            neighbours=self.neighbours if neighbours is None else neighbours,
        )
