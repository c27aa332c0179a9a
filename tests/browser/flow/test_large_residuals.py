"""A residual that is much larger than all flows leaves these room, and a sentence says that it is drawn smaller."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from playwright.sync_api import expect

import comgra_export
from comgra_export import ComgraRecorder
from support.browser.viewer import Link, Viewer

WIDTHS = """(kind) => [...document.querySelectorAll(`[data-testid=sankey] path[data-kind=${kind}]`)]
    .map((path) => Number(path.getAttribute("stroke-width"))).reduce((sum, width) => sum + width, 0)"""


@pytest.fixture(scope="module")
def page_of_skips(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Around the layer `y`, a skip connection carries as much of the gradient of `x` as `y` does, or a thousand times as much."""
    folder = tmp_path_factory.mktemp("skips")
    weight = torch.ones(3, 2, requires_grad=True)
    for trial, factor in (("equal", 2.0), ("dwarfing", 2000.0)):
        with ComgraRecorder(folder / "r", trial_id=trial) as recorder, recorder.batch(0, 1), recorder.iteration():
            x = torch.ones(1, 3, requires_grad=True)
            y = x @ weight
            recorder.record_gradient_flow(y.sum() + factor * x.sum(), {"x": x, "y": y})
    return comgra_export.export(folder / "r", folder / "page.html").path


@pytest.mark.parametrize(("trial", "is_said"), [("equal", False), ("dwarfing", True)])
def test_a_residual_is_drawn_as_large_as_the_flows_at_most(
    page_of_skips: Path, visit: Callable[..., Viewer], trial: str, is_said: bool
) -> None:
    link: Link = {"tab": "flow", "trial": trial, "step": 0}
    viewer = visit(page_of_skips, link, wait=False)
    expect(viewer.element("flow-layers")).to_have_attribute("data-state", "ready")
    expect(viewer.page.locator("[data-testid=sankey] path[data-kind=residual]")).to_have_count(3)
    flows, residuals = (viewer.page.evaluate(WIDTHS, kind) for kind in ("flow", "residual"))
    assert flows > 20
    assert residuals == pytest.approx(flows, rel=0.01)
    said = viewer.element("flow-reduced")
    if is_said:
        expect(said).to_contain_text("Some bands of other flows, or of residuals, are drawn thinner than their sums")
    else:
        expect(said).to_have_count(0)
