"""Every finding that a rule of the package makes in these tests is read for its wording."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from comgra_export.analysis.findings.catalogue import own_rules
from comgra_export.analysis.findings.model.finding import Finding, Place
from comgra_export.analysis.findings.model.rule import Rule
from support.analysis.wording import mistakes

_OWN = frozenset(rule.name for rule in own_rules())


@pytest.fixture(autouse=True)
def _wording(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    make, findings = Rule.finding, []

    def noted(rule: Rule, message: str, *places: Place, **facts: object) -> Finding:
        finding = make(rule, message, *places, **facts)  # type: ignore[arg-type]
        findings.append((rule, finding))
        return finding

    monkeypatch.setattr(Rule, "finding", noted)
    yield
    wrong = {finding.message: mistakes(finding, rule) for rule, finding in findings if rule.name in _OWN}
    assert not {message: problems for message, problems in wrong.items() if problems}
