"""What is known and accepted: findings that are counted and not shown."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase

from comgra_export.analysis.findings.model.finding import Finding

__all__ = ["Mute"]


@dataclass(frozen=True)
class Mute:
    """Findings that are not shown.

    Attributes:
        rule: The name of the rule; `*` for all.
        node: The name of the tensor, parameter or module, in which `*` and `?` stand for any text and any character.
        reason: Why they are accepted, for people.
    """

    rule: str = "*"
    node: str = "*"
    reason: str = ""

    def covers(self, finding: Finding) -> bool:
        """Whether a finding is muted: its rule and its first place match."""
        return fnmatchcase(finding.rule, self.rule) and fnmatchcase(finding.place.name, self.node)
