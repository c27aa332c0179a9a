"""Nothing overflows, overlaps or jumps."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import expect

from support.browser.recorded import HOSTILE_NAME
from support.browser.viewer import Link, Viewer, fragment

# In a narrower window the selectors are in a sheet: test_small_windows.py.
WIDTHS = (1400, 900)
VIEW: Link = {
    "tab": "tensors",
    "trial": "first",
    "rec": "forward",
    "type": "any_value",
    "step": 5,
    "it": 2,
    "node": "output",
    "role": "output",
    "agg": "sample_0",
}
TABS = ("overview", "tensors", "network", "notes", "graphs", "about")
# Elements that move or fade, or scroll on their own.
FIND_MOTION = """() => [...document.querySelectorAll("*")].filter((element) => {
  const { transitionDuration, animationName, scrollBehavior } = getComputedStyle(element);
  return transitionDuration.split(", ").some((duration) => duration !== "0s") || animationName !== "none" || scrollBehavior !== "auto";
}).map((element) => element.outerHTML.slice(0, 100))"""
# Texts of which one lies over the other, among what is beside each other: names and values, and the controls.
FIND_OVERLAPS = """() => {
  const boxes = [...document.querySelectorAll(
    "dt, dd, .field label, .field output, .field-control, h1, [role=tab], .graph-bar button, .value-header > span, " +
      ".legend li:not(:has(button))",
  )].filter((element) => element.checkVisibility()).map((element) => {
    const range = document.createRange();
    range.selectNodeContents(element);
    const clip = element.getBoundingClientRect();
    const text = getComputedStyle(element).overflow === "visible" ? range.getBoundingClientRect() : clip;
    return { text: element.textContent.slice(0, 40), box: element.matches(".field-control, button") ? clip : text };
  }).filter(({ box }) => box.width > 0);
  const found = [];
  boxes.forEach((one, k) => boxes.slice(k + 1).forEach((other) => {
    const wide = Math.min(one.box.right, other.box.right) - Math.max(one.box.left, other.box.left);
    const high = Math.min(one.box.bottom, other.box.bottom) - Math.max(one.box.top, other.box.top);
    if (wide > 1 && high > 3) { found.push(`${one.text} / ${other.text}`); }
  }));
  return found;
}"""
# The size in pixels and the weight of every text that is shown, and one of the texts that have them.
FIND_TYPE = """() => [...new Map([...document.body.querySelectorAll("*")].filter((element) =>
  element instanceof HTMLElement && element.checkVisibility() &&
    [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim() !== ""),
).map((element) => {
  const { fontSize, fontWeight } = getComputedStyle(element);
  return [`${fontSize} ${fontWeight}`, [parseFloat(fontSize), Number(fontWeight), element.textContent.slice(0, 40)]];
})).values()]"""
MEASURE = """() => Object.fromEntries(
  [".header", ".selectors", ".graph-frame", ".summary", ".value-header", ".virtual", ".neighbours"].map((selector) => {
    const { x, y, width } = document.querySelector(selector).getBoundingClientRect();
    return [selector, [x, y, width].map(Math.round)];
  }))"""


@pytest.fixture(scope="module", params=WIDTHS)
def width(request: pytest.FixtureRequest) -> int:
    """Tests of the same width follow each other, so that they can use the same page."""
    return request.param  # type: ignore[no-any-return]


def test_nothing_overflows_sideways(width: int, bundle: Path, visit: Callable[..., Viewer]) -> None:
    viewer = visit(bundle, VIEW, viewport={"width": width, "height": 900})
    for tab in TABS:
        viewer.element(f"tab-{tab}").click()
        assert viewer.page.evaluate("document.documentElement.scrollWidth") <= width, tab
    viewer.element("tab-tensors").click()
    for node in ("loss", "net.out.weight", HOSTILE_NAME, "picture"):
        viewer.select_node(node)
        viewer.rows()
        assert viewer.page.evaluate("document.documentElement.scrollWidth") <= width, node


def test_no_text_lies_over_another(width: int, bundle: Path, visit: Callable[..., Viewer]) -> None:
    viewer = visit(bundle, VIEW, viewport={"width": width, "height": 900})
    for node in ("output", "memory*old", "net.out.weight", "picture", HOSTILE_NAME):
        viewer.select_node(node)
        viewer.rows()
        assert viewer.page.evaluate(FIND_OVERLAPS) == [], node


@pytest.mark.parametrize("width", [*WIDTHS, 390])
def test_nothing_overflows_or_overlaps_where_all_is_known(width: int, described_bundle: Path, visit: Callable[..., Viewer]) -> None:
    view: Link = {"tab": "tensors", "trial": "wide", "rank": "1", "rec": "gradients", "node": "net.encoder.weight"}
    viewer = visit(described_bundle, view, viewport={"width": width, "height": 900})
    for tab in TABS:
        viewer.element(f"tab-{tab}").click()
        assert viewer.page.evaluate("document.documentElement.scrollWidth") <= width, tab
        assert viewer.page.evaluate(FIND_OVERLAPS) == [], tab


def test_everything_stays_in_its_place_when_the_step_changes(width: int, bundle: Path, visit: Callable[..., Viewer]) -> None:
    viewer = visit(bundle, {**VIEW, "it": 0}, viewport={"width": width, "height": 900})
    viewer.rows()
    before = viewer.page.evaluate(MEASURE)
    viewer.press_button("step", "next")
    # Also while it is loading.
    assert viewer.page.evaluate(MEASURE) == before
    viewer.wait_until_shown({"step": "10"})
    assert viewer.page.evaluate(MEASURE) == before
    viewer.choose("aggregation", "batch_abs_max")
    viewer.rows()
    assert viewer.page.evaluate(MEASURE) == before


def test_the_graph_and_the_first_values_are_in_view(width: int, bundle: Path, visit: Callable[..., Viewer]) -> None:
    viewer = visit(bundle, VIEW, viewport={"width": width, "height": 900})
    for selector, least in (("graph", 200), ("values-table", 150)):
        box = viewer.element(selector).bounding_box()
        assert box is not None
        assert min(box["y"] + box["height"], 900) - box["y"] >= least, selector


def test_only_the_parts_of_the_page_scroll(width: int, bundle: Path, visit: Callable[..., Viewer]) -> None:
    viewer = visit(bundle, VIEW, viewport={"width": width, "height": 900})
    for node in ("output", "picture", "loss"):
        viewer.select_node(node)
        viewer.rows()
        assert viewer.page.evaluate("document.documentElement.scrollHeight") == 900, node


@pytest.mark.parametrize("width", [1400, 1000, 800])
def test_the_header_is_one_line_or_two_whatever_the_title(width: int, bundle: Path, open_viewer: Callable[..., Viewer]) -> None:
    page = open_viewer(bundle, fragment(VIEW), viewport={"width": width, "height": 900}).page
    for title in (None, "A title that goes on and on, as titles of papers do, to see what happens to the buttons beside it"):
        if title is not None:
            page.evaluate("title => { document.querySelector('h1 bdi').textContent = title; }", title)
        middles = page.evaluate("""() => [...document.querySelectorAll(".header-tools > :not(dialog)")].map((control) => {
          const { top, bottom } = control.getBoundingClientRect();
          return (top + bottom) / 2;
        })""")
        assert max(middles) - min(middles) <= 2, title
        assert page.locator(".header").bounding_box()["height"] < (50 if width == 1400 else 90), title  # type: ignore[index]


def test_the_tools_of_the_graph_are_in_one_line(bundle: Path, visit: Callable[..., Viewer]) -> None:
    viewer = visit(bundle, VIEW, viewport={"width": 1400, "height": 900})
    bar = viewer.page.locator(".graph-bar").bounding_box()
    assert bar is not None
    assert bar["height"] <= 40


@pytest.mark.parametrize("width", [1400, 1024, 800, 760])
def test_the_legend_of_the_graph_is_whole(width: int, bundle: Path, visit: Callable[..., Viewer]) -> None:
    viewer = visit(bundle, VIEW, viewport={"width": width, "height": 900})
    legend = viewer.page.locator(".graph > .legend")
    expect(legend).to_contain_text("or ends (right) here")
    assert legend.evaluate("list => [list.scrollWidth - list.clientWidth, list.scrollHeight - list.clientHeight]") == [0, 0]


@pytest.mark.parametrize("width", [1400, 1024, 900])
def test_the_trial_is_named(width: int, bundle: Path, visit: Callable[..., Viewer]) -> None:
    viewer = visit(bundle, VIEW, viewport={"width": width, "height": 900})
    for selector, name in (("trial", "Trial"), ("step-type", "Step type")):
        expect(viewer.element(f"hint-{selector}")).to_have_text(name)
        expect(viewer.element(f"hint-{selector}")).to_be_in_viewport(ratio=1)


@pytest.mark.parametrize("width", [1440, 1024, 900])
def test_what_is_chosen_is_read_whole(width: int, bundle: Path, open_viewer: Callable[..., Viewer]) -> None:
    viewer = open_viewer(bundle, fragment(VIEW), viewport={"width": width, "height": 768})
    page, names = viewer.page, {"trial": "\u26a0 leaky_relu_after_every_layer (problem)", "step-type": "Any step or evaluation"}
    for selector, name in names.items():
        page.evaluate("([id, name]) => { document.getElementById(`select-${id}`).selectedOptions[0].text = name; }", [selector, name])
    for selector in (*names, "recording", "aggregation"):
        excess = viewer.control(selector).evaluate("""(select) => {
          const probe = document.createElement("canvas").getContext("2d"), { font, paddingLeft } = getComputedStyle(select);
          probe.font = font;
          const arrow = 16;
          return probe.measureText(select.selectedOptions[0].text).width + parseFloat(paddingLeft) + arrow - select.clientWidth;
        }""")
        assert excess <= 0, selector
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate(FIND_OVERLAPS) == []


def test_beside_a_story_the_controls_leave_room_for_the_data(bundle: Path, open_viewer: Callable[..., Viewer]) -> None:
    viewer = open_viewer(bundle, fragment(VIEW), viewport={"width": 1024, "height": 768})
    viewer.page.keyboard.press("n")
    viewer.element("story").wait_for()
    panel, graph = (viewer.page.locator(part).bounding_box() for part in ("#panel-tensors", ".graph-canvas"))
    assert panel is not None
    assert graph is not None
    assert panel["y"] <= 120
    assert graph["y"] - panel["y"] <= 5
    # No number is cut off.
    table = viewer.element("values-table")
    assert table.evaluate("table => table.scrollWidth - table.clientWidth") <= 0


@pytest.mark.parametrize("width", [800, 400])
def test_differences_are_in_view_beside_what_is_compared(width: int, bundle: Path, visit: Callable[..., Viewer]) -> None:
    view = {**VIEW, "pane": "compare", "pin": "agg=sample_1"}
    viewer = visit(bundle, view, viewport={"width": width, "height": 900})
    viewer.element("compare-row").first.wait_for()
    columns = viewer.page.evaluate("""() => [...document.querySelectorAll(".compare-row [role]")].map((cell) => {
      const range = document.createRange();
      range.selectNodeContents(cell);
      return [cell.getBoundingClientRect().right, range.getBoundingClientRect().width - cell.clientWidth];
    })""")
    assert len(columns) > 10
    assert max(right for right, _ in columns) <= width
    assert max(excess for _, excess in columns) <= 1


@pytest.mark.parametrize("tab", TABS)
def test_nothing_moves_by_itself_where_less_motion_is_asked_for(tab: str, bundle: Path, visit: Callable[..., Viewer]) -> None:
    viewer = visit(bundle, {**VIEW, "tab": tab}, reduced_motion="reduce")
    assert viewer.page.evaluate(FIND_MOTION) == []


@pytest.mark.parametrize(("tab", "row"), [("tensors", ".value-row"), ("network", ".tree-row"), ("about", ".page tbody tr")])
def test_a_row_under_the_pointer_is_seen_from_its_name_to_its_numbers(
    tab: str, row: str, bundle: Path, visit: Callable[..., Viewer]
) -> None:
    viewer = visit(bundle, {**VIEW, "tab": tab}, viewport={"width": 1400, "height": 900})
    rows = viewer.page.locator(row)
    expect(rows.last).to_be_visible()
    color = "row => getComputedStyle(row).backgroundColor"
    viewer.page.mouse.move(0, 0)
    before = rows.last.evaluate(color)
    rows.last.hover()
    assert rows.last.evaluate(color) != before


@pytest.mark.parametrize("tab", TABS)
def test_text_has_four_sizes_and_two_weights(tab: str, described_bundle: Path, visit: Callable[..., Viewer]) -> None:
    view: Link = {"tab": tab, "trial": "run", "rec": "gradients", "node": "net.encoder.weight"}
    viewer = visit(described_bundle, view)
    expect(viewer.page.get_by_role("main")).not_to_be_empty()
    styles = viewer.page.evaluate(FIND_TYPE)
    assert len(styles) > 4
    assert {(size, weight): text for size, weight, text in styles if size not in {12, 13, 16, 20} or weight not in {400, 600}} == {}
