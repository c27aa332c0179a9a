"""The tables of rules in `docs/findings.md`, made from the rules themselves."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from comgra_export.analysis.findings.catalogue import own_rules
from comgra_export.analysis.findings.model.finding import Severity
from comgra_export.analysis.findings.model.rule import Rule, Threshold

__all__ = ["BEGIN", "END", "rule_tables", "with_tables"]

BEGIN = "<!-- rules: begin -->"
"""The line before the tables."""
END = "<!-- rules: end -->"
"""The line after them."""

_HEADINGS = {
    "graph": "How the network and its loss are put together",
    "training": "The training loop",
    "gradients": "Gradients and updates",
    "activations": "Values of tensors",
    "non_finite": "NaN and infinity",
    "loss": "The loss over time",
    "data": "Inputs and targets",
}
_SEVERITIES = {
    Severity.BUG: "bug",
    Severity.PROBLEM: "problem",
    Severity.SYMPTOM: "symptom",
    Severity.INFORMATION: "information",
}
_HEAD = (
    "| rule | what it finds | severity | it fires if | limits | source | needs | while training | it is wrong if |\n"
    "|---|---|---|---|---|---|---|---|---|\n"
)


def with_tables(page: str) -> str:
    """A page with the tables of all rules of this package between its two marks.

    Args:
        page: The text of the page. What was between the marks is replaced.
    """
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n\n{rule_tables(own_rules())}\n{END}{after}"


def rule_tables(rules: Sequence[Rule]) -> str:
    """A heading and a table in Markdown for each group of rules, in the order of the groups."""
    groups = {name: [rule for rule in rules if _group(rule) == name] for name in _HEADINGS}
    return "\n".join(f"### {_HEADINGS[name]}\n\n{_HEAD}{''.join(map(_row, members))}" for name, members in groups.items() if members)


def _group(rule: Rule) -> str:
    """The folder in which a rule is."""
    return rule.check.__module__.split(".")[-2]


def _row(rule: Rule) -> str:
    name = f'<a id="{rule.name}"></a>`{rule.name}`'
    severity, limits = _SEVERITIES[rule.severity], _limits(rule.thresholds)
    training = _while_training(rule.while_training)
    cells = (name, rule.title, severity, _lines(rule.formula), limits, rule.source, rule.needs, training, rule.wrong_if)
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |\n"


def _lines(formula: str) -> str:
    """A formula with a line for each sentence."""
    return re.sub(r"\. (?=[A-Z])", ".<br>", formula)


def _limits(thresholds: Iterable[Threshold]) -> str:
    return "<br>".join(f"{each.name}: {each.value:g} ({each.source})" for each in thresholds) or "none"


def _while_training(steps: int | None) -> str:
    return "no" if steps is None else f"from {steps} training steps on" if steps else "yes"
