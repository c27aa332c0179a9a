"""The rule `gradients-cleared-early`."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from torch import nn

from comgra_export import ComgraRecorder
from comgra_export.analysis.findings.model.rule import NotCheckedError
from comgra_export.analysis.findings.rules.training.gradients_cleared_early import RULE
from comgra_export.analysis.findings.rules.training.no_gradient import RULE as NO_GRADIENT
from support.analysis.watched import recorded


def _findings(
    tmp_path: Path, *, clears: bool, steps: int = 5, keeps_targets: bool = False, samples: int = 8
) -> list[tuple[str, float | None]]:
    """Each update follows three batches. If it `clears`, gradients are cleared before each of them."""
    model = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)

    def script(__: ComgraRecorder) -> None:
        for _ in range(steps):
            optimizer.zero_grad()
            targets = torch.randn(samples, 1)
            for _ in range(3):
                if clears:
                    optimizer.zero_grad()
                nn.functional.mse_loss(model(torch.randn(samples, 4)), targets if keeps_targets else torch.randn(samples, 1)).backward()
            optimizer.step()

    return [(finding.place.name, finding.step) for finding in RULE.check(recorded(tmp_path, model, script, check=False))]


def test_gradients_that_are_cleared_for_each_batch_are_named(tmp_path: Path) -> None:
    assert _findings(tmp_path, clears=True) == [("SGD", 0)]


def test_gradients_of_single_samples_may_be_read_before_they_are_cleared(tmp_path: Path) -> None:
    assert _findings(tmp_path / "two", clears=True, samples=2) == [("SGD", 0)]
    with pytest.raises(NotCheckedError):
        _findings(tmp_path / "one", clears=True, samples=1)


def test_an_accumulation_is_in_order(tmp_path: Path) -> None:
    assert _findings(tmp_path, clears=False) == []


@pytest.mark.parametrize(("steps", "keeps_targets"), [(4, False), (5, True)], ids=["few steps", "one batch, perturbed"])
def test_few_steps_and_perturbed_copies_of_a_batch_say_nothing(tmp_path: Path, steps: int, keeps_targets: bool) -> None:
    with pytest.raises(NotCheckedError):
        _findings(tmp_path, clears=True, steps=steps, keeps_targets=keeps_targets)


@pytest.mark.parametrize("to_none", [True, False], ids=["none", "zeros"])
def test_gradients_that_are_all_cleared_before_the_step_are_named(tmp_path: Path, to_none: bool) -> None:
    model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)

    def script(__: ComgraRecorder) -> None:
        for _ in range(5):
            model(torch.randn(16, 4)).square().mean().backward()
            optimizer.zero_grad(set_to_none=to_none)
            optimizer.step()

    run = recorded(tmp_path, model, script, check=False)
    (finding,) = RULE.check(run)
    assert finding.place.name == "model.0.weight"
    assert "They were cleared in between" in finding.message
    # The loss is computed from the network, so nothing says that it is not.
    assert list(NO_GRADIENT.check(run)) == []


def test_a_loss_that_is_not_computed_from_the_network_is_another_bug(tmp_path: Path) -> None:
    model = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)

    def script(__: ComgraRecorder) -> None:
        for _ in range(5):
            torch.tensor(model(torch.randn(16, 4)).tolist(), requires_grad=True).square().mean().backward()
            optimizer.step()

    run = recorded(tmp_path, model, script, check=False)
    with pytest.raises(NotCheckedError):
        list(RULE.check(run))
    assert "is not computed from" in next(iter(NO_GRADIENT.check(run))).message
