"""Curves of a tensor over all recorded steps, and of pinned tensors beside it."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from browser.described import BATCH, x_of_rank
from browser.recorded import HOSTILE_NAME
from browser.viewer import Link, Viewer, fragment
from playwright.sync_api import Locator, expect

import comgra_export

# The described run: steps 0 to 40, every second one of the type eval, and 43, which was triggered.
REGULAR = (0, 10, 20, 30, 40)
TRIGGERED = 43
VIEW: Link = {"tab": "tensors", "trial": "run", "rec": "forward", "type": "any_value", "step": 20, "it": 0, "node": "x", "pane": "time"}

# The places, in pixels of the page from the left of the plot, that hold the colour of the line at the current step, from top to bottom.
FIND_LINE = """(figure) => {
  const canvas = figure.querySelector("canvas"), plot = figure.querySelector(".u-over");
  const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d", { willReadFrequently: true });
  copy.drawImage(canvas, 0, 0);
  const probe = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  probe.fillStyle = getComputedStyle(document.documentElement).getPropertyValue("--selected").trim();
  probe.fillRect(0, 0, 1, 1);
  const wanted = probe.getImageData(0, 0, 1, 1).data;
  const { data } = copy.getImageData(0, 0, canvas.width, canvas.height);
  const heights = new Map();
  for (let k = 0; k < data.length; k += 4) {
    if ([0, 1, 2].every((channel) => Math.abs(data[k + channel] - wanted[channel]) < 12) && data[k + 3] > 200) {
      heights.set((k / 4) % canvas.width, (heights.get((k / 4) % canvas.width) ?? 0) + 1);
    }
  }
  const left = plot.getBoundingClientRect().left - canvas.getBoundingClientRect().left;
  return [...heights].filter(([, height]) => height > canvas.height / 3).map(([x]) => x / devicePixelRatio - left);
}"""


@pytest.fixture
def viewer(described_bundle: Path, open_viewer: Callable[..., Viewer]) -> Viewer:
    """The described run, with room for several charts."""
    return _open(open_viewer, described_bundle, VIEW)


def _open(open_viewer: Callable[..., Viewer], page: Path, view: Link) -> Viewer:
    viewer = open_viewer(page, fragment(view), wait=False, viewport={"width": 1400, "height": 1600})
    viewer.element("over-time").wait_for()
    return viewer


def _tensor(viewer: Viewer, name: str) -> Locator:
    return viewer.page.locator(f"[data-testid=tensor-over-time][data-tensor='{name}']")


def _legend(part: Viewer | Locator) -> dict[str, str]:
    """What the legend says of each curve, once it is there."""
    place = part.page.locator("body") if isinstance(part, Viewer) else part
    entries = place.get_by_test_id("legend-entry")
    entries.first.wait_for()
    return {entry.locator(".chip-text").inner_text(): entry.locator(".chip-value").inner_text() for entry in entries.all()}


def _plot(viewer: Viewer, number: int = 0) -> tuple[Locator, float]:
    """A chart where the curves are, and its width."""
    plot = viewer.page.locator(".u-over").nth(number)
    box = plot.bounding_box()
    assert box is not None
    return plot, box["width"]


def _click_step(viewer: Viewer, step: int) -> None:
    plot, width = _plot(viewer)
    plot.click(position={"x": min(width - 1, max(1, width * step / TRIGGERED)), "y": 60})


def test_the_legend_says_what_the_curves_are_at_the_step(viewer: Viewer) -> None:
    for step in REGULAR:
        viewer.go({**VIEW, "step": step})
        viewer.wait_until_shown({"step": step})
        legend = _legend(viewer)
        assert list(legend) == [
            "mean forward", "mean forward, triggered steps", "abs_max forward", "abs_max forward, triggered steps",
        ]  # fmt: skip
        x = x_of_rank(0, step)
        np.testing.assert_allclose(float(legend["mean forward"]), x.mean(), atol=1e-4)
        np.testing.assert_allclose(float(legend["abs_max forward"]), np.abs(x).max(axis=1).mean(), atol=1e-4)
        description = viewer.page.locator(".chart-frame").get_attribute("aria-label") or ""
        assert f"At step {step}: mean of forward {legend['mean forward']}, abs_max of forward" in description


def test_recording_types_are_together(viewer: Viewer) -> None:
    viewer.go({**VIEW, "node": "h"})
    viewer.wait_until_shown({"node": "h"})
    legend = _legend(viewer)
    assert {name.removesuffix(", triggered steps") for name in legend} == {
        "mean forward", "abs_max forward", "mean gradients", "abs_max gradients",
    }  # fmt: skip
    assert legend["mean gradients"] == "0.25"


def test_every_step_can_be_gone_to_and_is_marked(viewer: Viewer) -> None:
    for step in (40, 0, 10):
        _click_step(viewer, step)
        viewer.wait_until_shown({"step": step, "type": "any_value"})
        viewer.page.wait_for_timeout(100)
        places = viewer.element("chart").evaluate(FIND_LINE)
        assert places, step
        np.testing.assert_allclose(places, _plot(viewer)[1] * step / TRIGGERED, atol=2.5)
    _click_step(viewer, TRIGGERED)
    viewer.wait_until_shown({"step": TRIGGERED, "type": "__triggered"})
    # The regular steps stay in sight.
    assert "mean forward" in _legend(viewer)


def test_a_drag_zooms_and_does_not_go_anywhere(viewer: Viewer) -> None:
    plot, width = _plot(viewer)
    box = plot.bounding_box()
    assert box is not None
    reset = viewer.element("time-reset-zoom")
    expect(reset).to_have_attribute("aria-disabled", "true")
    mouse = viewer.page.mouse
    mouse.move(box["x"] + width * 0.2, box["y"] + 50)
    mouse.down()
    mouse.move(box["x"] + width * 0.7, box["y"] + 60)
    mouse.up()
    expect(reset).to_have_attribute("aria-disabled", "false")
    viewer.wait_until_shown({"step": 20})
    # Step 20 lies at 20/43 of all, which is now where (20/43 - 0.2) / 0.5 of the width is.
    viewer.page.wait_for_timeout(100)
    places = viewer.element("chart").evaluate(FIND_LINE)
    np.testing.assert_allclose(places, width * (20 / TRIGGERED - 0.2) / 0.5, atol=4)
    reset.click()
    expect(reset).to_have_attribute("aria-disabled", "true")


def test_the_type_of_step_decides(viewer: Viewer) -> None:
    chart = viewer.element("chart")
    expect(chart).to_contain_text("5 steps")
    viewer.choose("step-type", "eval")
    expect(chart).to_contain_text("2 steps")
    expect(viewer.element("over-time-note")).to_contain_text("Steps of the type eval.")
    # The triggered one is of the other type.
    assert list(_legend(viewer)) == ["mean forward", "abs_max forward"]


def test_a_single_sample_is_not_kept(viewer: Viewer) -> None:
    viewer.choose("aggregation", "batch_std")
    viewer.wait_until_shown({"agg": "batch_std"})
    spread = x_of_rank(0, 20).mean(axis=1).std(ddof=1)
    np.testing.assert_allclose(float(_legend(viewer)["mean forward"]), spread, atol=1e-4)
    expect(viewer.element("over-time-note")).to_contain_text("STD over the batch.")
    viewer.choose("aggregation", "sample_0")
    expect(viewer.element("over-time-note")).to_contain_text("Samples are not kept over time: this is the mean over the batch.")
    np.testing.assert_allclose(float(_legend(viewer)["mean forward"]), x_of_rank(0, 20).mean(), atol=1e-4)


def test_what_is_shown_is_in_the_address(viewer: Viewer, described_bundle: Path, open_viewer: Callable[..., Viewer]) -> None:
    viewer.element("time-std").click()
    viewer.element("time-zeros").click()
    viewer.element("time-log").click()
    viewer.element("legend-entry").first.click()
    expect(viewer.element("legend-entry").first).to_have_attribute("aria-pressed", "false")
    expect(viewer.element("chart")).to_have_count(2)
    link = viewer.link()
    viewer.page.wait_for_function("() => location.hash.includes('mean%3Aforward')")
    link = viewer.link()
    assert link["time"] == "mean,std,abs_max,zeros,log,-mean:forward"
    again = _open(open_viewer, described_bundle, link)
    for test_id in ("time-mean", "time-std", "time-abs_max", "time-zeros", "time-log"):
        expect(again.element(test_id)).to_have_attribute("aria-pressed", "true")
    expect(again.element("legend-entry").first).to_have_attribute("aria-pressed", "false")
    zeros = _legend(again.element("chart").nth(1))["zeros forward"]
    assert int(zeros) == (x_of_rank(0, 20) == 0).sum()
    for test_id in ("time-mean", "time-std", "time-abs_max", "time-zeros"):
        again.element(test_id).click()
    expect(again.element("over-time-empty")).to_have_text("Choose at least one statistic.")


def test_pinned_tensors_stay(viewer: Viewer, described_bundle: Path, open_viewer: Callable[..., Viewer]) -> None:
    viewer.element("pin").click()
    expect(viewer.element("pin")).to_have_attribute("aria-pressed", "true")
    viewer.select_node("net.encoder.weight")
    viewer.element("pin").click()
    viewer.select_node("loss")
    expect(viewer.element("pinned").get_by_test_id("tensor-over-time")).to_have_count(2)
    link = viewer.link()
    viewer.page.wait_for_function("() => location.hash.includes('net.encoder.weight')")
    link = viewer.link()
    assert link["pins"] == "0.x,-1.net.encoder.weight"
    again = _open(open_viewer, described_bundle, link)
    np.testing.assert_allclose(float(_legend(_tensor(again, "x, iteration 0"))["mean forward"]), x_of_rank(0, 20).mean(), atol=1e-4)
    assert list(_legend(_tensor(again, "loss, iteration 0"))) == ["value forward", "value forward, triggered steps"]
    expect(_tensor(again, "net.encoder.weight")).to_be_visible()
    # On one axis: the step is marked at the same place of charts of the same width.
    again.page.wait_for_timeout(100)
    first, second = (figure.evaluate(FIND_LINE) for figure in again.element("pinned").get_by_test_id("chart").all())
    assert first
    assert first == second
    again.page.get_by_role("button", name="Unpin x, iteration 0").click()
    expect(again.element("pinned").get_by_test_id("tensor-over-time")).to_have_count(1)


def test_all_ranks_together(described_bundle: Path, open_viewer: Callable[..., Viewer]) -> None:
    viewer = _open(open_viewer, described_bundle, {**VIEW, "trial": "wide", "rank": "all"})
    every = np.concatenate([x_of_rank(rank, 20) for rank in range(3)])
    assert len(every) == 3 * BATCH
    np.testing.assert_allclose(float(_legend(viewer)["mean forward"]), every.mean(), atol=1e-4)


def test_what_is_not_finite_is_marked(bundle: Path, open_viewer: Callable[..., Viewer]) -> None:
    view: Link = {"tab": "tensors", "trial": "first", "type": "any_value", "step": 5, "it": 2, "node": HOSTILE_NAME, "pane": "time"}
    viewer = _open(open_viewer, bundle, view)
    expect(viewer.element("chart").first).to_contain_text("NaN and infinities are marked at the edges")
    assert _legend(viewer)["mean forward"] == "NaN"


def test_one_step(large_bundle: Path, open_viewer: Callable[..., Viewer]) -> None:
    viewer = _open(open_viewer, large_bundle, {"trial": "wide", "node": "node_3_4", "pane": "time"})
    expect(viewer.element("chart")).to_contain_text("1 step")
    # What the node's statistics hold: its number, 3 * 50 + 4.
    assert _legend(viewer)["mean forward"] == "154"
    expect(viewer.page.locator(".u-over")).to_be_visible()


def test_a_page_of_an_earlier_version_says_so(described_bundle: Path, tmp_path: Path, open_viewer: Callable[..., Viewer]) -> None:
    page = tmp_path / "old.html"
    page.write_text(re.sub(r',"series":\d+', "", described_bundle.read_text()))
    viewer = open_viewer(page, fragment(VIEW), wait=False)
    expect(viewer.element("over-time-empty")).to_contain_text("an earlier version exported it")


def test_chunks_in_files(group: Path, tmp_path: Path, open_viewer: Callable[..., Viewer]) -> None:
    page = comgra_export.export(group, tmp_path / "report").path / "index.html"
    viewer = _open(open_viewer, page, {"trial": "first", "step": 5, "type": "any_value", "node": "output", "pane": "time"})
    assert "mean forward" in _legend(viewer)
