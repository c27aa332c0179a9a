"""The graphs of two trials beside each other, and their nodes colored by how much B differs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import expect

import comgra_export
from comgra_export.storage import (
    Blob,
    Group,
    Header,
    Layout,
    RecordedSamples,
    RecordingWriter,
    StepDescription,
    Structure,
)
from support.browser.axe import violations_in_all_colors
from support.browser.by_hand import shown
from support.browser.viewer import Link, Viewer, soon
from support.storage.entries import tensor_entry

# The tensors of each trial with the mean of each, and who depends on whom.
ONE = ({"x": 1.0, "h": 4.0, "dropout": 7.0, "loss": -2.0}, [("x", "h"), ("h", "dropout"), ("dropout", "loss")])
TWO = ({"x": 1.0, "h": 5.0, "norm": 8.0, "norm 2": 9.0, "loss": 2.0}, [("x", "h"), ("h", "norm"), ("norm", "norm 2"), ("norm 2", "loss")])
# The same tensors as ONE, otherwise connected.
THREE = (ONE[0], [("x", "h"), ("x", "dropout"), ("h", "loss"), ("dropout", "loss")])
VIEW: Link = {"tab": "tensors", "trial": "one", "rec": "forward", "type": "any_value", "step": 0, "it": 0, "node": "h", "agg": "batch_mean"}

# What stands on the connections that are drawn, and the style of their lines.
CONNECTIONS = """() => {
  const { cy } = document.querySelector("[data-testid=graph]")._cyreg;
  const ends = (edge) => `${edge.source().data("label")} ${edge.target().data("label")}`;
  const side = (edge) => ["A", "B"].filter((side) => edge.hasClass(`only-in-${side.toLowerCase()}`)).join();
  return Object.fromEntries(cy.edges().map((edge) => [ends(edge), [side(edge), edge.style("line-style")]]));
}"""

# Whether the upper left corner of a node has the colour of the text on the canvas over the graph.
MARKED = """([node, color]) => {
  const canvas = document.querySelector(".graph-overlay"), ratio = devicePixelRatio;
  const probe = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  probe.fillStyle = getComputedStyle(document.documentElement).getPropertyValue(color).trim();
  probe.fillRect(0, 0, 1, 1);
  const wanted = probe.getImageData(0, 0, 1, 1).data;
  const { x, y } = node.screen;
  const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d", { willReadFrequently: true });
  copy.drawImage(canvas, 0, 0);
  const { data } = copy.getImageData((x - node.width / 2 - 4) * ratio, (y - node.height / 2 - 14) * ratio, 30 * ratio, 12 * ratio);
  let count = 0;
  for (let k = 0; k < data.length; k += 4) {
    count += data[k + 3] > 250 && [0, 1, 2].every((channel) => data[k + channel] === wanted[channel]);
  }
  return count > 20;
}"""


def _write_trial(root: Path, trial: str, steps: Sequence[int], means: dict[str, float], edges: Sequence[tuple[str, str]]) -> None:
    names = list(means)
    kinds = {"x": "input", "loss": "loss"}
    entries = tuple(tensor_entry(name, type=kinds.get(name, "calculated"), kind="kpis", shape=(2, 3), batch_dimension=0) for name in names)
    writer = RecordingWriter(root / "group" / trial / "rank-0", Header("group", trial))
    layout = writer.write_layout(Layout(entries, (Group("forward", tuple(range(len(names)))),)))
    pairs = tuple((names.index(source), names.index(sink)) for source, sink in edges)
    graph = writer.write_structure(Structure(tuple(map(shown, entries)), pairs))
    # Items are mean, abs_mean, std and abs_max; of each the mean over the batch comes first.
    statistics = np.array([[[mean] * 3, [abs(mean)] * 3, [0.0] * 3, [abs(mean)] * 3] for mean in means.values()], np.float32)
    blobs = [
        ("counts", Blob("I32", np.zeros((len(names), 5), np.int32))),
        ("extrema.F32", Blob("F32", np.zeros((len(names), 2), np.float32))),
        ("statistics.F32", Blob("F32", statistics.reshape(-1))),
    ]
    for step in steps:
        writer.write_step(StepDescription(step, "main", 2, layout, (graph,), RecordedSamples(())), blobs)
    writer.close()


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of two trials with different networks."""
    folder = tmp_path_factory.mktemp("graphs")
    for trial, (means, edges) in {"one": ONE, "two": TWO, "three": THREE}.items():
        _write_trial(folder, trial, (0, 1), means, edges)
    return comgra_export.export(folder / "group", folder / "report.html").path


def _open(open_again: Callable[..., Viewer], page: Path, link: Link) -> Viewer:
    viewer = open_again(page, link)
    viewer.element("graph-comparison").wait_for()
    return viewer


def test_what_only_one_of_them_has_is_said_and_marked(page: Path, open_again: Callable[..., Viewer]) -> None:
    viewer = _open(open_again, page, {**VIEW, "pin": "trial=two&step=0"})
    expect(viewer.element("graph-comparison").locator("summary")).to_have_text(
        "Graph beside B: 1 tensor only in A, 2 only in B; 2 connections only in A, 3 only in B."
    )
    expect(viewer.element("legend-only-in-a")).to_contain_text("only in A")

    def marked() -> set[str]:
        return {node["label"] for node in viewer.nodes() if viewer.page.evaluate(MARKED, [node, "--text"])}

    assert soon(marked, lambda names: names == {"dropout"}) == {"dropout"}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_connections_of_only_one_of_them_are_marked(scheme: str, page: Path, open_again: Callable[..., Viewer]) -> None:
    viewer = open_again(page, {**VIEW, "node": "loss", "pin": "trial=three&step=0"}, color_scheme=scheme)
    viewer.element("legend-edges-only-in-b").wait_for()
    # All of them, whichever node is selected; h to dropout is in A, x to dropout and h to loss are in B.
    marked = {
        "dropout loss": ["", "solid"],
        "h dropout": ["A", "solid"],
        "x dropout": ["B", "dotted"],
        "h loss": ["B", "dotted"],
    }
    assert viewer.page.evaluate(CONNECTIONS) == marked
    expect(viewer.element("legend-edges-only-in-a")).to_contain_text("connection only in A")
    expect(viewer.element("legend-edges-only-in-b")).to_contain_text("dotted: connection only in B")
    viewer.select_node("h")
    of_h = {**{ends: marked[ends] for ends in marked if ends != "dropout loss"}, "x h": ["", "solid"]}
    assert soon(lambda: viewer.page.evaluate(CONNECTIONS), lambda drawn: drawn == of_h) == of_h
    # Without B nothing is marked.
    viewer.go({**VIEW, "node": "h"})
    expect(viewer.element("legend-edges-only-in-a")).to_have_count(0)
    alone = {"x h": ["", "solid"], "h dropout": ["", "solid"]}
    assert soon(lambda: viewer.page.evaluate(CONNECTIONS), lambda drawn: drawn == alone) == alone


def test_a_figure_of_the_graph_marks_them_too(page: Path, open_again: Callable[..., Viewer], tmp_path: Path) -> None:
    viewer = _open(open_again, page, {**VIEW, "pin": "trial=three&step=0"})
    viewer.element("legend-edges-only-in-b").wait_for()
    with viewer.page.expect_download() as waiting:
        viewer.page.locator(".graph").get_by_test_id("figure-svg").click()
    waiting.value.save_as(tmp_path / "graph.svg")
    text = (tmp_path / "graph.svg").read_text(encoding="utf-8")
    # Three on connections, and two in the legend.
    assert text.count('class="edge-sign"') == 5
    assert ">connection only in A<" in text
    assert ">dotted: connection only in B<" in text


def test_a_click_goes_to_what_only_b_has(page: Path, open_again: Callable[..., Viewer]) -> None:
    viewer = _open(open_again, page, {**VIEW, "pin": "trial=two&step=1"})
    comparison = viewer.element("graph-comparison")
    comparison.locator("summary").click()
    comparison.get_by_role("button", name="norm 2", exact=True).click()
    viewer.wait_until_shown({"trial": "two", "step": 1, "node": "norm 2"})
    # What was A is B now.
    expect(comparison.locator("summary")).to_contain_text("2 tensors only in A, 1 only in B")
    assert "trial=one" in viewer.link(until="pin=trial%3Done")["pin"]
    viewer.page.go_back()
    viewer.wait_until_shown({"trial": "one", "step": 0, "node": "h"})


def test_a_table_has_all_trials_by_a_statistic_and_one_of_them_becomes_b(page: Path, open_again: Callable[..., Viewer]) -> None:
    viewer = open_again(page, {**VIEW, "pane": "compare"})
    rows = viewer.element("trial-value")
    read = "rows => rows.map((row) => [...row.cells].map((cell) => cell.textContent))"
    # In the order of the selector: h has the means 4, 4 and 5.
    expect(rows).to_have_count(3)
    expect(rows.nth(2)).to_contain_text("5")
    assert rows.evaluate_all(read) == [["one", "0", "4", "A"], ["three", "0", "4", "Compare"], ["two", "0", "5", "Compare"]]
    viewer.element("sort-trials-value").click()
    viewer.element("sort-trials-value").click()
    expect(rows.first).to_contain_text("two")
    rows.first.get_by_test_id("compare-trial").click()
    expect(viewer.element("compare-b")).to_have_text("B two, step 0")
    expect(viewer.element("kinds-summary")).to_have_text("3 differences in structure: node (3).")
    assert rows.evaluate_all(read) == [["two", "0", "5", "B"], ["one", "0", "4", "A"], ["three", "0", "4", "Compare"]]
    # The link shows the trial itself, and B stays.
    rows.nth(2).get_by_role("link").click()
    viewer.wait_until_shown({"trial": "three", "step": 0, "node": "h"})
    expect(viewer.element("compare-a")).to_have_text("A three, step 0")
    expect(viewer.element("compare-b")).to_have_text("B two, step 0")


def test_equal_graphs_are_said_to_be_so(page: Path, open_again: Callable[..., Viewer]) -> None:
    viewer = _open(open_again, page, {**VIEW, "pin": "trial=one&step=1"})
    expect(viewer.element("graph-comparison")).to_have_text("The graphs of A and B are equal.")
    expect(viewer.element("legend-only-in-a")).to_have_count(0)
    viewer.go({**VIEW, "pin": "trial=one&step=77"})
    expect(viewer.element("graph-comparison")).to_have_text("B has no graph to compare with.")
    viewer.go(VIEW)
    expect(viewer.element("graph-comparison")).to_have_count(0)


def test_nodes_are_colored_by_how_much_a_differs_from_b(page: Path, open_again: Callable[..., Viewer]) -> None:
    viewer = _open(open_again, page, {**VIEW, "pin": "trial=two&step=0"})
    viewer.element("graph-color").select_option("mean,difference")
    # x is the same; h goes from 4 to 5, a fifth of the larger; loss from -2 to 2, twice the larger; dropout is in A only.
    scale = viewer.element("color-scale")
    expect(scale).to_have_text("A \u2212 B\u2212200 %+200 %")
    expect(viewer.element("color-signs")).to_have_text("1 the same (=) \u00b7 hatched: 1 node without a number")
    fills = viewer.page.evaluate(
        "() => { const { cy } = document.querySelector('[data-testid=graph]')._cyreg;"
        " return Object.fromEntries(cy.nodes().map((node) => [node.data('label'), node.data('fill')])); }"
    )
    assert (fills["x"], fills["loss"], fills["dropout"]) == ("rgb(238, 238, 238)", "rgb(5, 71, 138)", "")
    # 0.2 / 2 is a tenth of the way from the middle to the end, so a fifth of that from grey to light blue.
    assert fills["h"] == f"rgb({round(238 - 147 * 0.2)}, {round(238 - 83 * 0.2)}, {round(238 - 30 * 0.2)})"
    viewer.hover_node("h")
    expect(viewer.element("graph-tooltip")).to_contain_text("mean, A \u2212 B: \u221220 %")
    assert viewer.link(until="color=")["color"] == "mean,difference"
    # Without B there is no difference.
    viewer.go({**VIEW, "color": "mean,difference"})
    expect(viewer.element("graph-color")).to_have_value("")
    expect(viewer.element("graph-color").locator("optgroup")).to_have_count(0)


def test_no_violation_where_graphs_differ(page: Path, open_again: Callable[..., Viewer]) -> None:
    viewer = open_again(page, {**VIEW, "pin": "trial=two&step=0"})
    viewer.element("graph-comparison").locator("summary").click()
    expect(viewer.element("graph-comparison").get_by_role("heading").first).to_be_visible()
    assert violations_in_all_colors(viewer.page) == []
