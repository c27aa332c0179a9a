"""How outcomes are scored, against tables computed by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from comgra_export.analysis.findings.model.finding import Severity
from evaluation.outcome import Outcome, Seen
from evaluation.program import Truth
from evaluation.scoring import Share, flagged_programs, is_at, over_programs, precision_of_rules, score_run, stability


def _seen(rule: str, incident: int = 0, *, cause: bool = True, node: str = "model.1: output", **others: int | None) -> Seen:
    return Seen(rule, others.pop("severity", 2) or 0, incident, cause, (("tensor", node),), **others)  # type: ignore[arg-type]


def _outcome(*findings: Seen, program: str = "a", seed: int = 0) -> Outcome:
    return Outcome(program, "buggy", seed, training_steps=(0, 105, 215), other_steps=(50, 100), findings=findings)


@pytest.mark.parametrize(
    ("count", "total", "low", "high"),
    # Newcombe 1998, table I: 81 of 263, 15 of 148, 0 of 20, 1 of 29.
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_intervals_are_those_of_wilson(count: int, total: int, low: float, high: float) -> None:
    assert Share(count, total).interval == pytest.approx((low, high), abs=5e-5)


def test_a_share_of_nothing_says_nothing() -> None:
    assert Share(0, 0).interval == (0.0, 1.0)
    assert Share(0, 0).value != Share(0, 0).value


@pytest.mark.parametrize(
    ("kind", "name", "node", "expected"),
    [
        ("parameter", "model.0.weight", "model.0.weight", True),
        ("parameter", "model.0.weight", "model.0", True),
        ("parameter", "model.0.0.weight", "model", False),  # a whole model is no container
        ("parameter", "model.0.0.weight", "model.0", True),
        ("tensor", "model.0.1.2: output", "model.0", True),
        ("tensor", "model.0.1: input", "model.0", False),
        ("module", "model.0.1", "model.0", True),
        ("module", "model.01", "model.0", False),
        ("parameter", "model.01.weight", "model.0", False),
        ("tensor", "model.0: output", "model.0", True),
        ("tensor", "model.0 (call 3): output[1]", "model.0", True),
        ("tensor", "model.0: input", "model.0", False),
        ("module", "model.0", "model.0.weight", True),
        ("module", "model.0", "model.0: output", True),
        ("module", "model.1", "model.0: output", False),
        ("tensor", "model.0", "model.0: output", False),
        ("loss", "loss", "model.0", False),
    ],
)
def test_a_module_stands_for_its_outputs_its_own_parameters_and_the_modules_in_it(kind: str, name: str, node: str, expected: bool) -> None:
    assert is_at(kind, name, ["elsewhere", node]) is expected
    assert not is_at(kind, name, [])


def test_the_first_incident_and_the_rest_are_scored_apart() -> None:
    truth = Truth(("right",), ("model.2",))
    outcome = _outcome(
        _seen("wrong"),
        _seen("right", 0, cause=False, node="model.2: output", step=0),
        _seen("other", 1, node="model.2: output"),
        _seen("more", 2),
    )
    score = score_run(outcome, truth)
    assert (score.rule_first, score.rule_anywhere, score.node_first, score.node_three) == (False, True, False, True)
    assert (score.step, score.findings) == (True, 4)
    # What stands at the head of findings is read first, and the fourth place is too late.
    elsewhere = Seen("right", 2, 0, True, (("tensor", "model.1: output"), ("tensor", "model.2: output")))
    score = score_run(_outcome(elsewhere, _seen("more", 1, node="model.3")), truth)
    assert (score.node_first, score.node_three) == (False, True)
    heads = [_seen("more", 1, node=f"model.{number}") for number in (3, 4)]
    assert score_run(_outcome(elsewhere, *heads), truth).node_three is False
    late = score_run(
        _outcome(*(_seen("wrong", k, node=f"model.{3 + k}") for k in range(3)), _seen("right", 3, node="model.2.weight")), truth
    )
    assert (late.rule_anywhere, late.node_three) == (True, False)


@pytest.mark.parametrize("node", ["model.encoder", "model.encoder: output"])
def test_a_container_stands_for_what_its_last_part_returns(node: str) -> None:
    places = (("tensor", "model.encoder.3: output"),)
    seen = Seen("right", 2, 0, True, places, returned_by=("model.encoder.3", "model.encoder"))
    assert score_run(_outcome(seen), Truth(("right",), (node,))).node_first is True
    assert score_run(_outcome(replace(seen, returned_by=("model.encoder.3",))), Truth(("right",), (node,))).node_first is (
        node == "model.encoder"
    )
    assert score_run(_outcome(seen), Truth(("right",), ("model",))).node_first is False


def test_without_findings_everything_is_wrong_and_no_step_is_judged() -> None:
    score = score_run(_outcome(), Truth(("right",), ("model",)))
    assert (score.rule_first, score.rule_anywhere, score.node_first, score.node_three, score.step) == (False, False, False, False, None)
    assert score_run(_outcome(), Truth(("right",))).node_first is None


@pytest.mark.parametrize(
    ("since", "step", "expected"),
    [
        (None, None, True),
        (None, 0, True),  # the first training step
        (None, 50, True),  # the first evaluation
        (None, 105, False),
        (60, 105, True),
        (60, 100, True),
        (60, 215, False),
        (60, 50, False),
        (60, None, False),
    ],
)
def test_the_right_step_is_the_first_recorded_one_in_which_it_shows(since: int | None, step: int | None, expected: bool) -> None:
    assert score_run(_outcome(_seen("right", step=step)), Truth(("right",), step=since)).step is expected


@pytest.mark.parametrize(
    ("since", "step", "expected"), [(None, 0, True), (61, 61, True), (61, 65, False), (61, None, False), (None, 5, False)]
)
def test_the_step_of_a_first_nan_is_exact_or_wrong(since: int | None, step: int | None, expected: bool) -> None:
    truth = Truth(("nan-origin",), step=since)
    assert score_run(_outcome(_seen("symptom", step=since), _seen("nan-origin", 1, step=step)), truth).nan_step is expected
    assert score_run(_outcome(_seen("symptom", step=since)), truth).nan_step is False
    # It is one of several ways to see another bug.
    assert score_run(_outcome(_seen("nan-origin", step=since)), Truth(("diverging-loss", "nan-origin"), step=since)).nan_step is None


def test_a_program_counts_with_the_mean_of_its_seeds() -> None:
    # a: 1 of 2, b: 1 of 1, c: not known.
    share = over_programs([("a", True), ("a", False), ("b", True), ("c", None)])
    assert (share.count, share.total) == (1.5, 2)


def test_a_program_is_flagged_if_one_seed_is() -> None:
    outcomes = [_outcome(), _outcome(_seen("x", severity=1), seed=1), _outcome(program="b")]
    assert flagged_programs(outcomes, Severity.SYMPTOM) == Share(1, 2)
    assert flagged_programs(outcomes, Severity.PROBLEM) == Share(0, 2)


def test_what_a_right_cause_explains_is_not_held_against_its_rule() -> None:
    outcomes = [
        _outcome(_seen("right"), _seen("symptom", cause=False), _seen("symptom", 1)),
        _outcome(_seen("symptom"), _seen("right", cause=False)),
    ]
    # The first of three symptoms is explained by a right cause, the others are not. The right rule counts in any place.
    assert precision_of_rules(outcomes, {"a": Truth(("right",))}) == {"right": Share(2, 2), "symptom": Share(1, 3)}


def test_stability_compares_the_rules_of_all_seeds() -> None:
    outcomes = [_outcome(_seen("x"), _seen("y")), _outcome(_seen("x"), seed=1), _outcome(_seen("z"), program="b")]
    # Program a has x with both seeds and y with one; program b has z with its only seed.
    assert stability(outcomes) == Share(2, 3)
