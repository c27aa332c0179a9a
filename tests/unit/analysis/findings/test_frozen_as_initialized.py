"""The rule `frozen-as-initialized`."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from torch import Tensor, nn

from comgra_export.analysis.findings.model.finding import Finding, Severity
from comgra_export.analysis.findings.rules.training.frozen_as_initialized import RULE
from support.analysis.watched import recorded, train


class _Network(nn.Module):
    """Three layers, and a way around the second one if asked for."""

    def __init__(self, width: int = 16, *, has_bypass: bool = False) -> None:
        super().__init__()
        self.base, self.middle, self.head = nn.Linear(16, width), nn.Linear(width, width), nn.Linear(width, 3)
        self.has_bypass = has_bypass

    def forward(self, x: Tensor) -> Tensor:
        hidden = self.base(x).relu()
        narrow = self.middle(hidden).relu()
        result: Tensor = self.head(narrow + hidden if self.has_bypass else narrow)
        return result


def _findings(tmp_path: Path, model: _Network, *frozen: str, pretrained: tuple[str, ...] = ()) -> list[Finding]:
    torch.manual_seed(1)
    for name in frozen:
        model.get_submodule(name).requires_grad_(False)
    for name in pretrained:
        nn.init.normal_(model.get_submodule(name).weight, std=0.2)  # type: ignore[arg-type]
    optimizer = torch.optim.SGD([each for each in model.parameters() if each.requires_grad], lr=0.1)
    run = recorded(
        tmp_path,
        model,
        lambda _: train(
            model,
            3,
            lambda _: nn.functional.cross_entropy(model(torch.randn(8, 16)), torch.randint(0, 3, (8,))),
            optimizer=optimizer,
        ),
        check=False,
    )
    return list(RULE.check(run))


def test_a_new_layer_on_trained_ones_is_named(tmp_path: Path) -> None:
    (finding,) = _findings(tmp_path, _Network(), "base", "middle", pretrained=("base",))
    assert [place.name for place in finding.places] == ["model.middle.weight"]
    assert (finding.severity, finding.step) == (Severity.PROBLEM, 0)


def test_a_layer_between_trained_ones_is_named(tmp_path: Path) -> None:
    (finding,) = _findings(tmp_path, _Network(), "middle")
    assert [place.name for place in finding.places] == ["model.middle.weight"]
    assert finding.severity == Severity.PROBLEM


def test_a_way_around_it_trains_what_is_before(tmp_path: Path) -> None:
    """As in reservoirs, and in adapters beside a layer."""
    (finding,) = _findings(tmp_path, _Network(has_bypass=True), "middle")
    assert finding.severity == Severity.INFORMATION


def test_one_random_layer_is_only_mentioned_and_a_stack_is_a_symptom_the_last_layer_first(tmp_path: Path) -> None:
    """A stack looks like a backbone: its weights were not loaded, or initialized again afterwards."""
    (finding,) = _findings(tmp_path / "one", _Network(), "base")
    assert (finding.severity, [place.name for place in finding.places]) == (Severity.INFORMATION, ["model.base.weight"])
    (finding,) = _findings(tmp_path / "two", _Network(), "base", "middle")
    assert finding.severity == Severity.SYMPTOM
    assert [place.name for place in finding.places] == ["model.middle.weight", "model.base.weight"]


@pytest.mark.parametrize(
    ("frozen", "pretrained", "width"),
    [((), (), 16), (("base", "middle"), ("base", "middle"), 16), (("base",), ("base",), 16), (("middle",), (), 15)],
    ids=["nothing is frozen", "all that is frozen was trained", "the usual fine-tuning", "225 values, where 256 show it"],
)
def test_what_was_trained_may_be_frozen(tmp_path: Path, frozen: tuple[str, ...], pretrained: tuple[str, ...], width: int) -> None:
    assert _findings(tmp_path, _Network(width), *frozen, pretrained=pretrained) == []


@pytest.mark.parametrize(("layers", "severity"), [(2, Severity.SYMPTOM), (1, Severity.INFORMATION)])
def test_a_backbone_of_convolutions_that_was_not_loaded(tmp_path: Path, layers: int, severity: Severity) -> None:
    """One random convolution may be meant as random features. The first one has too few values to be judged alone."""
    torch.manual_seed(1)
    convolutions = [nn.Conv2d(1, 8, 3), nn.ReLU(), nn.Conv2d(8, 16, 3)][-1 if layers == 1 else 0 :]
    backbone = nn.Sequential(*convolutions, nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten()).requires_grad_(False)
    model = nn.Sequential(backbone, nn.Linear(16, 3))

    def step(_: int) -> Tensor:
        return nn.functional.cross_entropy(model(torch.randn(8, 1 if layers == 2 else 8, 9, 9)), torch.arange(8) % 3)

    run = recorded(tmp_path, model, lambda _: train(model, 2, step, optimizer=torch.optim.SGD(model[1].parameters(), lr=0.1)), check=False)
    (finding,) = RULE.check(run)
    assert (finding.place.name, finding.severity) == (f"model.0.{2 * layers - 2}.weight", severity)


class _Pair(nn.Module):
    """A network, and one beside it that is not trained."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.student = nn.Linear(16, 16)
        self.add_module(name, nn.Linear(16, 16).requires_grad_(False))
        self.beside = name

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        return self.student(x), self.get_submodule(self.beside)(x)


@pytest.mark.parametrize(
    ("name", "way", "is_named"),
    [
        ("teacher", "random", True),
        ("net_ema", "random", True),
        ("schema", "random", False),
        # A random target is learned on purpose in random network distillation.
        ("target", "random", False),
        ("teacher", "copied", False),
        ("teacher", "pretrained", False),
        ("teacher", "averaged", False),
    ],
)
def test_an_average_that_is_random_and_never_changes_is_named(tmp_path: Path, name: str, way: str, is_named: bool) -> None:
    torch.manual_seed(1)
    model = _Pair(name)
    teacher = model.get_submodule(name)
    if way == "copied":
        teacher.load_state_dict(model.student.state_dict())
    if way == "pretrained":
        nn.init.normal_(teacher.weight, std=0.2)  # type: ignore[arg-type]

    def step(_: int) -> Tensor:
        if way == "averaged":
            with torch.no_grad():
                teacher.weight.lerp_(model.student.weight, 0.1)  # type: ignore[operator]
        student, wanted = model(torch.randn(8, 16))
        # Else a copy would have nothing to learn.
        return nn.functional.mse_loss(student, wanted + 1)

    optimizer = torch.optim.SGD(model.student.parameters(), lr=0.1)
    run = recorded(tmp_path, model, lambda _: train(model, 3, step, optimizer=optimizer), check=False)
    findings = [finding for finding in RULE.check(run) if finding.severity > Severity.INFORMATION]
    assert [[place.name for place in finding.places] for finding in findings] == ([[f"model.{name}.weight"]] if is_named else [])


class _Agent(nn.Module):
    """A network that says what actions are worth, and an older copy of it, which may or may not be frozen."""

    def __init__(self, name: str, *, is_frozen: bool) -> None:
        super().__init__()
        self.online = nn.Linear(16, 16)
        self.add_module(name, nn.Linear(16, 16).requires_grad_(not is_frozen))


@pytest.mark.parametrize(
    ("name", "way", "is_named"),
    [
        ("target", "random", True),
        ("target_net", "random", True),
        ("target", "not frozen", True),
        ("budget", "random", False),
        ("target", "copied at first", False),
        ("target", "copied", False),
    ],
)
def test_a_target_network_that_is_never_copied_is_named(tmp_path: Path, name: str, way: str, is_named: bool) -> None:
    """What it says of the best action is a part of each target, in Q-learning."""
    torch.manual_seed(1)
    agent = _Agent(name, is_frozen=way != "not frozen")
    target = agent.get_submodule(name)
    if way == "copied at first":
        target.load_state_dict(agent.online.state_dict())

    def step(number: int) -> Tensor:
        if way == "copied" and number == 2:
            target.load_state_dict(agent.online.state_dict())
        state, reward = torch.randn(8, 16), torch.randn(8)
        worth = agent.online(state).gather(1, torch.randint(16, (8, 1))).squeeze(1)
        with torch.no_grad():
            future = target(state).amax(1)
        return nn.functional.smooth_l1_loss(worth, reward + 0.9 * future)

    optimizer = torch.optim.SGD(agent.online.parameters(), lr=0.1)
    run = recorded(tmp_path, agent, lambda _: train(agent, 4, step, optimizer=optimizer), check=False)
    findings = [finding for finding in RULE.check(run) if finding.severity > Severity.INFORMATION]
    assert [[place.name for place in finding.places] for finding in findings] == ([[f"model.{name}.weight"]] if is_named else [])
    assert all("a copy of `model.online.weight`" in finding.message for finding in findings)


class _WithBoth(nn.Module):
    """A network with an older copy of it, and with an average of it."""

    def __init__(self) -> None:
        super().__init__()
        self.online = nn.Linear(16, 16)
        self.target, self.ema = (nn.Linear(16, 16).requires_grad_(False) for _ in range(2))


def test_a_copy_beside_an_average_is_not_called_one(tmp_path: Path) -> None:
    torch.manual_seed(1)
    model = _WithBoth()

    def step(_: int) -> Tensor:
        state = torch.randn(8, 16)
        worth = model.online(state).gather(1, torch.randint(16, (8, 1))).squeeze(1)
        with torch.no_grad():
            future = model.target(state).amax(1) + model.ema(state).amax(1)
        return nn.functional.smooth_l1_loss(worth, torch.randn(8) + 0.9 * future)

    optimizer = torch.optim.SGD(model.online.parameters(), lr=0.1)
    run = recorded(tmp_path, model, lambda _: train(model, 3, step, optimizer=optimizer), check=False)
    average, copy = (finding for finding in RULE.check(run) if "never change" in finding.message)
    assert [place.name for place in average.places] == ["model.ema.weight"]
    assert "a moving average of `model.online.weight`" in average.message
    assert [place.name for place in copy.places] == ["model.target.weight"]
    assert "a copy of `model.online.weight`" in copy.message


def test_a_head_that_is_frozen_in_place_of_what_comes_before_is_a_symptom(tmp_path: Path) -> None:
    (finding,) = _findings(tmp_path, _Network(96), "head")
    assert ([place.name for place in finding.places], finding.severity) == (["model.head.weight"], Severity.SYMPTOM)
    assert "makes the predictions" in finding.message
