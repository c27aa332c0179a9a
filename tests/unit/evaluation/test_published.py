"""Rules of published detectors, on runs written by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from evaluation.published import fired
from support.analysis.runs import Given, RunByHand, loss_call

TENSORS = [
    Given("x", "input"),
    Given("first.weight", "parameter"),
    Given("hidden", operation="ReluBackward0", parents=("x", "first.weight")),
    Given("last.weight", "parameter"),
    Given("out", operation="SigmoidBackward0", parents=("hidden", "last.weight")),
    Given("target", "target"),
    Given("loss", "loss", parents=("out", "target")),
]
WEIGHT = np.array([[0.5, -0.5], [0.1, -0.3]])
VALUES = {
    "x": np.array([[0.5, -0.5]]),
    "first.weight": WEIGHT,
    "hidden": np.array([[0.5, 0.2]]),
    "last.weight": WEIGHT,
    "out": np.array([[0.5]]),
    "target": np.array([[1.0]]),
}
GRADIENTS = {"first.weight": 0.01, "last.weight": 0.01}


def _fired(tmp_path: Path, values: dict[str, Any], gradients: dict[str, Any], updates: float, falls: float) -> set[str]:
    run = RunByHand(tmp_path, TENSORS)
    for step in range(4):
        run.step(
            step,
            {**VALUES, **values, "loss": falls**step},
            {**GRADIENTS, **gradients},
            updates={"first.weight": (1, updates), "last.weight": (1, 0.01)},
            losses=(loss_call("mse_loss", "out"),),
        )
    return set(fired(run.read()))


def test_nothing_fires_on_a_run_within_all_limits(tmp_path: Path) -> None:
    assert _fired(tmp_path, {}, {}, 0.01, 0.9) == set()


@pytest.mark.parametrize(
    ("values", "gradients", "updates", "falls", "expected"),
    [
        ({}, {}, 0.01, 1.0, {"SageMaker Debugger: LossNotDecreasing"}),
        ({}, {}, 0.2, 0.9, {"DeepDiagnosis: update ratio"}),
        ({}, {}, 0.0, 0.9, {"SageMaker Debugger: UnchangedTensor", "SageMaker Debugger: WeightUpdateRatio", "DeepDiagnosis: update ratio"}),
        # The norms are 2e-5 and 0.02: the mean gradient is still above 1e-7.
        ({}, {"first.weight": 9e-6}, 0.01, 0.9, {"AUTOTRAINER: gradient vanishing"}),
        ({}, {"first.weight": 0.8}, 0.01, 0.9, {"AUTOTRAINER: gradient exploding"}),
        ({}, {"first.weight": np.array([[0, 0], [0, 0.01]])}, 0.01, 0.9, {"AUTOTRAINER: dying ReLU"}),
        ({"hidden": np.array([[0, 0, 0, 1.0]])}, {}, 0.01, 0.9, {"DeepDiagnosis: dead node"}),
        ({"target": np.array([[1.5]])}, {}, 0.01, 0.9, {"DeepDiagnosis: out of range"}),
        ({"x": np.array([[0.5, 1.5]])}, {}, 0.01, 0.9, {"UMLAUT: input range"}),
        (
            {"hidden": np.array([[np.nan, 1.0]])},
            {},
            0.01,
            0.9,
            {"SageMaker Debugger: ExplodingTensor", "DeepDiagnosis: numerical error", "UMLAUT: not finite"},
        ),
        (
            {"first.weight": WEIGHT * 5},
            {},
            0.01,
            0.9,
            {"SageMaker Debugger: PoorWeightInitialization"},
        ),
    ],
)
def test_each_limit_that_is_crossed_fires_its_rules(
    tmp_path: Path, values: dict[str, Any], gradients: dict[str, Any], updates: float, falls: float, expected: set[str]
) -> None:
    assert _fired(tmp_path, values, gradients, updates, falls) == expected
