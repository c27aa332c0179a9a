"""The dependency graph at any size: groups that are collapsed and expanded, what is left out of it, and the overview of all of it."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from benchmarks.page.large_graph import BLOCKS, LAYERS, NODES, node_names
from support.browser.recorded import LENGTHS
from support.browser.viewer import Link, Viewer, at_rest, fragment, soon

GRAPH = "document.querySelector('[data-testid=graph]')._cyreg.cy"
DIMMED = f"{GRAPH}.nodes('.dimmed').map((node) => node.data('label'))"
IN_VIEW = f"""() => {GRAPH}.nodes().filter((node) => {{
  const {{ x, y }} = node.renderedPosition();
  return x > 0 && x < {GRAPH}.width() && y > 0 && y < {GRAPH}.height();
}}).map((node) => node.data("label"))"""
# How many points of a rectangle have something painted over the nodes and edges.
COUNT_PAINTED = """([x, y, width, height]) => {
  const canvas = document.querySelector(".graph-overlay");
  const ratio = canvas.width / canvas.clientWidth;
  const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d", { willReadFrequently: true });
  copy.drawImage(canvas, 0, 0);
  const { data } = copy.getImageData(Math.round(x * ratio), Math.round(y * ratio), Math.round(width * ratio), Math.round(height * ratio));
  return data.filter((value, k) => k % 4 === 3 && value > 0).length;
}"""

NAMES = node_names()
DEEP = "encoder.layer3.block3.head5.q"
NAMED: Link = {"tab": "tensors", "node": DEEP}
# With the folding that the graph has by itself: a link that names one leaves it like that.
INSIDE: Link = {**NAMED, "fold": "2"}
SMALL: Link = {
    "tab": "tensors",
    "trial": "first",
    "rec": "forward",
    "type": "any_value",
    "step": 5,
    "it": 0,
    "node": "input",
    "role": "input",
}


def _group_labels() -> list[str]:
    """What the groups of two parts are called, counted by their names alone, in the order of computing."""
    prefixes = [".".join(name.split(".")[:2]) for name in NAMES if "." in name]
    layers = [prefix.split(".")[1] for prefix in dict.fromkeys(prefixes)]
    return [
        # Encoder and decoder have layers of the same numbers.
        f"{prefix if layers.count(layer) > 1 else layer} ({prefixes.count(prefix)})"
        for prefix, layer in zip(dict.fromkeys(prefixes), layers, strict=True)
    ]


def _labels(viewer: Viewer) -> list[str]:
    """Labels of what is drawn, from left to right."""
    return [node["label"] for node in sorted(viewer.nodes(), key=lambda node: (node["x"], node["y"]))]


def _wait_for_labels(viewer: Viewer, labels: set[str]) -> None:
    condition = (
        f"(labels) => {{ const drawn = {GRAPH}.nodes().map((node) => node.data('label')); return labels.every((l) => drawn.includes(l)); }}"
    )
    viewer.page.wait_for_function(condition, arg=sorted(labels))


def _box(viewer: Viewer, label: str) -> dict[str, Any]:
    """The node or group with a label, once it is at rest."""
    return at_rest(viewer.page, lambda: viewer.node(label))


@pytest.fixture
def viewer(large_graph: Path, visit: Callable[..., Viewer]) -> Viewer:
    return visit(large_graph, INSIDE)


@pytest.fixture
def own(large_graph: Path, open_viewer: Callable[..., Viewer]) -> Viewer:
    """A page that the test may leave zoomed, moved or with an open menu."""
    return open_viewer(large_graph, fragment(INSIDE))


def test_a_large_graph_opens_collapsed_in_the_order_of_computing(large_graph: Path, visit: Callable[..., Viewer]) -> None:
    viewer = visit(large_graph, {"tab": "tensors"})
    labels = _labels(viewer)
    groups = [label for label in labels if "(" in label]
    assert groups == _group_labels()
    assert len(groups) == sum(LAYERS.values())
    assert sorted(set(labels) - set(groups)) == ["input", "loss", "target"]
    graph = viewer.element("graph")
    assert graph.get_attribute("data-node-count") == str(NODES) == str(len(NAMES))
    expect(viewer.element("graph-note")).to_have_text("20,000 nodes in 25 groups and 3 single nodes.")


def test_the_numbers_of_a_tensor_in_a_collapsed_group_are_shown(viewer: Viewer) -> None:
    assert [label for label in _labels(viewer) if "(" in label] == _group_labels()
    assert viewer.selected_node == DEEP
    assert float(viewer.rows()[0].exact) == NAMES.index(DEEP)


# What is drawn once the groups around the tensor are expanded, itself among it.
OPENED = {"layer3 (800)", "block2 (40)", "head4 (4)", "q", "k"}


def test_a_link_ends_at_the_tensor_that_it_names(large_graph: Path, open_viewer: Callable[..., Viewer]) -> None:
    viewer = open_viewer(large_graph, fragment({"tab": "tensors", "node": "input"}))
    assert "q" not in _labels(viewer)
    viewer.page.evaluate("(hash) => { location.hash = hash; }", fragment(NAMED))
    _wait_for_labels(viewer, OPENED)
    assert viewer.selected_node == DEEP
    # Nothing else has been expanded.
    assert [label for label in _labels(viewer) if label in _group_labels()] == [
        label for label in _group_labels() if not label.startswith(("encoder.layer3 ", "decoder.layer3 "))
    ]
    shown = viewer.link(until="fold=2")
    assert shown["fold"] == "2,encoder.layer3.block3.head5,encoder.layer3.block3,encoder.layer3"
    # The copied link shows the same, and following the first one was a single step.
    copy = open_viewer(large_graph, fragment(shown))
    assert sorted(_labels(copy)) == sorted(_labels(viewer))
    viewer.page.go_back()
    _wait_for_labels(viewer, set(_group_labels()))
    assert viewer.selected_node == "input"
    viewer.page.go_forward()
    _wait_for_labels(viewer, OPENED)
    assert viewer.selected_node == DEEP


def test_a_search_ends_at_the_tensor_too_and_is_one_step(large_graph: Path, open_viewer: Callable[..., Viewer]) -> None:
    viewer = open_viewer(large_graph, fragment({"tab": "tensors", "node": "input"}))
    viewer.page.wait_for_timeout(1100)
    viewer.select_node(DEEP)
    _wait_for_labels(viewer, OPENED)
    viewer.link(until="fold=2%2Cencoder")
    viewer.page.go_back()
    _wait_for_labels(viewer, set(_group_labels()))
    assert viewer.selected_node == "input"


def test_a_group_that_was_clicked_stays_collapsed_in_a_link_to_it(large_graph: Path, open_viewer: Callable[..., Viewer]) -> None:
    viewer = open_viewer(large_graph, fragment({"tab": "tensors", "node": "input"}))
    viewer.click_node(_box(viewer, "encoder.layer1 (800)")["number"])
    shown = viewer.link(until="fold=2")
    assert shown["node"].startswith("encoder.layer1.")
    copy = open_viewer(large_graph, fragment(shown))
    assert [label for label in _labels(copy) if "(" in label] == _group_labels()


@pytest.mark.parametrize("way", ["key", "button", "control", "double click"])
def test_a_group_is_expanded_and_collapsed_again(way: str, viewer: Viewer) -> None:
    layer = _box(viewer, "encoder.layer3 (800)")
    if way == "key":
        viewer.page.keyboard.press("e")
    elif way == "button":
        viewer.element("unfold").click()
    elif way == "control":
        # The square at the left end.
        viewer.element("graph").click(position={"x": layer["screen"]["x"] - layer["width"] / 2 + 8, "y": layer["screen"]["y"]})
    else:
        viewer.double_click_graph(**layer["screen"])
    blocks = {f"block{block} (40)" for block in range(BLOCKS)}
    _wait_for_labels(viewer, blocks)
    assert {label for label in _labels(viewer) if "block" in label} == blocks
    # The last part of each remaining name is enough to distinguish the two.
    assert "layer3 (800)" in _labels(viewer)
    assert not {"encoder.layer3 (800)", "decoder.layer3 (800)"} & set(_labels(viewer))
    assert viewer.element("graph").get_attribute("data-group-count") == str(sum(LAYERS.values()) - 1 + BLOCKS)
    assert viewer.link(until="fold=2%2Cencoder.layer3")["fold"] == "2,encoder.layer3"
    # The innermost group is expanded first, and collapsed first.
    expect(viewer.element("unfold")).to_have_accessible_name("Expand encoder.layer3.block3")
    expect(viewer.element("fold")).to_have_accessible_name("Collapse encoder.layer3")
    viewer.page.keyboard.press("f")
    expect(viewer.element("graph")).to_have_attribute("data-group-count", str(sum(LAYERS.values())))
    assert sorted(_labels(viewer)) == sorted([*_group_labels(), "input", "loss", "target"])
    assert viewer.selected_node == DEEP


def test_a_double_click_expands_what_it_was_on_even_if_its_first_click_moves_the_graph(own: Viewer) -> None:
    layer = _box(own, "encoder.layer2 (800)")
    # Only its lower edge is in view; the first click moves all of it there, and something else below the pointer.
    bottom = layer["screen"]["y"] + layer["height"] / 2
    own.page.evaluate(f"(by) => {{ {GRAPH}.panBy({{ x: 0, y: by }}); }}", 4 - bottom)
    own.double_click_graph(layer["screen"]["x"], 2)
    _wait_for_labels(own, {f"block{block} (40)" for block in range(BLOCKS)})
    assert own.link(until="fold=2%2C")["fold"] == "2,encoder.layer2"


def test_all_groups_at_once_and_back(viewer: Viewer) -> None:
    viewer.element("fold-all").click()
    counts = {stack: sum(name.startswith(f"{stack}.") for name in NAMES) for stack in LAYERS}
    _wait_for_labels(viewer, {f"{stack} ({count})" for stack, count in counts.items()})
    assert len(viewer.nodes()) == 2 + 3
    # Changes that follow each other within a second are one step for the back button.
    viewer.page.wait_for_timeout(1100)
    assert viewer.link(until="fold=1")["fold"] == "1"
    viewer.element("unfold-all").click()
    expect(viewer.element("graph")).to_have_attribute("data-group-count", "0")
    expect(viewer.element("graph-note")).to_contain_text("of 20,000 nodes shown around the selection")
    assert any(node["label"] == "q" for node in viewer.nodes())
    assert viewer.link(until="fold=0")["fold"] == "0"
    viewer.page.go_back()
    _wait_for_labels(viewer, {"encoder (10400)"})


def test_an_address_names_what_is_collapsed(large_graph: Path, open_viewer: Callable[..., Viewer]) -> None:
    viewer = open_viewer(large_graph, fragment({**INSIDE, "fold": "1,encoder,encoder.layer3,encoder.layer3.block3"}))
    labels = set(_labels(viewer))
    assert {"decoder (9597)", "layer2 (800)", "block2 (40)", "head5 (4)", "norm (3)"} <= labels
    assert not {"encoder (10400)", "block3 (40)", "norm.weight"} & labels
    nonsense = open_viewer(large_graph, fragment({**INSIDE, "fold": "encoder,2", "hide": "nothing", "only": ""}))
    assert [label for label in _labels(nonsense) if "(" in label] == _group_labels()


def test_connections_of_a_group_are_those_of_its_members(large_graph: Path, visit: Callable[..., Viewer]) -> None:
    viewer = visit(large_graph, INSIDE)
    edges = {(source, target) for source, target, _ in viewer.edges()}
    assert edges == {("encoder.layer2 (800)", "encoder.layer3 (800)"), ("encoder.layer3 (800)", "encoder.layer4 (800)")}
    # The selected tensor itself is connected with tensors of its own group only, so both connections are thin.
    assert all(thin for _, _, thin in viewer.edges())
    viewer = visit(large_graph, {**INSIDE, "node": "encoder.layer4.block0.norm"})
    thin = {(source, target): thin for source, target, thin in viewer.edges()}
    assert thin == {("encoder.layer3 (800)", "encoder.layer4 (800)"): False, ("encoder.layer4 (800)", "encoder.layer5 (800)"): True}
    viewer = visit(large_graph, {**INSIDE, "node": "input"})
    assert viewer.edges() == [("input", "encoder.layer0 (800)", False)]


def test_walking_goes_over_groups(viewer: Viewer) -> None:
    viewer.page.keyboard.press("ArrowRight")
    assert viewer.selected_node.startswith("encoder.layer4.")
    viewer.page.keyboard.press("ArrowLeft")
    viewer.page.keyboard.press("ArrowLeft")
    assert viewer.selected_node.startswith("encoder.layer2.")
    viewer.click_node(_box(viewer, "encoder.layer1 (800)")["number"])
    assert viewer.selected_node.startswith("encoder.layer1.")


def test_a_group_is_on_a_trace_where_a_member_is(viewer: Viewer) -> None:
    groups = _group_labels()
    # Everything computed is one chain, so what comes before is in this layer and in those before it.
    viewer.element("graph-trace").select_option("ancestors")
    expect(viewer.element("trace-count")).to_contain_text("ancestors")
    assert sorted(viewer.page.evaluate(DIMMED)) == sorted([*groups[4:], "target", "loss"])
    viewer.element("graph-trace").select_option("descendants")
    expect(viewer.element("trace-count")).to_contain_text("descendants")
    assert sorted(viewer.page.evaluate(DIMMED)) == sorted([*groups[:3], "input", "target"])
    traced = viewer.page.evaluate(f"{GRAPH}.edges('.traced').map((edge) => [edge.source().data('label'), edge.target().data('label')])")
    assert ["encoder.layer4 (800)", "encoder.layer5 (800)"] in traced


def test_a_group_has_the_color_of_its_largest_magnitude(viewer: Viewer) -> None:
    viewer.element("graph-color").select_option("abs_max")
    expect(viewer.element("color-scale")).to_be_visible()
    fills = dict(viewer.page.evaluate(f"{GRAPH}.nodes().map((node) => [node.data('label') + node.data('node'), node.data('fill')])"))
    assert len(set(fills.values())) > 5
    viewer.hover_node("encoder.layer3 (800)")
    last = max(k for k, name in enumerate(NAMES) if name.startswith("encoder.layer3."))
    expect(viewer.element("graph-tooltip")).to_contain_text(f"largest magnitude: abs_max {last} in {NAMES[last]}")
    expect(viewer.element("graph-tooltip")).to_contain_text("800 nodes: 720 calculated, 80 parameter")


def test_the_overview_moves_the_view_and_can_be_hidden(own: Viewer) -> None:
    assert "loss" not in own.page.evaluate(IN_VIEW)
    overview = own.element("overview")
    box = overview.bounding_box()
    assert box is not None
    before = own.element("overview-view").bounding_box()
    overview.click(position={"x": box["width"] - 6, "y": box["height"] / 2})
    assert before is not None
    assert "loss" in soon(lambda: own.page.evaluate(IN_VIEW), lambda names: "loss" in names)
    place = own.element("overview-view")
    after = soon(place.bounding_box, lambda box: box is not None and box["x"] > before["x"])
    assert after is not None
    assert after["x"] > before["x"]
    assert own.selected_node == DEEP
    own.page.keyboard.press("o")
    expect(overview).to_have_count(0)
    own.element("overview-toggle").click()
    expect(overview).to_be_visible()
    own.element("zoom-fit").click()
    expect(own.element("overview-toggle")).to_have_count(0)


def test_the_overview_moves_the_window_where_not_everything_is_drawn(large_graph: Path, open_viewer: Callable[..., Viewer]) -> None:
    viewer = open_viewer(large_graph, fragment({**INSIDE, "fold": "0"}))
    assert "loss" not in _labels(viewer)
    overview = viewer.element("overview")
    box = overview.bounding_box()
    assert box is not None
    overview.click(position={"x": box["width"] - 5, "y": box["height"] / 2})
    viewer.page.wait_for_function(f"{GRAPH}.nodes().some((node) => node.data('label') === 'loss')")
    assert "loss" in viewer.page.evaluate(IN_VIEW)
    assert viewer.selected_node == DEEP
    assert len(viewer.nodes()) <= 600
    # Whatever is selected next is shown.
    viewer.page.keyboard.press("ArrowRight")
    viewer.page.wait_for_function(f"{GRAPH}.nodes().every((node) => node.data('label') !== 'loss')")
    assert viewer.selected_node == "encoder.layer3.block3.head5.k"


def test_a_small_graph_has_no_overview_and_no_groups_collapsed(bundle: Path, open_viewer: Callable[..., Viewer]) -> None:
    viewer = open_viewer(bundle, fragment(SMALL))
    viewer.element("zoom-fit").click()
    expect(viewer.element("overview-toggle")).to_have_count(0)
    assert viewer.element("graph").get_attribute("data-group-count") == "0"
    viewer.select_node("net.out.bias")
    viewer.page.keyboard.press("f")
    _wait_for_labels(viewer, {"out (2)"})
    assert viewer.link(until="fold=0%2Cnet.out")["fold"] == "0,net.out"


def test_hidden_types_are_left_out_and_counted(bundle: Path, open_viewer: Callable[..., Viewer]) -> None:
    viewer = open_viewer(bundle, fragment(SMALL))
    parameters = [node["number"] for node in viewer.nodes() if node["type"] == "parameter"]
    count = len(viewer.nodes())
    assert len(parameters) == 5
    button = viewer.element("legend-parameter")
    expect(button).to_have_attribute("aria-pressed", "true")
    button.click()
    expect(viewer.element("graph-note")).to_have_text("5 parameters hidden.")
    assert len(viewer.nodes()) == count - 5
    assert {node["type"] for node in viewer.nodes()} == {"input", "calculated"}
    assert viewer.link(until="hide=parameter")["hide"] == "parameter"
    viewer.element("legend-input").click()
    expect(viewer.element("graph-note")).to_have_text(re.compile(r"5 parameters hidden, the selected one among them\.$"))
    viewer.page.keyboard.press("ArrowRight")
    expect(viewer.element("graph-note")).not_to_contain_text("selected")
    button.click()
    viewer.element("legend-input").click()
    expect(viewer.element("graph-note")).to_have_count(0)
    assert len(viewer.nodes()) == count


def test_a_note_counts_what_is_in_groups_and_what_is_hidden(viewer: Viewer) -> None:
    parameters = sum(name.endswith((".weight", ".bias")) for name in NAMES)
    viewer.element("legend-parameter").click()
    expected = f"{NODES - parameters:,} nodes in 25 groups and 3 single nodes. {parameters:,} parameters hidden."
    expect(viewer.element("graph-note")).to_have_text(expected)


def test_only_names_with_a_prefix(own: Viewer) -> None:
    own.element("graph-more").click()
    field = own.element("graph-prefix")
    field.fill("encoder.layer3.block3.")
    wanted = {k for k, name in enumerate(NAMES) if name.startswith("encoder.layer3.block3.")}
    own.page.wait_for_function(f"{GRAPH}.nodes().length === {len(wanted)}")
    expect(own.element("graph-note")).to_have_text(f"{NODES - len(wanted):,} nodes with other names hidden.")
    assert own.link(until="only=encoder.layer3.block3.")["only"] == "encoder.layer3.block3."
    offered = own.page.locator("#graph-prefixes option").evaluate_all("(options) => options.map((option) => option.value)")
    assert "encoder.layer3.block3.head5." in offered
    own.element("graph-prefix-clear").click()
    expect(field).to_have_value("")
    _wait_for_labels(own, {"encoder.layer3 (800)"})


def test_names_can_be_read_when_the_graph_is_small_on_the_screen(own: Viewer) -> None:
    own.element("zoom-fit").click()
    # Its own label would be smaller than 9 pixels; what is painted below it instead is wider than the node.
    layer = soon(lambda: _box(own, "encoder.layer3 (800)"), lambda box: box["height"] / 28 * 13 < 9)
    assert layer["height"] / 28 * 13 < 9
    area = [layer["screen"]["x"] - layer["width"] / 2 - 6, layer["screen"]["y"] + layer["height"] / 2 + 3, 5, 11]
    assert soon(lambda: own.page.evaluate(COUNT_PAINTED, area), lambda count: count > 0) > 0


def test_a_graph_whose_names_have_room_opens_whole(bundle: Path, open_viewer: Callable[..., Viewer]) -> None:
    """At a height at which its columns would be cut off if their nodes were as large as elsewhere."""
    viewer = open_viewer(bundle, fragment({**SMALL, "it": LENGTHS[5] - 1}), viewport={"width": 1400, "height": 604})
    nodes = soon(viewer.nodes, lambda nodes: len(nodes) == len(viewer.page.evaluate(IN_VIEW)))
    assert len(nodes) == len(viewer.page.evaluate(IN_VIEW))
    expect(viewer.element("overview-toggle")).to_have_count(0)
    height = viewer.nodes()[0]["height"]
    viewer.page.set_viewport_size({"width": 1400, "height": 1200})
    viewer.page.wait_for_function(f"height => {GRAPH}.nodes()[0].renderedHeight() > 1.2 * height", arg=height)
