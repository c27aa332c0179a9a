"""The page as a person uses it: its selectors, its table, its graph and its address."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, NamedTuple, TypeVar
from urllib.parse import parse_qsl, quote, urlsplit

from playwright.sync_api import Locator, Page, TimeoutError

from support.browser.pages.until import wait_until

__all__ = ["KEEP_CLIPBOARD", "SELECTORS", "SLIDERS", "Link", "ShownRow", "Viewer", "at_rest", "double_click", "fragment", "soon"]

# What an address names, by its keys.
Link = Mapping[str, str | float]

# Selectors of the page, and the keys of the address that each sets.
SELECTORS = {
    "trial": "trial",
    "recording": "rec",
    "step-type": "type",
    "step": "step",
    "iteration": "it",
    "aggregation": "agg",
    "role": "role",
}
# Those that are no lists: the timeline, and a slider.
SLIDERS = ("step", "iteration")

# Instead of the computer's clipboard, which belongs to whoever runs the tests.
KEEP_CLIPBOARD = """() => Object.defineProperty(navigator, "clipboard", {
  value: { writeText: (text) => { window.copied = text; return Promise.resolve(); } },
})"""
# The state of the page's controls, by the keys of the address. A choice of one has no control: the page names it beside them.
_READ_CONTROLS = """() => {
  const parts = (document.querySelector("[data-testid=controls]")?.dataset.selection ?? "").split("&");
  const named = new Map(parts.map((part) => part.split("=").map(decodeURIComponent)));
  const text = (name, key) => document.querySelector(`[data-testid="value-${name}"]`)?.textContent ?? named.get(key) ?? null;
  const value = (name, key) => document.querySelector(`[data-testid="select-${name}"]`)?.value ?? named.get(key) ?? null;
  const step = document.querySelector("[data-testid=select-step]")?.getAttribute("aria-valuenow");
  return {
    tab: document.querySelector("[role=tab][aria-selected=true]")?.dataset.testid.replace("tab-", ""),
    trial: value("trial", "trial"), rank: value("rank", "rank") ?? "", rec: value("recording", "rec"),
    type: value("step-type", "type"), step: step ?? text("step", "step"), it: text("iteration", "it"),
    node: document.querySelector("[data-testid=graph]")?.dataset.selectedNode ?? named.get("node") ?? "", role: value("role", "role"),
    agg: value("aggregation", "agg"),
  };
}"""
_IS_IDLE = """() => document.querySelector(".work.loading") === null &&
  ![...document.querySelectorAll("[data-testid=value-row], .step-line, .facts")].some((part) => part.textContent.includes("\u2026"))"""
# The address is written a moment later, since browsers object to one that changes too often.
_ADDRESS_NAMES_VIEW = f"""() => {{
  const controls = ({_READ_CONTROLS})();
  const address = new Map(location.hash.slice(1).split("&").map((part) => part.split("=").map(decodeURIComponent)));
  return ({_IS_IDLE})() && Object.entries(controls).every(([key, value]) => (address.get(key) ?? (key === "rank" ? "" : null)) === value);
}}"""
_CONTROLS_SAY = f"""(wanted) => {{
  const controls = ({_READ_CONTROLS})();
  return ({_IS_IDLE})() && Object.entries(wanted).every(([key, value]) => controls[key] === value);
}}"""
_HAS_ROWS = "(expected) => document.querySelectorAll('[data-testid=value-row]').length === expected"
_READ_ROWS = """() => [...document.querySelectorAll("[data-testid=value-row]")].map((row) => [
  row.dataset.item,
  row.querySelectorAll("[role=cell]")[1].textContent,
  row.querySelector("[data-testid=value], [data-testid=fixed]")?.textContent ?? "",
  // Earlier viewers have two columns.
  row.querySelector("[data-testid=value]")?.title ?? row.querySelector("[data-testid=scientific]")?.textContent ?? "",
])"""
# Cytoscape keeps itself at its element; there is no other way to ask where it draws a node.
_GRAPH = "const graph = document.querySelector('[data-testid=graph]')._cyreg.cy;"
_READ_NODES = f"""() => {{ {_GRAPH}
  return graph.nodes().map((node) => ({{
    number: node.data("node"), label: node.data("label"), type: node.data("type"), x: node.position().x, y: node.position().y,
    screen: node.renderedPosition(), width: node.renderedWidth(), height: node.renderedHeight(),
  }}));
}}"""
_READ_EDGES = f"""() => {{ {_GRAPH}
  return graph.edges().map((edge) => [edge.source().data("label"), edge.target().data("label"), edge.hasClass("thin")]);
}}"""
_READ_LINE_STYLES = f"""() => {{ {_GRAPH}
  return graph.edges().map((edge) => [edge.source().data("label"), edge.target().data("label"), edge.style("line-style")]);
}}"""


_T = TypeVar("_T")
_PATIENCE = 10.0
_PAUSE = 0.02
_BETWEEN_BUTTON_EVENTS = 0.07

# What a neighbour's title says besides its name.
_REMARKS = re.compile(r" \((another role of this node|no gradient flows|; )+\)$")


class ShownRow(NamedTuple):
    """A row of the table as text; `place` is the index, or over what a statistic is, and `exact` the value with all of its digits."""

    item: str
    place: str
    value: str
    exact: str


def soon(read: Callable[[], _T], holds: Callable[[_T], object]) -> _T:
    """What is read once it is as wanted, or else at last: what follows an action may take some frames, more on a slow machine."""
    end = time.monotonic() + _PATIENCE
    while not holds(value := read()) and time.monotonic() < end:
        time.sleep(_PAUSE)
    return value


def at_rest(page: Page, read: Callable[[], _T]) -> _T:
    """What is read once it is the same again two frames later: where something is in a page that still moves it."""
    before, value = None, read()
    while value != before:
        page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        before, value = value, read()
    return value


def double_click(page: Page, x: float, y: float) -> None:
    """Double click at a place of the window in a Chromium, with the times that a mouse gives to its events.

    Playwright waits for the page after each event. The second click of a busy page would come too late for a double click.
    """
    page.mouse.move(x, y)
    session, begin = page.context.new_cdp_session(page), time.time()
    for number, (kind, count) in enumerate([("Pressed", 1), ("Released", 1), ("Pressed", 2), ("Released", 2)]):
        event = {"type": f"mouse{kind}", "x": x, "y": y, "button": "left", "clickCount": count}
        session.send("Input.dispatchMouseEvent", {**event, "timestamp": begin + number * _BETWEEN_BUTTON_EVENTS})
    session.detach()


def fragment(link: Link) -> str:
    """The address of a view, with `#`."""
    return "#v=1&" + "&".join(f"{key}={quote(str(value), safe='')}" for key, value in link.items())


class Viewer:
    """Drives an open page."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def element(self, test_id: str) -> Locator:
        """The element with this test id."""
        return self.page.get_by_test_id(test_id)

    def control(self, selector: str) -> Locator:
        """The list or slider of a selector."""
        return self.element(f"select-{selector}")

    def choose_in_menu(self, test_id: str, *, menu: str = "more") -> None:
        """Open a menu, and click what stands in it."""
        if not self.element(test_id).is_visible():
            self.element(menu).click()
        self.element(test_id).click()

    def press_button(self, selector: str, direction: str) -> None:
        """Press the button of a selector to its previous or next choice."""
        self.element(f"{direction}-{selector}").click()

    def choose(self, selector: str, value: str) -> None:
        """Choose from a list, the place on a slider, or a step by its number."""
        if selector == "step":
            # By keys: Firefox takes text that a script fills in for no change.
            field = self.element("value-step")
            field.select_text()
            field.press_sequentially(value)
            field.press("Enter")
        elif selector in SLIDERS:
            self.control(selector).fill(value)
        else:
            self.control(selector).select_option(value)

    def enabled_options(self, selector: str) -> list[str]:
        """The values that can be chosen: those of a list, or the only one, which has no list."""
        if self.control(selector).count() == 0:
            return [self.controls()[SELECTORS[selector]]]
        values: list[str] = self.control(selector).evaluate("list => [...list.options].filter((o) => !o.disabled).map((o) => o.value)")
        return values

    def go(self, link: Link) -> None:
        """Follow a link to another view of the same page."""
        self.page.evaluate("hash => { location.hash = hash; }", fragment(link))

    def wait_until_shown(self, link: Link) -> None:
        """Wait until the controls say what a link names."""
        wait_until(self.page, _CONTROLS_SAY, {key: str(value) for key, value in link.items()})

    def controls(self) -> dict[str, str]:
        """What the controls say, by the keys of the address."""
        controls: dict[str, str] = self.page.evaluate(_READ_CONTROLS)
        return controls

    def link(self, *, until: str = "", gone: str = "") -> dict[str, str]:
        """What the address names, once it names what the controls say, contains `until` and does not contain `gone`.

        What no control says, such as a pin, comes into the address up to a third of a second later.
        """
        wait_until(self.page, _ADDRESS_NAMES_VIEW)
        wait_until(
            self.page, "([until, gone]) => location.hash.includes(until) && (gone === '' || !location.hash.includes(gone))", [until, gone]
        )
        return dict(parse_qsl(urlsplit(self.address()).fragment, keep_blank_values=True))

    def address(self) -> str:
        """The whole address, as the page itself sees it now."""
        address: str = self.page.evaluate("() => location.href")
        return address

    def rows(self, expected: int | None = None) -> list[ShownRow]:
        """The rows of the table that are in the page, once their values are there.

        A list takes the height of its place a frame after the place has it. So a caller that knows how many rows there are waits for
        them, and gets what is there if they do not come.
        """
        wait_until(self.page, _IS_IDLE)
        if expected is not None:
            with suppress(TimeoutError):
                wait_until(self.page, _HAS_ROWS, expected, patience=2.0)
        return [ShownRow(*row) for row in self.page.evaluate(_READ_ROWS)]

    def summary(self) -> dict[str, str]:
        """Names and values of the summary."""
        entries: list[tuple[str, str]] = self.page.evaluate(
            """() => [...document.querySelectorAll("[data-testid=summary] dl:not(.facts) > div")].map(
                 (entry) => [entry.querySelector("dt").textContent, entry.querySelector("dd").textContent])"""
        )
        return dict(entries)

    def select_node(self, name: str) -> None:
        """Find a node by its name, and select it."""
        search = self.element("node-search")
        search.fill(name)
        search.press("Enter")
        wait_until(self.page, "name => document.querySelector('[data-testid=graph]').dataset.selectedNode === name", name)

    @property
    def selected_node(self) -> str:
        """The name of the selected node."""
        return self.element("graph").get_attribute("data-selected-node") or ""

    def neighbours(self, side: str) -> list[str]:
        """The `dependencies` or `dependents` of the selected node, by their full names."""
        buttons = self.element(side).get_by_role("button").all()
        return [_REMARKS.sub("", button.get_attribute("title") or "") for button in buttons]

    def neighbours_without_gradient(self) -> set[str]:
        """The neighbours on both sides whose connections with the selected node carry no gradient."""
        titles = [
            button.get_attribute("title") or "" for button in self.element("neighbours").get_by_role("button", name="no gradient").all()
        ]
        return {_REMARKS.sub("", title) for title in titles}

    def nodes(self) -> list[dict[str, Any]]:
        """The nodes that are drawn: position in the bundle, label, type, position in the graph and on the screen."""
        nodes: list[dict[str, Any]] = self.page.evaluate(_READ_NODES)
        return nodes

    def node(self, label: str | int) -> dict[str, Any]:
        """The drawn node with this label, or with this number in the bundle."""
        (node,) = (node for node in self.nodes() if label in (node["label"], node["number"]))
        return node

    def edges(self) -> list[tuple[str, str, bool]]:
        """The connections that are drawn: labels of both ends, and whether it is thin."""
        return [(source, target, thin) for source, target, thin in self.page.evaluate(_READ_EDGES)]

    def line_styles(self) -> dict[tuple[str, str], str]:
        """How the connections are drawn, `solid` or `dashed`, by the labels of both ends."""
        return {(source, target): style for source, target, style in self.page.evaluate(_READ_LINE_STYLES)}

    def hover_node(self, label: str | int) -> None:
        """Point at the middle of a drawn node, once it is at rest."""
        place = at_rest(self.page, lambda: self.node(label)["screen"])
        self.element("graph").hover(position={"x": place["x"], "y": place["y"]})

    def double_click_graph(self, x: float, y: float) -> None:
        """Double click at a place of the graph."""
        box = self.element("graph").bounding_box()
        assert box is not None
        double_click(self.page, box["x"] + x, box["y"] + y)

    def click_node(self, label: str | int) -> None:
        """Click the middle of a drawn node, once it is at rest."""
        place = at_rest(self.page, lambda: self.node(label)["screen"])
        self.element("graph").click(position={"x": place["x"], "y": place["y"]})
