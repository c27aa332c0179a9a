"""Functions that drop values: what the recorder notes of them, and `evaluation-in-training-mode` and `heavy-dropout`, which read it."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from torch import Tensor, nn

from comgra_export.analysis.findings.model.finding import Place
from comgra_export.analysis.findings.model.rule import NotCheckedError
from comgra_export.analysis.findings.rules.graph import heavy_dropout
from comgra_export.analysis.findings.rules.training import evaluation_in_training_mode
from comgra_export.analysis.history.run import Run
from comgra_export.storage import DropoutCall
from support.analysis.watched import recorded, train


class _Attentive(nn.Module):
    """Attention and dropout by functions, whose results are not returned by any module."""

    def __init__(self, function: str, share: float, *, follows_mode: bool) -> None:
        super().__init__()
        self.qkv, self.out = nn.Linear(4, 12), nn.Linear(4, 1)
        self.function, self.share, self.follows_mode = function, share, follows_mode

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        share = self.share if self.training or not self.follows_mode else 0.0
        if self.function == "attention":
            mixed = nn.functional.scaled_dot_product_attention(q, k, v, dropout_p=share)
        else:
            mixed = nn.functional.dropout(q * k * v, share, self.training if self.follows_mode else True)
        result: Tensor = self.out(mixed + 1)
        return result


def _attentive(folder: Path, function: str, share: float, *, follows_mode: bool) -> Run:
    model = nn.Sequential(_Attentive(function, share, follows_mode=follows_mode))

    def evaluate(_: int) -> None:
        model.eval()
        with torch.no_grad():
            model(torch.randn(8, 3, 4))
        model.train()

    script = lambda _: train(model, 5, lambda _: model(torch.randn(8, 3, 4)).square().mean(), evaluate=evaluate)  # noqa: E731
    return recorded(folder, model, script, check=False)


@pytest.mark.parametrize("function", ["attention", "dropout"])
def test_functions_that_drop_values_in_evaluations_are_named_wherever_they_are_called(tmp_path: Path, function: str) -> None:
    run = _attentive(tmp_path / "always", function, 0.3, follows_mode=False)
    name = {"attention": "scaled_dot_product_attention"}.get(function, function)
    assert {step.dropouts for step in run.steps} == {(DropoutCall(name, 0.3, "model.0"),)}
    (finding,) = evaluation_in_training_mode.RULE.check(run)
    assert (finding.place, finding.value) == (Place("module", "model.0"), 1.0)
    assert f"`model.0` drops values by `{name}` in all evaluations" in finding.message
    run = _attentive(tmp_path / "by mode", function, 0.3, follows_mode=True)
    assert [step.dropouts for step in run.steps] == [(DropoutCall(name, 0.3, "model.0"),) if train else () for train in run.is_training]
    with pytest.raises(NotCheckedError, match="no dropout"):
        list(evaluation_in_training_mode.RULE.check(run))


class _Alpha(nn.Module):
    def __init__(self, *switch: bool) -> None:
        super().__init__()
        self.switch, self.out = switch, nn.Linear(4, 1)

    def forward(self, x: Tensor) -> Tensor:
        result: Tensor = self.out(nn.functional.alpha_dropout(x, 0.25, *self.switch))
        return result


@pytest.mark.parametrize(("switch", "drops"), [((), False), ((False,), False), ((True,), True)])
def test_a_function_that_is_off_by_default_drops_nothing(tmp_path: Path, switch: tuple[bool, ...], drops: bool) -> None:
    """PyTorch documents `training=False` for it."""
    model = _Alpha(*switch)
    run = recorded(tmp_path, model, lambda _: train(model, 2, lambda _: model(torch.randn(8, 4)).square().mean()), check=False)
    assert {step.dropouts for step in run.steps} == {(DropoutCall("alpha_dropout", 0.25, "model"),) if drops else ()}


@pytest.mark.parametrize(("share", "count"), [(0.8, 1), (0.75, 0)])
def test_a_function_that_drops_nearly_everything_is_named(tmp_path: Path, share: float, count: int) -> None:
    run = _attentive(tmp_path, "attention", share, follows_mode=True)
    try:
        findings = list(heavy_dropout.RULE.check(run))
    except NotCheckedError:
        findings = []
    assert [(finding.place, finding.value, finding.step) for finding in findings] == [(Place("module", "model.0"), share, 0)] * count


class _Both(nn.Module):
    """A module that is left in training mode in evaluations, and one that drops values although it is not."""

    def __init__(self) -> None:
        super().__init__()
        self.left_on = _Attentive("dropout", 0.3, follows_mode=False)
        self.wrong = _Attentive("attention", 0.3, follows_mode=False)

    def forward(self, x: Tensor) -> Tensor:
        result: Tensor = self.left_on(x) + self.wrong(x)
        return result


def test_the_function_is_that_of_the_module_that_is_named(tmp_path: Path) -> None:
    model = _Both()

    def evaluate(_: int) -> None:
        model.wrong.eval()
        with torch.no_grad():
            model(torch.randn(8, 3, 4))
        model.wrong.train()

    def script(_: object) -> None:
        train(model, 5, lambda _: model(torch.randn(8, 3, 4)).square().mean(), evaluate=evaluate)

    (finding,) = evaluation_in_training_mode.RULE.check(recorded(tmp_path, model, script, check=False))
    assert "`model.wrong` drops values by `scaled_dot_product_attention` in all evaluations" in finding.message
