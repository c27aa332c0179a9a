"""The dependency graph: what is drawn, how one walks over it, and who is named as neighbour."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import expect

from comgra_export.storage import Structure
from support.browser.oracle import Oracle
from support.browser.recorded import HOSTILE_NAME, LENGTHS
from support.browser.viewer import Link, Viewer, at_rest, fragment, soon
from support.browser.written import COLUMNS, ROWS

FIRST: Link = {
    "tab": "tensors",
    "trial": "first",
    "rec": "forward",
    "type": "any_value",
    "step": 5,
    "it": 0,
    "node": "input",
    "role": "input",
}
LAST: Link = {**FIRST, "it": LENGTHS[5] - 1, "agg": "batch_mean"}

# By hand, after the rules for columns: parameters stand just before the first column that depends on one of them.
COLUMNS_OF_FIRST = [
    ["input"],
    ["memory (earlier)"],
    ["pre"],
    ["bias", "weight"],
    ["bias", "weight"],
    ["memory", "output"],
]
GRAPH = "document.querySelector('[data-testid=graph]')._cyreg.cy"
# How often the colour changes along a vertical line on the canvas of the borders: never where the border is drawn through.
COUNT_CHANGES = """([x, top, bottom]) => {
  const canvas = document.querySelector(".graph-overlay");
  const ratio = canvas.width / canvas.clientWidth;
  const height = Math.round((bottom - top) * ratio);
  const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d", { willReadFrequently: true });
  copy.drawImage(canvas, 0, 0);
  const { data } = copy.getImageData(Math.round(x * ratio), Math.round(top * ratio), 1, height);
  const color = (k) => data.slice(4 * k, 4 * k + 3).join();
  return Array.from({ length: height - 1 }, (_, k) => color(k) !== color(k + 1)).filter(Boolean).length;
}"""
# Counts the frames that the page asks for from now on.
COUNT_FRAMES = """() => {
  window.asked = 0;
  const ask = window.requestAnimationFrame;
  window.requestAnimationFrame = (act) => { window.asked += 1; return ask.call(window, act); };
}"""
# Counts how often something is drawn in the graph from now on.
COUNT_PAINTINGS = """() => {
  window.painted = 0;
  const clear = CanvasRenderingContext2D.prototype.setTransform;
  CanvasRenderingContext2D.prototype.setTransform = function (...values) {
    window.painted += this.canvas.closest("[data-testid=graph]") === null ? 0 : 1;
    return clear.apply(this, values);
  };
}"""
PAINTED_MEANWHILE = """() => new Promise((done) => {
  window.painted = 0;
  setTimeout(() => done(window.painted), 200);
})"""
AFTER_TWO_FRAMES = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))"
ASKED_MEANWHILE = """() => new Promise((done) => {
  const before = window.asked;
  setTimeout(() => done(window.asked - before), 200);
})"""
READ_PICTURE = """() => [...document.querySelectorAll("[data-testid=graph] canvas")].map((canvas) => canvas.toDataURL()).join()"""


def _columns(viewer: Viewer) -> list[list[str]]:
    """Labels of the drawn nodes by column, from left to right and from top to bottom."""
    columns: dict[float, list[tuple[float, str]]] = {}
    for node in viewer.nodes():
        columns.setdefault(round(node["x"], 3), []).append((node["y"], node["label"]))
    return [[label for _, label in sorted(column)] for _, column in sorted(columns.items())]


def _neighbours(structure: Structure, node: str) -> tuple[set[str], set[str]]:
    """Names of the nodes that a node depends on, and of those that depend on it."""
    pairs = {(structure.tensors[source].node, structure.tensors[sink].node) for source, sink in structure.dependencies}
    return {source for source, sink in pairs if sink == node}, {sink for source, sink in pairs if source == node}


def _without_gradient(structure: Structure, node: str) -> set[str]:
    """Names of the neighbours with which a node has connections without gradient only."""
    flows: dict[str, bool] = {}
    for number, pair in enumerate(structure.dependencies):
        ends = [structure.tensors[position].node for position in pair]
        if node in ends:
            (other,) = (name for name in ends if name != node)
            flows[other] = flows.get(other, False) or number not in structure.without_gradient
    return {other for other, carries in flows.items() if not carries}


@pytest.fixture
def first(bundle: Path, visit: Callable[..., Viewer]) -> Viewer:
    return visit(bundle, FIRST)


@pytest.fixture
def last(bundle: Path, visit: Callable[..., Viewer]) -> Viewer:
    return visit(bundle, LAST)


def test_columns_in_order(first: Viewer) -> None:
    assert _columns(first) == COLUMNS_OF_FIRST
    assert first.element("graph").get_attribute("data-node-count") == str(sum(map(len, COLUMNS_OF_FIRST)))
    expect(first.page.get_by_role("region", name="Dependency graph")).to_be_visible()


def test_all_nodes_are_drawn_with_what_they_depend_on_to_their_left(last: Viewer, oracle: Oracle) -> None:
    structure = oracle.structure("first", 5, LENGTHS[5] - 1)
    names = {tensor.node for tensor in structure.tensors}
    assert last.element("graph").get_attribute("data-node-count") == str(len(names)) == str(len(last.nodes()))
    x = {}
    for number in [node["number"] for node in last.nodes()]:
        last.click_node(number)
        x[last.selected_node] = last.node(number)["x"]
    assert set(x) == names
    for source, sink in structure.dependencies:
        assert x[structure.tensors[source].node] < x[structure.tensors[sink].node]


def test_the_neighbours_of_every_node_are_those_of_the_recording(last: Viewer, oracle: Oracle) -> None:
    structure = oracle.structure("first", 5, LENGTHS[5] - 1)
    for node in sorted({tensor.node for tensor in structure.tensors}):
        last.select_node(node)
        dependencies, dependents = _neighbours(structure, node)
        assert (set(last.neighbours("dependencies")), set(last.neighbours("dependents"))) == (dependencies, dependents), node
        assert len(last.edges()) == len(dependencies) + len(dependents)
        assert last.neighbours_without_gradient() == _without_gradient(structure, node), node


def test_a_click_selects_a_node(first: Viewer) -> None:
    for label in ("output", "input", "memory (earlier)", "pre"):
        first.click_node(label)
        assert first.selected_node == {"memory (earlier)": "memory*old", "pre": "net.pre"}.get(label, label)
    assert first.link()["node"] == "net.pre"


def test_a_named_neighbour_selects_it(first: Viewer) -> None:
    first.element("dependents").get_by_role("button", name="output").click()
    assert first.link()["node"] == "output"
    assert set(first.neighbours("dependencies")) == {"input", "memory*old", "net.pre", "net.out.bias", "net.out.weight"}


@pytest.mark.parametrize("way", ["keys", "buttons"])
def test_walking_over_the_graph_wraps_round(way: str, first: Viewer) -> None:
    def walk(direction: str) -> str:
        if way == "keys":
            first.page.keyboard.press(f"Arrow{direction.capitalize()}")
        else:
            first.element(f"walk-{direction}").click()
        return first.selected_node

    column_of = {"input": 0, "memory*old": 1, "net.pre": 2, "memory": 5, "output": 5}
    column_of |= {f"net.{module}.{name}": column for column, module in ((3, "out"), (4, "mem")) for name in ("bias", "weight")}
    assert [column_of[walk("right")] for _ in range(7)] == [1, 2, 3, 4, 5, 0, 1]
    assert [column_of[walk("left")] for _ in range(3)] == [0, 5, 4]
    row = walk("up")
    assert {row, walk("up")} == {"net.mem.bias", "net.mem.weight"}
    assert [walk("down"), walk("down")] == [row, ({"net.mem.bias", "net.mem.weight"} - {row}).pop()]
    assert first.link()["node"] == first.selected_node


def test_keys_with_modifiers_and_in_fields_are_left_alone(first: Viewer) -> None:
    first.page.keyboard.press("Control+ArrowRight")
    first.element("node-search").fill("mem")
    first.page.keyboard.press("ArrowLeft")
    first.element("values-table").focus()
    first.page.keyboard.press("ArrowDown")
    assert first.selected_node == "input"


def test_connections_of_the_selected_node_only(first: Viewer) -> None:
    assert sorted(first.edges()) == [("input", "memory", False), ("input", "output", False)]
    first.select_node("net.pre")
    assert sorted(first.edges()) == [("pre", "memory", False), ("pre", "output", False)]


def test_what_only_another_role_depends_on_is_thin(last: Viewer) -> None:
    last.select_node("pair")
    last.choose("role", "of_output")
    last.wait_until_shown({"role": "of_output"})
    assert last.edges() == [("output", "pair", False)]
    chip = last.element("dependencies").get_by_role("button")
    expect(chip).to_have_attribute("title", "output")
    last.choose("role", "of_nothing")
    last.wait_until_shown({"role": "of_nothing"})
    assert last.edges() == [("output", "pair", True)]
    expect(chip).to_have_attribute("title", "output (another role of this node)")


def test_dotted_borders_where_nothing_is_depended_on(first: Viewer) -> None:
    dotted = {
        "input": (True, False),
        "memory (earlier)": (True, False),
        "output": (False, True),
        "memory": (False, True),
        "pre": (False, False),
    }
    first.select_node("net.out.bias")
    for label, (left, right) in dotted.items():
        node = first.node(label)
        x, y, half = node["screen"]["x"], node["screen"]["y"], node["width"] / 2
        middle = node["height"] / 2 - 6
        # Connections end at borders, so this looks at their inner half.
        for side, expected in ((x - half + 1, left), (x + half - 1, right)):
            changes = first.page.evaluate(COUNT_CHANGES, [side, y - middle, y + middle])
            assert (changes >= 3) == expected, (label, changes)


def test_a_selection_does_not_rebuild_the_graph(first: Viewer) -> None:
    first.page.evaluate(f"() => {{ {GRAPH}.nodes().forEach((node) => node.scratch('_mark', 1)); }}")
    first.click_node("output")
    first.page.keyboard.press("ArrowUp")
    first.choose("aggregation", "batch_std")
    first.press_button("step", "next")
    first.wait_until_shown({"step": "10"})
    assert first.page.evaluate(f"{GRAPH}.nodes().every((node) => node.scratch('_mark') === 1)")
    first.press_button("iteration", "next")
    first.wait_until_shown({"it": "1"})
    assert not first.page.evaluate(f"{GRAPH}.nodes().some((node) => node.scratch('_mark') === 1)")


def test_what_looks_the_same_is_not_drawn_anew(first: Viewer) -> None:
    first.page.evaluate(f"() => {{ window.drawn = []; {GRAPH}.on('add remove class data', (event) => drawn.push(event.target.id())); }}")
    first.page.evaluate(COUNT_PAINTINGS)
    soon(lambda: first.page.evaluate(PAINTED_MEANWHILE), lambda painted: painted == 0)
    edges = first.edges()
    first.choose("aggregation", "batch_std")
    first.press_button("step", "next")
    first.wait_until_shown({"step": "10"})
    assert first.edges() == edges
    first.page.evaluate(AFTER_TWO_FRAMES)
    assert first.page.evaluate("[drawn, painted]") == [[], 0]
    first.select_node("net.pre")
    assert first.edges() != edges
    assert first.page.evaluate("drawn.length > 0 && painted > 0")


def test_a_graph_at_rest_asks_for_no_frame_until_something_changes(bundle: Path, open_viewer: Callable[..., Viewer]) -> None:
    viewer = open_viewer(bundle, fragment(FIRST))
    viewer.page.evaluate(COUNT_FRAMES)

    def is_at_rest() -> bool:
        asked: int = soon(lambda: viewer.page.evaluate(ASKED_MEANWHILE), lambda asked: asked == 0)
        return asked == 0

    def changes_the_picture(act: Callable[[], object]) -> bool:
        before: str = viewer.page.evaluate(READ_PICTURE)
        act()
        after: str = soon(lambda: viewer.page.evaluate(READ_PICTURE), lambda picture: picture != before)
        return after != before

    assert is_at_rest()
    assert changes_the_picture(viewer.element("zoom-in").click)
    assert is_at_rest()
    assert changes_the_picture(lambda: viewer.select_node("output"))
    assert is_at_rest()
    viewer.element("graph").hover(position={"x": 5, "y": 5})
    assert changes_the_picture(lambda: viewer.page.mouse.wheel(0, 300))
    assert is_at_rest()


def test_zoom_buttons(bundle: Path, open_viewer: Callable[..., Viewer]) -> None:
    viewer = open_viewer(bundle, fragment(FIRST))
    width = viewer.node("input")["width"]
    viewer.element("zoom-in").click()
    assert viewer.node("input")["width"] > width
    viewer.element("zoom-out").click()
    viewer.element("zoom-out").click()
    assert viewer.node("input")["width"] < width
    viewer.element("zoom-fit").click()
    box = viewer.element("graph").bounding_box()
    assert box is not None
    for node in viewer.nodes():
        assert 0 < node["screen"]["x"] - node["width"] / 2 < node["screen"]["x"] + node["width"] / 2 < box["width"]


def test_a_search_lists_all_that_it_finds(first: Viewer) -> None:
    search, matches = first.element("node-search"), first.element("node-matches").get_by_role("option")
    search.fill("net.")
    names = matches.all_inner_texts()
    assert sorted(names) == ["net.mem.bias", "net.mem.weight", "net.out.bias", "net.out.weight", "net.pre"]
    # The arrow keys lead through the list, and a click chooses as well.
    search.press("ArrowDown")
    search.press("ArrowDown")
    search.press("Enter")
    expect(first.element("graph")).to_have_attribute("data-selected-node", names[1])
    search.fill("net.")
    matches.nth(3).click()
    expect(first.element("graph")).to_have_attribute("data-selected-node", names[3])
    expect(first.element("node-matches")).to_be_hidden()


def test_a_search_counts_what_it_finds(last: Viewer) -> None:
    last.element("node-search").fill("onerror")
    expect(last.page.locator(".search-count")).to_have_text("1 found")
    last.element("node-search").press("Enter")
    assert last.selected_node == HOSTILE_NAME
    last.element("node-search").fill("no such node")
    expect(last.page.locator(".search-count")).to_have_text("no match")
    last.element("node-search").press("Enter")
    assert last.selected_node == HOSTILE_NAME


def _assert_large_graph(viewer: Viewer) -> None:
    graph = viewer.element("graph")
    shown = int(graph.get_attribute("data-shown-node-count") or 0)
    assert graph.get_attribute("data-node-count") == str(COLUMNS * ROWS) == "5000"
    assert 100 <= shown <= 1000
    assert len(viewer.nodes()) == shown
    expect(viewer.element("graph-note")).to_contain_text(f"{shown} of 5,000 nodes")
    place = at_rest(viewer.page, lambda: viewer.node(viewer.selected_node)["screen"])
    box = graph.bounding_box()
    assert box is not None
    assert 0 < place["x"] < box["width"]
    assert 0 < place["y"] < box["height"]


def test_a_graph_of_five_thousand_nodes(large_bundle: Path, open_viewer: Callable[..., Viewer]) -> None:
    viewer = open_viewer(large_bundle, fragment({"trial": "wide"}))
    assert viewer.selected_node == "node_0_0"
    _assert_large_graph(viewer)
    viewer.select_node("node_57_33")
    _assert_large_graph(viewer)
    assert (viewer.neighbours("dependencies"), viewer.neighbours("dependents")) == (["node_56_33"], ["node_58_33"])
    assert len(viewer.edges()) == 2
    for step in range(1, 15):
        viewer.page.keyboard.press("ArrowRight")
        assert viewer.selected_node == f"node_{57 + step}_33"
    _assert_large_graph(viewer)
    viewer.select_node("node_0_49")
    viewer.page.keyboard.press("ArrowLeft")
    assert viewer.selected_node == "node_99_49"
    _assert_large_graph(viewer)
    assert float(viewer.rows()[0].exact) == 99 * ROWS + 49


@pytest.mark.parametrize("width", [1400, 390])
def test_the_words_at_the_pointer_stay_in_the_graph_and_are_not_broken(
    width: int, bundle: Path, open_viewer: Callable[..., Viewer]
) -> None:
    viewer = open_viewer(bundle, fragment(LAST), viewport={"width": width, "height": 900})
    box = viewer.element("graph").bounding_box()
    assert box is not None
    in_view = [node for node in viewer.nodes() if 0 < node["screen"]["x"] < box["width"] and 0 < node["screen"]["y"] < box["height"]]
    for node in (choose(in_view, key=lambda node: node["screen"]["x"]) for choose in (min, max)):
        x, y = box["x"] + node["screen"]["x"], box["y"] + node["screen"]["y"]
        viewer.page.mouse.move(x + 1, y)
        viewer.page.mouse.move(x, y)
        tooltip = viewer.element("graph-tooltip").bounding_box()
        assert tooltip is not None
        assert tooltip["x"] >= box["x"], node["label"]
        assert tooltip["x"] + tooltip["width"] <= box["x"] + box["width"], node["label"]
        # One line; more only where a long name has taken the room.
        assert tooltip["height"] < 40 or tooltip["width"] > 0.85 * min(box["width"], 700), node["label"]
