"""Panels of a folder that is built again while they are open."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import torch
from playwright.sync_api import expect
from torch import nn

import comgra_export
from comgra_export import DecisionMakerForRecordingsFrequencyPerType
from support.browser.viewer import Viewer, fragment

VIEW = {"tab": "modules", "type": "train", "step": "1", "panels": "model.0,model.2,model.4"}
PATIENCE_MILLISECONDS = 20_000
PICTURES = """
() => [...document.querySelectorAll(".panels canvas")].map((canvas) => [
  canvas.parentElement.dataset.record, canvas.toDataURL() + canvas.parentElement.textContent
])
"""

# Notes whether anything that was there when it begins ever leaves the panels.
REMEMBER = """
() => {
  document.querySelector("[data-testid=panel-area]").scrollTop = 60;
  window.left = 0;
  const kept = [...document.querySelectorAll(".panels, [data-testid=panel], [data-testid=history], .panels canvas")];
  const look = () => { window.left += kept.filter((element) => !element.isConnected).length; };
  new MutationObserver(look).observe(document.body, { subtree: true, childList: true });
}
"""


@contextmanager
def training(root: Path) -> Iterator[Callable[[int], Path]]:
    """Give a function that trains for some steps, and builds the folder anew."""
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(6, 20), nn.ReLU(), nn.Linear(20, 20), nn.ReLU(), nn.Linear(20, 2))
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    every_step = DecisionMakerForRecordingsFrequencyPerType(1)
    with comgra_export.watch(net, root / "recordings", decision_maker_for_recordings=every_step) as recorder:

        def build(steps: int) -> Path:
            for _ in range(steps):
                optimizer.zero_grad()
                net(torch.randn(8, 6)).square().mean().backward()
                optimizer.step()
            recorder.flush()
            bundle = comgra_export.export(root / "recordings", root / "report", live=True, force=True)
            return bundle.path / "index.html"

        yield build


def pictures(viewer: Viewer, steps: int, count: int | None = None) -> dict[str, str]:
    """What is drawn and written of each record, once all have this many steps."""
    plots = viewer.page.locator(f"[data-testid=history][data-columns='{steps}']")
    expect(plots.first).to_be_visible(timeout=PATIENCE_MILLISECONDS)
    expect(viewer.element("history-waiting")).to_have_count(0)
    expect(plots).to_have_count(count or viewer.element("history").count())
    return dict(viewer.page.evaluate(PICTURES))


def test_newer_steps_come_into_panels_that_stay_where_they_are(tmp_path: Path, open_viewer: Callable[..., Viewer]) -> None:
    with training(tmp_path) as build:
        page = build(12)
        viewer = open_viewer(page, fragment(VIEW), wait=False)
        pictures(viewer, 12)
        count = viewer.element("history").count()
        viewer.page.evaluate(REMEMBER)
        viewer.element("history").first.focus()
        # Histograms come in parts: of 12 steps; 16 and 1; 16 and 3, of which the first stays; 32 and 1.
        steps = 12
        for more in (5, 2, 14):
            build(more)
            steps += more
            shown = pictures(viewer, steps, count)
            # They are what somebody sees who opens the page only now.
            later = open_viewer(page, fragment(VIEW), wait=False)
            seen = pictures(later, steps)
            assert len(seen) > 8
            assert seen == {record: shown[record] for record in seen}
            later.page.close()
        assert viewer.page.evaluate("() => window.left") == 0
        assert viewer.page.evaluate("() => document.querySelector('[data-testid=panel-area]').scrollTop") == 60
        expect(viewer.element("history").first).to_be_focused()


def test_newer_steps_cost_no_file_but_that_of_the_index(tmp_path: Path, open_viewer: Callable[..., Viewer]) -> None:
    with training(tmp_path) as build:
        viewer = open_viewer(build(18), fragment(VIEW), wait=False)
        pictures(viewer, 18)
        # What is in no panel is read ahead as well.
        viewer.page.wait_for_timeout(1000)
        asked: list[str] = []
        viewer.page.on("request", lambda request: asked.append(request.url.rpartition("/")[2].partition("?")[0]))
        build(3)
        pictures(viewer, 21)
        viewer.page.wait_for_timeout(1000)
        assert [name for name in asked if name != "version.js"] == ["index-2.js"]
