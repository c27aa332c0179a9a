"""The rule `cut-path` for terms of a loss that are only numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from comgra_export.analysis.findings.model.finding import Finding
from comgra_export.analysis.findings.rules.graph.cut_path import RULE
from comgra_export.storage import TensorReference
from support.analysis.runs import Given, RunByHand
from support.analysis.watched import recorded, train

TERMS = (4.0, 5.0, 7.0, 6.0, 3.0)


def _check(folder: Path, rest: Callable[[float], float], terms: Sequence[float] = TERMS) -> list[Finding]:
    """The loss is 2 and a rest, and a scalar leads nowhere."""
    tensors = [
        Given("model.weight", "parameter"),
        Given("out", operation="AddmmBackward0", parents=("model.weight",)),
        Given("error", operation="MseLossBackward0", parents=("out",), batch=False),
        Given("penalty", operation="MeanBackward0", parents=("out",), batch=False),
        Given("sum", "loss", operation="AddBackward0", parents=("error",), batch=False),
    ]
    written = RunByHand(folder, tensors)
    for step, term in enumerate(terms):
        values = {"model.weight": [[1.0]], "out": np.ones((4, 2)), "error": 2.0, "penalty": term, "sum": 2.0 + rest(term)}
        written.step(step, values, {"model.weight": 0.1}, backward_roots=(TensorReference("sum", 0),))
    return list(RULE.check(written.read()))


def test_a_term_that_is_a_multiple_of_a_scalar_that_leads_nowhere_is_named(tmp_path: Path) -> None:
    (finding,) = _check(tmp_path, lambda term: 0.25 * term)
    assert [place.name for place in finding.places] == ["penalty", "sum"]
    assert finding.message.startswith("`sum` holds 0.25 times `penalty`, and no gradient comes back from it.")


@pytest.mark.parametrize(
    ("rest", "terms"),
    [
        (lambda term: 0.25 * term + 1, TERMS),
        # A constant is a multiple of anything that does not change, and nothing that is lost in rounding is known.
        (lambda _: 1.0, (4.0,) * 5),
        (lambda term: 1e-4 * term, TERMS),
        (lambda term: 0.25 * term, TERMS[:4]),
    ],
    ids=["another number", "constant", "too small", "few steps"],
)
def test_other_sums_are_in_order(tmp_path: Path, rest: Callable[[float], float], terms: Sequence[float]) -> None:
    assert _check(tmp_path, rest, terms) == []


def _trained(folder: Path, penalty: Callable[[nn.Module, Tensor], Tensor | float]) -> list[Finding]:
    model = nn.Linear(4, 2)

    def loss(_: int) -> Tensor:
        out = model(torch.randn(16, 4))
        return nn.functional.cross_entropy(out, torch.randint(2, (16,))) + 0.5 * penalty(model, out)

    return list(RULE.check(recorded(folder, model, lambda _: train(model, 6, loss))))


@pytest.mark.parametrize(
    "penalty",
    [
        lambda _, out: out.square().mean().item(),
        lambda _, out: out.square().mean().detach(),
        lambda model, _: sum(each.norm().item() for each in model.parameters()),
        lambda model, _: sum(each.data.square().sum() for each in model.parameters()),
    ],
    ids=["item", "detach", "norms", "data"],
)
def test_penalties_without_a_gradient_are_named(tmp_path: Path, penalty: Callable[[nn.Module, Tensor], Tensor | float]) -> None:
    (finding,) = _trained(tmp_path, penalty)
    assert "the term is in the loss, and nothing learns from it" in finding.message


@pytest.mark.parametrize(
    "penalty",
    [
        lambda _, out: out.square().mean(),
        lambda model, _: sum(each.square().sum() for each in model.parameters()),
        lambda *_: 1.0,
    ],
    ids=["of the output", "of the weights", "a constant"],
)
def test_penalties_with_a_gradient_are_not(tmp_path: Path, penalty: Callable[[nn.Module, Tensor], Tensor | float]) -> None:
    assert _trained(tmp_path, penalty) == []
