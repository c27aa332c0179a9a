"""Findings in a line of text."""

from __future__ import annotations

from comgra_export.analysis.findings.model.finding import Finding
from comgra_export.analysis.findings.model.rule import Rule
from comgra_export.analysis.findings.plain_text import in_plain_text
from comgra_export.storage import Header
from comgra_export.storage.text.steps import step_in_words

__all__ = ["as_warning", "in_a_line"]


def in_a_line(rule: Rule, finding: Finding) -> str:
    """How sure it is, since when, where, and what."""
    since = "" if finding.step is None else f" since {step_in_words(finding.step, is_grouped=True)}"
    return f"{finding.severity}{since}, {_where(finding)}: {rule.title} ({rule.name})"


def as_warning(rule: Rule, finding: Finding, header: Header) -> str:
    """The same, with what was measured. A process of several names its rank."""
    rank = f"Rank {header.rank}: " if header.world_size > 1 else ""
    measured = ""
    if finding.value is not None:
        limit = "" if finding.limit is None else f" (limit: {finding.limit:.3g})"
        measured = f" Measured: {finding.value:.3g}{limit}."
    return f"{rank}{in_a_line(rule, finding)}. {in_plain_text(finding.message)}{measured}"


def _where(finding: Finding) -> str:
    place = finding.place
    iteration = f" in iteration {place.iteration}" if place.iteration else ""
    return f"{place.kind} {place.name}".rstrip() + iteration
