"""The rule `one-unit-bottleneck`."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from torch import Tensor, nn

from comgra_export.analysis.findings.rules.graph.one_unit_bottleneck import RULE
from comgra_export.analysis.history.run import Run
from support.analysis.watched import recorded, train


class _Network(nn.Module):
    def __init__(self, width: int, classes: int, way: str = "") -> None:
        super().__init__()
        self.enter, self.middle, self.leave = nn.Linear(4, 8), nn.Linear(8, width), nn.Linear(width, classes)
        self.beside = nn.Linear(8, classes)
        self.way = way

    def forward(self, x: Tensor) -> Tensor:
        hidden = self.enter(x).relu()
        narrow = self.middle(hidden).relu()
        if self.way == "gate":
            gated: Tensor = self.beside(hidden * torch.sigmoid(narrow))
            return gated
        result: Tensor = self.leave(narrow)
        return result + self.beside(hidden) if self.way == "skip" else result


def _run(tmp_path: Path, model: nn.Module, classes: int) -> Run:
    def step(_: int) -> Tensor:
        return nn.functional.cross_entropy(model(torch.randn(6, 4)), torch.randint(0, classes, (6,)))

    return recorded(tmp_path, model, lambda _: train(model, 2, step), check=False)


def test_a_single_unit_before_several_classes_is_named(tmp_path: Path) -> None:
    (finding,) = RULE.check(_run(tmp_path, _Network(1, 3), 3))
    assert finding.place.name == "model.middle: output"
    assert finding.step == 0
    assert "the 3 classes of cross_entropy" in finding.message


@pytest.mark.parametrize(
    ("width", "classes", "way"),
    [(2, 3, ""), (1, 2, ""), (1, 3, "skip"), (1, 3, "gate")],
    ids=["two units", "two classes", "another way", "a gate"],
)
def test_what_leaves_another_way_or_is_enough_is_not(tmp_path: Path, width: int, classes: int, way: str) -> None:
    assert list(RULE.check(_run(tmp_path, _Network(width, classes, way), classes))) == []


def test_an_input_of_one_number_is_no_bottleneck(tmp_path: Path) -> None:
    model = nn.Sequential(nn.Linear(1, 8), nn.Tanh(), nn.Linear(8, 3))

    def step(_: int) -> Tensor:
        return nn.functional.cross_entropy(model(torch.randn(6, 1)), torch.randint(0, 3, (6,)))

    assert list(RULE.check(recorded(tmp_path, model, lambda _: train(model, 2, step), check=False))) == []


@pytest.mark.parametrize(
    ("values", "width", "of", "is_named"),
    [(8, 1, "itself", True), (7, 1, "itself", False), (8, 2, "itself", False), (8, 1, "another", False)],
    ids=["8 values", "7 values", "two units", "another target"],
)
def test_a_code_of_one_number_for_many_values_is_named(tmp_path: Path, values: int, width: int, of: str, is_named: bool) -> None:
    model = nn.Sequential(nn.Linear(values, 6), nn.ReLU(), nn.Linear(6, width), nn.Linear(width, values))

    def step(_: int) -> Tensor:
        x = torch.randn(6, values)
        return nn.functional.mse_loss(model(x), x if of == "itself" else torch.randn(6, values))

    findings = list(RULE.check(recorded(tmp_path, model, lambda _: train(model, 2, step), check=False)))
    assert [finding.place.name for finding in findings] == (["model.2: output"] if is_named else [])
    assert all("the 8 values of mse_loss are computed from it alone" in finding.message for finding in findings)


@pytest.mark.parametrize(("noise", "is_named"), [(0.5, True), (0.2, False)])
def test_samples_that_one_number_describes_need_no_more(tmp_path: Path, noise: float, is_named: bool) -> None:
    """The values have a variance of 1 + noise ** 2, and the noise remains: a fifth, or four in a hundred."""
    model = nn.Sequential(nn.Linear(8, 1, bias=False), nn.Linear(1, 8, bias=False))
    for layer, value in zip(model, (0.125, 1.0), strict=True):
        nn.init.constant_(layer.get_parameter("weight"), value)

    def step(_: int) -> Tensor:
        # A number eight times, and noise of which the mean is 0.
        x = torch.tensor([-1.0, 1.0])[:, None] + noise * torch.tensor([-1.0, 1.0] * 4)
        return nn.functional.mse_loss(model(x), x)

    findings = list(RULE.check(recorded(tmp_path, model, lambda _: train(model, 2, step), check=False)))
    assert bool(findings) == is_named
