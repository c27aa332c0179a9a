"""Every shape of the bundle in a Firefox, from file://; skipped where none can be installed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Playwright, expect

from support.browser.bundled import SHAPES
from support.browser.editable import record_inputs
from support.browser.firefox import start_firefox
from support.browser.kept_fresh import kept_fresh
from support.browser.oracle import Oracle
from support.browser.viewer import KEEP_CLIPBOARD, Link, Viewer, fragment

TABS = ("network", "notes", "graphs", "about", "tensors")
VIEW: Link = {
    "tab": "tensors", "trial": "second", "rec": "forward", "type": "any_value", "step": 5, "it": 1,
    "node": "output", "role": "output", "agg": "sample_1",
}  # fmt: skip
READ_COLORS = """() => {
  const { color, backgroundColor } = getComputedStyle(document.documentElement);
  return [color, backgroundColor];
}"""
# How many different colors the canvases of the graph show.
COUNT_GRAPH_COLORS = """() => Math.max(...[...document.querySelectorAll("[data-testid=graph] canvas")].map((canvas) => {
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  return new Set(new Uint32Array(data.buffer)).size;
}))"""


@pytest.fixture(scope="session")
def browser(playwright: Playwright) -> Iterator[Browser]:
    """The browser of `open_page`, for the tests of this module."""
    browser, reason = start_firefox(playwright)
    if browser is None:
        pytest.skip(f"No Firefox: {reason}. `make browser-tests` installs one where it can")
    yield browser
    browser.close()


@pytest.mark.parametrize("shape", SHAPES)
def test_values_graph_and_tabs_follow(shape: str, bundles: dict[str, Path], open_viewer: Callable[..., Viewer], oracle: Oracle) -> None:
    viewer = open_viewer(bundles[shape])
    _check_values(viewer, oracle)
    _check_graph(viewer, oracle)
    _check_tabs(viewer)


def _check_values(viewer: Viewer, oracle: Oracle) -> None:
    """A folder has a chunk for each step, and loads it when the step is selected."""
    link = oracle.check(viewer)
    assert (link["trial"], link["rec"], link["step"], link["it"], link["node"]) == ("first", "forward", "0", "0", "input")
    shown = viewer.rows()
    for selector, value in (("trial", "second"), ("step", "5"), ("aggregation", "sample_1")):
        viewer.choose(selector, value)
        oracle.check(viewer)
        assert viewer.rows() != shown
        shown = viewer.rows()


def _check_graph(viewer: Viewer, oracle: Oracle) -> None:
    """It is drawn, and a click selects."""
    assert len(viewer.nodes()) == 9
    assert viewer.page.evaluate(COUNT_GRAPH_COLORS) > 5
    viewer.click_node("output")
    assert oracle.check(viewer)["node"] == "output"


def _check_tabs(viewer: Viewer) -> None:
    for tab in TABS:
        viewer.element(f"tab-{tab}").click()
        expect(viewer.page.locator(f"#panel-{tab}")).to_be_visible()
    viewer.element("tab-graphs").click()
    expect(viewer.element("chart").first).to_be_visible()


@pytest.mark.parametrize("shape", SHAPES)
def test_a_link_and_a_reload_bring_the_view_back(
    shape: str, bundles: dict[str, Path], open_viewer: Callable[..., Viewer], oracle: Oracle
) -> None:
    viewer = open_viewer(bundles[shape], fragment(VIEW))
    viewer.page.evaluate(KEEP_CLIPBOARD)
    viewer.press_button("iteration", "next")
    viewer.element("copy-link").click()
    expect(viewer.element("copy-link")).to_have_text("Link copied")
    copied = viewer.page.evaluate("window.copied")
    link, shown = viewer.link(), viewer.rows()
    assert link["it"] == "2"
    viewer.page.reload()
    assert (oracle.check(viewer), viewer.rows()) == (link, shown)
    other = open_viewer(copied)
    assert (oracle.check(other), other.rows()) == (link, shown)


@pytest.mark.parametrize("shape", SHAPES)
def test_both_themes(shape: str, bundles: dict[str, Path], open_viewer: Callable[..., Viewer]) -> None:
    viewer = open_viewer(bundles[shape])
    html = viewer.page.locator("html")
    colors = []
    for name in ("light", "dark"):
        viewer.choose_in_menu("theme")
        expect(html).to_have_attribute("data-theme", name)
        colors += viewer.page.evaluate(READ_COLORS)
        assert viewer.page.evaluate(COUNT_GRAPH_COLORS) > 5
    assert len(set(colors)) == 4
    viewer.page.reload()
    expect(html).to_have_attribute("data-theme", "dark")
    assert viewer.page.evaluate(READ_COLORS) == colors[2:]


def test_an_input_is_edited_and_newer_data_is_taken_in_place(tmp_path: Path, open_viewer: Callable[..., Viewer]) -> None:
    with kept_fresh(tmp_path) as page:
        link = {"node": "image", "role": "image", "agg": "has_no_batch_dimension", "pane": "picture"}
        viewer = open_viewer(page, fragment(link), wait=False)
        viewer.element("edit").click()
        for key in ("Home", "Enter"):
            viewer.element("picture").press(key)
        expect(viewer.element("edit-count")).to_have_text("1 of 96 cells changed")
        record_inputs(tmp_path / "recordings", "first edit 1", factor=3)
        expect(viewer.element("added-trial")).to_contain_text("New trial: first edit 1", timeout=90_000)
        expect(viewer.element("edit-count")).to_have_text("1 of 96 cells changed")
