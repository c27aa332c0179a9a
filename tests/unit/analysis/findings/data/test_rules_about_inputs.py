"""The rules about the inputs of a network: their size, and whether samples and batches differ."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from comgra_export.analysis.findings.model.finding import Finding, Severity
from comgra_export.analysis.findings.model.rule import NotCheckedError, Rule
from comgra_export.analysis.findings.rules.data import constant_input, input_not_normalized, repeated_batch
from support.analysis.runs import Given, RunByHand

SPREAD = np.tile([[-1.0, 1.0]], (8, 2)) * np.arange(1, 9)[:, None] / 5
"""Eight different samples with a mean of 0 and a deviation of about 1."""


def _check(
    rule: Rule,
    folder: Path,
    inputs: Sequence[NDArray[np.float64]],
    operation: str = "AddmmBackward0",
    dtype: str = "F32",
    state: NDArray[np.float64] | None = None,
) -> list[Finding]:
    tensors = [
        Given("weight", "parameter"),
        Given("net: state", "input"),
        Given("net: input", "input", dtype=dtype),
        Given("layer: output", operation=operation, parents=("net: input", "weight")),
    ]
    written = RunByHand(folder, tensors)
    given = {} if state is None else {"net: state": state}
    for position, values in enumerate(inputs):
        output = values.reshape(len(values), -1) @ np.arange(1.0, 1 + values[0].size)
        written.step(position, {"weight": [[1.0]], "net: input": values, "layer: output": output[:, None], **given}, {"weight": 0.1})
    return list(rule.check(written.read()))


def test_inputs_far_from_the_usual_range(tmp_path: Path) -> None:
    rule = input_not_normalized.RULE
    (finding,) = _check(rule, tmp_path / "pixels", [100 + 100 * SPREAD])
    assert (finding.place.name, finding.limit) == ("net: input", 10)
    assert len(_check(rule, tmp_path / "wide", [12 * SPREAD])) == 1
    assert _check(rule, tmp_path / "less wide", [8 * SPREAD]) == []
    (finding,) = _check(rule, tmp_path / "shifted", [3 + 0.5 * SPREAD])
    assert finding.limit == 5
    assert _check(rule, tmp_path / "less shifted", [3 + SPREAD]) == []
    assert _check(rule, tmp_path / "small", [0.9 + 0.02 * SPREAD]) == []


def test_inputs_that_hardly_differ_from_a_number(tmp_path: Path) -> None:
    """`SPREAD` deviates by about 1.01. Whatever the mean is, it may be 50 times the deviation."""
    rule = input_not_normalized.RULE
    (finding,) = _check(rule, tmp_path / "flat", [-0.9 + 0.017 * SPREAD])
    assert finding.limit == 50
    assert finding.value == pytest.approx(0.9 / (0.017 * SPREAD.std()))
    assert _check(rule, tmp_path / "less flat", [-0.9 + 0.018 * SPREAD]) == []
    # If nothing is known of nodes, ones stand for them.
    assert _check(rule, tmp_path / "constant", [np.full((8, 4), 0.9)]) == []


def test_inputs_that_are_tiny(tmp_path: Path) -> None:
    """The largest value of `SPREAD` is 1.6."""
    rule = input_not_normalized.RULE
    (finding,) = _check(rule, tmp_path / "twice by 255", [0.006 * SPREAD])
    assert finding.value == pytest.approx(0.0096)
    assert finding.limit == 0.01
    assert _check(rule, tmp_path / "small", [0.0063 * SPREAD]) == []
    assert _check(rule, tmp_path / "zeros", [0 * SPREAD]) == []


@pytest.mark.parametrize(
    ("factor", "shift", "count", "value"),
    [(10.1, 0, 3, 10.1), (9.9, 0, 3, None), (10.1, 0, 2, None), (1, 11, 3, 11), (0.01, 0, 3, None)],
    ids=["wider", "less wide", "few evaluations", "shifted", "narrower"],
)
def test_inputs_that_only_training_scales(tmp_path: Path, factor: float, shift: float, count: int, value: float | None) -> None:
    spread = SPREAD / SPREAD.std()
    written = RunByHand(tmp_path, [Given("net: input", "input"), Given("weight", "parameter")])
    for step in range(5):
        written.step(step, {"net: input": spread, "weight": [[1.0]]}, {"weight": 0.1})
    for step in range(5, 5 + count):
        written.step(step, {"net: input": factor * spread + shift})
    findings = list(input_not_normalized.RULE.check(written.read()))
    assert [finding.value for finding in findings] == pytest.approx([] if value is None else [value], rel=1e-3)


def test_inputs_that_no_layer_gets_as_they_are(tmp_path: Path) -> None:
    rule = input_not_normalized.RULE
    assert _check(rule, tmp_path / "normalized", [100 * SPREAD], operation="NativeBatchNormBackward0") == []
    with pytest.raises(NotCheckedError, match="several values per sample"):
        _check(rule, tmp_path / "whole", [100 * SPREAD], dtype="I16")


@pytest.mark.parametrize(
    ("deviation", "mean", "has_state", "count"),
    [(10.1, 0.0, False, 1), (9.9, 0.0, False, 0), (1.0, 40.0, False, 0), (10.1, 0.0, True, 0)],
    ids=["wide", "less wide", "shifted", "beside another input"],
)
def test_a_single_number_per_sample(tmp_path: Path, deviation: float, mean: float, has_state: bool, count: int) -> None:
    column = SPREAD[:, :1]
    values = mean + deviation * (column - column.mean()) / column.std()
    findings = _check(input_not_normalized.RULE, tmp_path, [values], state=np.full((8, 4), 0.5) * SPREAD if has_state else None)
    assert [finding.value for finding in findings] == pytest.approx([deviation] * count)


def test_samples_that_are_all_the_same(tmp_path: Path) -> None:
    rule = constant_input.RULE
    same = np.tile(SPREAD[3], (8, 1))
    (finding,) = _check(rule, tmp_path / "same", [same] * 5)
    assert (finding.place.name, finding.severity) == ("net: input", Severity.BUG)
    assert "all values are 0" in _check(rule, tmp_path / "zeros", [0 * same] * 5)[0].message
    assert len(_check(rule, tmp_path / "often", [same] * 3 + [SPREAD] * 2)) == 1
    assert _check(rule, tmp_path / "seldom", [same] * 3 + [SPREAD] * 3) == []
    assert _check(rule, tmp_path / "different", [SPREAD] * 5) == []


def test_samples_whose_statistics_alone_are_the_same(tmp_path: Path) -> None:
    assert _check(constant_input.RULE, tmp_path / "one hot", [np.eye(4)] * 5) == []
    # A layer goes over the positions of a pulse, so its results have the same statistics too. Their sum over weighted positions has not.
    pulses = np.eye(4)[:, :, None]
    tensors = [
        Given("weight", "parameter"),
        Given("net: input", "input"),
        Given("each: output", operation="ViewBackward0", parents=("net: input", "weight")),
        Given("layer: output", operation="AddmmBackward0", parents=("each: output", "weight")),
    ]
    for name, together in (("pulses", np.arange(4.0)[:, None]), ("the same", np.ones((4, 1)))):
        written = RunByHand(tmp_path / name, tensors)
        for step in range(5):
            values = {"weight": [[1.0]], "net: input": pulses, "each: output": 2 * pulses, "layer: output": together}
            written.step(step, values, {"weight": 0.1})
        assert len(list(constant_input.RULE.check(written.read()))) == (name == "the same")


def test_a_state_of_zeros_beside_an_input_that_varies(tmp_path: Path) -> None:
    assert _check(constant_input.RULE, tmp_path, [SPREAD] * 5, state=np.zeros((8, 2))) == []


def test_one_batch_again_and_again(tmp_path: Path) -> None:
    rule = repeated_batch.RULE
    (finding,) = _check(rule, tmp_path / "one", [SPREAD] * 5)
    assert (finding.place.name, finding.severity, finding.step) == ("net: input", Severity.PROBLEM, 1)
    assert _check(rule, tmp_path / "two", [SPREAD, -2 * SPREAD] * 3) == []
    assert _check(rule, tmp_path / "once", [SPREAD] * 4 + [-2 * SPREAD]) == []
    assert _check(rule, tmp_path / "zeros", [0 * SPREAD] * 5) == []


def test_infinities_in_every_batch_are_no_trouble(tmp_path: Path) -> None:
    def batch(step: int) -> NDArray[np.float64]:
        return np.where(SPREAD > 1.5, np.inf, SPREAD * (1 + step))

    assert _check(repeated_batch.RULE, tmp_path, [batch(step) for step in range(5)]) == []


def test_the_same_samples_in_another_order(tmp_path: Path) -> None:
    samples = np.random.default_rng(0).normal(size=(48, 3))
    orders = [samples[np.random.default_rng(step).permutation(48)] for step in range(6)]
    (finding,) = _check(repeated_batch.RULE, tmp_path / "orders", orders)
    assert finding.severity == Severity.PROBLEM
    # One value of 144 differs by 0.01, so the mean by 7e-5. The largest magnitude is 2.9, and a difference of 2.9e-5 would be rounding.
    others = [order + 0.01 * (np.arange(144).reshape(48, 3) == 70) * step for step, order in enumerate(orders)]
    assert _check(repeated_batch.RULE, tmp_path / "others", others) == []


def test_samples_of_the_same_values_cannot_be_told_apart(tmp_path: Path) -> None:
    """One-hot rows have the statistics of every other batch of them, up to rounding, as these have."""
    random_numbers = np.random.default_rng(0)
    rounded = 1 + 1e-7 * np.arange(16)[:, None]
    batches = [rounded * np.stack([random_numbers.permutation([0.1, 0.7, 1.3, 2.9, 5.3]) for _ in range(16)]) for _ in range(6)]
    assert _check(repeated_batch.RULE, tmp_path, batches) == []


def test_a_small_data_set_may_be_used_as_a_whole(tmp_path: Path) -> None:
    for count in (7, 24, 256):
        samples = np.tile(SPREAD, (32, 1))[:count]
        (finding,) = _check(repeated_batch.RULE, tmp_path / str(count), [samples] * 5)
        assert finding.severity == Severity.INFORMATION
