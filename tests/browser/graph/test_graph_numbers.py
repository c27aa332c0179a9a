"""Nodes colored by their numbers, and traces through the graph."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import expect

from comgra_export.storage import RecordPlace, Structure
from support.browser.oracle import Oracle
from support.browser.recorded import HOSTILE_NAME, LENGTHS
from support.browser.viewer import Link, Viewer
from support.browser.written import COLUMNS, ROWS

LAST = LENGTHS[5] - 1
VIEW: Link = {
    "tab": "tensors", "trial": "first", "rec": "forward", "type": "any_value", "step": 5, "it": LAST,
    "node": "output", "role": "output", "agg": "batch_mean",
}  # fmt: skip
GRAPH = "document.querySelector('[data-testid=graph]')._cyreg.cy"
READ_FILLS = f"{GRAPH}.nodes().map((node) => [node.data('node'), node.data('fill')])"
# The ends of viridis.
DARKEST = "rgb(68, 1, 84)"
BRIGHTEST = "rgb(253, 231, 37)"
DIMMED = f"{GRAPH}.nodes('.dimmed').map((node) => node.data('node'))"
TRACED = f"{GRAPH}.edges('.traced').length"


def _reached(structure: Structure, start: str, forwards: bool) -> set[str]:
    """All nodes that a node comes from, or that come from it; by going round until nothing is added."""
    pairs = {(structure.tensors[a].node, structure.tensors[b].node) for a, b in structure.dependencies}
    pairs = pairs if forwards else {(b, a) for a, b in pairs}
    nodes = {start}
    while more := {sink for source, sink in pairs if source in nodes} - nodes:
        nodes |= more
    return nodes - {start}


def _names(viewer: Viewer) -> dict[int, str]:
    """The full names of all drawn nodes, found by clicking each of them."""
    names = {}
    for node in viewer.nodes():
        viewer.click_node(node["number"])
        names[node["number"]] = viewer.selected_node
    return names


def _is_absent(oracle: Oracle, place: RecordPlace) -> bool:
    """Whether the numbers stand for a gradient that was not there."""
    flags = oracle.recordings["first"].blobs(int(VIEW["step"]))["counts"].data.reshape(-1, 5)[:, 4]
    return bool(flags[place.counts] & 1)


def _values(oracle: Oracle, item: str, recording: str = "forward") -> dict[str, float]:
    """The statistic of every node that has it: of several roles the one of the largest magnitude, of a single value its magnitude."""
    best: dict[str, float] = {}
    for tensor in oracle.structure("first", 5, LAST).tensors:
        link = {key: str(value) for key, value in {**VIEW, "rec": recording, "node": tensor.node, "role": tensor.role}.items()}
        place = oracle.place(link)
        if place is None or _is_absent(oracle, place):
            continue
        link["agg"] = "batch_mean" if place.entry.batch_dimension is not None else "has_no_batch_dimension"
        for row in oracle.rows(link):
            if row.item in (item, "single_value"):
                value = abs(float(row.value))
                best[tensor.node] = value if math.isnan(value) else max(value, best.get(tensor.node, 0))
    return best


def _fills(viewer: Viewer) -> dict[str, str]:
    """The colours of the drawn nodes by their names; empty where a node has none by its number."""
    fills = dict(viewer.page.evaluate(READ_FILLS))
    return {name: fills[number] for number, name in _names(viewer).items()}


def _ends(viewer: Viewer) -> list[float]:
    """The numbers at the ends of the scale."""
    return [float(text.lstrip("\u2264\u2265 ")) for text in viewer.element("color-scale").locator("span").all_inner_texts() if text]


def _extent(values: Iterable[float]) -> tuple[float, float]:
    """The smallest and the largest number, without what lies beyond a gap that is wider than the middle half of all."""
    ordered = np.sort(list(values))
    first, third = (math.floor((len(ordered) - 1) * part + 0.5) for part in (0.25, 0.75))
    gaps = np.flatnonzero(np.diff(ordered) > ordered[third] - ordered[first])
    low = max((gap + 1 for gap in gaps if gap < first), default=0)
    high = min((gap for gap in gaps if gap >= third), default=len(ordered) - 1)
    return float(ordered[low]), float(ordered[high])


@pytest.fixture
def viewer(bundle: Path, visit: Callable[..., Viewer]) -> Viewer:
    return visit(bundle, VIEW)


def test_nodes_are_colored_between_the_smallest_and_the_largest(viewer: Viewer, oracle: Oracle) -> None:
    values = _values(oracle, "abs_mean")
    finite = {node: value for node, value in values.items() if math.isfinite(value)}
    low, high = _extent(finite.values())
    beyond = sum(value > high for value in finite.values())
    assert beyond > 0
    viewer.element("graph-color").select_option("abs_mean")
    viewer.element("color-linear").click()
    ends = _ends(viewer)
    assert ends == pytest.approx([low, high], rel=1e-3)
    fills = _fills(viewer)
    assert {node for node, fill in fills.items() if fill == BRIGHTEST} >= {node for node, value in finite.items() if value >= high}
    assert {node for node, fill in fills.items() if fill == DARKEST} >= {node for node, value in finite.items() if value <= low}
    assert {node for node, fill in fills.items() if fill == ""} == set(fills) - set(finite)
    assert HOSTILE_NAME in set(fills) - set(finite)
    expect(viewer.element("color-signs")).to_contain_text(f"{beyond} far above the others (>)")
    expect(viewer.element("color-signs")).to_contain_text("1 NaN or infinite")
    viewer.link(until="color=abs_mean%2Clinear")


def test_gradients_on_a_logarithmic_scale(viewer: Viewer, oracle: Oracle) -> None:
    values = _values(oracle, "abs_max", "gradients")
    positive = [value for value in values.values() if value > 0]
    viewer.choose("recording", "gradients")
    viewer.wait_until_shown({"rec": "gradients"})
    viewer.element("graph-color").select_option("abs_max")
    viewer.element("color-log").click()
    expect(viewer.element("color-scale")).to_have_accessible_name(re.compile("abs_max of gradients.*logarithmic"))
    ends = _ends(viewer)
    low, high = np.exp(_extent(np.log(positive)))
    # The gradient of the loss is 1, far above all others.
    assert high < max(positive) == 1
    assert ends == pytest.approx([low, high], rel=1e-3)
    without = len({tensor.node for tensor in oracle.structure("first", 5, LAST).tensors} - set(values))
    expect(viewer.element("color-signs")).to_contain_text(f"{without} nodes without a number")


def test_the_tooltip_says_the_number_and_its_role(viewer: Viewer) -> None:
    viewer.element("graph-color").select_option("abs_max")
    expect(viewer.element("color-scale")).to_be_visible()
    # The graph moves to make room for the scale.
    viewer.hover_node("helper")
    # The last of the roles up_to_0, up_to_1 and final is the largest by construction.
    expect(viewer.element("graph-tooltip")).to_contain_text(re.compile(r"abs_max .* \(role final, one of 3\)"))
    viewer.select_node("helper")
    viewer.choose("role", "up_to_0")
    viewer.wait_until_shown({"role": "up_to_0"})
    # The library forgets a node under the pointer when the pointer moves to where none is.
    viewer.element("graph").hover(position={"x": 4, "y": 200})
    viewer.hover_node("helper")
    expect(viewer.element("graph-tooltip")).to_contain_text("(role up_to_0, one of 3)")


def test_a_color_is_undone_and_an_unknown_one_is_ignored(bundle: Path, open_again: Callable[..., Viewer]) -> None:
    viewer = open_again(bundle, {**VIEW, "color": "upside_down,log", "trace": "sideways"})
    expect(viewer.element("graph-color")).to_have_value("")
    expect(viewer.element("graph-trace")).to_have_value("")
    viewer.element("graph-color").select_option("std")
    expect(viewer.element("color-scale")).to_be_visible()
    viewer.element("graph-color").select_option("")
    expect(viewer.element("color-scale")).to_have_count(0)
    assert viewer.page.evaluate(f"{GRAPH}.nodes('.colored, .blank').length") == 0


@pytest.mark.parametrize("node", ["output", "memory", "net.pre", "pair"])
def test_a_trace_shows_all_ancestors_and_descendants(node: str, viewer: Viewer, oracle: Oracle) -> None:
    structure = oracle.structure("first", 5, LAST)
    names = _names(viewer)
    before, after = _reached(structure, node, forwards=False), _reached(structure, node, forwards=True)
    viewer.select_node(node)
    for trace, expected in (("ancestors", before), ("descendants", after), ("both", before | after)):
        viewer.element("graph-trace").select_option(trace)
        dimmed = {names[number] for number in viewer.page.evaluate(DIMMED)}
        assert set(names.values()) - dimmed == expected | {node}
    texts = [f"{len(nodes)} {word}{'' if len(nodes) == 1 else 's'}" for word, nodes in (("ancestor", before), ("descendant", after))]
    expect(viewer.element("trace-count")).to_have_text(", ".join(texts))
    viewer.link(until="trace=both")
    viewer.element("graph-trace").select_option("")
    assert viewer.page.evaluate(DIMMED) == []
    assert viewer.page.evaluate(TRACED) == 0


def test_paths_between_two_nodes(viewer: Viewer, oracle: Oracle) -> None:
    structure = oracle.structure("first", 5, LAST)
    names = _names(viewer)
    viewer.select_node("input")
    viewer.element("graph-trace").select_option("paths")
    expect(viewer.element("trace-count")).to_contain_text("Select another node")
    viewer.select_node("loss")
    between = _reached(structure, "input", forwards=True) & _reached(structure, "loss", forwards=False)
    assert between
    expect(viewer.element("trace-count")).to_contain_text(f"{len(between)} node")
    dimmed = {names[number] for number in viewer.page.evaluate(DIMMED)}
    assert set(names.values()) - dimmed == between | {"input", "loss"}
    viewer.link(until="trace=paths&to=input")
    viewer.select_node("target")
    expect(viewer.element("trace-count")).to_contain_text("No path between")


def test_a_trace_through_a_graph_of_five_thousand_nodes(large_bundle: Path, open_again: Callable[..., Viewer]) -> None:
    viewer = open_again(large_bundle, {"trial": "wide", "trace": "both", "color": "mean", "node": "node_57_33"})
    expect(viewer.element("trace-count")).to_have_text(f"57 ancestors, {COLUMNS - 58} descendants")
    # Every node holds its number; the scale is that of all nodes, drawn or not, and the 0 of the first one has no logarithm.
    expect(viewer.element("color-scale")).to_have_accessible_name(re.compile(f"from 1 .* to {COLUMNS * ROWS - 1} "))
    shown = len(viewer.nodes())
    assert len(viewer.page.evaluate(DIMMED)) == shown - len({node["x"] for node in viewer.nodes()})


def test_keys_find_zoom_and_move(bundle: Path, open_again: Callable[..., Viewer]) -> None:
    viewer = open_again(bundle, VIEW)
    width = viewer.node("output")["width"]
    viewer.page.keyboard.press("+")
    assert viewer.node("output")["width"] > width
    viewer.page.keyboard.press("0")
    assert viewer.node("output")["width"] == pytest.approx(width)
    x = viewer.node("output")["screen"]["x"]
    viewer.page.keyboard.press("Shift+ArrowRight")
    assert viewer.node("output")["screen"]["x"] < x
    assert viewer.selected_node == "output"
    viewer.page.keyboard.press("/")
    expect(viewer.element("node-search")).to_be_focused()
    viewer.page.keyboard.type("a-/0+")
    expect(viewer.element("node-search")).to_have_value("a-/0+")
    assert viewer.node("output")["screen"]["x"] < x


def test_the_ranking_names_the_smallest_and_the_largest(oracle: Oracle, bundle: Path, open_again: Callable[..., Viewer]) -> None:
    viewer = open_again(bundle, {**VIEW, "color": "abs_mean"})
    expected = {name: value for name, value in _values(oracle, "abs_mean").items() if math.isfinite(value)}
    viewer.page.keyboard.press("l")
    entries = viewer.element("ranking").locator("li button")
    finite = entries.filter(has_not_text=re.compile("NaN|\u221e"))
    names = [entry.get_attribute("title") or "" for entry in finite.all()]
    assert sorted(names) == sorted(expected)
    values = [expected[name] for name in names]
    assert values == sorted(values)
    first = finite.first
    np.testing.assert_allclose(float(first.locator(".ranking-value").inner_text()), values[0], rtol=1e-3)
    # What is not finite comes first.
    assert len(names) < entries.count()
    assert finite.first.get_attribute("title") not in [
        entry.get_attribute("title") for entry in entries.all()[: entries.count() - len(names)]
    ]
    viewer.element("ranking-largest").click()
    assert finite.first.get_attribute("title") == max(expected, key=lambda name: expected[name])
    viewer.link(until="ranking=largest")
    finite.first.click()
    expect(viewer.element("graph")).to_have_attribute("data-selected-node", finite.first.get_attribute("title") or "")
    expect(finite.first).to_have_attribute("aria-current", "true")
    # Arrows go along the list, not over the graph.
    selected = viewer.selected_node
    viewer.page.keyboard.press("ArrowDown")
    expect(finite.nth(1)).to_be_focused()
    assert viewer.selected_node == selected
    viewer.page.keyboard.press("Enter")
    expect(viewer.element("graph")).to_have_attribute("data-selected-node", finite.nth(1).get_attribute("title") or "")
    viewer.page.keyboard.press("l")
    expect(viewer.element("ranking")).to_have_count(0)
    # Esc closes it from wherever the focus is, and the focus stays beside it.
    for inside in (True, False):
        viewer.page.keyboard.press("l")
        if inside:
            viewer.element("ranking-statistic").focus()
        viewer.page.keyboard.press("Escape")
        expect(viewer.element("ranking")).to_have_count(0)
    viewer.element("graph-color").focus()
    viewer.element("ranking-toggle").click()
    viewer.element("ranking-close").click()
    expect(viewer.element("ranking")).to_have_count(0)
    expect(viewer.element("graph")).to_be_focused()


def test_nodes_are_ranked_by_any_statistic_without_colors(oracle: Oracle, bundle: Path, open_again: Callable[..., Viewer]) -> None:
    viewer = open_again(bundle, VIEW)
    viewer.page.keyboard.press("l")
    for statistic in ("abs_max", "abs_mean"):
        viewer.element("ranking-statistic").select_option(statistic)
        expected = {name: value for name, value in _values(oracle, statistic).items() if math.isfinite(value)}
        finite = viewer.element("ranking").locator("li button").filter(has_not_text=re.compile("NaN|\u221e"))
        expect(finite).to_have_count(len(expected))
        assert finite.first.get_attribute("title") == max(expected, key=lambda name: expected[name])
    assert viewer.link(until="ranking=largest%2Cabs_mean")["ranking"] == "largest,abs_mean"
    expect(viewer.element("graph-color")).to_have_value("")


def test_parameters_are_colored_by_their_norms(described_bundle: Path, open_again: Callable[..., Viewer]) -> None:
    view: Link = {"tab": "tensors", "trial": "run", "rec": "forward", "type": "any_value", "step": 40, "it": 0, "node": "x"}
    viewer = open_again(described_bundle, {**view, "ranking": "largest"})
    # Norms of 4 and 0.5, of which the first was changed by 0.5 and the second one not at all.
    for statistic, numbers in (("norm", ["4", "0.5000"]), ("update_norm", ["0.5000", "0"]), ("update_ratio", ["0.1250", "0"])):
        viewer.element("graph-color").select_option(statistic)
        expect(viewer.element("ranking").locator(".ranking-value").first).to_have_text(numbers[0])
        shown = dict.fromkeys(viewer.element("ranking").locator(".ranking-value").all_inner_texts())
        assert list(shown) == numbers
    names = [entry.get_attribute("title") for entry in viewer.element("ranking").locator("li button").all()]
    assert names[0] in ("net.encoder.weight", "net.critic.weight")
    assert "net.encoder.bias" in names
    assert "x" not in names
