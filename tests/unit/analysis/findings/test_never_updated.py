"""The rule `never-updated`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

from comgra_export import ComgraRecorder
from comgra_export.analysis.findings.model.rule import NotCheckedError
from comgra_export.analysis.findings.rules.gradients import updates_too_small
from comgra_export.analysis.findings.rules.training import never_updated, no_gradient, not_in_optimizer
from comgra_export.analysis.findings.rules.training.never_updated import RULE
from support.analysis.runs import Given, RunByHand
from support.analysis.watched import recorded, train

TENSORS = [Given("model.a", "parameter"), Given("model.b", "parameter"), Given("loss", "loss", parents=("model.a", "model.b"))]
VALUES = {"model.a": np.ones((2, 2)), "model.b": np.ones((2, 2)), "loss": 1.0}


def _run(tmp_path: Path, update_of_b: float, gradient_of_b: float | None = 0.1, optimized: list[str] | None = None) -> RunByHand:
    written = RunByHand(tmp_path, TENSORS, optimized=optimized)
    for step in (0, 5):
        gradients = {"model.a": 0.1, "model.b": gradient_of_b}
        written.step(step, VALUES, gradients, updates={"model.a": (2, 0.01), "model.b": (2, update_of_b)})
    return written


def test_a_parameter_that_stays_while_others_move_is_named(tmp_path: Path) -> None:
    (finding,) = RULE.check(_run(tmp_path, 0.0, optimized=["model.a"]).read())
    assert [place.name for place in finding.places] == ["model.b"]
    assert finding.step == 0
    assert "No optimizer that makes steps holds it" in finding.message


@pytest.mark.parametrize(("update", "gradient"), [(1e-12, 0.1), (0.0, 0.0), (0.0, None)])
def test_a_parameter_that_moves_or_has_no_gradient_is_not(tmp_path: Path, update: float, gradient: float | None) -> None:
    assert list(RULE.check(_run(tmp_path, update, gradient).read())) == []


def test_a_sample_that_does_not_move_proves_nothing(tmp_path: Path) -> None:
    for name, update in (("seen", 0.01), ("not seen", 0.0)):
        written = RunByHand(tmp_path / name, TENSORS, optimized=["model.a"], sampled=["model.b"])
        for step in (0, 5):
            written.step(step, VALUES, {"model.a": 0.1, "model.b": 0.1}, updates={"model.a": (2, 0.01), "model.b": (2, update)})
        if update:
            assert list(RULE.check(written.read())) == []
        else:
            with pytest.raises(NotCheckedError, match=r"whether `model\.b` changes is not known"):
                list(RULE.check(written.read()))
            with pytest.raises(NotCheckedError):
                list(updates_too_small.RULE.check(written.read()))


def test_nothing_is_said_if_nothing_moves(tmp_path: Path) -> None:
    written = RunByHand(tmp_path, TENSORS)
    written.step(0, VALUES, {"model.a": 0.1, "model.b": 0.1}, updates={"model.a": (2, 0), "model.b": (2, 0)})
    with pytest.raises(NotCheckedError, match="no parameter changed"):
        list(RULE.check(written.read()))


class _Gan(nn.Module):
    """A generator and a critic, and a layer that nothing trains if it is forgotten."""

    def __init__(self) -> None:
        super().__init__()
        self.generator = nn.Sequential(nn.Linear(2, 4), nn.Tanh(), nn.Linear(4, 3))
        self.critic = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))


@pytest.mark.parametrize("is_forgotten", [False, True])
@pytest.mark.parametrize("way", ["one call, two backward passes", "two calls", "one backward pass"])
def test_parameters_of_several_optimizers_are_in_order_if_one_of_them_holds_each(tmp_path: Path, way: str, is_forgotten: bool) -> None:
    gan = _Gan()

    def script(_: ComgraRecorder) -> None:
        of_generator = torch.optim.Adam([*gan.generator[: 1 if is_forgotten else 3].parameters()], 0.01)
        of_critic = torch.optim.Adam(gan.critic.parameters(), 0.01)
        for _turn in range(12):
            fake = gan.generator(torch.randn(8, 2))
            loss = gan.critic(torch.randn(8, 3)).mean() - gan.critic(fake if way == "one backward pass" else fake.detach()).mean()
            gan.zero_grad()
            loss.backward(retain_graph=True)
            if way == "one call, two backward passes":
                (-gan.critic(fake).mean()).backward(inputs=list(gan.generator.parameters()))
            of_critic.step()
            if way == "two calls":
                gan.zero_grad()
                (-gan.critic(fake).mean()).backward()
            of_generator.step()

    run = recorded(tmp_path, gan, script, check=False)
    findings = [finding for module in (never_updated, no_gradient, not_in_optimizer) for finding in module.RULE.check(run)]
    assert {place.name for finding in findings for place in finding.places} == (
        {"model.generator.2.weight", "model.generator.2.bias"} if is_forgotten else set()
    )


@pytest.mark.filterwarnings("ignore:Not recorded. there were no gradients yet")
@pytest.mark.parametrize("is_early", [True, False])
@pytest.mark.parametrize("steps", [4, 5])
def test_an_optimizer_that_steps_before_every_backward_pass_is_named(tmp_path: Path, is_early: bool, steps: int) -> None:
    torch.manual_seed(0)
    model = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    def script(_: ComgraRecorder) -> None:
        for _number in range(steps):
            optimizer.zero_grad()
            loss = nn.functional.mse_loss(model(torch.randn(8, 2)), torch.ones(8, 1))
            if is_early:
                optimizer.step()
            loss.backward()
            if not is_early:
                optimizer.step()

    run = recorded(tmp_path, model, script)
    if not is_early:
        assert list(RULE.check(run)) == []
    elif steps < 5:
        with pytest.raises(NotCheckedError):
            list(RULE.check(run))
    else:
        (finding,) = RULE.check(run)
        assert [place.name for place in finding.places] == ["model.weight", "model.bias"]
        assert finding.message.startswith("The optimizer steps before the backward pass, in all 5 recorded steps")


@pytest.mark.parametrize(("frozen", "steps", "is_named"), [("all", 5, True), ("all", 4, False), ("first", 5, False)])
def test_an_optimizer_of_which_all_parameters_are_frozen_is_named(tmp_path: Path, frozen: str, steps: int, is_named: bool) -> None:
    """`requires_grad_` on the loss hides that nothing requires a gradient."""
    model = nn.Sequential(nn.Linear(2, 4), nn.Linear(4, 1))
    (model if frozen == "all" else model[0]).requires_grad_(False)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    def step(_: int) -> torch.Tensor:
        return nn.functional.mse_loss(model(torch.randn(8, 2)), torch.ones(8, 1)).requires_grad_()

    run = recorded(tmp_path, model, lambda _: train(model, steps, step, optimizer=optimizer))
    if not is_named and frozen == "all":
        with pytest.raises(NotCheckedError):
            list(no_gradient.RULE.check(run))
        return
    findings = list(no_gradient.RULE.check(run))
    assert [finding.place.name for finding in findings] == (["model.1.bias"] if is_named else [])
    assert all("all 4 parameters of the optimizer are frozen" in finding.message for finding in findings)


def test_a_frozen_network_below_a_head_that_is_not_watched_is_right(tmp_path: Path) -> None:
    model, head = nn.Linear(2, 4).requires_grad_(False), nn.Linear(4, 1)
    optimizer = torch.optim.SGD([*model.parameters(), *head.parameters()], lr=0.1)

    def step(_: int) -> torch.Tensor:
        return nn.functional.mse_loss(head(model(torch.randn(8, 2))), torch.ones(8, 1))

    run = recorded(tmp_path, model, lambda _: train(model, 6, step, optimizer=optimizer))
    assert list(no_gradient.RULE.check(run)) == []
