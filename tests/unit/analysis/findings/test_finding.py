"""What a finding computes of itself."""

from __future__ import annotations

import json
import math

import pytest

from comgra_export.analysis.findings.model.finding import Finding, Place, Severity


def test_a_severity_is_shown_by_its_name_and_compared_as_a_number() -> None:
    assert (str(Severity.BUG), f"{Severity.PROBLEM}", f"{Severity.SYMPTOM:>8}") == ("bug", "problem", " symptom")
    assert Severity.BUG > Severity.PROBLEM
    assert int(Severity.PROBLEM) == 2
    assert json.dumps([Severity.BUG]) == "[3]"


@pytest.mark.parametrize(
    ("value", "limit", "margin"),
    [
        (1000.0, 10.0, 2.0),
        (-0.001, 1.0, 3.0),
        (1e-300, 1e300, 600.0),
        (None, 1.0, math.inf),
        (1.0, None, math.inf),
        (1.0, 0.0, math.inf),
        (0.0, 1.0, math.inf),
        (math.nan, 1.0, math.inf),
        (1.0, math.inf, math.inf),
    ],
)
def test_the_margin_is_how_far_a_value_is_beyond_its_limit(value: float | None, limit: float | None, margin: float) -> None:
    finding = Finding(rule="r", severity=Severity.BUG, message="m", places=(Place("run"),), advice=("a",), value=value, limit=limit)
    assert finding.margin == pytest.approx(margin)
