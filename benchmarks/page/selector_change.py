"""How long a reader waits after changing a selector: from the click until the frame with the new values is handed to the screen."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

import torch
from playwright.sync_api import Browser, Page

from benchmarks.harness.browser import MISSING, open_browser, open_bundle
from benchmarks.harness.frames import Frame, traced_frames
from benchmarks.harness.synthetic_recordings import exported
from benchmarks.harness.table import Row
from benchmarks.harness.workload import Workload
from comgra_export import export

__all__ = ["HEADING", "measure"]

HEADING = "Changing a selector in Chromium: script, style, layout and paint of the whole frame"

_SELECTORS = {"sample, chunk loaded": "aggregation", "iteration, chunk loaded": "iteration", "step, chunk perhaps read ahead": "step"}
_FAR = "step, chunk of 1 MB not loaded"
_FRAME = 16.0
_WAIT = 80.0

_START = "#v=1&type=10_iterations"

# On the timeline, this key goes ten steps on; steps that are so far apart are not read ahead.
_FAR_KEY = "PageUp"

# The table is complete when no dot stands for a value that is not loaded. Afterwards the page has time to read ahead.
_CHANGE = """
async ([selector, key]) => {
  const table = document.querySelector("[data-testid=values-table]");
  const before = table.textContent;
  const done = new Promise((resolve, reject) => {
    setTimeout(() => reject(new Error("The values have not changed.")), 10000);
    const observer = new MutationObserver(() => {
      if (table.textContent !== before && !table.textContent.includes("\\u2026")) {
        performance.mark("done");
        observer.disconnect();
        resolve();
      }
    });
    observer.observe(table, { subtree: true, childList: true, characterData: true });
  });
  performance.mark("act");
  if (key === null) {
    document.querySelector(`[data-testid=next-${selector}]`).click();
  } else {
    document.querySelector(`[data-testid=select-${selector}]`).dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
  }
  await done;
  await new Promise((resolve) => setTimeout(resolve, 300));
}
"""


def measure(workload: Workload) -> list[Row]:
    """Change each selector several times."""
    # A quick run's recording has two steps of a type: one change.
    changes = 1 if workload.quick else 6
    with open_browser() as browser:
        if browser is None:
            return [Row(name, [], "ms", MISSING) for name in (*_SELECTORS, _FAR)]
        bundle = export(workload.recording(torch.float32), workload.folder / "selected.html", force=True)
        far = exported(workload, "steps of 1 MB", "steps-of-1-mb")
        rows = []
        for name, selector in _SELECTORS.items():
            frames = _frames(browser, open_bundle(browser, bundle.path, _START), [(selector, None)] * changes)
            waited, processor = (median(times) for times in zip(*((frame.elapsed, frame.processor) for frame in frames), strict=True))
            remark = f"of a processor {processor:.1f} ms; {waited:.0f} ms with waiting for the next frame"
            rows.append(Row(name, [frame.work for frame in frames], "ms", remark, _FRAME))
        frames = _frames(browser, open_bundle(browser, far), [("step", _FAR_KEY)] * changes)
        remark = f"from the click to the frame, of which {median(frame.work for frame in frames):.0f} ms are work of the page"
        return [*rows, Row(_FAR, [frame.elapsed for frame in frames], "ms", remark, _WAIT)]


def _frames(browser: Browser, page: Page, changes: Sequence[tuple[str, str | None]]) -> list[Frame]:
    """The first change warms up."""

    def act() -> None:
        for change in changes:
            page.evaluate(_CHANGE, change)

    page.wait_for_timeout(500)
    frames = traced_frames(browser, page, act)
    page.close()
    return frames[1:] if len(frames) > 1 else frames
