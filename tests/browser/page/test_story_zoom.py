"""What a note keeps of drawings: which part of a picture, of a chart and of the graph of modules was in view."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import expect

import comgra_export
from support.browser.viewer import Link, Viewer, fragment
from support.browser.watched import record_watched_group

Open = Callable[..., Viewer]
PICTURE: Link = {
    "tab": "tensors", "trial": "first", "rec": "forward", "type": "any_value", "step": 5, "it": 2,
    "node": "picture", "role": "picture", "agg": "sample_0", "pane": "picture",
}  # fmt: skip
GRAPHS: Link = {"tab": "graphs", "trial": "first"}
ABOUT: Link = {"tab": "about"}
# The middle of what is in view, and how large it is drawn.
MODULES_SHOWN = """() => {
  const cy = document.querySelector('[data-testid=module-graph]')._cyreg.cy;
  const { x, y } = cy.pan();
  return [(cy.width() / 2 - x) / cy.zoom(), (cy.height() / 2 - y) / cy.zoom(), cy.zoom()];
}"""


def _write_note(viewer: Viewer, text: str) -> None:
    viewer.page.keyboard.press("n")
    viewer.element("note-text").fill(text)
    viewer.element("note-save").click()
    expect(viewer.page.locator("[aria-current=true][data-testid=story-note]")).to_contain_text(text)


def _keep(viewer: Viewer) -> None:
    """The page asks before notes are left that are nowhere else."""
    with viewer.page.expect_download():
        viewer.element("story-download").click()


def _drag(viewer: Viewer, start: float, end: float) -> None:
    """From one part of the width of a chart to another one."""
    plot = viewer.page.locator("#panel-graphs [data-testid=chart] .u-over").first
    box = plot.bounding_box()
    assert box is not None
    y = box["y"] + box["height"] / 2
    viewer.page.mouse.move(box["x"] + start * box["width"], y)
    viewer.page.mouse.down()
    viewer.page.mouse.move(box["x"] + end * box["width"], y, steps=4)
    viewer.page.mouse.up()


def test_a_note_keeps_the_part_of_a_picture_and_of_a_chart(bundle: Path, open_viewer: Open) -> None:
    viewer = open_viewer(bundle, fragment(PICTURE), wait=False)
    picture = viewer.element("picture")
    viewer.element("picture-zoom-in").click()
    expect(picture).to_have_attribute("data-zoom", "1.50")
    _write_note(viewer, "The picture")
    viewer.go(GRAPHS)
    chart = viewer.page.locator("#panel-graphs [data-testid=chart]").first
    reset = chart.get_by_test_id("reset-zoom")
    expect(reset).to_have_attribute("aria-disabled", "true")
    _drag(viewer, 0.25, 0.75)
    expect(reset).to_have_attribute("aria-disabled", "false")
    _write_note(viewer, "The chart")
    reset.click()
    expect(reset).to_have_attribute("aria-disabled", "true")
    # Back to the picture, which was left as it is, and which is zoomed out by hand before it is shown again.
    viewer.page.keyboard.press(",")
    expect(picture).to_have_attribute("data-zoom", "1.50")
    viewer.element("picture-zoom-fit").click()
    expect(picture).to_have_attribute("data-zoom", "1.00")
    viewer.link(gone="zoom=")
    viewer.page.keyboard.press(".")
    expect(reset).to_have_attribute("aria-disabled", "false")
    zoom = viewer.link(until="zoom=")["zoom"]
    _keep(viewer)
    # As in a page that was opened with the address of the note.
    again = open_viewer(bundle, viewer.page.evaluate("() => location.hash"), wait=False)
    chart = again.page.locator("#panel-graphs [data-testid=chart]").first
    expect(chart.get_by_test_id("reset-zoom")).to_have_attribute("aria-disabled", "false")
    assert again.link()["zoom"] == zoom
    chart.get_by_test_id("reset-zoom").click()
    again.link(gone="zoom=")


@pytest.fixture(scope="module")
def watched(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of a network that was watched."""
    folder = tmp_path_factory.mktemp("watched")
    return comgra_export.export(record_watched_group(folder / "runs"), folder / "report.html").path


def test_a_note_keeps_the_part_of_the_graph_of_modules(watched: Path, open_viewer: Open) -> None:
    viewer = open_viewer(watched, fragment({"tab": "modules"}), wait=False)
    expect(viewer.element("module-graph")).to_be_visible()
    viewer.page.wait_for_function("() => document.querySelector('[data-testid=module-graph]')._cyreg?.cy.nodes().length > 0")
    viewer.page.keyboard.press("n")
    viewer.element("note-text").fill("Larger")
    for _ in range(3):
        viewer.element("module-zoom-in").click()
    shown = viewer.page.evaluate(MODULES_SHOWN)
    viewer.element("note-save").click()
    viewer.element("module-zoom-fit").click()
    assert viewer.page.evaluate(MODULES_SHOWN) != pytest.approx(shown, rel=1e-2)
    viewer.go(ABOUT)
    viewer.page.keyboard.press("n")
    viewer.element("note-text").fill("Something else")
    viewer.element("note-save").click()
    viewer.page.keyboard.press(",")
    viewer.page.wait_for_function(f"level => Math.abs(({MODULES_SHOWN})()[2] - level) < 1e-3 * level", arg=shown[2])
    assert viewer.page.evaluate(MODULES_SHOWN) == pytest.approx(shown, rel=1e-2, abs=1)
    _keep(viewer)
    # Another level is shown as a whole.
    viewer.go({"tab": "modules", "module": "0.model.blocks.3"})
    viewer.page.wait_for_function(f"level => Math.abs(({MODULES_SHOWN})()[2] - level) > 1e-2 * level", arg=shown[2])
