"""The rule `same-for-all-tokens`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from comgra_export.analysis.findings.model.rule import NotCheckedError
from comgra_export.analysis.findings.rules.activations.same_for_all_tokens import RULE
from comgra_export.analysis.history.run import Run
from comgra_export.storage import TensorReference, TokenFact
from support.analysis.runs import Given, RunByHand, loss_call

NOISE = np.random.default_rng(0).normal(size=(3, 5, 16))


def _run(tmp_path: Path, noise_of_a: float, noise_of_b: float, values: bool = True) -> Run:
    """Tokens around a common vector of length 4: the cosine between two is about 1 / (1 + noise ** 2)."""
    tensors = [Given("w", "parameter"), Given("a", values=values), Given("b", parents=("a",), values=values)]
    written = RunByHand(tmp_path, tensors)
    for step in range(6):
        written.step(step, {"w": np.ones(2), "a": 1 + noise_of_a * NOISE, "b": 1 + noise_of_b * NOISE}, {"w": 0.1})
    return written.read()


def test_the_first_tensor_with_equal_tokens_is_named(tmp_path: Path) -> None:
    (finding,) = RULE.check(_run(tmp_path / "a", 0.05, 0.01))
    assert finding.place.name == "a"
    (finding,) = RULE.check(_run(tmp_path / "b", 1.0, 0.01))
    assert finding.place.name == "b"


def test_tokens_that_differ_are_fine(tmp_path: Path) -> None:
    assert list(RULE.check(_run(tmp_path, 0.2, 0.2))) == []


@pytest.mark.parametrize(
    ("cosines", "target", "on_the_way", "is_named"),
    [
        ([0.999] * 6, (3, 5), 0.98, True),
        ([0.999] * 6, (15,), 0.98, True),
        ([0.999] * 4 + [0.98] * 2, (3, 5), 0.98, False),
        ([None] * 4 + [0.999] * 2, (3, 5), 0.98, True),
        ([0.98] * 6, (3, 5), 0.98, False),
        # One answer for the whole sample.
        ([0.999] * 6, (3,), 0.98, False),
        # As what an attention adds to what goes around it.
        ([0.999] * 6, (3, 5), None, False),
    ],
    ids=["equal", "flat targets", "once equal", "equal in the end", "alike", "one answer", "a way around"],
)
def test_what_the_recorder_has_compared(
    tmp_path: Path, cosines: list[float | None], target: tuple[int, ...], on_the_way: float | None, is_named: bool
) -> None:
    """The rule looks at the last three of six steps."""
    tensors = [
        Given("w", "parameter"),
        Given("a", histogram=True),
        Given("b", parents=("a",), histogram=True),
        Given("out", parents=("b", "w")),
        Given("target", "target"),
        Given("loss", "loss", parents=("out", "target"), batch=False),
    ]
    written = RunByHand(tmp_path, tensors)
    for step, cosine in enumerate(cosines):
        known = {"a": cosine, "b": on_the_way}
        facts = tuple(TokenFact(TensorReference(name, 0), value) for name, value in known.items() if value is not None)
        values = {"w": np.ones(2), "a": NOISE, "b": NOISE, "out": np.zeros((3, 5, 2)), "target": np.zeros(target), "loss": 1.0}
        written.step(step, values, {"w": 0.1}, losses=(loss_call("cross_entropy", "out"),), token_facts=facts)
    findings = list(RULE.check(written.read()))
    assert [finding.place.name for finding in findings] == ["a"] * is_named
    if is_named:
        assert findings[0].value == pytest.approx(0.999)


def test_it_needs_tokens(tmp_path: Path) -> None:
    with pytest.raises(NotCheckedError, match="no tensor with tokens"):
        list(RULE.check(_run(tmp_path, 0.01, 0.01, values=False)))
