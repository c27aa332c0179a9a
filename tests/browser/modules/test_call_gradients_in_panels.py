"""The gradient that comes back through one call alone: beside the inputs of a module, and in its panel."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from playwright.sync_api import Locator, expect
from torch import Tensor, nn

import comgra_export
from comgra_export import DecisionMakerForRecordingsFrequencyPerType
from support.browser.axe import violations
from support.browser.viewer import Link, Viewer

STEPS = 4
VIEW: Link = {"tab": "modules", "trial": "trial", "rec": "forward", "type": "train", "step": 1, "it": 0}


class Two(nn.Module):
    """Two layers without bias that read the same, and a third that reads what they return."""

    def __init__(self) -> None:
        super().__init__()
        self.a = nn.Linear(2, 3, bias=False)
        self.b = nn.Linear(2, 2, bias=False)
        self.last = nn.Linear(5, 1, bias=False)
        self.a.weight.data = torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
        self.b.weight.data = torch.tensor([[1.0, 0.0], [2.0, -1.0]])
        self.last.weight.data = torch.tensor([[1.0, 1.0, 1.0, 3.0, 3.0]])

    def forward(self, x: Tensor) -> Tensor:
        return self.last(torch.cat([self.a(x), self.b(x)], dim=1))  # type: ignore[no-any-return]


@pytest.fixture(scope="module")
def page_of_two(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("two")
    net = Two()
    # What it learns is of no interest, so that the numbers stay those worked out by hand.
    optimizer = torch.optim.SGD(net.parameters(), lr=0.0)
    every_step = DecisionMakerForRecordingsFrequencyPerType(1)
    with comgra_export.watch(net, folder / "runs", decision_maker_for_recordings=every_step):
        for _ in range(STEPS):
            optimizer.zero_grad()
            net(torch.tensor([[1.0, 2.0]])).sum().backward()
            optimizer.step()
    return comgra_export.export(folder / "runs", folder / "two.html").path


def details(viewer: Viewer) -> Locator:
    return viewer.element("module-details")


def test_an_input_says_how_much_of_its_gradient_comes_through_the_module(page_of_two: Path, open_again: Callable[..., Viewer]) -> None:
    # Sums of the columns: of a [9, 12], of b three times [3, -1], in all [18, 9].
    for module, alone in (("a", "10.5"), ("b", "6")):
        viewer = open_again(page_of_two, {**VIEW, "module": "0.model", "at": f"0.model.{module}"})
        line = viewer.element("gradient-through-call")
        expect(line).to_have_text(f"gradient through this call alone: abs_mean {alone}; in all 13.5")
        expect(details(viewer)).to_contain_text("Inputs")
        assert violations(viewer.page) == []


def test_where_all_of_the_gradient_comes_through_a_module_nothing_is_added(page_of_two: Path, open_again: Callable[..., Viewer]) -> None:
    viewer = open_again(page_of_two, {**VIEW, "module": "0.model", "at": "0.model.last"})
    expect(details(viewer)).to_contain_text("Inputs")
    expect(viewer.element("gradient-through-call")).to_have_count(0)


def test_a_panel_shows_the_gradient_through_the_module_over_time(page_of_two: Path, open_again: Callable[..., Viewer]) -> None:
    viewer = open_again(page_of_two, {**VIEW, "panels": "model.a,model.last"})
    first, last = viewer.element("panel").all()
    label = "input, through this call alone"
    expect(first.locator(".panel-tensor")).to_contain_text(["input", label, "output", "weight"])
    expect(last.locator(".panel-tensor")).to_have_count(3)
    plot = first.locator('[data-record="gradients/0/model.a: gradient of input"]')
    expect(plot).to_have_attribute("aria-label", f"model.a, {label}, gradients")
    expect(plot).to_have_attribute("data-columns", str(STEPS))
    plot.focus()
    viewer.page.keyboard.press("Home")
    expect(plot).to_have_attribute("aria-valuetext", re.compile(r"^Step 0 From 9 to 12\. "))
