"""The rule `rank-collapse`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
import torch
from torch import nn

from comgra_export.analysis.findings.model.rule import NotCheckedError
from comgra_export.analysis.findings.rules.gradients.rank_collapse import RULE
from comgra_export.analysis.history.run import Run
from support.analysis.watched import recorded, train


def _run(tmp_path: Path, others: Sequence[float], size: int = 11) -> Run:
    """A layer whose singular values are 1 and, in each step, `size` - 1 that are equal. Its stable rank is 1 + (`size` - 1) others^2."""
    model = nn.Linear(size, size, bias=False)

    def step(number: int) -> torch.Tensor:
        with torch.no_grad():
            diagonal = torch.full((size,), others[number])
            diagonal[0] = 1
            model.weight.copy_(torch.diag(diagonal))
        loss: torch.Tensor = model(torch.randn(4, size)).square().mean()
        return loss

    optimizer = torch.optim.SGD(model.parameters(), lr=1e-9)
    return recorded(tmp_path, model, lambda _: train(model, len(others), step, optimizer=optimizer), check=False)


def test_a_weight_that_keeps_one_direction_is_named(tmp_path: Path) -> None:
    # 1 + 10 * 0.09^2 = 1.081
    (finding,) = RULE.check(_run(tmp_path, [1, 1, 0.5, 0.09, 0.09, 0.09, 0.09]))
    assert finding.place.name == "model.weight"
    assert finding.value == pytest.approx(1.081, rel=1e-3)
    # A weight is recorded as the forward pass of the step reads it.
    assert finding.step == 3
    assert "falls from 11 to 1.08" in finding.message


@pytest.mark.parametrize(
    "others",
    [
        [1, 1, 0.5, 0.11, 0.11, 0.11, 0.11],  # 1 + 10 * 0.11^2 = 1.121
        [1, 1, 0.5, 0.5, 0.5, 0.09, 0.09],
        [0.5, 0.5, 0.5, 0.09, 0.09, 0.09, 0.09],  # 1 + 10 * 0.5^2 = 3.5
    ],
    ids=["not enough", "not for long enough", "small from the start"],
)
def test_less_than_that_is_not(tmp_path: Path, others: list[float]) -> None:
    assert list(RULE.check(_run(tmp_path, others))) == []


def test_small_weights_are_not_judged(tmp_path: Path) -> None:
    with pytest.raises(NotCheckedError, match="no weight with 8 rows and columns"):
        list(RULE.check(_run(tmp_path, [1, 1, 1, 0.01, 0.01, 0.01], size=7)))
