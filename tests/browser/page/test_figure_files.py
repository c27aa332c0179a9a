"""Plots and the graph as files of their own: what they show, and that other programs can read them."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest
from playwright.sync_api import Locator, expect

from support.browser.recorded import HOSTILE_NAME
from support.browser.viewer import Link, Viewer, fragment

SVG = "{http://www.w3.org/2000/svg}"
VIEW: Link = {
    "tab": "tensors", "trial": "first", "rec": "forward", "type": "any_value", "step": 5, "it": 2,
    "node": "picture", "role": "picture", "agg": "sample_0",
}  # fmt: skip


def _download(viewer: Viewer, button: Locator, folder: Path) -> Path:
    with viewer.page.expect_download() as waiting:
        button.click()
    target = folder / waiting.value.suggested_filename
    waiting.value.save_as(target)
    return target


def _figure(viewer: Viewer, part: str, folder: Path) -> tuple[str, ElementTree.Element]:
    """The name of the file and the root of the figure of a part of the page; a strict parser reads it, and it needs nothing else."""
    path = _download(viewer, viewer.page.locator(part).get_by_test_id("figure-svg").first, folder)
    text = path.read_text(encoding="utf-8")
    assert not any(word in text for word in ("<script", "<style", "foreignObject", 'href="http', "url(http"))
    root = ElementTree.fromstring(text)
    assert root.tag == f"{SVG}svg"
    return path.name, root


def _texts(root: ElementTree.Element, group: str) -> list[str]:
    """What is written in the groups of a class, apart from their titles."""
    return [text.text or "" for text in _of_class(root, group, "text")]


def _of_class(root: ElementTree.Element, group: str, tag: str) -> list[ElementTree.Element]:
    return [element for part in root.iter() if part.get("class") == group for element in part.iter(f"{SVG}{tag}")]


def _caption(root: ElementTree.Element) -> str:
    return " ".join(_texts(root, "caption")).replace("\u00a0", " ")


def _png_size(path: Path) -> tuple[int, int]:
    data = path.read_bytes()
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", data[16:24])
    return width, height


@pytest.mark.parametrize(
    ("part", "pane"),
    [(".graph", "table"), (".picture-pane", "picture"), (".histogram-pane", "histogram"), (".over-time", "time")],
)
def test_a_png_is_the_figure_twice_as_fine(part: str, pane: str, bundle: Path, visit: Callable[..., Viewer], tmp_path: Path) -> None:
    viewer = visit(bundle, {**VIEW, "pane": pane})
    _, root = _figure(viewer, part, tmp_path)
    path = _download(viewer, viewer.page.locator(part).get_by_test_id("figure-png").first, tmp_path)
    assert _png_size(path) == tuple(round(2 * float(root.get(side, 0))) for side in ("width", "height"))
    expect(viewer.page.locator(part).get_by_test_id("figure-outcome").first).to_have_text(f"Saved as {path.name}.")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_graph_has_every_drawn_node_and_edge(scheme: str, bundle: Path, open_viewer: Callable[..., Viewer], tmp_path: Path) -> None:
    viewer = open_viewer(bundle, fragment({**VIEW, "node": "output", "role": "output", "trace": "both"}), color_scheme=scheme)
    # Zoomed to a part of it.
    for _ in range(4):
        viewer.element("zoom-in").click()
    name, root = _figure(viewer, ".graph", tmp_path)
    assert name.startswith("graph-first-step5-iteration2-output-forward-sample_0")
    nodes = [part for part in root.iter() if part.get("class") == "node"]
    labels = sorted([text.text or "" for text in node.iter(f"{SVG}text")][1] for node in nodes)
    assert labels == sorted(node["label"] for node in viewer.nodes())
    edges = [part for part in root.iter() if part.get("class") == "edge"]
    assert len(edges) == len(viewer.edges()) > 0
    dashed = [edge for edge in edges if edge.find(f"{SVG}path[@stroke-dasharray]") is not None]
    assert len(dashed) == list(viewer.line_styles().values()).count("dashed")
    caption = _caption(root)
    for said in ("trial: first", "step: 5", "iteration: 2", "node: output", "recording: values", "aggregation: ", "Traced: "):
        assert said in caption
    # On white, in the colours of paper, whatever the page looks like.
    assert root.find(f"{SVG}rect").get("fill") == "#ffffff"  # type: ignore[union-attr]
    assert {"#d3efd5", "#e4e0fa"} <= {rect.get("fill") for node in nodes for rect in node.iter(f"{SVG}rect")}


def test_nodes_lie_as_on_the_screen(bundle: Path, visit: Callable[..., Viewer], tmp_path: Path) -> None:
    viewer = visit(bundle, VIEW)
    _, root = _figure(viewer, ".graph", tmp_path)
    drawn = []
    for part in root.iter():
        if part.get("class") == "node":
            rect = part.find(f"{SVG}rect")
            assert rect is not None
            left, top, width, height = (float(rect.get(name, 0)) for name in ("x", "y", "width", "height"))
            label = [text.text or "" for text in part.iter(f"{SVG}text")][1]
            drawn.append((label, round(left + width / 2), round(top + height / 2)))
    assert sorted(drawn) == sorted((node["label"], round(node["x"]), round(node["y"])) for node in viewer.nodes())


def test_a_graph_without_a_node_is_no_figure(bundle: Path, open_viewer: Callable[..., Viewer]) -> None:
    viewer = open_viewer(bundle, fragment({**VIEW, "only": "no such node"}), wait=False)
    buttons = viewer.page.locator(".graph").get_by_test_id("figure-svg")
    expect(viewer.element("graph-note")).to_contain_text("with other names hidden")
    expect(buttons).to_have_count(0)
    viewer.choose_in_menu("graph-prefix-clear", menu="graph-more")
    expect(buttons).to_have_count(1)


def test_a_figure_counts_what_is_drawn_and_what_is_hidden(bundle: Path, visit: Callable[..., Viewer], tmp_path: Path) -> None:
    viewer = visit(bundle, {**VIEW, "hide": "parameter"})
    drawn = len(viewer.nodes())
    hidden = int(viewer.element("graph").get_attribute("data-node-count") or "") - drawn
    _, root = _figure(viewer, ".graph", tmp_path)
    assert hidden > 0
    assert f"{drawn} nodes." in _caption(root)
    assert f"{hidden} parameters hidden." in _caption(root)


def test_hostile_names_stay_text(bundle: Path, visit: Callable[..., Viewer], tmp_path: Path) -> None:
    viewer = visit(bundle, {**VIEW, "node": HOSTILE_NAME, "role": HOSTILE_NAME})
    for pane, part in (("picture", ".picture-pane"), ("histogram", ".histogram-pane"), ("time", ".over-time"), ("time", ".graph")):
        viewer.element(f"pane-{pane}").click()
        name, root = _figure(viewer, part, tmp_path)
        assert not set(name) & set('<>:"/\\|?*')
        assert HOSTILE_NAME[:12] in "".join(root.itertext())


def test_a_picture_has_its_cells_as_pixels_and_the_rest_as_vectors(bundle: Path, visit: Callable[..., Viewer], tmp_path: Path) -> None:
    viewer = visit(bundle, {**VIEW, "pane": "picture"})
    expect(viewer.element("picture-legend")).to_be_visible()
    _, root = _figure(viewer, ".picture-pane", tmp_path)
    (cells,) = (part for part in root.iter(f"{SVG}image") if part.get("class") == "cells")
    assert cells.get("href", "").startswith("data:image/png;base64,")
    assert cells.get("data-cells") == "24"
    ticks = viewer.page.locator(".legend-ticks span").all_inner_texts()
    assert set(ticks) <= {text.text for text in root.iter(f"{SVG}text")}
    assert "shape: " in _caption(root)


def test_of_a_zoomed_picture_what_is_seen_is_saved(bundle: Path, open_viewer: Callable[..., Viewer], tmp_path: Path) -> None:
    viewer = open_viewer(bundle, fragment({**VIEW, "pane": "picture"}), wait=False, viewport={"width": 560, "height": 900})
    expect(viewer.element("picture-legend")).to_be_visible()
    _, whole = _figure(viewer, ".picture-pane", tmp_path)
    assert "Part of the picture" not in _caption(whole)
    picture = viewer.element("picture")
    picture.focus()
    picture.press("Home")
    # Until cells are as large as they can be: not all of them have room.
    for _ in range(12):
        picture.press("+")
    viewer.page.wait_for_timeout(200)
    _, part = _figure(viewer, ".picture-pane", tmp_path)
    said = re.search(r"Part of the picture: axis 1 \(2\) at (0|0, 1), some of them in part\. Colors and counts are those", _caption(part))
    assert said is not None, _caption(part)
    (cells,) = (element for element in part.iter(f"{SVG}image") if element.get("class") == "cells")
    written = [[text.text or "" for text in figure.iter(f"{SVG}text") if text.get("class") == "value"] for figure in (whole, part)]
    assert len(written[1]) == int(cells.get("data-cells", 0)) < len(written[0]) == 24
    # From the first one on, in the same order.
    assert written[1][0] == written[0][0]
    remaining = iter(written[0])
    assert all(value in remaining for value in written[1])


def test_a_histogram_has_a_bar_per_bin(bundle: Path, visit: Callable[..., Viewer], tmp_path: Path) -> None:
    viewer = visit(bundle, {**VIEW, "pane": "histogram"})
    expect(viewer.element("histogram-bins")).to_have_count(1)
    _, root = _figure(viewer, ".histogram-pane", tmp_path)
    bars = [float(bar.get("height", 0)) for bar in _of_class(root, "bars", "rect")]
    counts = [int(text) for text in viewer.element("histogram-bins").locator("tbody td.number").all_text_contents()]
    assert len(bars) == len(counts)
    highest = bars[counts.index(max(counts))]
    assert bars == pytest.approx([highest * count / max(counts) for count in counts], abs=0.1)


def test_curves_are_as_they_are_shown(bundle: Path, open_viewer: Callable[..., Viewer], tmp_path: Path) -> None:
    viewer = open_viewer(bundle, fragment({**VIEW, "tab": "graphs"}), wait=False)
    chart = viewer.page.locator("[data-testid=chart]").first
    expect(chart.get_by_test_id("legend-entry").first).to_be_visible()
    entries = chart.get_by_test_id("legend-entry").count()
    name, root = _figure(viewer, "[data-testid=chart]", tmp_path)
    assert name.startswith("curves-")
    assert len([part for part in root.iter() if part.get("class") == "curve"]) == entries
    assert len(_texts(root, "legend-entry")) == entries
    chart.get_by_test_id("legend-entry").first.click()
    box = chart.locator(".u-over").bounding_box()
    assert box is not None
    viewer.page.mouse.move(box["x"] + box["width"] * 0.25, box["y"] + 40)
    viewer.page.mouse.down()
    viewer.page.mouse.move(box["x"] + box["width"] * 0.75, box["y"] + 40, steps=4)
    viewer.page.mouse.up()
    expect(chart.get_by_test_id("reset-zoom")).to_have_attribute("aria-disabled", "false")
    _, zoomed = _figure(viewer, "[data-testid=chart]", tmp_path)
    assert len(_texts(zoomed, "legend-entry")) == entries - 1
    assert "steps: " in _caption(zoomed)
    everything, part = (tuple(map(float, _texts(figure, "axis-x"))) for figure in (root, zoomed))
    assert max(part) - min(part) < max(everything) - min(everything)


def test_curves_over_time_say_what_they_are_of(bundle: Path, visit: Callable[..., Viewer], tmp_path: Path) -> None:
    viewer = visit(bundle, {**VIEW, "pane": "time"})
    _, root = _figure(viewer, ".over-time", tmp_path)
    caption = _caption(root)
    for said in (
        "trial: first",
        "tensor: picture, iteration 2",
        "recording: values",
        "aggregation: Mean over the batch",
        "marked step: 5",
    ):
        assert said in caption
    shown = viewer.page.locator(".over-time [data-testid=chart]").first.get_by_test_id("legend-entry").count()
    assert len([part for part in root.iter() if part.get("class") == "curve"]) == shown


def test_of_a_large_graph_the_drawn_part_is_saved_and_counted(
    large_bundle: Path, open_viewer: Callable[..., Viewer], tmp_path: Path
) -> None:
    viewer = open_viewer(large_bundle, fragment({"trial": "wide"}))
    drawn = len(viewer.nodes())
    _, root = _figure(viewer, ".graph", tmp_path)
    assert len([part for part in root.iter() if part.get("class") == "node"]) == drawn < 5000
    assert f"{drawn} of 5,000 nodes shown around the selection." in _caption(root)
    # Not twice as fine, where that were larger than a browser draws; but in full.
    width, height = _png_size(_download(viewer, viewer.page.locator(".graph").get_by_test_id("figure-png"), tmp_path))
    assert width <= 16_000
    assert width / height == pytest.approx(float(root.get("width", 0)) / float(root.get("height", 1)), rel=0.01)


def test_collapsed_groups_are_drawn_as_stacks(large_graph: Path, open_viewer: Callable[..., Viewer], tmp_path: Path) -> None:
    viewer = open_viewer(large_graph, fragment({"tab": "tensors"}))
    groups = int(viewer.element("graph").get_attribute("data-group-count") or "")
    _, root = _figure(viewer, ".graph", tmp_path)
    assert groups > 0
    assert len([part for part in root.iter() if part.get("class") == "stack"]) == groups
    assert _texts(root, "node").count("+") == groups
    assert "encoder.layer3 (800)" in _texts(root, "node")
    # Groups are not nodes: the caption counts the nodes in them.
    single = len([part for part in root.iter() if part.get("class") == "node"]) - groups
    assert f"20,000 nodes in {groups} groups and {single} single nodes." in _caption(root)
