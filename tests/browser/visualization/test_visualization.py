"""Scripts of the author's own that draw in a tab: given the selection and the data, called at every change, harmless where they fail."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import FrameLocator, expect

from comgra_export import export
from support.browser.oracle import OVER
from support.browser.viewer import Link, Viewer, fragment

VIEW: Link = {"tab": "visualization", "trial": "second", "rec": "forward", "type": "any_value", "step": 5, "it": 1, "agg": "batch_mean"}
SCRIPT = """
comgraVisualize("Numbers of the selection \u00e9", async ({ element, selection, data, signal }) => {
  const statistics = await data.statistics(selection.tensor);
  const values = await data.values(selection.tensor);
  if (!signal.aborted) {
    element.dataset.testid = "drawn";
    element.textContent = JSON.stringify({ step: selection.step, statistics, values: [...values], tensors: data.tensors().length });
  }
});
comgraVisualize("Fails", ({ data, selection }) => {
  if (selection.step === 5) {
    throw new Error("no luck in this step");
  }
  return data.statistics("nobody");
});
"""


@pytest.fixture
def with_script(group: Path, tmp_path: Path) -> Callable[[str], Path]:
    def make(script: str) -> Path:
        file = tmp_path / "own.js"
        file.write_text(script, encoding="utf-8")
        return export(group, tmp_path / "page.html", visualization=file).path

    return make


def inside(viewer: Viewer) -> FrameLocator:
    """What is in the frame of the scripts."""
    return viewer.page.frame_locator("iframe[title=Drawings]")


def test_a_drawing_is_given_the_numbers_of_the_selection_at_every_change(
    with_script: Callable[[str], Path], open_viewer: Callable[..., Viewer]
) -> None:
    viewer = open_viewer(with_script(SCRIPT), fragment({**VIEW, "tab": "tensors"}))
    for first in (True, False):
        table = {(row.item, row.place): float(row.exact) for row in viewer.rows()}
        step = int(viewer.link()["step"])
        viewer.element("tab-visualization").click()
        expect(inside(viewer).get_by_test_id("drawn")).to_contain_text(f'"step":{step},')
        drawn = json.loads(inside(viewer).get_by_test_id("drawn").inner_text())
        for item, value in drawn["statistics"].items():
            assert value == pytest.approx(table[item, OVER["batch_mean"]], rel=1e-5)
        assert drawn["values"] == pytest.approx([value for (item, _), value in table.items() if item == "neuron"], rel=1e-5)
        viewer.element("tab-tensors").click()
        if first:
            viewer.press_button("step", "previous")


def test_an_error_is_shown_in_its_place_and_harms_nothing_else(
    with_script: Callable[[str], Path], open_viewer: Callable[..., Viewer]
) -> None:
    viewer = open_viewer(with_script(SCRIPT), fragment(VIEW), wait=False)
    expect(inside(viewer).get_by_test_id("drawn")).to_be_visible()
    expect(inside(viewer).get_by_test_id("visualization-error")).to_contain_text("no luck in this step")
    viewer.press_button("step", "previous")
    expect(inside(viewer).get_by_test_id("visualization-error")).to_contain_text("no tensor \u201cnobody\u201d")
    viewer.element("tab-tensors").click()
    assert viewer.rows()


def test_a_script_that_cannot_be_read_is_reported(
    with_script: Callable[[str], Path], open_viewer: Callable[..., Viewer], complaints: list[str]
) -> None:
    viewer = open_viewer(with_script("this is no script"), fragment(VIEW), wait=False)
    expect(inside(viewer).get_by_test_id("visualization-error")).to_contain_text("SyntaxError")
    viewer.element("tab-tensors").click()
    assert viewer.rows()
    assert len(complaints) == 1
    complaints.clear()


def test_without_a_script_there_is_no_tab(bundle: Path, open_viewer: Callable[..., Viewer]) -> None:
    viewer = open_viewer(bundle)
    expect(viewer.element("tab-visualization")).to_have_count(0)
