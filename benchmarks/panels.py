"""How long a reader waits for the histograms of pinned modules, from the action until the frame with all of them that are in sight."""

from __future__ import annotations

from pathlib import Path
from statistics import median

import torch
from playwright.sync_api import Browser
from torch import nn

from benchmarks.browser import MISSING, open_browser, open_bundle
from benchmarks.frames import Frame, traced_frames
from benchmarks.table import Row
from benchmarks.workload import Workload
from comgra_export import DecisionMakerForRecordingsFrequencyPerType, export, watch

__all__ = ["HEADING", "measure"]

HEADING = "Panels of four modules over 100 steps in Chromium, on a tab that is open: script, style, layout and paint of the whole frame"

_FIRST = "opening them for the first time"
_AGAIN = "opening them again"
_AT_MOST = 50.0
_STEPS = 100
# Milliseconds that a reader looks at the tab before anything is pinned.
_LOOKING = 1500
_PINNED = ("model.0", "model.2", "model.4", "model.6")
# The input, the output, the weight and the bias of each, with their gradients.
_PICTURES = len(_PINNED) * 8

_CLOSED = "#v=1&tab=modules&type=train"
_OPEN = f"{_CLOSED}&panels={','.join(_PINNED)}"

# Places of pictures, how many of them are in sight, and how many of these are drawn.
_IN_SIGHT = """
() => {
  const plots = [...document.querySelectorAll(".panels .history")];
  const seen = plots.filter((plot) => { const { top, bottom } = plot.getBoundingClientRect(); return top < innerHeight && bottom > 0; });
  return { plots: plots.length, seen: seen.length, drawn: seen.filter((plot) => plot.querySelector("canvas") !== null).length };
}
"""

_ACT = """
async ([address, pictures]) => {
  const inSight = IN_SIGHT;
  const isDone = () => { const { plots, seen, drawn } = inSight(); return plots === pictures && drawn === seen; };
  const done = new Promise((resolve, reject) => {
    setTimeout(() => reject(new Error(JSON.stringify(inSight()))), 10000);
    const observer = new MutationObserver(() => {
      if (isDone()) {
        performance.mark("done");
        observer.disconnect();
        resolve();
      }
    });
    observer.observe(document.body, { subtree: true, childList: true });
  });
  performance.mark("act");
  location.hash = address;
  await done;
  const { seen } = inSight();
  await new Promise((resolve) => setTimeout(resolve, 300));
  return seen;
}
""".replace("IN_SIGHT", _IN_SIGHT)


def measure(workload: Workload) -> list[Row]:
    """Pin four modules by an address, in a page that is new and in one that has shown them before."""
    path = export(_record(workload), workload.folder / "panels.html", force=True).path
    with open_browser() as browser:
        if browser is None:
            return [Row(name, [], "ms", MISSING, _AT_MOST) for name in (_FIRST, _AGAIN)]
        rounds = [_frames(browser, path) for _ in range(2 if workload.quick else 8)]
    seen = max(seen for *_, seen in rounds)
    rows = []
    for name, frames in ((_FIRST, [first for first, *_ in rounds]), (_AGAIN, [again for _, again, _ in rounds])):
        processor, elapsed = (median(times) for times in zip(*((frame.processor, frame.elapsed) for frame in frames), strict=True))
        shown = f"all {seen} pictures in sight of {_PICTURES}"
        remark = f"of a processor {processor:.0f} ms; {elapsed:.0f} ms from the action to the frame with {shown}"
        rows.append(Row(name, [frame.work for frame in frames], "ms", remark, _AT_MOST))
    return rows


def _record(workload: Workload) -> Path:
    root = workload.folder / "panels"
    torch.manual_seed(0)
    layers: list[nn.Module] = []
    for _ in range(4):
        layers += [nn.Linear(128, 128), nn.ReLU()]
    net = nn.Sequential(*layers)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
    with watch(net, root, existing_trial="replace", decision_maker_for_recordings=DecisionMakerForRecordingsFrequencyPerType(1)):
        for _ in range(10 if workload.quick else _STEPS):
            optimizer.zero_grad()
            net(torch.randn(64, 128)).square().mean().backward()
            optimizer.step()
    return root


def _frames(browser: Browser, path: Path) -> tuple[Frame, Frame, int]:
    """The frames with the panels for the first time and again, and how many pictures are in sight."""
    page = open_bundle(browser, path, "#v=1&tab=tensors&type=train")
    page.locator("[data-testid=tab-modules]").click()
    page.locator("[data-testid=module-graph] canvas").first.wait_for()
    page.wait_for_timeout(_LOOKING)

    seen: list[int] = []

    def act() -> None:
        seen.append(page.evaluate(_ACT, [_OPEN, _PICTURES]))
        page.evaluate("(address) => { location.hash = address; }", _CLOSED)
        page.locator("[data-testid=history]").first.wait_for(state="detached")
        page.wait_for_timeout(300)
        page.evaluate(_ACT, [_OPEN, _PICTURES])

    first, again = traced_frames(browser, page, act)
    page.close()
    return first, again, max(seen)
