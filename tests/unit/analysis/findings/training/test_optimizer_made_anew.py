"""The rule `optimizer-made-anew`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

import comgra_export
from comgra_export.analysis.findings.rules.training.optimizer_made_anew import RULE
from comgra_export.analysis.history.run import read_runs
from support.analysis.runs import Given, RunByHand

NAMES = ("a", "b")


def _run(folder: Path, optimizers: dict[str, list[str]], steps: int, options: dict[str, float]) -> RunByHand:
    written = RunByHand(folder, [Given(name, "parameter") for name in NAMES], optimized=optimizers, options=options)
    for step in range(steps):
        updates = dict.fromkeys(NAMES, (2.0, 0.1))
        written.step(step, {name: np.ones((2, 2)) for name in NAMES}, dict.fromkeys(NAMES, 0.1), updates=updates)
    return written


@pytest.mark.parametrize(
    ("optimizers", "steps", "momentum", "count"),
    [
        (5, 10, 0.9, 1),
        (4, 4, 0.9, 0),
        # More than two steps for each of them.
        (5, 11, 0.9, 0),
        # Plain gradient descent remembers nothing.
        (5, 10, 0.0, 0),
    ],
)
def test_a_new_one_for_every_other_step_is_a_problem(tmp_path: Path, optimizers: int, steps: int, momentum: float, count: int) -> None:
    held = {f"SGD {number}": list(NAMES) for number in range(optimizers)}
    findings = list(RULE.check(_run(tmp_path, held, steps, {"momentum": momentum}).read()))
    assert [(finding.place.kind, finding.place.name, finding.value) for finding in findings] == [("optimizer", "SGD 0", 2.0)] * count


def test_optimizers_of_different_parameters_are_not(tmp_path: Path) -> None:
    held = {**{f"SGD {number}": ["a"] for number in range(4)}, **{f"SGD {number}": ["b"] for number in range(4, 8)}}
    assert list(RULE.check(_run(tmp_path, held, 8, {"momentum": 0.9}).read())) == []


@pytest.mark.parametrize(("known_after", "count"), [(200, 1), (201, 0)])
def test_only_the_first_hundred_are_named(tmp_path: Path, known_after: int, count: int) -> None:
    """All of them are known after so many steps, of 1,000. Afterwards, nothing is known of new ones."""
    held = {f"SGD {number}": list(NAMES) for number in range(100)}
    written = RunByHand(tmp_path, [Given(name, "parameter") for name in NAMES], optimized=held, options={"momentum": 0.9})
    for step in (0, known_after - 1, 999):
        rates = ((0.1,),) * (100 if step else 1)
        written.step(
            step,
            {name: np.ones((2, 2)) for name in NAMES},
            dict.fromkeys(NAMES, 0.1),
            updates=dict.fromkeys(NAMES, (2.0, 0.1)),
            learning_rates=rates,
        )
    assert len(list(RULE.check(written.read()))) == count


@pytest.mark.parametrize("is_anew", [True, False])
def test_a_script_that_creates_it_in_the_loop(tmp_path: Path, is_anew: bool) -> None:
    model = nn.Linear(4, 2)
    optimizer = torch.optim.Adam(model.parameters())
    with comgra_export.watch(model, tmp_path):
        for _ in range(8):
            if is_anew:
                optimizer = torch.optim.Adam(model.parameters())
            optimizer.zero_grad()
            model(torch.randn(8, 4)).square().mean().backward()
            optimizer.step()
    (run,) = read_runs(tmp_path)
    assert [finding.place.name for finding in RULE.check(run)] == ["Adam"] * is_anew
