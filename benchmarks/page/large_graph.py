"""How long a reader waits in a dependency graph of 20,000 nodes: until it is there, and after each change."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from statistics import median

import numpy as np
from playwright.sync_api import Browser

from benchmarks.harness.browser import MISSING, TENSORS, open_browser, open_bundle
from benchmarks.harness.table import Row
from benchmarks.harness.workload import Workload
from comgra_export import export
from comgra_export.storage import (
    Blob,
    Group,
    Header,
    Layout,
    RecordedSamples,
    RecordingWriter,
    ShownTensor,
    StepDescription,
    Structure,
    TensorEntry,
    TensorType,
)

__all__ = ["BLOCKS", "HEADING", "LAYERS", "NODES", "measure", "node_names", "write_recording"]

HEADING = "A dependency graph of 20,000 nodes and 25,000 edges in Chromium"

NODES = 20_000
_EDGES = 25_000
LAYERS = {"encoder": 13, "decoder": 12}
BLOCKS = 20
_HEADS = 8
_TYPES: dict[str, TensorType] = {"input": "input", "target": "target", "loss": "loss"}
_PARAMETERS = ("norm.weight", "norm.bias", "mlp.up.weight", "mlp.down.weight")
_TARGET_OPENING = 1000.0
_TARGET = 50.0
_START = "#v=1&node=encoder.layer3.block3.head5.q"

# When the first frame with the graph has been handed to the screen, since the page was asked for.
_WATCH_OPENING = """
const waitForFrame = () => {
  const graph = document.querySelector("[data-testid=graph]");
  if (Number(graph?.dataset.shownNodeCount) > 0) {
    requestAnimationFrame(() => { window.graphPainted = performance.now(); });
  } else {
    requestAnimationFrame(waitForFrame);
  }
};
requestAnimationFrame(waitForFrame);
"""

# As in `selector_change`: how long until what the graph says has changed, and until the end of the frame that shows it.
_CHANGE = """
async () => {
  const graph = document.querySelector("[data-testid=graph]");
  const said = () => JSON.stringify(graph.dataset) + document.querySelector(".graph-options").textContent;
  const turn = () => new Promise((resolve) => {
    const channel = new MessageChannel();
    channel.port1.onmessage = resolve;
    channel.port2.postMessage(0);
  });
  const before = said();
  const start = performance.now();
  ACT;
  while (said() === before && performance.now() - start < 5000) {
    await turn();
  }
  const computed = performance.now() - start;
  await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  return [computed, performance.now() - start];
}
"""
_CLICK = "document.querySelector('[data-testid={}]').click()"
_PRESS = "document.body.dispatchEvent(new KeyboardEvent('keydown', {{ key: '{}', bubbles: true }}))"
_FIND = """
const field = document.querySelector("[data-testid=node-search]");
field.value = "{}";
field.dispatchEvent(new Event("input", {{ bubbles: true }}));
setTimeout(() => field.form.requestSubmit(), 0);
"""
_TRACE = """
const list = document.querySelector("[data-testid=graph-trace]");
list.value = "{}";
list.dispatchEvent(new Event("change", {{ bubbles: true }}));
"""

# What is measured, and how it is undone.
_CHANGES = {
    "expand a group of 800 nodes": (_CLICK.format("unfold"), _CLICK.format("fold")),
    "find a node by name": (_FIND.format("decoder.layer7.block11.head2.scores"), _FIND.format("encoder.layer3.block3.head5.q")),
    "select the next node": (_PRESS.format("ArrowRight"), _PRESS.format("ArrowLeft")),
    "trace ancestors and descendants": (_TRACE.format("both"), _TRACE.format("")),
}


def measure(workload: Workload) -> list[Row]:
    """Open the graph collapsed, then change it in several ways."""
    folder = workload.folder / "large_graph"
    rounds = 1 if workload.quick else 7
    with open_browser() as browser:
        if browser is None:
            return [Row(name, [], "ms", MISSING) for name in ("open it, collapsed", *_CHANGES)]
        bundle = export(write_recording(folder), folder / "graph.html", force=True)
        opened = [_open(browser, bundle.path) for _ in range(rounds)]
        remark = f"until its first frame; page of {bundle.path.stat().st_size / 1e6:.1f} MB"
        return [Row("open it, collapsed", opened, "ms", remark, _TARGET_OPENING), *_measure_changes(browser, bundle.path, rounds)]


def _open(browser: Browser, page_path: Path) -> float:
    page = browser.new_page()
    page.add_init_script(_WATCH_OPENING)
    page.goto(page_path.resolve().as_uri() + TENSORS, wait_until="commit")
    painted: float = page.wait_for_function("() => window.graphPainted").json_value()
    page.close()
    return painted


def _measure_changes(browser: Browser, page_path: Path, rounds: int) -> list[Row]:
    page = open_bundle(browser, page_path, _START)
    rows = []
    for name, (change, undo) in _CHANGES.items():
        times = []
        for _ in range(rounds):
            times.append(page.evaluate(_CHANGE.replace("ACT", change)))
            page.evaluate(_CHANGE.replace("ACT", undo))
        computed, painted = zip(*times, strict=True)
        rows.append(Row(name, painted, "ms", f"to the end of its frame; {median(computed):.0f} ms in the document", _TARGET))
    page.close()
    return rows


def write_recording(root: Path) -> Path:
    """Write one step of a network of layers and blocks, named as `encoder.layer12.block3.head5.q`; return the trial's folder.

    The calculated tensors form one long chain through all blocks. Parameters lead into it. Edges past a block are added until there are
    as many as promised.
    """
    names = node_names()
    position = {name: k for k, name in enumerate(names)}
    types = [_type_of(name) for name in names]
    chain = [k for k, kind in enumerate(types) if kind in ("input", "calculated", "loss")]
    edges = list(pairwise(chain))
    edges += [(k, position[_user_of(name)]) for k, name in enumerate(names) if types[k] == "parameter"]
    edges.append((position["target"], position["loss"]))
    edges += [(chain[k], chain[k + 41]) for k in range(_EDGES - len(edges))]

    folder = root / "large_graph" / "network" / "rank-0"
    writer = RecordingWriter(folder, Header("large_graph", "network"))
    typed = list(zip(names, types, strict=True))
    tensors = tuple(
        TensorEntry(
            name, 0, node=name, role=name, type=kind, kind="kpis", dtype="F32", stored="F32", shape=(2, 3), batch_dimension=0, samples=0
        )
        for name, kind in typed
    )
    layout = writer.write_layout(Layout(tensors, (Group("forward", tuple(range(len(tensors)))),)))
    shown = tuple(ShownTensor(name, name, name, kind, name, 0) for name, kind in typed)
    graph = writer.write_structure(Structure(shown, tuple(sorted(edges))))
    blobs = [
        ("counts", Blob("I32", np.zeros((len(names), 5), np.int32))),
        ("extrema.F32", Blob("F32", np.zeros((len(names), 2), np.float32))),
        ("statistics.F32", Blob("F32", np.repeat(np.arange(len(names)), 4 * 3).astype(np.float32))),
    ]
    writer.write_step(StepDescription(0, "main", 2, layout, (graph,), RecordedSamples(())), blobs)
    writer.close()
    return folder.parent


def node_names() -> list[str]:
    """Names in the order of computing; every block has 40, the last one three fewer, for the input, the target and the loss."""
    inner = ["norm", *(f"head{head}.{part}" for head in range(_HEADS) for part in ("q", "k", "v", "scores")), "mlp.up", "mlp.down", "out"]
    blocks = [f"{stack}.layer{layer}.block{block}." for stack, count in LAYERS.items() for layer in range(count) for block in range(BLOCKS)]
    names = ["input", *(block + name for block in blocks for name in (*inner, *_PARAMETERS))]
    return [*names[: NODES - 2], "target", "loss"]


def _type_of(name: str) -> TensorType:
    return "parameter" if name.endswith(_PARAMETERS) else _TYPES.get(name, "calculated")


def _user_of(parameter: str) -> str:
    """What a parameter is used for: the module that it belongs to."""
    return parameter.rpartition(".")[0]
