"""Which findings are causes, and in which order they are named."""

from __future__ import annotations

from dataclasses import replace

from comgra_export.analysis.findings.catalogue import own_rules
from comgra_export.analysis.findings.incidents import group_into_incidents
from comgra_export.analysis.findings.model.finding import Finding, Place, Severity
from comgra_export.analysis.findings.model.rule import Explains, Rule
from comgra_export.analysis.history.graph import StepGraph
from comgra_export.analysis.history.series import TensorKey
from comgra_export.storage import ShownTensor

# x -> hidden -> loss
NAMES = ("x", "hidden", "loss")
KEYS = [TensorKey(name, 0) for name in NAMES]
GRAPH = StepGraph(
    {key: ShownTensor(key.name, key.name, key.name, "calculated", key.name, 0) for key in KEYS},
    {KEYS[1]: (KEYS[0],), KEYS[2]: (KEYS[1],)},
)
BASE = Rule(name="", title="", severity=Severity.PROBLEM, formula="", source="", needs="", advice=("Try.",), check=lambda _: (), priority=3)
RULES = {
    rule.name: rule
    for rule in (
        replace(BASE, name="cause", priority=1, explains=(Explains("below", "downstream"), Explains("here", "same"), Explains("chain"))),
        replace(BASE, name="below"),
        replace(BASE, name="here"),
        replace(BASE, name="chain", explains=(Explains("end"),)),
        replace(BASE, name="end", priority=0),
        replace(BASE, name="symptom", priority=7, follows_anything=True),
    )
}


def _finding(rule: str, place: str = "hidden", step: int | None = 5, severity: Severity = Severity.PROBLEM) -> Finding:
    return replace(RULES[rule].finding("It is so.", Place("tensor", place, 0), step=step), severity=severity)


def _incidents(*findings: Finding) -> list[tuple[str, list[str]]]:
    incidents = group_into_incidents(findings, RULES, GRAPH)
    return [(incident.cause.rule, [finding.rule for finding in incident.consequences]) for incident in incidents]


def test_a_consequence_lies_below_its_cause_and_began_no_earlier() -> None:
    assert _incidents(_finding("below", "loss", 7), _finding("cause")) == [("cause", ["below"])]
    assert _incidents(_finding("below", "x", 7), _finding("cause")) == [("cause", []), ("below", [])]
    assert _incidents(_finding("below", "loss", 4), _finding("cause")) == [("cause", []), ("below", [])]


def test_the_same_place_is_the_same_tensor() -> None:
    assert _incidents(_finding("here"), _finding("cause")) == [("cause", ["here"])]
    assert _incidents(_finding("here", "loss"), _finding("cause")) == [("cause", []), ("here", [])]


def test_a_place_stands_for_every_call_of_its_module() -> None:
    # In the first call, something was computed from the output, and in the second call not.
    keys = [TensorKey(name, 0) for name in ("net.0: output", "net.1: output", "net.0 (call 2): output", "net.1 (call 2): output")]
    shown = {key: ShownTensor(key.name, key.name, key.name, "calculated", key.name, 0) for key in keys}
    graph = StepGraph(shown, {keys[1]: (keys[0],), keys[3]: (keys[2],)})
    for first, second in ((0, 3), (2, 1)):
        findings = [_finding("cause", keys[first].name), _finding("below", keys[second].name)]
        assert [incident.cause.rule for incident in group_into_incidents(findings, RULES, graph)] == ["cause"]
    findings = [_finding("cause", keys[1].name), _finding("below", keys[2].name)]
    assert [incident.cause.rule for incident in group_into_incidents(findings, RULES, graph)] == ["cause", "below"]


def test_what_is_explained_explains_in_turn() -> None:
    assert _incidents(_finding("end"), _finding("chain"), _finding("cause")) == [("cause", ["end", "chain"])]


def test_a_symptom_follows_from_any_problem_that_came_first() -> None:
    assert _incidents(_finding("symptom"), _finding("here")) == [("here", ["symptom"])]
    assert _incidents(_finding("symptom", step=3), _finding("here")) == [("here", []), ("symptom", [])]
    assert _incidents(_finding("symptom"), _finding("here", severity=Severity.INFORMATION)) == [("symptom", []), ("here", [])]


def test_causes_are_sorted_by_priority_then_by_step_then_by_depth() -> None:
    assert _incidents(_finding("here", step=1), _finding("cause", "loss", 9)) == [("cause", []), ("here", [])]
    later, earlier = _finding("here", "x", 9), _finding("below", "loss", 8)
    assert _incidents(later, earlier) == [("below", []), ("here", [])]
    assert _incidents(_finding("here", "loss"), _finding("below", "x")) == [("below", []), ("here", [])]


def test_a_cause_counts_as_much_as_what_is_worse_and_follows_from_it() -> None:
    # `end` has the first priority. As severe as its cause, it lifts nothing; more severe, it does.
    usual = _finding("end", "loss", 9)
    bug = replace(usual, severity=Severity.BUG)
    growth, dead = _finding("chain", "hidden", 5), _finding("cause", "x", 5)
    unrelated = replace(dead, places=(Place("parameter", "elsewhere"),))
    other = {**RULES, "cause": replace(RULES["cause"], explains=())}
    assert [incident.cause.rule for incident in group_into_incidents([unrelated, growth, usual], other, GRAPH)] == ["cause", "chain"]
    first, second = group_into_incidents([unrelated, growth, bug], other, GRAPH)
    assert (first.cause.rule, first.severity) == ("chain", Severity.BUG)
    assert (second.cause.rule, second.severity) == ("cause", Severity.PROBLEM)


def test_notes_come_last() -> None:
    assert _incidents(_finding("cause", "loss", severity=Severity.INFORMATION), _finding("below", "x")) == [("below", []), ("cause", [])]


def test_a_note_explains_notes_only() -> None:
    """What is wrong would stand below all else, where nobody looks."""
    note = Severity.INFORMATION
    assert _incidents(_finding("below", "loss", 7), _finding("cause", severity=note)) == [("below", []), ("cause", [])]
    assert _incidents(_finding("below", "loss", 7, note), _finding("cause", severity=note)) == [("cause", ["below"])]


def test_a_note_that_explains_a_symptom_without_another_cause_becomes_one() -> None:
    note, symptom = Severity.INFORMATION, Severity.SYMPTOM
    (incident,) = group_into_incidents([_finding("below", "loss", 7, symptom), _finding("cause", severity=note)], RULES, GRAPH)
    assert (incident.cause.rule, incident.cause.severity, len(incident.consequences)) == ("cause", symptom, 1)
    # It began later, or lies elsewhere.
    assert _incidents(_finding("below", "loss", 4, symptom), _finding("cause", severity=note)) == [("below", []), ("cause", [])]
    assert _incidents(_finding("below", "x", 7, symptom), _finding("cause", severity=note)) == [("below", []), ("cause", [])]
    # What follows from anything is not named by the note.
    assert _incidents(_finding("symptom", severity=symptom), _finding("cause", severity=note)) == [("symptom", []), ("cause", [])]
    # The symptom has a cause.
    several = [_finding("end", severity=symptom), _finding("chain"), _finding("chain", severity=note)]
    assert [incident.cause.severity for incident in group_into_incidents(several, RULES, GRAPH)] == [Severity.PROBLEM, note]


def _causes(*findings: tuple[str, int]) -> list[str]:
    rules = {rule.name: rule for rule in own_rules()}
    made = [rules[name].finding("It is so.", Place("tensor", "loss", 0), step=step) for name, step in findings]
    return [incident.cause.rule for incident in group_into_incidents(made, rules, GRAPH)]


def test_a_large_gradient_makes_a_nan_in_later_steps_only() -> None:
    assert _causes(("exploding-gradient", 3), ("nan-origin", 4)) == ["exploding-gradient"]
    assert _causes(("exploding-gradient", 3), ("nan-origin", 3)) == ["nan-origin"]


def test_predictions_that_are_worse_than_none_follow_from_a_first_loss_that_is_too_high() -> None:
    assert _causes(("predictions-ignore-input", 0), ("initial-loss", 0)) == ["initial-loss"]


def test_units_that_die_after_nothing_was_learned_follow_from_that() -> None:
    assert _causes(("dead-relu", 25), ("predictions-ignore-input", 0)) == ["predictions-ignore-input"]
    assert _causes(("dead-relu", 25), ("predictions-ignore-input", 25)) == ["dead-relu"]
