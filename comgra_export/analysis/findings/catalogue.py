"""All rules: those of the package, and those that installed packages add."""

from __future__ import annotations

from importlib.metadata import entry_points

from comgra_export.analysis.findings.model.rule import Rule
from comgra_export.analysis.findings.rules.graph import softmax_before_cross_entropy
from comgra_export.analysis.findings.rules.training import never_updated
from comgra_export.errors import MisuseError

__all__ = ["ENTRY_POINTS", "all_rules", "own_rules"]

ENTRY_POINTS = "comgra_export.rules"
"""The group of entry points in which a package names its rules. Each is a `Rule`."""


_MODULES = (
    softmax_before_cross_entropy,
    never_updated,
)


def own_rules() -> tuple[Rule, ...]:
    """The rules of this package, in the order of the documentation."""
    return tuple(module.RULE for module in _MODULES)


def all_rules() -> tuple[Rule, ...]:
    """The rules of this package, then those of others by the name of their entry points.

    Raises:
        MisuseError: An entry point is not a rule, or has the name of another rule.
    """
    rules = {rule.name: rule for rule in own_rules()}
    for point in sorted(entry_points(group=ENTRY_POINTS), key=lambda point: point.name):
        rule = point.load()
        if not isinstance(rule, Rule):
            raise MisuseError(f"The entry point {point.name!r} of {ENTRY_POINTS} is a {type(rule).__name__}. Give a Rule.")
        if rule.name in rules:
            raise MisuseError(f"The entry point {point.name!r} of {ENTRY_POINTS} has the name of another rule, {rule.name!r}. Rename it.")
        rules[rule.name] = rule
    return tuple(rules.values())
