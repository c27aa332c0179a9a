"""The rules about gradients that are missing, left over or unused, on small scripts that are watched."""

from __future__ import annotations

import copy
from collections.abc import Collection
from pathlib import Path

import pytest
import torch
from torch import Tensor, nn

from comgra_export.analysis.findings.model.finding import Finding, Severity
from comgra_export.analysis.findings.model.rule import NotCheckedError
from comgra_export.analysis.findings.rules.training import (
    gradients_left_over,
    never_updated,
    no_gradient,
    not_in_optimizer,
    zero_gradient,
)
from comgra_export.analysis.history.run import Run
from comgra_export.storage import TensorReference
from support.analysis.runs import Given, RunByHand
from support.analysis.watched import recorded, train


def _network() -> nn.Sequential:
    return nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 3))


def _loss(model: nn.Module) -> Tensor:
    result: Tensor = model(torch.randn(8, 4)).square().mean()
    return result


def test_gradients_that_are_never_cleared_are_named(tmp_path: Path) -> None:
    model = _network()
    (finding,) = gradients_left_over.RULE.check(recorded(tmp_path, model, lambda _: train(model, 4, lambda _: _loss(model), clear=False)))
    assert (finding.severity, finding.step) == (Severity.BUG, 1)
    assert finding.place.kind == "optimizer"


def test_an_accumulation_within_a_step_is_right(tmp_path: Path) -> None:
    model = _network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)

    def script(_: object) -> None:
        for _step in range(4):
            for _part in range(3):
                _loss(model).backward()
            optimizer.step()
            optimizer.zero_grad()

    assert list(gradients_left_over.RULE.check(recorded(tmp_path, model, script))) == []


def test_an_accumulation_over_steps_is_right(tmp_path: Path) -> None:
    """Every third step updates. What is left of the two before it is meant to be there."""
    written = RunByHand(tmp_path, [Given("model.weight", "parameter")])
    for step in range(12):
        update, leftover = (0.1 if step % 3 == 2 else 0.0), float(step % 3)
        written.step(step, {"model.weight": [[1.0, 1.0]]}, {"model.weight": 1.0}, updates={"model.weight": (1.4, update, leftover)})
    assert list(gradients_left_over.RULE.check(written.read())) == []


def _in_turns(folder: Path, cleared: Collection[int] = (), turns: int = 10) -> list[Finding]:
    """Two optimizers take turns. Every backward pass reaches the parameters of `b`, of which gradients are clear at some steps only."""
    names = ["model.a.weight", "model.b.weight"]
    optimizers = {"a": names[:1], "b": names[1:]}
    written = RunByHand(folder, [Given(name, "parameter") for name in names], {"model": "Net", "model.b": "Linear"}, optimizers)
    for step in range(turns):
        is_b = step % 2 == 0
        updates = {names[0]: (1.4, 0.0 if is_b else 0.1, 0.0), names[1]: (1.4, 0.1 if is_b else 0.0, 0.0 if step in {0, *cleared} else 1.0)}
        written.step(step, {name: [[1.0, 1.0]] for name in names}, {names[0]: None if is_b else 1.0, names[1]: 1.0}, updates=updates)
    return list(gradients_left_over.RULE.check(written.read()))


def test_gradients_of_the_turns_of_another_optimizer(tmp_path: Path) -> None:
    (finding,) = _in_turns(tmp_path / "never")
    assert ((finding.place.kind, finding.place.name), finding.step) == (("module", "model.b"), 1)
    # It clears its gradients before its own turn, or before that of the other.
    assert _in_turns(tmp_path / "own", cleared=range(0, 10, 2)) == []
    assert _in_turns(tmp_path / "once", cleared=[4]) == []
    assert _in_turns(tmp_path / "few", turns=7) == []


@pytest.mark.parametrize(
    ("case", "is_named"),
    [
        ({}, True),
        ({"update": 0.0}, False),
        ({"leftover": 0.0}, False),
        ({"passes": 2}, False),
        ({"distance": 2}, False),
        ({"steps": 8}, False),
    ],
    ids=["never clear", "without an update once", "clear once", "two backward passes", "steps apart", "too few"],
)
def test_a_part_that_nobody_clears_between_updates(tmp_path: Path, case: dict[str, float], is_named: bool) -> None:
    """One of two parameters. In the last step, it may have another update, or hold something else of earlier steps."""
    names = ["model.a.weight", "model.b.weight"]
    steps, distance, passes = (int(case.get(key, usual)) for key, usual in (("steps", 9), ("distance", 1), ("passes", 1)))
    written = RunByHand(tmp_path, [Given(name, "parameter") for name in names], optimized=names)
    for step in range(steps):
        update, leftover = (case.get("update", 0.1), case.get("leftover", 1.0)) if step == steps - 1 else (0.1, float(step > 0))
        written.step(
            distance * step,
            {name: [[1.0, 1.0]] for name in names},
            dict.fromkeys(names, 1.0),
            updates={names[0]: (1.4, 0.1, 0.0), names[1]: (1.4, update, leftover)},
            backward_roots=tuple(TensorReference(f"loss{number}", 0) for number in range(passes)),
        )
    findings = list(gradients_left_over.RULE.check(written.read()))
    assert [place.name for finding in findings for place in finding.places if place.kind == "parameter"] == names[1:] * is_named


def test_steps_far_apart_cannot_rule_out_an_accumulation(tmp_path: Path) -> None:
    written = RunByHand(tmp_path, [Given("model.weight", "parameter")])
    for step in (0, 10, 20, 30):
        written.step(
            step, {"model.weight": [[1.0, 1.0]]}, {"model.weight": 1.0}, updates={"model.weight": (1.4, 0.1, 2.0 if step else 0.0)}
        )
    (finding,) = gradients_left_over.RULE.check(written.read())
    assert finding.severity == Severity.PROBLEM
    assert "on purpose" in finding.message


@pytest.mark.parametrize(("leftover", "steps"), [(None, 5), (1.0, 3)])
def test_what_is_left_is_not_checked_if_it_is_not_known_or_in_few_steps(tmp_path: Path, leftover: float | None, steps: int) -> None:
    written = RunByHand(tmp_path, [Given("model.weight", "parameter")])
    for step in range(steps):
        written.step(step, {"model.weight": [[1.0]]}, {"model.weight": 1.0}, updates={"model.weight": (1.0, 0.1, leftover)})
    with pytest.raises(NotCheckedError, match="fewer than 3"):
        list(gradients_left_over.RULE.check(written.read()))


def _partly_trained(tmp_path: Path, trained: tuple[int, ...]) -> Run:
    model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 8), nn.Tanh(), nn.Linear(8, 3))
    optimizer = torch.optim.SGD([p for layer in trained for p in model[layer].parameters()], lr=0.1)

    def script(recorder: object) -> None:
        recorder.track_optimizers(optimizer)  # type: ignore[attr-defined]

        def step(_: int) -> Tensor:
            model.zero_grad()
            return _loss(model)

        train(model, 3, step, optimizer=optimizer)

    return recorded(tmp_path, model, script)


def test_a_layer_that_the_optimizer_lacks_is_named_by_both_rules(tmp_path: Path) -> None:
    run = _partly_trained(tmp_path, (0, 4))
    for rule in (not_in_optimizer.RULE, never_updated.RULE):
        (finding,) = rule.check(run)
        assert finding.severity == Severity.BUG
        assert {place.name for place in finding.places} == {"model.2.weight", "model.2.bias"}


def test_training_the_last_layer_alone_is_information(tmp_path: Path) -> None:
    run = _partly_trained(tmp_path, (4,))
    for rule in (not_in_optimizer.RULE, never_updated.RULE):
        (finding,) = rule.check(run)
        assert finding.severity == Severity.INFORMATION


def test_training_the_first_layer_alone_is_a_problem(tmp_path: Path) -> None:
    (finding,) = not_in_optimizer.RULE.check(_partly_trained(tmp_path, (0,)))
    assert finding.severity == Severity.PROBLEM
    assert {place.name for place in finding.places} == {f"model.{layer}.{what}" for layer in (2, 4) for what in ("weight", "bias")}


def test_training_embeddings_in_front_of_a_network_is_information(tmp_path: Path) -> None:
    model = nn.Sequential(nn.Embedding(5, 4), nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 1))
    optimizer = torch.optim.SGD(model[0].parameters(), lr=0.1)

    def step(_: int) -> Tensor:
        result: Tensor = model(torch.randint(5, (8,))).square().mean()
        return result

    (finding,) = not_in_optimizer.RULE.check(recorded(tmp_path, model, lambda _: train(model, 6, step, optimizer=optimizer)))
    assert finding.severity == Severity.INFORMATION


def _head_only(tmp_path: Path, *, change: str = "") -> Run:
    """Only the last layer is in an optimizer. The others have 1,024 weights each."""
    hidden, head = (nn.Linear(32, 32), nn.Linear(32, 32)), nn.Linear(32, 3)
    model = nn.Sequential(hidden[0], nn.Tanh(), hidden[1], nn.Tanh(), head)
    if change != "as initialized":
        # As if they had been trained.
        for layer in hidden:
            nn.init.normal_(layer.weight, std=0.2)
    if change == "unfrozen":
        model[:4].requires_grad_(False)
    optimizer = torch.optim.SGD(head.parameters(), lr=0.1)
    if change == "empty group":
        optimizer = torch.optim.SGD([{"params": list(head.parameters())}, {"params": list[nn.Parameter]()}], lr=0.1)

    def step(number: int) -> Tensor:
        if number == 4:
            model.requires_grad_(True)
        model.zero_grad()
        result: Tensor = model(torch.randn(8, 32)).square().mean()
        return result

    return recorded(tmp_path, model, lambda _: train(model, 8, step, optimizer=optimizer))


@pytest.mark.parametrize("change", ["", "as initialized", "unfrozen", "empty group"])
def test_most_of_a_network_outside_the_optimizer_is_a_bug_if_something_shows_that_it_is_not_meant(tmp_path: Path, change: str) -> None:
    (finding,) = not_in_optimizer.RULE.check(_head_only(tmp_path, change=change))
    assert finding.severity == (Severity.BUG if change else Severity.INFORMATION)
    assert {place.name for place in finding.places} == {f"model.{layer}.{what}" for layer in (0, 2) for what in ("weight", "bias")}
    assert finding.step == (4 if change == "unfrozen" else 0)


@pytest.mark.parametrize(("period", "steps", "is_named"), [(4, 9, True), (2, 9, True), (4, 8, False), (1, 9, False)])
def test_an_update_after_each_part_of_an_accumulation_is_named(tmp_path: Path, period: int, steps: int, is_named: bool) -> None:
    model = _network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)

    def script(_: object) -> None:
        for step in range(steps):
            _loss(model).backward()
            optimizer.step()
            if step % period == period - 1:
                optimizer.zero_grad()

    assert bool(list(gradients_left_over.RULE.check(recorded(tmp_path, model, script)))) == is_named


@pytest.mark.parametrize("is_cut", [True, False])
def test_a_loss_of_a_copy_of_the_outputs_is_a_bug(tmp_path: Path, is_cut: bool) -> None:
    model = _network()

    def step(_: int) -> Tensor:
        result: Tensor = model(torch.randn(8, 4))
        return (result.detach().clone().requires_grad_() if is_cut else result).square().mean()

    findings = list(no_gradient.RULE.check(recorded(tmp_path, model, lambda _: train(model, 6, step))))
    assert [(finding.severity, finding.place.name) for finding in findings] == ([(Severity.BUG, "model.2: output")] if is_cut else [])


def test_a_network_that_another_optimizer_moves_between_recorded_steps_is_right(tmp_path: Path) -> None:
    """As in a GAN of which only every second step is recorded: the norm differs from step to step."""
    written = RunByHand(tmp_path, [Given("a.weight", "parameter"), Given("b.weight", "parameter")], {"a": "A", "b": "B"}, ["a.weight"])
    for step in (0, 2, 4):
        values = {"a.weight": [[1.0]], "b.weight": [[1.0]]}
        written.step(step, values, {"a.weight": 1.0, "b.weight": 1.0}, updates={"a.weight": (1.0, 0.1), "b.weight": (1.0 + step, 0.0)})
    run = written.read()
    assert list(never_updated.RULE.check(run)) == []
    assert list(not_in_optimizer.RULE.check(run)) == []


class _Several(nn.Module):
    """Has an unused part, a part that some steps use, and a copy."""

    def __init__(self) -> None:
        super().__init__()
        self.used = _network()
        self.unused = nn.Sequential(nn.Linear(3, 3), nn.ReLU(), nn.Linear(3, 3))
        self.experts = nn.ModuleList([nn.Linear(3, 3) for _ in range(3)])
        self.copy = copy.deepcopy(self.used)
        self.frozen = nn.Linear(3, 3).requires_grad_(False)

    def forward(self, x: Tensor, expert: int) -> Tensor:
        result: Tensor = self.experts[expert](self.used(x))
        return result


def test_a_module_that_never_runs_is_named_once(tmp_path: Path) -> None:
    model = _Several()
    run = recorded(tmp_path, model, lambda _: train(model, 6, lambda step: model(torch.randn(8, 4), step % 2).square().mean()))
    (finding,) = no_gradient.RULE.check(run)
    assert finding.place.name == "model.unused"
    assert len(finding.places) == 5


@pytest.mark.parametrize("is_number", [False, True])
def test_a_loss_that_is_added_as_a_number_trains_nothing(tmp_path: Path, is_number: bool) -> None:
    model = nn.ModuleDict({"body": nn.Linear(4, 3), "first": nn.Linear(3, 1), "second": nn.Linear(3, 1)})
    model.forward = lambda x: (model["first"](model["body"](x)), model["second"](model["body"](x)))

    def loss(_: object) -> Tensor:
        first, second = model(torch.randn(8, 4))
        other = nn.functional.l1_loss(second, torch.ones(8, 1))
        result: Tensor = nn.functional.mse_loss(first, torch.zeros(8, 1)) + (other.item() if is_number else other)
        return result

    findings = list(no_gradient.RULE.check(recorded(tmp_path, model, lambda _: train(model, 6, loss))))
    places = [[place.name for place in finding.places] for finding in findings]
    assert places == ([["l1_loss", "model.second.weight", "model.second.bias"]] if is_number else [])


class _Forgotten(nn.Module):
    """Has two layers of which only one is used, unless the result of the other is added, perhaps without its graph."""

    def __init__(self, use: str) -> None:
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(4, 4), nn.Linear(4, 4)])
        self.norm = nn.LayerNorm(4)
        self.out = nn.Linear(4, 2)
        self.use = use

    def forward(self, x: Tensor) -> Tensor:
        forgotten = self.norm(self.layers[0](x))
        kept = self.layers[1](x)
        other = forgotten.detach() if self.use == "detached" else forgotten
        result: Tensor = self.out(kept if self.use == "none" else kept + other)
        return result


@pytest.mark.parametrize("use", ["none", "detached", "added"])
def test_a_result_that_nothing_uses_is_named_with_the_parameters_before_it(tmp_path: Path, use: str) -> None:
    model = _Forgotten(use)
    run = recorded(tmp_path, model, lambda _: train(model, 6, lambda _: model(torch.randn(8, 4)).square().mean()))
    findings = list(no_gradient.RULE.check(run))
    # What is detached is in the loss: that is another rule's matter.
    if use != "none":
        assert findings == []
        return
    (finding,) = findings
    forgotten = ["model.layers.0.weight", "model.layers.0.bias", "model.norm.weight", "model.norm.bias"]
    assert [place.name for place in finding.places] == ["model.norm: output", *forgotten]


def test_an_expert_that_many_steps_never_chose_is_named(tmp_path: Path) -> None:
    model = _Several()
    run = recorded(tmp_path, model, lambda _: train(model, 20, lambda step: model(torch.randn(8, 4), step % 2).square().mean()))
    assert {finding.place.name for finding in no_gradient.RULE.check(run)} == {"model.unused", "model.experts.2"}


def test_few_steps_are_not_enough(tmp_path: Path) -> None:
    model = _Several()
    run = recorded(tmp_path, model, lambda _: train(model, 4, lambda _: model(torch.randn(8, 4), 0).square().mean()))
    for rule in (no_gradient.RULE, zero_gradient.RULE):
        with pytest.raises(NotCheckedError, match="fewer than 5"):
            list(rule.check(run))


def test_weights_before_dead_units_have_a_gradient_of_zero(tmp_path: Path) -> None:
    dead = nn.Linear(8, 8)
    dead.bias.data.fill_(-100)
    model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), dead, nn.ReLU(), nn.Linear(8, 3))
    run = recorded(tmp_path, model, lambda _: train(model, 5, lambda _: _loss(model)))
    (finding,) = zero_gradient.RULE.check(run)
    # The input of the last layer is zero, and nothing comes back through it.
    assert [place.name for place in finding.places] == ["model.4.weight", "model.2.weight", "model.0.weight"]


def test_a_loss_that_has_reached_zero_and_a_first_step_of_zero_are_right(tmp_path: Path) -> None:
    tensors = [Given("model.a", "parameter"), Given("model.b", "parameter")]
    values = {"model.a": [[1.0, 2.0]], "model.b": [[1.0, 2.0]]}
    for name, of_a, of_b in (("loss of 0", [1, 1, 0, 0, 0, 0, 0], [1, 1, 0, 0, 0, 0, 0]), ("first step", [1] * 6, [0, 1, 1, 1, 1, 1])):
        written = RunByHand(tmp_path / name, tensors)
        for step, (a, b) in enumerate(zip(of_a, of_b, strict=True)):
            written.step(step, values, {"model.a": a, "model.b": b})
        assert list(zero_gradient.RULE.check(written.read())) == []
