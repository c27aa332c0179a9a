"""How long a page that is open takes to show newer data: from its arrival until the frame with it in every panel that is in sight."""

from __future__ import annotations

from pathlib import Path
from statistics import median

from playwright.sync_api import Browser

from benchmarks.harness.browser import MISSING, open_browser, open_bundle
from benchmarks.harness.frames import Frame, traced_frames
from benchmarks.harness.pinned_modules import IN_SIGHT, OPEN, PICTURES, TENSORS, PinnedTraining, watched
from benchmarks.harness.table import Row
from benchmarks.harness.workload import Workload
from comgra_export import export

__all__ = ["HEADING", "measure"]

HEADING = "Newer data in Chromium, in a folder that is built again, while panels of four modules are open"

_NAME = "from its arrival until the panels show it"
_AT_MOST = 50.0
_STEPS = 80
_MORE_STEPS = 5
_BUILDS = 8
# Milliseconds that a reader looks at the panels before anything arrives.
_LOOKING = 3000

# Data has arrived when the page has been told of its generation.
_PREPARE = """
() => {
  const tell = window.__comgraVersion;
  let known = null;
  window.__comgraVersion = (generation, digest) => {
    if (known !== null && known !== generation) {
      performance.mark("act");
    }
    known = generation;
    tell(generation, digest);
  };
}
"""

_AWAIT = """
([pictures, wanted]) => {
  const inSight = IN_SIGHT;
  const isDone = () => {
    const { plots, seen, drawn, steps } = inSight();
    return plots === pictures && drawn === seen && steps === wanted;
  };
  window.shown = new Promise((resolve, reject) => {
    setTimeout(() => reject(new Error(JSON.stringify(inSight()))), 30000);
    const observer = new MutationObserver(() => {
      if (isDone()) {
        performance.mark("done");
        observer.disconnect();
        setTimeout(() => resolve(inSight().seen), 300);
      }
    });
    observer.observe(document.body, { subtree: true, childList: true, attributes: true });
  });
}
""".replace("IN_SIGHT", IN_SIGHT)


def measure(workload: Workload) -> list[Row]:
    """Record, build the page and look at it in turn."""
    builds = 2 if workload.quick else _BUILDS
    with open_browser() as browser:
        if browser is None:
            return [Row(_NAME, [], "ms", MISSING, _AT_MOST)]
        frames, seen = _frames(browser, workload.folder, builds)
    work, processor = (median(times) for times in zip(*((frame.work, frame.processor) for frame in frames), strict=True))
    steps = f"{_MORE_STEPS} steps more than {_STEPS} to {_STEPS + (builds - 1) * _MORE_STEPS}"
    busy = f"the main thread was busy for {work:.0f} ms, {processor:.0f} ms of a processor"
    remark = f"{steps}; all {seen} pictures in sight of {PICTURES}; {busy}"
    return [Row(_NAME, [frame.elapsed for frame in frames], "ms", remark, _AT_MOST)]


def _frames(browser: Browser, folder: Path, builds: int) -> tuple[list[Frame], int]:
    """A frame for every build but the first, and how many pictures are in sight."""
    training = PinnedTraining()
    root = folder / "live"
    with watched(training, root) as recorder:

        def build(steps: int) -> Path:
            training.train(steps)
            recorder.flush()
            return export(root, folder / "live-page", live=True, force=True).path / "index.html"

        page = open_bundle(browser, build(_STEPS), TENSORS)
        page.evaluate(_PREPARE)
        page.evaluate("(address) => { location.hash = address; }", OPEN)
        page.locator(".panels .history canvas").first.wait_for()
        page.wait_for_timeout(_LOOKING)
        seen: list[int] = []

        def act() -> None:
            for k in range(1, builds + 1):
                page.evaluate(_AWAIT, [PICTURES, _STEPS + k * _MORE_STEPS])
                build(_MORE_STEPS)
                seen.append(page.evaluate("() => window.shown"))

        frames = traced_frames(browser, page, act)
        page.close()
    return frames, max(seen)
