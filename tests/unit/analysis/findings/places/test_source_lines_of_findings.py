"""Which line of the code a finding names, in words, as JSON and as SARIF."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from comgra_export.analysis.findings.as_json import reports_as_json
from comgra_export.analysis.findings.as_sarif import count_without_line, reports_as_sarif
from comgra_export.analysis.findings.catalogue import own_rules
from comgra_export.analysis.findings.find import find
from comgra_export.analysis.findings.model.finding import Finding, Place, Severity
from comgra_export.analysis.findings.model.report import Incident, Report
from comgra_export.analysis.findings.model.rule import Rule
from comgra_export.analysis.history.run import Run
from comgra_export.storage import CallEntry, CallTree, PortEntry, SourceLine
from support.analysis.runs import Given, RunByHand

HIDDEN, OUTPUT = SourceLine("net/model.py", 41, "forward"), SourceLine("train.py", 7, "<module>")
TENSORS = [
    Given("x", "input"),
    Given("model.a.weight", "parameter"),
    Given("model.a: output", parents=("x", "model.a.weight"), source=HIDDEN),
    Given("model.b.weight", "parameter"),
    Given("loss", "loss", parents=("model.a: output",), source=OUTPUT),
    Given("late", parents=("loss",), iteration=1, source=OUTPUT),
]
PLACES = [
    (Place("tensor", "model.a: output", 0), HIDDEN),
    (Place("tensor", "late", 1), OUTPUT),
    (Place("tensor", "late", 0), None),
    (Place("tensor", "x", 0), None),
    (Place("loss", "loss"), OUTPUT),
    (Place("module", "model.a"), HIDDEN),
    (Place("parameter", "model.a.weight"), HIDDEN),
    # Nothing is known of a call of this module.
    (Place("module", "model.b"), None),
    (Place("parameter", "model.b.weight"), None),
    (Place("parameter", "no such"), None),
    (Place("optimizer"), None),
    (Place("run"), None),
]


def _rule(name: str, *places: Place, **changes: Any) -> Rule:  # noqa: ANN401
    def check(_: Run) -> Iterator[Finding]:
        for place in places:
            yield rule.finding("Wrong.", place, Place("run"), step=0)

    rule = Rule(
        name=name,
        title="Something is wrong",
        severity=changes.pop("severity", Severity.PROBLEM),
        formula="a < *b* of max_norm",
        source="a test",
        needs="nothing",
        advice=("Do `this`.", "Do that."),
        check=check,
        priority=0,
        **changes,
    )
    return rule


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """A run in which `model.a` was called."""
    written = RunByHand(tmp_path, TENSORS, {"model": "Net", "model.a": "Linear", "model.b": "Linear"})
    values = {given.name: 1.0 if given.name in ("loss", "late") else np.ones((4, 2)) for given in TENSORS}
    calls = written.write_calls(
        CallTree((CallEntry(1, -1, 0, True, False),), (PortEntry(0, "output", "output", "model.a: output", 0, None),))
    )
    for step in (0, 5):
        written.step(step, values, calls=(calls,))
    return written.read()


def test_places_have_the_line_that_made_them(run: Run) -> None:
    rule = _rule("test", *(place for place, _ in PLACES))
    findings = find(run, [rule]).findings
    lines = {finding.place: finding.place.source for finding in findings}
    assert len(findings) == len(PLACES)
    assert lines == dict(PLACES)


def test_json_has_the_line(run: Run) -> None:
    report = find(run, [_rule("test", Place("module", "model.a"))])
    (document,) = json.loads(reports_as_json([report]))["runs"]
    assert [place["source"] for place in document["findings"][0]["places"]] == [
        {"file": "net/model.py", "line": 41, "function": "forward"},
        None,
    ]


def _sarif(reports: list[Report], rules: list[Rule]) -> dict[str, Any]:
    document = json.loads(reports_as_sarif(reports, rules, "1.2.3"))
    assert document["version"] == "2.1.0"
    assert document["$schema"].endswith("sarif-2.1.0.json")
    (only,) = document["runs"]
    _check_structure(only)
    return dict(only)


def _check_structure(run: dict[str, Any]) -> None:
    """What the specification requires of the objects that are used: sections 3.14, 3.18, 3.19, 3.49, 3.27, 3.28 and 3.30."""
    driver = run["tool"]["driver"]
    assert isinstance(driver["name"], str)
    assert driver["name"]
    ids = [rule["id"] for rule in driver["rules"]]
    assert len(set(ids)) == len(ids)
    for rule in driver["rules"]:
        assert all(rule[key]["text"] for key in ("shortDescription", "fullDescription", "help"))
        assert rule["defaultConfiguration"]["level"] in ("none", "note", "warning", "error")
    for result in run["results"]:
        assert result["message"]["text"]
        assert ids[result["ruleIndex"]] == result["ruleId"]
        assert result["level"] in ("none", "note", "warning", "error")
        places = [*result["locations"], *result["relatedLocations"]]
        assert len(result["locations"]) == 1
        for place in places:
            physical = place["physicalLocation"]
            assert physical["region"]["startLine"] >= 1
            uri = physical["artifactLocation"]["uri"]
            assert not uri.startswith("/")
            assert ":" not in uri
            assert " " not in uri
        numbers = [place["id"] for place in result["relatedLocations"]]
        assert len(set(numbers)) == len(numbers)


def test_sarif_has_a_result_at_each_line_that_is_known(run: Run) -> None:
    rules = [
        _rule("first", Place("parameter", "model.a.weight"), severity=Severity.BUG),
        _rule("second", Place("loss", "loss")),
        _rule("third", Place("run"), Place("tensor", "x", 0), severity=Severity.SYMPTOM),
        _rule("fourth", Place("tensor", "late", 1), severity=Severity.INFORMATION),
    ]
    report = find(run, rules)
    written = _sarif([report], rules)
    results = {result["ruleId"]: result for result in written["results"]}
    assert {rule: result["level"] for rule, result in results.items()} == {"first": "error", "second": "warning", "fourth": "note"}
    assert results["first"]["locations"][0]["physicalLocation"] == {
        "artifactLocation": {"uri": "net/model.py", "uriBaseId": "%SRCROOT%"},
        "region": {"startLine": 41},
    }
    assert results["first"]["message"]["text"] == "Wrong. Where: parameter model.a.weight. Since step 0 of group/trial."
    assert count_without_line([report]) == 2
    driver = written["tool"]["driver"]
    assert (driver["name"], driver["version"]) == ("comgra_export", "1.2.3")
    assert [rule["id"] for rule in driver["rules"]] == ["first", "second", "third", "fourth"]
    assert driver["rules"][0]["help"] == {
        "text": "Something is wrong.\n\nTo try:\n\n- Do 'this'.\n- Do that.\n\nIt fires if a < *b* of max_norm.\n",
        "markdown": "Something is wrong.\n\n**To try**\n\n- Do `this`.\n- Do that.\n\nIt fires if a &lt; \\*b\\* of max\\_norm.\n",
    }


def test_sarif_names_causes_and_further_places() -> None:
    rule = _rule("test")
    where = Place("tensor", "h", 2, HIDDEN)
    cause = rule.finding("Wrong.", where, Place("run"), Place("tensor", "loss", 0, OUTPUT), severity=Severity.SYMPTOM)
    report = Report("g/t", (Incident(cause, (replace(cause, rule="other"),)),), (), {}, {}, 1, ())
    first, second = _sarif([report], [rule, replace(rule, name="other")])["results"]
    assert first["level"] == "note"
    assert first["message"]["text"] == "Wrong. Where: tensor h in iteration 2."
    (related,) = first["relatedLocations"]
    assert related["message"]["text"] == "tensor loss"
    assert related["physicalLocation"]["region"]["startLine"] == 7
    assert second["message"]["text"] == "Wrong. Where: tensor h in iteration 2. It probably follows from test."


def test_names_make_neither_links_nor_addresses_in_sarif() -> None:
    rule = _rule("test")
    source = SourceLine("http://evil.example/100% [a].py", 1, "f")
    report = Report(
        "g/t", (Incident(rule.finding("[click](http://evil.example)", Place("tensor", "[a](b)", 0, source))),), (), {}, {}, 1, ()
    )
    (result,) = _sarif([report], [rule])["results"]
    assert "](" not in result["message"]["text"]
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "http%3A//evil.example/100%25%20%5Ba%5D.py"


def test_a_file_is_never_absolute_in_sarif_and_its_name_is_unicode() -> None:
    rule = _rule("test")
    place = Place("tensor", "a\ud800", 0, SourceLine("//evil.example/\udc80.py", 1, "f"))
    report = Report("g/t", (Incident(rule.finding("Wrong.", place), ()),), (), {}, {}, 1, ())
    (result,) = _sarif([report], [rule])["results"]
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "evil.example/%EF%BF%BD.py"
    assert "tensor a\ufffd" in result["message"]["text"]


def test_all_rules_fit_into_sarif() -> None:
    rules = list(own_rules())
    written = _sarif([], rules)
    assert [rule["id"] for rule in written["tool"]["driver"]["rules"]] == [rule.name for rule in rules]
    # GitHub refuses longer ones.
    assert max(len(rule["fullDescription"]["text"]) for rule in written["tool"]["driver"]["rules"]) <= 1024
    assert written["results"] == []
