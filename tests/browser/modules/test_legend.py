"""What the legend of the modules explains: what is drawn, and no more."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from playwright.sync_api import expect
from torch import Tensor, nn

import comgra_export
from support.browser.viewer import Viewer, fragment

LABELS = "() => document.querySelector('[data-testid=module-graph]')._cyreg.cy.nodes().map((node) => node.data('label'))"
DRAWN = "() => document.querySelector('[data-testid=module-graph]')?._cyreg?.cy.nodes().length > 0"


class _Block(nn.Module):
    """It reads a tensor that it was not given."""

    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.Linear(3, 3)
        self.context: Tensor | None = None

    def forward(self, x: Tensor) -> Tensor:
        result: Tensor = self.inner(x) + self.context
        return result


class _Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Linear(3, 3)
        self.block = _Block()
        self.branch = nn.Sequential(nn.ReLU(inplace=True), nn.Linear(3, 3))
        self.recorder: comgra_export.ComgraRecorder | None = None

    def forward(self, x: Tensor) -> Tensor:
        self.block.context = self.embed(x)
        hidden: Tensor = self.block(x * 2)
        self.block.context = None
        hidden = hidden + self.branch(hidden)
        assert self.recorder is not None
        self.recorder.register_tensor("attached", hidden)
        return hidden * 2


@pytest.fixture(scope="module")
def page_with_context(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model with a block that reads a tensor from elsewhere, a skip connection that is changed in place, and a named tensor."""
    folder = tmp_path_factory.mktemp("context")
    torch.manual_seed(0)
    model = _Model()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with comgra_export.watch(model, folder / "recordings", every=1) as model.recorder:
        for _ in range(2):
            optimizer.zero_grad()
            model(torch.rand(4, 3)).square().mean().backward()
            optimizer.step()
    return comgra_export.export(folder / "recordings", folder / "report.html").path


def test_the_legend_names_green_edges_and_boxes_of_tensors(page_with_context: Path, open_viewer: Callable[..., Viewer]) -> None:
    viewer = open_viewer(page_with_context, fragment({"tab": "modules"}), wait=False)
    viewer.page.wait_for_function(DRAWN)
    expect(viewer.element("legend-direct")).to_have_text("read without being an input")
    expect(viewer.element("legend-outside")).to_have_count(0)
    expect(viewer.element("legend-tensor")).to_have_text("registered tensor")
    expect(viewer.element("legend-inside")).to_have_text("not returned by its module")
    assert {"attached\n4 × 3", "model.branch.0: output\n4 × 3"} <= set(viewer.page.evaluate(LABELS))
    inside = open_viewer(page_with_context, fragment({"tab": "modules", "module": "0.model.block"}), wait=False)
    inside.page.wait_for_function(DRAWN)
    expect(inside.element("legend-outside")).to_have_text("tensor from elsewhere")
