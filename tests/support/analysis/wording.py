"""What every finding of the package should say, and what none should."""

from __future__ import annotations

import re

from comgra_export.analysis.findings.model.finding import Finding, Severity
from comgra_export.analysis.findings.model.rule import Rule

__all__ = ["mistakes"]

# They hold for the whole run.
_WITHOUT_STEP = frozenset({"tied-parameters"})
# A finding is a measurement, or a fact of the code: it proves no cause, and a guess is no error.
_NEVER = re.compile(r"\b(because|caused by|the cause)\b", re.IGNORECASE)
_NEVER_OF_A_GUESS = re.compile(r"\berrors?\b", re.IGNORECASE)


def mistakes(finding: Finding, rule: Rule) -> list[str]:
    """What a finding should say and does not, or should not say and does."""
    text = f"{finding.message} {finding.comparison}"
    has_limit = finding.limit is not None
    wrong = {
        "it names a cause": _NEVER.search(text),
        "it calls a guess an error": finding.severity < Severity.BUG and _NEVER_OF_A_GUESS.search(text),
        "it names no place": not finding.places,
        "it names no step": finding.step is None and finding.rule not in _WITHOUT_STEP,
        "it has a value without a limit, or a limit without a value": (finding.value is None) is has_limit,
        "it compares its value with nothing": has_limit and not finding.comparison,
        "a rule without limits has one": has_limit and not rule.thresholds,
        "it gives no advice, or too much": not 1 <= len(finding.advice) <= 3,
        "it says nothing": not finding.message,
    }
    return [mistake for mistake, is_so in wrong.items() if is_so]
