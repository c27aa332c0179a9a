"""How long a reader waits for the flows of an element, from the click until the frame with them, and how much of the data that loads."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from playwright.sync_api import Browser, Page

from benchmarks.harness.browser import MISSING, open_browser
from benchmarks.harness.frames import Frame, traced_frames
from benchmarks.harness.table import Row
from benchmarks.harness.workload import Workload
from comgra_export import export
from comgra_export.storage import (
    FlowLayer,
    FlowNumbers,
    FlowPair,
    GradientFlow,
    Group,
    Header,
    Layout,
    PairNumbers,
    RecordedSamples,
    RecordingWriter,
    StepDescription,
)

__all__ = ["HEADING", "measure"]

HEADING = "Gradient flow in Chromium: from the click on an element to the end of the frame with its flows, in a folder"

_DENSE = "1,048,576 flows, 32 x 32 to 32 x 32: selecting"
_SPARSE = "4,000,000 flows, 64 x 56 x 56 to 64 x 56 x 56: selecting"
_CHUNKS = f"{_SPARSE}, chunks loaded"
_ALL_CHUNKS = f"{_SPARSE}, chunks there are"
_AT_MOST = 100.0
_FEW = 40.0
_MOST_FLOWS = 4_000_000

_PREPARE = """
(selected) => {
  const layers = document.querySelector("[data-testid=flow-layers]");
  window.shown = new Promise((resolve, reject) => {
    setTimeout(() => reject(new Error(`${layers.dataset.selected} is ${layers.dataset.state}`)), 20000);
    const observer = new MutationObserver(() => {
      if (layers.dataset.selected === selected && layers.dataset.state === "ready") {
        performance.mark("done");
        observer.disconnect();
        resolve();
      }
    });
    observer.observe(layers, { attributes: true });
  });
  document.addEventListener("pointerdown", () => performance.mark("act"), { capture: true, once: true });
}
"""


def measure(workload: Workload) -> list[Row]:
    """Click on elements one after another, each for the first time."""
    channels = 4 if workload.quick else 64
    dense, sparse = _dense_flow(8 if workload.quick else 32), _sparse_flow(14 if workload.quick else 56, channels)
    with open_browser() as browser:
        if browser is None:
            return [
                Row(name, [], unit, MISSING)
                for name, unit in ((_DENSE, "ms"), (_SPARSE, "ms"), (_CHUNKS, "chunks"), (_ALL_CHUNKS, "chunks"))
            ]
        count = 2 if workload.quick else 12
        frames, _, _ = _select(browser, _page(workload, "dense", dense), 0, count)
        others, loaded, there = _select(browser, _page(workload, "sparse", sparse), channels, count)
    return [
        Row(_DENSE, [frame.elapsed for frame in frames], "ms", _remark(frames), _AT_MOST),
        Row(_SPARSE, [frame.elapsed for frame in others], "ms", _remark(others)),
        Row(_CHUNKS, loaded, "chunks", "of 256 KiB each", _FEW),
        Row(_ALL_CHUNKS, [there], "chunks"),
    ]


def _remark(frames: Sequence[Frame]) -> str:
    return f"the main thread was busy for {np.median([frame.work for frame in frames]):.0f} ms of that"


def _page(workload: Workload, name: str, flow: tuple[GradientFlow, FlowNumbers]) -> Path:
    root = workload.folder / f"flow_{name}"
    writer = RecordingWriter(root / "group" / name / "rank-0", Header("group", name))
    layout = writer.write_layout(Layout((), (Group("forward", ()),)))
    writer.write_step(StepDescription(0, "train", 1, layout, (), RecordedSamples(()), flows=(flow[0],)), [], [flow[1]])
    writer.close()
    return export(root, workload.folder / f"flow_{name}_page", force=True).path / "index.html"


def _select(browser: Browser, path: Path, channels: int, count: int) -> tuple[list[Frame], list[float], float]:
    """The frame of every click, each in another one of the channels, how many chunks each loaded, and how many there are."""
    page = browser.new_page(viewport={"width": 1400, "height": 1000})
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    page.goto(f"{path.resolve().as_uri()}#v=1&tab=flow")
    page.locator("[data-testid=flow-layers][data-state=ready]").wait_for()
    page.locator("[data-testid=flow-heat]").first.scroll_into_view_if_needed()
    page.wait_for_timeout(1000)
    loaded: list[float] = []

    def act() -> None:
        for k in range(count):
            if channels:
                page.evaluate("(channel) => { location.hash = `v=1&tab=flow&layers=${channel}`; }", k * channels // count)
            page.wait_for_timeout(500)
            before = len(requests)
            _click(page, 2 * k + 1)
            loaded.append(len(requests) - before)

    frames = traced_frames(browser, page, act)
    page.close()
    return frames, loaded, len(list((path.parent / "data").iterdir()))


def _click(page: Page, place: int) -> None:
    """Clicks a cell that was neither clicked nor pointed at before, along a diagonal of the channel that is shown."""
    cells = page.locator("[data-testid=flow-heat]").first
    box = cells.bounding_box()
    assert box is not None
    width, height = (float(cells.get_attribute(f"data-cell-{side}") or 0) for side in ("width", "height"))
    layers = page.evaluate("() => new URLSearchParams(location.hash.slice(1)).get('layers')")
    page.evaluate(_PREPARE, f"0:{'' if layers is None else f'{layers},'}{place},{place}")
    page.mouse.move(box["x"] + (place + 0.5) * width, box["y"] + (place + 0.5) * height)
    page.mouse.down()
    page.mouse.up()
    page.evaluate("() => window.shown")
    page.wait_for_timeout(300)


def _dense_flow(side: int) -> tuple[GradientFlow, FlowNumbers]:
    size = side * side
    flows = np.random.default_rng(0).normal(size=(size, size)).astype(np.float32)
    targets = np.tile(np.arange(size, dtype=np.int32), size)
    pair = PairNumbers(np.arange(0, size * size + 1, size), targets, flows.reshape(-1))
    return _flow((side, side), pair, flows.sum(axis=1))


def _sparse_flow(side: int, channels: int) -> tuple[GradientFlow, FlowNumbers]:
    """A 3 x 3 convolution, of which the flows into as many targets are known as there may be."""
    generator = np.random.default_rng(0)
    size = channels * side * side
    count = min(size, _MOST_FLOWS // (9 * channels))
    targets = generator.choice(size, count, replace=False)
    rows, columns = targets % (side * side) // side, targets % side
    found: list[NDArray[np.int64]] = []
    for down in (-1, 0, 1):
        for right in (-1, 0, 1):
            r, c = rows + down, columns + right
            inside = (r >= 0) & (r < side) & (c >= 0) & (c < side)
            for channel in range(channels):
                found.append(np.stack([channel * side * side + r * side + c, targets])[:, inside])
    sources, ends = np.concatenate(found, axis=1)
    order = np.lexsort((ends, sources))
    starts = np.zeros(size + 1, np.int64)
    np.cumsum(np.bincount(sources, minlength=size), out=starts[1:])
    flows = generator.normal(size=len(order)).astype(np.float32)
    computed = np.zeros((1, size), np.uint8)
    computed[0, targets] = 1
    pair = PairNumbers(starts, ends[order].astype(np.int32), flows, computed)
    return _flow((channels, side, side), pair, np.bincount(sources[order], flows, size).astype(np.float32))


def _flow(shape: tuple[int, ...], pair: PairNumbers, gradients: NDArray[np.float32]) -> tuple[GradientFlow, FlowNumbers]:
    flow = GradientFlow("gradient flow", 0, "exact", (), (FlowLayer("a", shape), FlowLayer("b", shape)), (FlowPair(0, 1),))
    return flow, FlowNumbers((None, None), (gradients[None, :], gradients[None, ::-1].copy()), (pair,))
