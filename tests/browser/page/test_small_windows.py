"""Phones, a zoom of 200 %, and large letters: the content comes first, and everything can be reached."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from support.browser.axe import violations
from support.browser.viewer import Link, Viewer, fragment

TABS = ("overview", "tensors", "network", "notes", "graphs", "about")
VIEW: Link = {
    "tab": "tensors", "trial": "first", "rec": "forward", "type": "any_value", "step": 5, "it": 2,
    "node": "helper", "role": "final", "agg": "sample_0",
}  # fmt: skip
PHONE = {"viewport": {"width": 390, "height": 844}}
# A window of 1440 x 900 pixels at a zoom of 200 %.
ZOOMED = {"viewport": {"width": 720, "height": 450}, "device_scale_factor": 2}
TABLET = {"viewport": {"width": 800, "height": 800}}
SMALL = pytest.mark.parametrize("window", [PHONE, ZOOMED, TABLET], ids=["phone", "zoomed", "tablet"])
# The names of what can be clicked and would not be hit in its middle, since something lies over it or it is out of the window.
FIND_COVERED = """(root) => [...document.querySelectorAll(`${root} :is(button, select, input)`)].filter((element) => {
  if (!element.checkVisibility() || element.closest(".visually-hidden, .skip-link") !== null) { return false; }
  element.scrollIntoView({ block: "center", inline: "nearest" });
  const { left, top, width, height } = element.getBoundingClientRect();
  const hit = document.elementFromPoint(left + width / 2, top + height / 2);
  return hit === null || !(element.contains(hit) || hit.contains(element) || hit.closest("label") !== null);
}).map((element) => element.getAttribute("aria-label") ?? element.textContent ?? element.id)"""
# Texts of which a part lies outside their control.
FIND_CUT = """() => [...document.querySelectorAll("button:not(.skip-link), select, h2, h3, dt")].filter((element) =>
  element.checkVisibility() && element.clientHeight > 0 && element.scrollHeight > element.clientHeight + 2
).map((element) => element.outerHTML.slice(0, 90))"""


@SMALL
def test_content_comes_first_and_nothing_overflows(window: dict[str, object], bundle: Path, open_again: Callable[..., Viewer]) -> None:
    viewer = open_again(bundle, VIEW, **window)
    width, height = window["viewport"]["width"], window["viewport"]["height"]  # type: ignore[index]
    for tab in TABS:
        viewer.element(f"tab-{tab}").click()
        assert viewer.page.evaluate("document.documentElement.scrollWidth") <= width, tab
        top = viewer.page.evaluate("tab => document.getElementById(`panel-${tab}`).getBoundingClientRect().top + scrollY", tab)
        assert top <= 0.35 * height, tab
        assert violations(viewer.page) == [], tab
    viewer.element("tab-tensors").click()
    graph = viewer.element("graph").bounding_box()
    assert graph is not None
    assert min(graph["y"] + graph["height"], height) - graph["y"] >= 200
    assert viewer.page.evaluate(FIND_COVERED, "#app") == []


@SMALL
def test_selectors_open_in_a_sheet(window: dict[str, object], bundle: Path, open_again: Callable[..., Viewer]) -> None:
    viewer = open_again(bundle, VIEW, **window)
    button, sheet = viewer.element("open-selection"), viewer.element("selection")
    expect(button).to_have_text(re.compile("Sample 0.*values.*iteration 2.*first"))
    expect(sheet).to_be_hidden()
    button.click()
    expect(sheet).to_be_visible()
    for selector in ("trial", "step-type", "iteration", "aggregation"):
        expect(viewer.control(selector)).to_be_visible()
    assert viewer.page.evaluate(FIND_COVERED, "[data-testid=selection]") == []
    assert violations(viewer.page) == []
    viewer.choose("aggregation", "batch_mean")
    viewer.choose("trial", "second")
    viewer.wait_until_shown({"trial": "second", "agg": "batch_mean"})
    expect(button).to_have_text(re.compile("second"))
    # The sheet stays at the lower edge, and what is chosen is seen above it.
    box = sheet.bounding_box()
    assert box is not None
    assert box["y"] + box["height"] == pytest.approx(window["viewport"]["height"])  # type: ignore[index]
    assert box["y"] >= 0.25 * window["viewport"]["height"]  # type: ignore[index]


@SMALL
def test_what_is_selected_and_compared_is_read_whole(window: dict[str, object], bundle: Path, open_viewer: Callable[..., Viewer]) -> None:
    viewer = open_viewer(bundle, fragment({**VIEW, "pin": "agg=sample_1"}), **window)
    viewer.element("compare-bar").wait_for()
    # As long as the names of the trials of the tutorial.
    selected = "Sample 0 \u00b7 values \u00b7 iteration 4 \u00b7 leaky_relu_after_every_layer"
    viewer.page.locator(".selection-text").evaluate("(element, text) => { element.textContent = text; }", selected)
    viewer.page.locator(".compare-side bdi").evaluate_all(
        "sides => { for (const side of sides) { side.textContent = 'Sample 0, leaky_relu_after_every_layer, step 5'; } }"
    )
    for place in (".selection-text", ".compare-side"):
        excess = viewer.page.locator(place).evaluate_all(
            "texts => texts.map((text) => [text.scrollWidth - text.clientWidth, text.scrollHeight - text.clientHeight])"
        )
        assert max(max(pair) for pair in excess) <= 0, place
    assert viewer.page.evaluate(FIND_COVERED, ".compare-bar") == []


def test_an_upright_tablet_has_few_controls_above_the_data(bundle: Path, open_viewer: Callable[..., Viewer]) -> None:
    viewer = open_viewer(bundle, fragment(VIEW), **TABLET)
    for tab in TABS:
        viewer.element(f"tab-{tab}").click()
        top = viewer.page.locator(f"#panel-{tab}").bounding_box()["y"]  # type: ignore[index]
        assert top <= 120, tab
        assert viewer.element("select-step").bounding_box()["width"] >= 350, tab  # type: ignore[index]
    viewer.element("tab-tensors").click()
    assert viewer.element("graph").bounding_box()["y"] <= 125  # type: ignore[index]


def test_the_open_tab_is_in_view(bundle: Path, open_again: Callable[..., Viewer]) -> None:
    viewer = open_again(bundle, VIEW, **PHONE)
    for key, tab in (("End", "about"), ("Home", "overview")):
        viewer.page.locator("[role=tab][aria-selected=true]").press(key)
        expect(viewer.element(f"tab-{tab}")).to_be_in_viewport(ratio=0.99)
    # Only then is the next one another address.
    viewer.link(until="tab=overview")
    viewer.go({**VIEW, "tab": "about"})
    expect(viewer.element("tab-about")).to_be_in_viewport(ratio=0.99)
    assert viewer.page.evaluate("scrollY") == 0


def _focus_is_in(page: Page, test_id: str) -> bool:
    return bool(page.evaluate("id => document.activeElement.closest(`[data-testid=${id}]`) !== null", test_id))


@pytest.mark.parametrize("name", ["selection", "graph-tools"])
def test_a_sheet_keeps_the_focus_and_closes_in_three_ways(name: str, bundle: Path, open_again: Callable[..., Viewer]) -> None:
    viewer = open_again(bundle, VIEW, **PHONE)
    page, button, sheet = viewer.page, viewer.element(f"open-{name}"), viewer.element(name)
    button.press("Enter")
    expect(sheet).to_be_visible()
    # The browser's own controls have a turn as well; there the page's body has the focus.
    for _ in range(40):
        page.keyboard.press("Tab")
        assert _focus_is_in(page, name) or page.evaluate("document.activeElement === document.body")
    page.keyboard.press("Escape")
    expect(sheet).to_be_hidden()
    expect(button).to_be_focused()
    button.click()
    viewer.element(f"close-{name}").click()
    expect(sheet).to_be_hidden()
    button.click()
    page.mouse.click(195, 20)
    expect(sheet).to_be_hidden()
    # What was clicked is only the page behind.
    assert viewer.controls()["tab"] == "tensors"


@SMALL
def test_keys_work_while_the_sheets_are_closed(window: dict[str, object], bundle: Path, open_again: Callable[..., Viewer]) -> None:
    viewer = open_again(bundle, VIEW, **window)
    viewer.page.keyboard.press("t")
    viewer.wait_until_shown({"trial": "second"})
    viewer.page.keyboard.press("/")
    expect(viewer.element("graph-tools")).to_be_visible()
    expect(viewer.element("node-search")).to_be_focused()
    viewer.page.keyboard.press("Escape")
    expect(viewer.element("graph-tools")).to_be_hidden()


def test_a_large_window_has_no_sheet(bundle: Path, open_viewer: Callable[..., Viewer]) -> None:
    viewer = open_viewer(bundle, fragment(VIEW))
    expect(viewer.page.locator(".sheet-place")).to_have_count(0)
    viewer.page.set_viewport_size({"width": 390, "height": 844})
    expect(viewer.element("open-selection")).to_be_visible()
    viewer.page.set_viewport_size({"width": 1400, "height": 900})
    expect(viewer.page.locator(".sheet-place")).to_have_count(0)
    expect(viewer.control("trial")).to_be_visible()


@pytest.mark.parametrize("width", [1440, 390])
def test_everything_grows_with_the_size_that_the_reader_has_set(width: int, bundle: Path, open_viewer: Callable[..., Viewer]) -> None:
    viewer = open_viewer(bundle, fragment(VIEW), viewport={"width": width, "height": 900})
    sizes = """() => Object.fromEntries([".tabs button", "h1", ".summary dd", ".figure-buttons button", ".value-row", ".legend li"].map(
      (selector) => [selector, parseFloat(getComputedStyle(document.querySelector(selector)).fontSize)]))"""
    before = viewer.page.evaluate(sizes)
    viewer.page.evaluate("() => { document.documentElement.style.fontSize = '24px'; }")
    after = viewer.page.evaluate(sizes)
    assert after == pytest.approx({selector: 1.5 * size for selector, size in before.items()})
    for tab in TABS:
        viewer.element(f"tab-{tab}").click()
        assert viewer.page.evaluate("document.documentElement.scrollWidth") <= width, tab
        assert viewer.page.evaluate(FIND_CUT) == [], tab


def test_the_types_of_modules_are_not_cut_into_pieces(bundle: Path, open_viewer: Callable[..., Viewer]) -> None:
    viewer = open_viewer(bundle, "#v=1&tab=network", wait=False, viewport={"width": 390, "height": 844})
    types = viewer.page.locator(".tree-type")
    expect(types.first).to_be_visible()
    lines = types.evaluate_all("types => types.map((type) => type.querySelector('bdi').getClientRects().length)")
    assert set(lines) == {1}
