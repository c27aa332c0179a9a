"""The rules about how a network is put together, on small networks that are watched."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional

from comgra_export.analysis.findings.model.finding import Severity
from comgra_export.analysis.findings.model.rule import NotCheckedError
from comgra_export.analysis.findings.rules.graph import (
    activation_after_activation,
    broadcast_in_loss,
    linear_after_linear,
    softmax_over_batch,
    softmax_over_one,
    tied_parameters,
)
from comgra_export.analysis.history.run import Run
from support.analysis.runs import Given, RunByHand, loss_call
from support.analysis.watched import recorded, train


def _run(tmp_path: Path, model: nn.Module, steps: int = 2, inputs: int = 4) -> Run:
    return recorded(tmp_path, model, lambda _: train(model, steps, lambda _: model(torch.randn(8, inputs)).square().mean()))


class _Forward(nn.Module):
    """A network with two linear layers and a function between them."""

    def __init__(self, between: object, width: int = 8) -> None:
        super().__init__()
        self.first, self.second, self.between = nn.Linear(4, width), nn.Linear(width, 4), between

    def forward(self, x: Tensor) -> Tensor:
        result: Tensor = self.second(self.between(self.first(x)))  # type: ignore[operator]
        return result


def test_two_linear_layers_in_a_row_are_named(tmp_path: Path) -> None:
    (finding,) = linear_after_linear.RULE.check(_run(tmp_path, nn.Sequential(nn.Linear(4, 8), nn.Linear(8, 3))))
    assert [place.name for place in finding.places] == ["model.0: output", "model.0", "model.1"]


@pytest.mark.parametrize(
    "model",
    [
        nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3)),
        nn.Sequential(nn.Linear(4, 8), nn.ReLU(inplace=True), nn.Linear(8, 3)),
        _Forward(torch.relu),
        _Forward(torch.relu_),
        # A narrow layer limits the rank.
        nn.Sequential(nn.Linear(4, 2), nn.Linear(2, 4)),
        # Parts of different modules.
        nn.Sequential(nn.Sequential(nn.Linear(4, 8)), nn.Sequential(nn.Linear(8, 3))),
    ],
    ids=["relu", "in place", "function", "function in place", "narrow", "other modules"],
)
def test_linear_layers_with_something_between_them_are_right(tmp_path: Path, model: nn.Module) -> None:
    assert list(linear_after_linear.RULE.check(_run(tmp_path, model))) == []


def _convolutions(*layers: nn.Module) -> nn.Module:
    return nn.Sequential(nn.Unflatten(1, (1, 2, 2)), *layers)


@pytest.mark.parametrize(
    "model",
    [
        nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.5), nn.Linear(8, 3)),
        _convolutions(nn.Conv2d(1, 4, 3, padding=1), nn.Conv2d(4, 8, 3, padding=1)),
        _convolutions(nn.Conv2d(1, 4, 3, padding=1), nn.Identity(), nn.Conv2d(4, 4, 1)),
        _convolutions(nn.Conv2d(1, 1, 1), nn.Conv2d(1, 4, 3, padding=1)),
    ],
    ids=["dropout", "convolutions", "pointwise", "pointwise first"],
)
def test_layers_with_nothing_but_a_dropout_between_them_are_named(tmp_path: Path, model: nn.Module) -> None:
    (finding,) = linear_after_linear.RULE.check(_run(tmp_path, model))
    assert finding.severity == Severity.PROBLEM


@pytest.mark.parametrize(
    "model",
    [
        _convolutions(nn.Conv2d(1, 4, 3, padding=1), nn.ReLU(), nn.Conv2d(4, 8, 3, padding=1)),
        # As in separable convolutions.
        _convolutions(nn.Conv2d(1, 4, 1), nn.ReLU(), nn.Conv2d(4, 4, 3, padding=1, groups=4), nn.Conv2d(4, 8, 1)),
        _convolutions(nn.Conv2d(1, 4, (1, 3), padding=(0, 1)), nn.Conv2d(4, 4, (3, 1), padding=(1, 0))),
        # The second one mixes fewer channels than it makes.
        _convolutions(nn.Conv2d(1, 4, 3, padding=1), nn.Conv2d(4, 8, 1)),
    ],
    ids=["relu", "separable", "one direction each", "bottleneck"],
)
def test_convolutions_that_a_single_one_would_not_replace_are_right(tmp_path: Path, model: nn.Module) -> None:
    assert list(linear_after_linear.RULE.check(_run(tmp_path, model))) == []


def test_linear_layers_are_not_checked_without_calls(tmp_path: Path) -> None:
    written = RunByHand(tmp_path, [Given("x", "input")])
    written.step(0, {"x": np.ones((2, 2))})
    with pytest.raises(NotCheckedError, match="no calls"):
        list(linear_after_linear.RULE.check(written.read()))


@pytest.mark.parametrize(("last", "is_named"), [(nn.Softmax(dim=1), True), (nn.LogSoftmax(dim=1), True), (nn.Sigmoid(), False)])
def test_a_softmax_over_one_output_is_named(tmp_path: Path, last: nn.Module, is_named: bool) -> None:
    findings = list(softmax_over_one.RULE.check(_run(tmp_path, nn.Sequential(nn.Linear(4, 1), last))))
    assert [finding.place.name for finding in findings] == (["model.1: output"] if is_named else [])


def test_a_softmax_over_several_outputs_is_right_even_if_it_is_sure(tmp_path: Path) -> None:
    layer = nn.Linear(4, 2)
    layer.bias.data[0] = 200
    model = nn.Sequential(layer, nn.Softmax(dim=1))
    assert list(softmax_over_one.RULE.check(_run(tmp_path, model))) == []


def test_cross_entropy_over_one_class_is_named(tmp_path: Path) -> None:
    written = RunByHand(tmp_path, [Given("out")])
    written.step(0, {"out": np.ones((4, 1))}, losses=(loss_call("cross_entropy", "out"),))
    (finding,) = softmax_over_one.RULE.check(written.read())
    assert "single class" in finding.message


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (nn.LeakyReLU(), nn.Sigmoid()),
        (nn.ReLU(), nn.Tanh()),
        (nn.ReLU(), nn.Softmax(dim=1)),
        (nn.Sigmoid(), nn.Sigmoid()),
        (nn.Softmax(dim=1), nn.Softmax(dim=1)),
    ],
)
def test_an_activation_directly_behind_another_is_named(tmp_path: Path, first: nn.Module, second: nn.Module) -> None:
    (finding,) = activation_after_activation.RULE.check(_run(tmp_path, nn.Sequential(nn.Linear(4, 3), first, second)))
    assert [place.name for place in finding.places] == ["model.1: output", "model.2: output"]


class _Scaled(nn.Module):
    """Scales what it gets, in a way that is not recorded as a module of its own."""

    def __init__(self, last: str) -> None:
        super().__init__()
        self.layer, self.tanh, self.last = nn.Linear(4, 5), nn.Tanh(), last

    def forward(self, x: Tensor) -> Tensor:
        scaled = 10 * self.tanh(self.layer(x))
        return torch.softmax(scaled, 1) if self.last == "softmax" else torch.sigmoid(scaled)


class _GraphAttention(nn.Module):
    """The attention of a graph network: softmax of leaky_relu, and a product."""

    def __init__(self) -> None:
        super().__init__()
        self.layer, self.activation, self.softmax = nn.Linear(4, 8), nn.LeakyReLU(), nn.Softmax(dim=1)

    def forward(self, x: Tensor) -> Tensor:
        h = self.layer(x)
        result: Tensor = self.softmax(self.activation(h @ h.T)) @ h
        return result


@pytest.mark.parametrize(
    "model",
    [nn.Sequential(nn.Linear(4, 3), nn.ReLU(), nn.Linear(3, 3), nn.Sigmoid()), _Scaled("sigmoid"), _Scaled("softmax"), _GraphAttention()],
    ids=["layer between", "scaled sigmoid", "scaled softmax", "graph attention"],
)
def test_activations_with_something_between_them_are_right(tmp_path: Path, model: nn.Module) -> None:
    assert list(activation_after_activation.RULE.check(_run(tmp_path, model))) == []


def test_a_layer_that_is_not_tracked_between_two_activations_is_noticed(tmp_path: Path) -> None:
    tensors = [Given("hidden", operation="ReluBackward0"), Given("out", operation="SigmoidBackward0", parents=("hidden",))]
    hidden = np.array([[0.0, 1.0], [2.0, 0.5]])
    for name, out, count in (("layer", 0.1 + hidden / 10, 0), ("direct", 1 / (1 + np.exp(-hidden)), 1)):
        written = RunByHand(tmp_path / name, tensors)
        written.step(0, {"hidden": hidden, "out": out})
        assert len(list(activation_after_activation.RULE.check(written.read()))) == count


@pytest.mark.parametrize(("change", "is_named"), [("", True), ("scaled at last", False), ("four steps", False), ("constant", False)])
def test_a_sigmoid_that_a_view_hides(tmp_path: Path, change: str, is_named: bool) -> None:
    """As in `torch.sigmoid(relu(x)).squeeze(1)`, of which the result of `relu` and the view are recorded."""
    tensors = [Given("hidden", operation="ReluBackward0"), Given("out", operation="SqueezeBackward1", parents=("hidden",))]
    written = RunByHand(tmp_path, tensors)
    for step in range(4 if change == "four steps" else 5):
        hidden = np.array([0.0, 0.0 if change == "constant" else 1.0 + step])
        out = 1 / (1 + np.exp(-hidden * (1.1 if change and step == 4 else 1)))
        written.step(step, {"hidden": hidden[:, None], "out": out}, {"hidden": 0.1})
    findings = list(activation_after_activation.RULE.check(written.read()))
    assert [finding.place.name for finding in findings] == (["hidden"] if is_named else [])


@pytest.mark.parametrize(("dimension", "is_named"), [(0, True), (1, False)])
def test_a_softmax_over_the_batch_is_named(tmp_path: Path, dimension: int, is_named: bool) -> None:
    model = nn.Sequential(nn.Linear(4, 3), nn.Softmax(dim=dimension), nn.Linear(3, 2))
    findings = list(softmax_over_batch.RULE.check(_run(tmp_path, model)))
    assert [finding.place.name for finding in findings] == (["model.1: output"] if is_named else [])


def test_a_softmax_over_the_batch_is_not_checked_if_the_batch_may_come_second(tmp_path: Path) -> None:
    class _Recurrent(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.recurrent, self.softmax = nn.GRU(4, 3), nn.Softmax(dim=0)

        def forward(self, x: Tensor) -> Tensor:
            result: Tensor = self.softmax(self.recurrent(x)[0])
            return result

    with pytest.raises(NotCheckedError, match="second dimension"):
        list(softmax_over_batch.RULE.check(_run(tmp_path, _Recurrent())))


def test_tied_parameters_are_information(tmp_path: Path) -> None:
    first, last = nn.Linear(4, 4, bias=False), nn.Linear(4, 4, bias=False)
    last.weight = first.weight
    model = nn.Sequential(first, nn.ReLU(), nn.Sequential(last))
    (finding,) = tied_parameters.RULE.check(_run(tmp_path, model))
    assert finding.severity == Severity.INFORMATION
    assert "`model.0.weight` and `model.2.0.weight`" in finding.message


class _Heads(nn.Module):
    """Two names for one layer, which gets the same tensor twice, or two tensors."""

    def __init__(self, *, same: bool) -> None:
        super().__init__()
        self.trunk, self.same = nn.Linear(4, 4), same
        self.wind = self.rain = nn.Linear(4, 1)

    def forward(self, x: Tensor) -> Tensor:
        h = self.trunk(x)
        return torch.cat([self.wind(h), self.rain(h if self.same else h.relu())], 1)


def test_a_layer_with_two_names_that_gets_the_same_tensor_twice_is_a_problem(tmp_path: Path) -> None:
    (finding,) = tied_parameters.RULE.check(_run(tmp_path / "same", _Heads(same=True)))
    assert (finding.severity, finding.place.name) == (Severity.PROBLEM, "model.wind")
    assert "`model.wind` and `model.rain` are one layer, which a step calls 2 times with the same tensor" in finding.message
    (other,) = tied_parameters.RULE.check(_run(tmp_path / "others", _Heads(same=False)))
    assert other.severity == Severity.INFORMATION


def test_a_list_of_one_module_is_a_symptom(tmp_path: Path) -> None:
    model = nn.Sequential(*[nn.Linear(4, 4)] * 3)
    (finding,) = tied_parameters.RULE.check(_run(tmp_path, model))
    assert finding.severity == Severity.SYMPTOM
    assert "not 3" in finding.message


class _Block(nn.Sequential):
    def __init__(self) -> None:
        super().__init__(nn.Linear(4, 4), nn.Tanh())


def test_a_list_of_one_block_is_a_symptom(tmp_path: Path) -> None:
    (finding,) = tied_parameters.RULE.check(_run(tmp_path / "one", nn.Sequential(nn.Linear(4, 4), *[_Block()] * 3)))
    assert ([place.name for place in finding.places], finding.severity) == (
        ["model.1", "model.1.0.weight", "model.1.0.bias"],
        Severity.SYMPTOM,
    )
    assert "not 3" in finding.message
    assert list(tied_parameters.RULE.check(_run(tmp_path / "three", nn.Sequential(_Block(), _Block(), nn.Sequential())))) == []


def test_blocks_that_share_a_part_are_not_one_block(tmp_path: Path) -> None:
    first, second = _Block(), _Block()
    second[0].weight = first[0].weight
    (finding,) = tied_parameters.RULE.check(_run(tmp_path, nn.Sequential(first, second)))
    assert finding.severity == Severity.INFORMATION


@pytest.mark.parametrize(("dimension", "batch", "is_named"), [(0, 16, True), (1, 16, False), (0, 2, False)])
def test_a_log_softmax_over_the_batch_is_named_if_the_batch_is_larger(tmp_path: Path, dimension: int, batch: int, is_named: bool) -> None:
    # Over 16 samples the logarithms are about -2.8, and over 3 classes the largest is -1.1 or more.
    layer = nn.Linear(4, 3)
    nn.init.normal_(layer.weight, std=0.01)
    model = nn.Sequential(layer, nn.LogSoftmax(dim=dimension))
    run = recorded(tmp_path, model, lambda _: train(model, 2, lambda _: model(torch.rand(batch, 4))[:, 0].mean().neg()))
    findings = list(softmax_over_batch.RULE.check(run))
    assert [finding.place.name for finding in findings] == (["model.1: output"] if is_named else [])
    if is_named:
        assert findings[0].limit == pytest.approx(-np.log(3))


def test_weights_that_stay_equal_are_a_problem(tmp_path: Path) -> None:
    class _Twins(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.a, self.b = nn.Linear(4, 4), nn.Linear(4, 4)
            self.b.load_state_dict(self.a.state_dict())
            self.c = nn.Linear(4, 4)

        def forward(self, x: Tensor) -> Tensor:
            return functional.relu(self.a(x)) + functional.relu(self.b(x)) + functional.relu(self.c(x))

    (finding,) = tied_parameters.RULE.check(_run(tmp_path / "long", _Twins(), steps=21))
    assert finding.severity == Severity.PROBLEM
    assert [place.name for place in finding.places] == ["model.a.weight", "model.b.weight"]
    assert list(tied_parameters.RULE.check(_run(tmp_path / "short", _Twins(), steps=20))) == []


@pytest.mark.parametrize(
    ("shape", "is_named"), [((8,), True), ((8, 1), False), ((1,), False), ((), False)], ids=["other shape", "same shape", "one", "number"]
)
def test_a_difference_of_all_predictions_and_all_targets_is_named(tmp_path: Path, shape: tuple[int, ...], is_named: bool) -> None:
    model = nn.Sequential(nn.Linear(4, 3), nn.Tanh(), nn.Linear(3, 1))
    run = recorded(tmp_path, model, lambda _: train(model, 2, lambda _: (torch.ones(shape) - model(torch.randn(8, 4))).square().mean()))
    findings = list(broadcast_in_loss.RULE.check(run))
    assert [finding.place.name for finding in findings] == (["model.2: output"] if is_named else [])


@pytest.mark.parametrize(
    ("shape", "is_named"), [((8, 1), True), ((8,), False), ((8, 8), False)], ids=["column", "row", "a matrix on purpose"]
)
def test_log_probabilities_of_actions_that_meet_what_all_others_are_worth(tmp_path: Path, shape: tuple[int, ...], is_named: bool) -> None:
    model = nn.Linear(4, 4)

    def step(_: int) -> Tensor:
        scores = model(torch.randn(8, 4))
        chosen = scores[:, :3].log_softmax(1).gather(1, torch.zeros(8, 1, dtype=torch.long)).squeeze(1)
        loss: Tensor = -(chosen * (scores @ scores.T if shape == (8, 8) else torch.ones(shape))).mean()
        return loss

    findings = list(broadcast_in_loss.RULE.check(recorded(tmp_path, model, lambda _: train(model, 2, step))))
    assert [finding.places[1].name for finding in findings] == (["mul"] if is_named else [])


def test_differences_of_predictions_with_each_other_are_right(tmp_path: Path) -> None:
    """As in losses for rankings."""
    model = nn.Linear(4, 1)

    def step(_: int) -> Tensor:
        scores: Tensor = model(torch.randn(8, 4))
        return (scores - scores.T).relu().mean()

    assert list(broadcast_in_loss.RULE.check(recorded(tmp_path, model, lambda _: train(model, 2, step)))) == []


class _NormBlock(nn.Module):
    def __init__(self, norm: nn.Module, width: int = 4) -> None:
        super().__init__()
        self.layer, self.norm = nn.Linear(4, width), norm

    def forward(self, x: Tensor) -> Tensor:
        result: Tensor = self.norm(self.layer(x))
        return result


@pytest.mark.parametrize("kind", [nn.BatchNorm1d, nn.LayerNorm])
def test_a_batch_norm_that_runs_between_several_layers_is_a_problem(tmp_path: Path, kind: type[nn.Module]) -> None:
    norm = kind(4)
    findings = list(tied_parameters.RULE.check(_run(tmp_path, nn.Sequential(_NormBlock(norm), nn.ReLU(), _NormBlock(norm)))))
    names = [place.name for finding in findings for place in finding.places]
    if kind is nn.BatchNorm1d:
        assert [finding.severity for finding in findings] == [Severity.PROBLEM]
        assert names == ["model.0.norm", "model.2.norm"]
        assert "which runs 2 times in a step" in findings[0].message
    else:
        assert [finding.severity for finding in findings] == [Severity.INFORMATION]


def test_a_batch_norm_with_two_names_that_runs_once_is_information(tmp_path: Path) -> None:
    block = _NormBlock(nn.BatchNorm1d(4))
    block.same = block.norm
    assert {finding.severity for finding in tied_parameters.RULE.check(_run(tmp_path, block))} == {Severity.INFORMATION}
