"""The rule `same-for-all-samples`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from comgra_export.analysis.findings.model.finding import Severity
from comgra_export.analysis.findings.rules.activations.same_for_all_samples import RULE
from comgra_export.analysis.history.run import Run
from support.analysis.runs import Array, Given, RunByHand

LAYER = "model: output"
NOISE = np.random.default_rng(0).normal(size=(16, 8)).astype(np.float32)


def _run(tmp_path: Path, first: Array, later: Array, x: Array = NOISE, *, linear: bool = True, child: Array = NOISE) -> Run:
    tensors = [
        Given("w", "parameter"),
        Given("x", "input"),
        Given(LAYER, operation="AddmmBackward0", parents=("x", "w"), module="model"),
        Given("next", parents=(LAYER, "w"), module="model"),
    ]
    written = RunByHand(tmp_path, tensors, modules={"model": "Linear" if linear else "Net"})
    for step in range(10):
        written.step(step, {"w": np.ones(2), "x": x, LAYER: first if step < 3 else later, "next": child}, {"w": 0.1})
    return written.read()


def test_a_layer_without_differences_between_samples_is_named(tmp_path: Path) -> None:
    (finding,) = RULE.check(_run(tmp_path, NOISE, 1 + 1e-4 * NOISE))
    assert (finding.place.name, finding.step, finding.severity) == (LAYER, 3, Severity.PROBLEM)
    # What still differs is named last.
    assert [place.name for place in finding.places] == [LAYER, "x"]
    assert "`x`, from which it is computed, differs between samples." in finding.message


@pytest.mark.parametrize(("relative", "count"), [(0.9e-3, 1), (1.1e-3, 0)])
def test_the_limit_is_a_thousandth(tmp_path: Path, relative: float, count: int) -> None:
    # Samples are constant, so that their means deviate by `relative` and nothing else deviates more.
    means = np.linspace(-1, 1, 16)
    values = np.tile(1 + relative * means[:, None] / means.std(ddof=1), (1, 8)).astype(np.float32)
    assert len(list(RULE.check(_run(tmp_path, values, values)))) == count


@pytest.mark.parametrize(("size", "count"), [(4.0, 0), (1.0, 1)])
def test_differences_that_are_still_large_have_not_vanished(tmp_path: Path, size: float, count: int) -> None:
    # To 4 % of the start: the largest deviation, that of the largest magnitude, is about 0.6 times the size at the start.
    assert len(list(RULE.check(_run(tmp_path, size * 2 * NOISE, size * 0.08 * NOISE)))) == count


@pytest.mark.parametrize(("dtype", "count"), [("I16", 0), ("F32", 1)])
def test_choices_may_be_the_same_for_all_samples(tmp_path: Path, dtype: str, count: int) -> None:
    # What argmax chooses from is not recorded here.
    tensors = [
        Given("w", "parameter"),
        Given("x", "input"),
        Given("chosen", parents=("x",), dtype=dtype),
        Given("next", parents=("chosen", "w"), dtype=dtype),
    ]
    written = RunByHand(tmp_path, tensors)
    for step in range(10):
        written.step(step, {"w": np.ones(2), "x": NOISE, "chosen": np.ones((16, 8)), "next": np.ones((16, 8))}, {"w": 0.1})
    assert len(list(RULE.check(written.read()))) == count


def test_small_differences_are_fine(tmp_path: Path) -> None:
    assert list(RULE.check(_run(tmp_path, 1 + 0.01 * NOISE, 1 + 0.01 * NOISE))) == []


def test_one_hot_vectors_have_the_same_statistics_and_are_fine(tmp_path: Path) -> None:
    one_hot = np.eye(8, dtype=np.float32)[np.arange(16) % 8]
    assert list(RULE.check(_run(tmp_path, one_hot, one_hot, linear=False))) == []
    # If nothing that follows differs, they are not.
    assert len(list(RULE.check(_run(tmp_path / "all", one_hot, one_hot, linear=False, child=np.ones((16, 8), np.float32))))) == 1


def test_inputs_that_are_all_the_same_are_another_matter(tmp_path: Path) -> None:
    same = np.ones((16, 8), np.float32)
    assert list(RULE.check(_run(tmp_path, same, same, x=same, child=same))) == []


@pytest.mark.parametrize(("factor", "count"), [(0.04, 1), (0.06, 0)])
def test_differences_that_shrink_to_little_are_a_symptom(tmp_path: Path, factor: float, count: int) -> None:
    findings = list(RULE.check(_run(tmp_path, 0.5 * NOISE, 0.5 * factor * NOISE)))
    assert [finding.severity for finding in findings] == [Severity.SYMPTOM] * count


def test_what_is_computed_on_the_way_to_the_loss_is_another_matter(tmp_path: Path) -> None:
    # A sum of probabilities, say: it is 1 for all samples, as it should be.
    tensors = [
        Given("w", "parameter"),
        Given("x", "input"),
        Given(LAYER, operation="AddmmBackward0", parents=("x", "w"), module="model"),
        Given("sum", operation="SumBackward1", parents=(LAYER,)),
    ]
    written = RunByHand(tmp_path, tensors, modules={"model": "Linear"})
    for step in range(10):
        written.step(step, {"w": np.ones(2), "x": NOISE, LAYER: NOISE, "sum": np.ones(16)}, {"w": 0.1})
    assert list(RULE.check(written.read())) == []


@pytest.mark.parametrize(
    ("start", "end", "noise", "is_named"),
    [
        (1.0, 0.03, 1.0, True),
        (1.0, 0.08, 1.0, False),
        (0.1, 0.03, 1.0, False),
        (1.0, 0.03, 0.1, False),
    ],
    ids=["given up", "still 8 percent of the code", "never much more", "the code falls too"],
)
def test_a_code_of_which_noise_is_left_names_what_it_is_computed_from(
    tmp_path: Path, start: float, end: float, noise: float, is_named: bool
) -> None:
    """As the code of a VAE: the mean, and noise."""
    random = np.random.default_rng(1)
    tensors = [
        Given("w", "parameter"),
        Given("x", "input"),
        Given("mean", parents=("x", "w"), module="model"),
        Given("code", operation="AddBackward0", parents=("mean",), module="model"),
    ]
    written = RunByHand(tmp_path, tensors, modules={"model": "Vae"})
    for step in range(10):
        mean = (start if step < 3 else end) * NOISE
        code = mean + (1.0 if step < 3 else noise) * random.normal(size=NOISE.shape)
        written.step(step, {"w": np.ones(2), "x": NOISE, "mean": mean, "code": code}, {"w": 0.1})
    findings = list(RULE.check(written.read()))
    assert [[place.name for place in finding.places] for finding in findings] == ([["mean", "code"]] if is_named else [])
    if is_named:
        assert (findings[0].severity, findings[0].step) == (Severity.PROBLEM, 3)
        assert "What is left is noise" in findings[0].message


@pytest.mark.parametrize(("later", "count"), [(NOISE, 0), (np.ones((16, 8), np.float32), 1)], ids=["differs", "does not"])
def test_a_view_of_one_hot_vectors_shows_no_more_than_they_do(tmp_path: Path, later: Array, count: int) -> None:
    one_hot = np.eye(8, dtype=np.float32)[np.arange(16) % 8]
    tensors = [
        Given("w", "parameter"),
        Given("x", "input"),
        Given("choice", operation="AddBackward0", parents=("x",), module="model"),
        Given("flat", operation="ViewBackward0", parents=("choice",), module="model"),
        Given("next", operation="AddmmBackward0", parents=("flat", "w"), module="model"),
    ]
    written = RunByHand(tmp_path, tensors, modules={"model": "Net"})
    for step in range(10):
        written.step(step, {"w": np.ones(2), "x": NOISE, "choice": one_hot, "flat": one_hot, "next": later}, {"w": 0.1})
    assert [finding.place.name for finding in RULE.check(written.read())] == ["choice"] * count
