"""How long a reader waits after changing a selector: from the click to the frame in which the new values are painted."""

from __future__ import annotations

from statistics import median

import torch

from benchmarks.browser import MISSING, open_browser, open_bundle
from benchmarks.table import Row
from benchmarks.workload import Workload
from comgra_export import export

__all__ = ["HEADING", "measure"]

HEADING = "Changing a selector in Chromium"

_SELECTORS = {"sample, chunk loaded": "aggregation", "iteration, chunk loaded": "iteration", "step, chunk perhaps read ahead": "step"}

_START = "#v=1&type=10_iterations"

# Script: how long the page computes until the values in the document have changed. Painted: until the second frame after the click
# begins, which is when the first one with the new values has been handed to the screen; one frame at 60 per second is 16.7 ms of that.
_CLICK = """
async (selector) => {
  const summary = document.querySelector("[data-testid=summary]");
  const before = summary.parentElement.textContent;
  const start = performance.now();
  document.querySelector(`[data-testid=next-${selector}]`).click();
  const settled = () => summary.parentElement.textContent !== before && !summary.parentElement.textContent.includes("\\u2026");
  while (!settled() && performance.now() - start < 5000) {
    await new Promise((resolve) => {
      const channel = new MessageChannel();
      channel.port1.onmessage = resolve;
      channel.port2.postMessage(0);
    });
  }
  const computed = performance.now() - start;
  await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  return [computed, performance.now() - start];
}
"""


def measure(workload: Workload) -> list[Row]:
    """Click the next button of each selector several times."""
    bundle = export(workload.recording(torch.float32), workload.folder / "selected.html", force=True)
    with open_browser() as browser:
        if browser is None:
            return [Row(name, [], "ms", MISSING) for name in _SELECTORS]
        rows = []
        for name, selector in _SELECTORS.items():
            page = open_bundle(browser, bundle.path, _START)
            clicks = 1 if workload.quick else 6
            times = [page.evaluate(_CLICK, selector) for _ in range(clicks)]
            page.close()
            computed, painted = zip(*times, strict=True)
            rows.append(Row(name, computed, "ms", f"in the document; {median(painted):.0f} ms to the end of its frame"))
    return rows
