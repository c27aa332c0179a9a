"""All that was found in a run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from comgra_export.analysis.findings.model.association import Associations
from comgra_export.analysis.findings.model.finding import Finding, Severity

__all__ = ["Incident", "Report"]


@dataclass(frozen=True)
class Incident:
    """A cause, with what probably follows from it.

    Attributes:
        cause: The finding that explains the others.
        consequences: The others, most severe first.
    """

    cause: Finding
    consequences: tuple[Finding, ...] = ()

    @property
    def severity(self) -> Severity:
        """The highest of all of them."""
        return max(finding.severity for finding in (self.cause, *self.consequences))


@dataclass(frozen=True)
class Report:
    """What was found in one trial.

    Attributes:
        run: `GROUP/TRIAL`, with a number behind it if an earlier trial has this name.
        incidents: What is wrong. Those that may cause others come first: facts about the code, then symptoms, and information last.
        passed: The names of the rules that were checked and found nothing.
        not_checked: Why each other rule was not checked, by its name.
        muted: How many findings are muted, by the name of the rule.
        steps: How many steps were read.
        problems: A sentence for all that could not be read.
        associations: What goes together in it, which is no problem and never counts as an alarm. None if that was not checked.
        folder: Its place below the path that was given, if another trial there has the same name; else empty.
        does_not_apply: The names of those in `not_checked` that do not apply to this run, whatever is recorded of it. For the others, the
            recording lacks something.
        how_to_record: What to do so that a rule can be checked, as a sentence, by its name; without those for which that is not known.
    """

    run: str
    incidents: tuple[Incident, ...]
    passed: tuple[str, ...]
    not_checked: Mapping[str, str]
    muted: Mapping[str, int]
    steps: int
    problems: tuple[str, ...]
    associations: Associations | None = None
    folder: str = ""
    does_not_apply: tuple[str, ...] = ()
    how_to_record: Mapping[str, str] = field(default_factory=dict)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """All findings: causes in their order, each followed by its consequences."""
        return tuple(finding for incident in self.incidents for finding in (incident.cause, *incident.consequences))

    @property
    def lacking(self) -> Mapping[str, str]:
        """Why rules that may apply were not checked, by their names."""
        return {name: reason for name, reason in self.not_checked.items() if name not in self.does_not_apply}

    @property
    def worst(self) -> Severity | None:
        """The highest severity; None if nothing was found."""
        return max((finding.severity for finding in self.findings), default=None)
