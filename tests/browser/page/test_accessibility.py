"""The page by keyboard, by screen reader, and for eyes that need contrast."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import product
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from support.browser.axe import violations
from support.browser.viewer import SELECTORS, Link, Viewer, fragment

TABS = ("overview", "tensors", "network", "notes", "graphs", "about")
SCHEMES = ("light", "dark")
TYPES = ("input", "calculated", "target", "loss", "parameter")
VIEW: Link = {
    "tab": "tensors", "trial": "first", "rec": "forward", "type": "any_value", "step": 5, "it": 2,
    "node": "helper", "role": "final", "agg": "sample_0",
}  # fmt: skip

# What has the focus, and whether that can be seen.
READ_FOCUS = """() => {
  const element = document.activeElement;
  const { outlineStyle, outlineWidth } = getComputedStyle(element);
  return {
    id: element === document.body ? "" : element.dataset.testid ?? element.className ?? element.tagName,
    visible: outlineStyle !== "none" && parseFloat(outlineWidth) >= 1,
  };
}"""
READ_COLORS = """(names) => {
  const probe = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const style = getComputedStyle(document.documentElement);
  return Object.fromEntries(names.map((name) => {
    probe.fillStyle = style.getPropertyValue(`--${name}`).trim();
    probe.fillRect(0, 0, 1, 1);
    return [name, [...probe.getImageData(0, 0, 1, 1).data.slice(0, 3)]];
  }));
}"""


def _contrast(color: list[int], other: list[int]) -> float:
    """As WCAG 2 defines it."""

    def luminance(color: list[int]) -> float:
        parts = [channel / 255 for channel in color]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    dark, light = sorted((luminance(color), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize(("contrast", "text", "shape"), [("usual", 4.5, 3.0), ("more", 7.0, 4.5)])
@pytest.mark.parametrize("scheme", SCHEMES)
def test_colours_on_canvases_have_contrast(
    scheme: str, contrast: str, text: float, shape: float, bundle: Path, open_viewer: Callable[..., Viewer]
) -> None:
    viewer = open_viewer(bundle, color_scheme=scheme, contrast="more" if contrast == "more" else "no-preference")
    texts = [("text", f"{kind}-fill") for kind in TYPES] + [("surface", f"{kind}-line") for kind in TYPES] + [("text-soft", "surface")]
    shapes = [
        (name, "surface") for name in ("selected", "neighbour", *(f"{kind}-line" for kind in TYPES), *(f"curve-{k}" for k in range(12)))
    ]
    colors = viewer.page.evaluate(READ_COLORS, sorted({name for pair in texts + shapes for name in pair}))
    for pairs, least in ((texts, text), (shapes, shape)):
        weak = {pair: _contrast(*(colors[name] for name in pair)) for pair in pairs}
        assert {pair: contrast for pair, contrast in weak.items() if contrast < least} == {}


def _tab_through(page: Page) -> list[dict[str, str | bool]]:
    """Everything that the Tab key stops at, once round."""
    stops: list[dict[str, str | bool]] = []
    for _ in range(120):
        page.keyboard.press("Tab")
        stop = page.evaluate(READ_FOCUS)
        if stop["id"] == "":
            break
        stops.append(stop)
    return stops


def test_the_keyboard_reaches_everything_and_the_focus_is_seen(bundle: Path, open_viewer: Callable[..., Viewer]) -> None:
    viewer = open_viewer(bundle, fragment(VIEW))
    stops = _tab_through(viewer.page)
    reached = {str(stop["id"]) for stop in stops}
    wanted = {f"{part}-{selector}" for part, selector in product(("select", "previous", "next"), SELECTORS)}
    wanted |= {
        "tab-tensors",
        "more",
        "hint-step-type",
        "figure-svg",
        "figure-png",
        "node-search",
        "values-table",
        "order-hint",
        "splitter",
        "zoom-in",
        "zoom-out",
        "zoom-fit",
    }
    wanted |= {"graph-color", "graph-trace"}
    wanted |= {f"walk-{direction}" for direction in ("left", "up", "down", "right")}
    assert wanted - reached == set()
    assert [stop["id"] for stop in stops if not stop["visible"]] == []
    # The order of reading: tabs, selectors, graph, values.
    order = [str(stop["id"]) for stop in stops]
    assert order.index("tab-tensors") < order.index("select-step") < order.index("walk-left") < order.index("values-table")


def test_menus_and_hints_by_keyboard(bundle: Path, open_again: Callable[..., Viewer]) -> None:
    viewer = open_again(bundle, VIEW)
    keyboard, more, hint = viewer.page.keyboard, viewer.element("more"), viewer.element("hint-trial")
    more.press("Enter")
    for name in ("print", "theme", "contrast"):
        keyboard.press("Tab")
        expect(viewer.element(name)).to_be_focused()
    assert violations(viewer.page) == []
    keyboard.press("Escape")
    expect(viewer.element("print")).to_be_hidden()
    expect(more).to_be_focused()
    hint.press("Enter")
    expect(hint).to_have_accessible_description(re.compile("One run of the script"))
    expect(viewer.page.get_by_role("tooltip").filter(has_text="One run of the script")).to_be_visible()
    assert violations(viewer.page) == []
    keyboard.press("Escape")
    expect(viewer.page.get_by_role("tooltip").filter(has_text="One run of the script")).to_be_hidden()
    # What stands in a closed menu has its key.
    keyboard.press("h")
    expect(viewer.page.locator("html")).to_have_attribute("data-contrast", "more")


def test_tabs_by_keyboard(bundle: Path, open_again: Callable[..., Viewer]) -> None:
    viewer = open_again(bundle, VIEW)
    viewer.element("tab-tensors").focus()
    for key, tab in (("ArrowLeft", "overview"), ("End", "about"), ("ArrowRight", "overview"), ("ArrowLeft", "about"), ("Home", "overview")):
        viewer.page.keyboard.press(key)
        expect(viewer.element(f"tab-{tab}")).to_be_focused()
        expect(viewer.element(f"tab-{tab}")).to_have_attribute("aria-selected", "true")
        expect(viewer.page.get_by_role("tabpanel")).to_have_count(1)
        expect(viewer.page.locator(f"#panel-{tab}")).to_be_visible()
    assert viewer.selected_node == "helper"


def test_the_table_and_the_border_by_keyboard(bundle: Path, open_again: Callable[..., Viewer]) -> None:
    viewer = open_again(bundle, {**VIEW, "node": "picture", "role": "picture"})
    table = viewer.element("values-table")
    table.focus()
    viewer.page.keyboard.press("End")
    expect(viewer.page.locator("[data-testid=value-row][data-index='23']")).to_be_in_viewport()
    border = viewer.page.get_by_role("separator")
    before = float(border.get_attribute("aria-valuenow") or 0)
    border.focus()
    viewer.page.keyboard.press("ArrowUp")
    assert float(border.get_attribute("aria-valuenow") or 0) < before


def test_the_border_follows_the_pointer(bundle: Path, open_again: Callable[..., Viewer]) -> None:
    """As far as both sides keep a quarter of the room."""
    viewer = open_again(bundle, VIEW)
    border, mouse = viewer.page.get_by_role("separator"), viewer.page.mouse
    room = border.locator("..").bounding_box()
    assert room is not None
    border.hover()
    mouse.down()
    for part, share in ((0.4, "40"), (0.1, "25"), (0.95, "75"), (0.6, "60")):
        mouse.move(room["x"] + room["width"] / 2, room["y"] + part * room["height"])
        expect(border).to_have_attribute("aria-valuenow", share)
    mouse.up()
    mouse.move(room["x"] + room["width"] / 2, room["y"] + 0.3 * room["height"])
    expect(border).to_have_attribute("aria-valuenow", "60")


def test_names_of_controls_are_there_and_differ(bundle: Path, open_again: Callable[..., Viewer]) -> None:
    viewer = open_again(bundle, VIEW)
    session = viewer.page.context.new_cdp_session(viewer.page)
    nodes = session.send("Accessibility.getFullAXTree")["nodes"]
    roles = {"button", "combobox", "slider", "tab", "textbox", "searchbox", "splitter", "table"}
    controls = [(node["role"]["value"], node["name"]["value"]) for node in nodes if node.get("role", {}).get("value") in roles]
    assert {"button", "combobox", "slider", "tab", "table"} <= {role for role, _ in controls}
    assert [control for control in controls if not control[1].strip()] == []
    assert len(set(controls)) == len(controls)


def test_a_screen_reader_hears_what_has_been_selected(bundle: Path, open_again: Callable[..., Viewer]) -> None:
    viewer = open_again(bundle, VIEW)
    viewer.select_node("pair")
    heard = viewer.page.locator("[role=status][aria-live=polite]").all_inner_texts()
    assert "pair, calculated; depends on 1, needed by 0; all zero in the values" in heard
    expect(viewer.control("step")).to_have_attribute("aria-valuetext", "5, 03_iterations, 2 of 4, 5 steps since 0")
    rows = viewer.element("values-table").get_by_role("row")
    expect(viewer.element("values-table")).to_have_attribute("aria-rowcount", str(rows.count()))


def test_the_first_stop_skips_to_the_content_and_the_graph_is_one(bundle: Path, open_viewer: Callable[..., Viewer]) -> None:
    viewer = open_viewer(bundle, fragment(VIEW))
    keyboard, graph = viewer.page.keyboard, viewer.element("graph")
    keyboard.press("Tab")
    skip = viewer.element("skip")
    expect(skip).to_be_focused()
    box = skip.bounding_box()
    assert box is not None
    assert box["width"] > 50
    keyboard.press("Enter")
    expect(viewer.page.get_by_role("tabpanel")).to_be_focused()
    keyboard.press("Tab")
    # What comes next is in the content.
    expect(viewer.element("walk-left")).to_be_focused()
    graph.focus()
    before = viewer.selected_node
    keyboard.press("ArrowLeft")
    expect(graph).not_to_have_attribute("data-selected-node", before)
    heard = viewer.page.locator("[role=status][aria-live=polite]").all_inner_texts()
    assert any(text.startswith(f"{viewer.selected_node}, ") for text in heard)
    assert viewer.page.evaluate(READ_FOCUS) == {"id": "graph", "visible": True}
