"""Whether the memory of a page stays bounded while a reader walks through more steps than it keeps."""

from __future__ import annotations

from playwright.sync_api import Page

from benchmarks.harness.browser import MISSING, open_browser, open_bundle
from benchmarks.harness.synthetic_recordings import exported
from benchmarks.harness.table import Row
from benchmarks.harness.workload import Workload

__all__ = ["HEADING", "measure"]

HEADING = "Walking through 2,000 steps with 1 GB of values in Chromium"

_MEMORY = "memory of the page at most"
_STEP = "from one step to the next"

# As CACHE_BYTES in static/src/data/arrays/chunks.ts, and a fifth.
_TARGET = 256 * 1024 * 1024 * 1.2

_SAMPLES = 20

# Goes on until the slider and the table have arrived at the step.
_WALK = """
async (steps) => {
  const begin = performance.now();
  const isLoading = () => document.querySelector("[data-testid=values-table]").textContent.includes("\\u2026");
  for (let k = 0; k < steps; k++) {
    document.querySelector("[data-testid=next-step]").click();
    // What a click changes is in the document one frame later.
    do {
      await new Promise((resolve) => requestAnimationFrame(resolve));
    } while (isLoading() || document.querySelector(".work.loading, [aria-busy=true]") !== null);
  }
  return (performance.now() - begin) / steps;
}
"""


def measure(workload: Workload) -> list[Row]:
    """Walk from the first step to the last, and look at the memory twenty times on the way."""
    page_path = exported(workload, "1 GB", "1-gb")
    with open_browser() as browser:
        if browser is None:
            return [Row(_MEMORY, [], "MB", MISSING), Row(_STEP, [], "ms", MISSING)]
        page = open_bundle(browser, page_path)
        steps = len(list((page_path.parent / "data").iterdir()))
        held: list[float] = []
        times: list[float] = []
        for _ in range(_SAMPLES):
            times.append(page.evaluate(_WALK, max(1, (steps - 1) // _SAMPLES)))
            held.append(_held(page))
        page.close()
    remark = f"script objects and array buffers after collecting garbage; {held[0] / 1e6:.0f} MB after the first {steps // _SAMPLES} steps"
    return [Row(_MEMORY, [max(held) / 1e6], "MB", remark, _TARGET / 1e6), Row(_STEP, times, "ms", "with loading and decoding")]


def _held(page: Page) -> float:
    session = page.context.new_cdp_session(page)
    session.send("HeapProfiler.collectGarbage")
    usage = session.send("Runtime.getHeapUsage")
    session.detach()
    return float(usage["usedSize"] + usage["embedderHeapUsedSize"] + usage["backingStorageSize"])
