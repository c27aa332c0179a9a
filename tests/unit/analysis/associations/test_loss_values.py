"""The loss of each sample, against PyTorch's own functions without reduction."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor
from torch.nn import functional

from comgra_export.analysis.associations.loss_values import FUNCTIONS, loss_per_sample

NO_WEIGHT = {"weight": None, "pos_weight": None}


def _numbers(*shape: int) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(sum(shape)), dtype=torch.float64)


def _classes(classes: int, *shape: int) -> Tensor:
    return torch.randint(0, classes, shape, generator=torch.Generator().manual_seed(0))


LOGITS, PROBABILITIES = _numbers(6, 4), torch.sigmoid(_numbers(6, 3))
CASES: list[tuple[str, Tensor, Tensor, dict[str, Any]]] = [
    ("cross_entropy", LOGITS * 50, _classes(4, 6), {}),
    ("cross_entropy", LOGITS, _classes(4, 6), {"label_smoothing": 0.1}),
    ("cross_entropy", LOGITS, torch.softmax(_numbers(6, 4) * 2, 1), {"label_smoothing": 0.2}),
    ("cross_entropy", _numbers(6, 4, 5), _classes(4, 6, 5), {}),
    ("nll_loss", torch.log_softmax(LOGITS, 1), _classes(4, 6), {}),
    ("mse_loss", _numbers(6, 3), _numbers(6, 3) + 1, {}),
    ("l1_loss", _numbers(6), _numbers(6) + 1, {}),
    ("smooth_l1_loss", _numbers(6, 3), _numbers(6, 3) + _numbers(6, 3), {"beta": 0.5}),
    ("huber_loss", _numbers(6, 3), 3 * _numbers(6, 3), {"delta": 0.7}),
    ("binary_cross_entropy", PROBABILITIES, torch.ones(6, 3, dtype=torch.float64) * 0.3, {}),
    ("binary_cross_entropy", torch.tensor([[0.0], [1.0]]), torch.tensor([[1.0], [1.0]]), {}),
    ("binary_cross_entropy_with_logits", 100 * _numbers(6, 3), PROBABILITIES, {}),
]


@pytest.mark.parametrize(("name", "prediction", "target", "options"), CASES)
def test_the_loss_of_a_sample_is_pytorchs(name: str, prediction: Tensor, target: Tensor, options: dict[str, Any]) -> None:
    function: Callable[..., Tensor] = getattr(functional, name)
    expected = function(prediction, target, reduction="none", **options)
    losses = loss_per_sample(name, {**NO_WEIGHT, **options}, prediction.numpy().astype(np.float64), target.numpy().astype(np.float64))
    assert losses == pytest.approx(expected.reshape(len(expected), -1).mean(dim=1).numpy())


def test_every_function_is_tried() -> None:
    assert {case[0] for case in CASES} == FUNCTIONS


def test_ignored_targets_do_not_count() -> None:
    prediction, target = _numbers(3, 4, 2), _classes(4, 3, 2)
    target[0, 1], target[1] = -100, -100
    single = functional.cross_entropy(prediction[:1, :, 0], target[:1, 0]).item()
    losses = loss_per_sample("cross_entropy", NO_WEIGHT, prediction.numpy(), target.numpy().astype(np.float64))
    assert losses is not None
    assert losses[0] == pytest.approx(single)
    assert np.isnan(losses[1])
    other = loss_per_sample("cross_entropy", {**NO_WEIGHT, "ignore_index": 2.0}, np.zeros((2, 3)), np.array([1.0, 2.0]))
    assert other is not None
    assert other[0] == pytest.approx(np.log(3))
    assert np.isnan(other[1])


@pytest.mark.parametrize(
    ("name", "options", "prediction", "target"),
    [
        # A tensor of weights is not among the options.
        ("cross_entropy", {}, np.zeros((2, 3)), np.zeros(2)),
        ("binary_cross_entropy_with_logits", {"weight": None}, np.zeros(2), np.zeros(2)),
        ("mse_loss", {}, np.zeros((2, 1)), np.zeros(2)),
        ("cross_entropy", NO_WEIGHT, np.zeros(2), np.zeros(2)),
        ("cross_entropy", NO_WEIGHT, np.zeros((2, 3)), np.array([0.0, 3.0])),
        ("nll_loss", NO_WEIGHT, np.zeros((2, 3)), np.zeros((2, 3))),
    ],
)
def test_what_cannot_be_computed_is_not_known(name: str, options: dict[str, Any], prediction: Any, target: Any) -> None:  # noqa: ANN401
    assert loss_per_sample(name, options, prediction, target) is None


def test_options_that_a_recording_made_up_are_those_of_pytorch() -> None:
    prediction, target = np.array([[0.0, 1.0], [2.0, 3.0]]), np.array([0.0, 1.0])
    made_up = {**NO_WEIGHT, "label_smoothing": "much", "ignore_index": "none"}
    assert loss_per_sample("cross_entropy", made_up, prediction, target) == pytest.approx(
        loss_per_sample("cross_entropy", NO_WEIGHT, prediction, target)
    )
