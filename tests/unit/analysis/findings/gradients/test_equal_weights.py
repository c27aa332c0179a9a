"""The rule `equal-weights`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from comgra_export.analysis.findings.model.finding import Severity
from comgra_export.analysis.findings.rules.gradients.equal_weights import RULE
from comgra_export.analysis.history.run import Run
from support.analysis.runs import Array, Given, RunByHand
from support.analysis.watched import recorded, train


def _run(tmp_path: Path, first: Array, later: Array, kind: str = "Linear") -> Run:
    written = RunByHand(tmp_path, [Given("model.weight", "parameter")], modules={"model": kind})
    for step, values in ((0, first), (29, first), (30, later)):
        written.step(step, {"model.weight": values}, {"model.weight": 0.1})
    return written.read()


def _all(value: float, *shape: int) -> Array:
    return np.full(shape or (3, 3), value, np.float32)


RANDOM = np.arange(9, dtype=np.float32).reshape(3, 3)


def test_constant_weights_are_a_bug_at_once(tmp_path: Path) -> None:
    (finding,) = RULE.check(_run(tmp_path, _all(0.05), RANDOM))
    assert (finding.place.name, finding.severity) == ("model.weight", Severity.BUG)


def test_zeros_and_constants_of_other_modules_must_last_thirty_steps(tmp_path: Path) -> None:
    for number, (value, kind) in enumerate([(0.0, "Linear"), (1.0, "Mixer")]):
        assert len(list(RULE.check(_run(tmp_path / f"last{number}", _all(value), _all(value), kind)))) == 1
        assert list(RULE.check(_run(tmp_path / f"go{number}", _all(value), RANDOM, kind))) == []


@pytest.mark.parametrize(
    ("values", "kind"), [(RANDOM, "Linear"), (_all(1.0, 3), "Linear"), (_all(1.0, 1, 3), "Linear"), (_all(1.0), "LayerNorm")]
)
def test_random_weights_rows_and_scales_are_fine(tmp_path: Path, values: Array, kind: str) -> None:
    assert list(RULE.check(_run(tmp_path, values, values, kind))) == []


class _Mixer(nn.Module):
    """A layer of its own, all weights of which begin with one value."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.full((4, 5), 0.25))

    def forward(self, x: Tensor) -> Tensor:
        return x @ self.weight if x.ndim == 2 else x * self.weight


@pytest.mark.parametrize(("shape", "is_named"), [((8, 4), True), ((8, 4, 5), False)], ids=["units", "scales"])
def test_units_that_stay_copies_of_each_other(tmp_path: Path, shape: tuple[int, ...], is_named: bool) -> None:
    """The weights of all units stay those of one, although they differ by input. A scale for each place and feature does not."""
    model = nn.Sequential(_Mixer(), nn.Linear(5, 5), nn.Tanh(), nn.Linear(5, 2))
    nn.init.constant_(model[1].weight, 0.3)  # type: ignore[arg-type]

    def step(_: int) -> Tensor:
        x = torch.randn(shape)
        loss: Tensor = (model(x)[..., 0] - x[..., 0]).square().mean()
        return loss

    run = recorded(tmp_path, model, lambda _: train(model, 31, step, optimizer=torch.optim.SGD(model.parameters(), lr=0.3)), check=False)
    assert [finding.place.name for finding in RULE.check(run)] == [*(["model.0.weight"] if is_named else []), "model.1.weight"]


@pytest.mark.parametrize(("spread", "count"), [(0.04, 1), (0.06, 0)])
def test_lasting_means_equal_to_within_a_twentieth(tmp_path: Path, spread: float, count: int) -> None:
    later = _all(1.0)
    later[0, 0] -= spread
    assert len(list(RULE.check(_run(tmp_path, _all(0.0), later)))) == count


@pytest.mark.parametrize(("spread", "count"), [(0.5e-6, 1), (2e-6, 0)])
def test_equal_means_up_to_rounding(tmp_path: Path, spread: float, count: int) -> None:
    first = _all(1.0)
    first[0, 0] -= spread
    assert len(list(RULE.check(_run(tmp_path, first, RANDOM)))) == count


@pytest.mark.parametrize(("value", "gradient", "count"), [(0.0, None, 0), (0.5, None, 0), (0.0, 0.1, 1), (0.0, 0.0, 1)])
def test_a_weight_without_any_gradient_has_another_problem(tmp_path: Path, value: float, gradient: float | None, count: int) -> None:
    written = RunByHand(tmp_path, [Given("model.weight", "parameter")], modules={"model": "Linear"})
    for step in (0, 29, 30):
        written.step(step, {"model.weight": _all(value)}, {"model.weight": gradient})
    assert len(list(RULE.check(written.read()))) == count
