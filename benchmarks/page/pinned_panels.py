"""How long a reader waits for the histograms of pinned modules, from the action until the frame with all of them that are in sight."""

from __future__ import annotations

from pathlib import Path
from statistics import median

from playwright.sync_api import Browser

from benchmarks.harness.browser import MISSING, open_browser, open_bundle
from benchmarks.harness.frames import Frame, traced_frames
from benchmarks.harness.pinned_modules import CLOSED, IN_SIGHT, OPEN, PICTURES, TENSORS, PinnedTraining, watched
from benchmarks.harness.table import Row
from benchmarks.harness.workload import Workload
from comgra_export import export

__all__ = ["HEADING", "measure"]

HEADING = "Panels of four modules over 100 steps in Chromium, on a tab that is open: script, style, layout and paint of the whole frame"

_FIRST = "opening them for the first time"
_AGAIN = "opening them again"
_AT_MOST = 50.0
_STEPS = 100
# Milliseconds that a reader looks at the tab before anything is pinned.
_LOOKING = 1500

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
""".replace("IN_SIGHT", IN_SIGHT)


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
        shown = f"all {seen} pictures in sight of {PICTURES}"
        remark = f"of a processor {processor:.0f} ms; {elapsed:.0f} ms from the action to the frame with {shown}"
        rows.append(Row(name, [frame.work for frame in frames], "ms", remark, _AT_MOST))
    return rows


def _record(workload: Workload) -> Path:
    root = workload.folder / "panels"
    training = PinnedTraining()
    with watched(training, root):
        training.train(10 if workload.quick else _STEPS)
    return root


def _frames(browser: Browser, path: Path) -> tuple[Frame, Frame, int]:
    """The frames with the panels for the first time and again, and how many pictures are in sight."""
    page = open_bundle(browser, path, TENSORS)
    page.locator("[data-testid=tab-modules]").click()
    page.locator("[data-testid=module-graph] canvas").first.wait_for()
    page.wait_for_timeout(_LOOKING)

    seen: list[int] = []

    def act() -> None:
        seen.append(page.evaluate(_ACT, [OPEN, PICTURES]))
        page.evaluate("(address) => { location.hash = address; }", CLOSED)
        page.locator("[data-testid=history]").first.wait_for(state="detached")
        page.wait_for_timeout(300)
        page.evaluate(_ACT, [OPEN, PICTURES])

    first, again = traced_frames(browser, page, act)
    page.close()
    return first, again, max(seen)
