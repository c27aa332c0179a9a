"""The rule `optimizer-never-steps`."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from torch import nn
from torch.optim.lr_scheduler import StepLR

from comgra_export import ComgraRecorder
from comgra_export.analysis.findings.model.finding import Severity
from comgra_export.analysis.findings.model.rule import NotCheckedError
from comgra_export.analysis.findings.rules.training import not_in_optimizer
from comgra_export.analysis.findings.rules.training.optimizer_never_steps import RULE
from support.analysis.watched import recorded

pytestmark = pytest.mark.filterwarnings("ignore:No optimizer of PyTorch made a step", "ignore:Not recorded. only the first 100 calls")


def _loss(model: nn.Module) -> torch.Tensor:
    return nn.functional.mse_loss(model(torch.randn(8, 2)), torch.ones(8, 1))


def _script(model: nn.Module, passes: int, *, clears: bool = True) -> None:
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scheduler = StepLR(optimizer, 2)
    for _ in range(passes):
        if clears:
            optimizer.zero_grad()
        _loss(model).backward()
    optimizer.zero_grad()
    optimizer._opt_called = True  # type: ignore[attr-defined]  # Else the scheduler warns, as it does in a real script.
    scheduler.step()


@pytest.mark.parametrize("passes", [5, 99, 120])
def test_backward_passes_without_any_step_are_named(tmp_path: Path, passes: int) -> None:
    model = nn.Linear(2, 1)
    (finding,) = RULE.check(recorded(tmp_path, model, lambda _: _script(model, passes), check=False))
    assert (finding.severity, finding.step, finding.place.kind) == (Severity.BUG, 0, "optimizer")
    assert [place.name for place in finding.places[1:]] == ["model.weight", "model.bias"]
    # A step that does not end keeps its first 100 calls.
    assert finding.message.startswith(
        f"The recorded steps have {min(passes, 100)} backward passes, which compute gradients for 2 parameters"
    )


def test_four_backward_passes_are_too_few(tmp_path: Path) -> None:
    model = nn.Linear(2, 1)
    with pytest.raises(NotCheckedError, match="only 4 backward passes were seen, and it needs 5"):
        list(RULE.check(recorded(tmp_path, model, lambda _: _script(model, 4), check=False)))


def test_gradients_that_are_never_cleared_may_be_meant_for_one_step(tmp_path: Path) -> None:
    model = nn.Linear(2, 1)
    (finding,) = RULE.check(recorded(tmp_path, model, lambda _: _script(model, 7, clears=False), check=False))
    assert finding.severity == Severity.PROBLEM


def test_steps_that_the_script_ends_itself_are_counted_together(tmp_path: Path) -> None:
    model = nn.Linear(2, 1)

    def script(recorder: ComgraRecorder) -> None:
        for _ in range(5):
            model.zero_grad()
            _loss(model).backward()
            recorder.step()

    (finding,) = RULE.check(recorded(tmp_path, model, script, check=False))
    assert finding.severity == Severity.BUG
    assert "have 5 backward passes" in finding.message


@pytest.mark.parametrize("way", ["optimizer", "by hand", "frozen", "evaluation"])
def test_what_changes_or_needs_no_change_is_right(tmp_path: Path, way: str) -> None:
    model = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    model.requires_grad_(way != "frozen")
    head = nn.Linear(1, 1)

    def script(_: ComgraRecorder) -> None:
        for _number in range(8):
            model.zero_grad()
            if way == "evaluation":
                with torch.no_grad():
                    model(torch.randn(8, 2))
                continue
            (head(model(torch.randn(8, 2))) if way == "frozen" else _loss(model)).mean().backward()
            if way == "optimizer":
                optimizer.step()
            elif way == "by hand":
                with torch.no_grad():
                    for parameter in model.parameters():
                        assert parameter.grad is not None
                        parameter.sub_(0.1 * parameter.grad)

    assert list(RULE.check(recorded(tmp_path, model, script, check=False))) == []


def test_of_several_optimizers_the_one_that_never_steps_is_named(tmp_path: Path) -> None:
    model = nn.Sequential(nn.Linear(2, 4), nn.Tanh(), nn.Linear(4, 1))

    def script(_: ComgraRecorder) -> None:
        first, second = torch.optim.SGD(model[0].parameters(), lr=0.1), torch.optim.SGD(model[2].parameters(), lr=0.1)
        for _number in range(6):
            first.zero_grad()
            second.zero_grad()
            _loss(model).backward()
            first.step()

    run = recorded(tmp_path, model, script, check=False)
    assert list(RULE.check(run)) == []
    (finding,) = not_in_optimizer.RULE.check(run)
    assert [place.name for place in finding.places] == ["model.2.weight", "model.2.bias"]
    assert finding.message.startswith("No optimizer that makes steps holds `model.2.weight` and `model.2.bias`")
