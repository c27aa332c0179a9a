"""A graph that fits into the view is opened whole, and all of its names can be read."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from torch import nn

import comgra_export
from comgra_export import ComgraRecorder, DecisionMakerForRecordingsHardcoded
from support.browser.viewer import Viewer, fragment, soon

# Below that, in pixels, names are written over the nodes.
SMALLEST_NAME = 11
# Below that, there is no room for them on close nodes.
SMALLEST_CLOSE = 9
# For every node: whether its name and the badge before it have room in it, and whether it is in view.
MEASURE = """() => {
  const graph = document.querySelector("[data-testid=graph]"), { cy } = graph._cyreg;
  const probe = document.createElement("canvas").getContext("2d");
  probe.font = "13px system-ui, sans-serif";
  const outside = cy.nodes().filter((node) => {
    const { x, y } = node.renderedPosition(), [width, height] = [node.renderedWidth(), node.renderedHeight()];
    return x - width / 2 < 0 || x + width / 2 > graph.clientWidth || y - height / 2 < 0 || y + height / 2 > graph.clientHeight;
  });
  const crowded = cy.nodes().filter((node) => probe.measureText(node.data("label")).width + node.data("badgeWidth") > node.width());
  const names = (nodes) => nodes.map((node) => node.data("label"));
  return { size: 13 * cy.zoom(), outside: names(outside), crowded: names(crowded), count: cy.nodes().length };
}"""

# How many colors there are inside a node where the library draws, beside the badge: the name, if it is there, has others than the node.
COLORS_OF_NODE = """(label) => {
  const graph = document.querySelector("[data-testid=graph]");
  const [node] = graph._cyreg.cy.nodes().filter((node) => node.data("label") === label);
  const canvas = graph.querySelector("[data-id=layer2-node]"), ratio = canvas.width / canvas.clientWidth;
  const { x, y } = node.renderedPosition(), [width, height] = [node.renderedWidth() - 8, node.renderedHeight() - 8];
  const box = [x - width / 2, y - height / 2, width, height].map((length) => Math.round(length * ratio));
  const copy = document.createElement("canvas").getContext("2d");
  Object.assign(copy.canvas, { width: box[2], height: box[3] });
  copy.drawImage(canvas, ...box, 0, 0, box[2], box[3]);
  return new Set(new Uint32Array(copy.getImageData(0, 0, box[2], box[3]).data.buffer)).size;
}"""


def _recorder(folder: Path, trial: str, **options: object) -> ComgraRecorder:
    return ComgraRecorder(folder, "group", trial, DecisionMakerForRecordingsHardcoded({0}), **options)  # type: ignore[arg-type]


def _record_tower(folder: Path) -> None:
    """Twelve parameters in one column."""
    recorder = _recorder(folder, "tower")
    net = nn.Sequential(*(nn.Linear(3, 3) for _ in range(6)))
    recorder.track_module("network", net)
    with recorder.batch(0, 2), recorder.iteration():
        x = torch.rand(2, 3)
        recorder.register_tensor("x", x, is_input=True)
        recorder.register_tensor("loss", net(x).mean(), is_loss=True)
    recorder.finalize()


def _record_chain(folder: Path, trial: str, parts: list[str]) -> None:
    """With three parts, eight columns: as many and as wide as those of the tutorial."""
    recorder = _recorder(folder, trial, prefixes_for_grouping_module_parameters_visually=[f"network.{part}" for part in parts])
    net = nn.ModuleDict({part: nn.ModuleDict({"layer_1": nn.Linear(3, 3), "layer_2": nn.Linear(3, 3)}) for part in parts})
    recorder.track_module("network", net)
    with recorder.batch(0, 2), recorder.iteration():
        x = torch.rand(2, 3)
        recorder.register_tensor("input", x, is_input=True)
        for part in parts:
            for layer in net[part].values():  # type: ignore[operator]
                x = layer(x)
            recorder.register_tensor(f"{part}__out", x)
        recorder.register_tensor("output", torch.sigmoid(x))
    recorder.finalize()


# The names that are painted over nodes that are small on the screen, and how wide both are; and how many names are whole.
READ_PAINTED = """() => {
  const { cy } = document.querySelector("[data-testid=graph]")._cyreg, painted = [];
  const { fillText } = CanvasRenderingContext2D.prototype;
  CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {
    if (this.canvas.matches(".graph-overlay") && this.getTransform().a === devicePixelRatio) {
      painted.push({ text, x, y, wide: this.measureText(text).width });
    }
    return fillText.call(this, text, x, y);
  };
  cy.emit("render");
  CanvasRenderingContext2D.prototype.fillText = fillText;
  const over = painted.map((name) => [name, cy.nodes().filter((node) => {
    const { x, y } = node.renderedPosition();
    // Beside the badge, a name is right of the middle.
    return Math.abs(x - name.x) < node.renderedWidth() / 2 && Math.abs(y - name.y) < node.renderedHeight() / 2;
  })[0]]).filter(([, node]) => node !== undefined);
  const labels = new Set(cy.nodes().map((node) => node.data("label")));
  return {
    size: 13 * cy.zoom(),
    count: cy.nodes().length,
    whole: painted.filter(({ text }) => labels.has(text)).length,
    excess: over.map(([{ text, wide }, node]) => [text, wide - node.renderedWidth()]).filter(([, excess]) => excess > 1),
  };
}"""

# Texts of the graph and how large they are on the screen: those that the library draws, and those that are painted over it.
READ_TEXTS = """() => new Promise((resolve) => {
  const graph = document.querySelector("[data-testid=graph]"), { cy } = graph._cyreg, texts = new Map();
  const { fillText } = CanvasRenderingContext2D.prototype;
  CanvasRenderingContext2D.prototype.fillText = function (text, ...place) {
    if (this.canvas.matches(".graph-overlay")) {
      texts.set(text, parseFloat(this.font.match(/([0-9.]+)px/)[1]) * this.getTransform().d / devicePixelRatio);
    }
    return fillText.call(this, text, ...place);
  };
  document.querySelector("[data-testid=zoom-fit]").click();
  setTimeout(() => {
    CanvasRenderingContext2D.prototype.fillText = fillText;
    for (const node of cy.nodes()) {
      if (node.style("label") !== "" && Number(node.style("text-opacity")) > 0) {
        texts.set(node.data("label"), parseFloat(node.style("font-size")) * cy.zoom());
      }
    }
    resolve([...texts]);
  }, 300);
})"""


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of all three."""
    folder = tmp_path_factory.mktemp("fitting")
    _record_tower(folder)
    _record_chain(folder, "chain", ["subnet_pre", "subnet_out", "subnet_mem"])
    _record_chain(folder, "wide", ["subnet_pre", "subnet_out", "subnet_mem", "subnet_gate"])
    return comgra_export.export(folder / "group", folder / "report.html").path


@pytest.mark.parametrize("width", [1400, 800])
@pytest.mark.parametrize(("trial", "nodes"), [("tower", 14), ("chain", 17)])
def test_all_names_are_on_their_nodes_beside_the_badges(
    trial: str, nodes: int, width: int, page: Path, open_viewer: Callable[..., Viewer]
) -> None:
    viewer = open_viewer(page, fragment({"tab": "tensors", "trial": trial}), viewport={"width": width, "height": 900})
    measured = viewer.page.evaluate(MEASURE)
    assert measured["count"] == nodes
    assert measured["size"] >= SMALLEST_CLOSE
    assert (measured["outside"], measured["crowded"]) == ([], [])


@pytest.mark.parametrize("trial", ["tower", "chain"])
@pytest.mark.parametrize("width", [1440, 1024, 800, 760])
def test_all_letters_can_be_read_when_the_graph_opens(width: int, trial: str, page: Path, open_viewer: Callable[..., Viewer]) -> None:
    viewer = open_viewer(page, fragment({"tab": "tensors", "trial": trial}), viewport={"width": width, "height": 900})
    texts = dict(viewer.page.evaluate(READ_TEXTS))
    # Names, headings, and the letters of the badges.
    assert {"input", "output"} <= texts.keys() if trial == "chain" else {"x", "loss"} <= texts.keys()
    assert {text: size for text, size in texts.items() if size < SMALLEST_NAME - 0.01} == {}
    # No name hides the letter of its kind, and no heading another one.
    assert "P" in texts
    parts = ["subnet_pre.", "subnet_out.", "subnet_mem."] if trial == "chain" else []
    assert [part for part in parts if not any(text.endswith(part) for text in texts)] == []


@pytest.mark.parametrize("trial", ["chain", "wide"])
@pytest.mark.parametrize("width", [1440, 1280, 1024, 900, 800, 760, 390])
def test_no_name_is_wider_than_its_node(width: int, trial: str, page: Path, open_viewer: Callable[..., Viewer]) -> None:
    viewer = open_viewer(page, fragment({"tab": "tensors", "trial": trial}), viewport={"width": width, "height": 800})
    painted = viewer.page.evaluate(READ_PAINTED)
    assert painted["excess"] == []
    # Either the names are on the nodes themselves, large enough, or most of those that are painted over them are whole.
    assert painted["size"] >= SMALLEST_NAME or painted["whole"] >= 0.75 * painted["count"]


@pytest.mark.parametrize("width", [1440, 1024, 390])
def test_a_choice_of_colors_or_of_a_trace_moves_nothing(width: int, page: Path, open_viewer: Callable[..., Viewer]) -> None:
    viewer = open_viewer(page, fragment({"tab": "tensors", "trial": "chain"}), viewport={"width": width, "height": 900})

    def places() -> object:
        viewer.page.wait_for_timeout(200)
        nodes = {name: viewer.node(name)["screen"] for name in ("input", "subnet_out__out", "output")}
        return viewer.element("graph").bounding_box(), viewer.element("pane-table").bounding_box(), nodes

    before = places()
    for key, value in (("color", "abs_mean"), ("color", "abs_mean,log"), ("color", "norm"), ("trace", "both"), ("trace", "ancestors")):
        viewer.go({"tab": "tensors", "trial": "chain", key: value})
        viewer.link(until=f"{key}=")
        assert places() == before, (key, value)


def test_there_is_more_space_where_there_is_room_for_it(page: Path, open_viewer: Callable[..., Viewer]) -> None:
    viewer = open_viewer(page, fragment({"tab": "tensors", "trial": "chain"}), viewport={"width": 800, "height": 900})
    narrow = viewer.node("input")["height"] / viewer.page.evaluate(MEASURE)["size"]
    viewer.page.set_viewport_size({"width": 1800, "height": 900})
    viewer.page.wait_for_function("() => document.querySelector('[data-testid=graph]').clientWidth > 1500")
    wide = soon(lambda: viewer.node("input")["height"] / viewer.page.evaluate(MEASURE)["size"], lambda size: round(size * 13) == 28)
    assert (round(narrow * 13), round(wide * 13)) == (17, 28)
    assert viewer.page.evaluate(MEASURE)["outside"] == []


@pytest.mark.parametrize("ratio", [1, 2])
def test_a_name_that_is_painted_over_a_small_node_is_there_once(ratio: int, page: Path, open_viewer: Callable[..., Viewer]) -> None:
    viewer = open_viewer(page, fragment({"tab": "tensors", "trial": "chain"}), device_scale_factor=ratio)
    assert viewer.page.evaluate(COLORS_OF_NODE, "input") > 1
    colors = []
    is_as_wanted: dict[str, Callable[[int], bool]] = {"Zoom out": lambda count: count == 1, "Zoom in": lambda count: count > 1}
    for button, holds in is_as_wanted.items():
        while (viewer.page.evaluate(MEASURE)["size"] < SMALLEST_NAME) == (button == "Zoom in"):
            viewer.page.get_by_role("button", name=button).click()
        colors.append(soon(lambda: viewer.page.evaluate(COLORS_OF_NODE, "input"), holds))
    smaller, larger = colors
    assert smaller == 1
    assert larger > 1
