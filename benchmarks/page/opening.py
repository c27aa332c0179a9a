"""How long a reader waits in front of a bundle: from opening it in Chromium to the first values in the table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

import torch
from playwright.sync_api import Browser

from benchmarks.harness.browser import MISSING, open_browser, open_bundle
from benchmarks.harness.synthetic_recordings import exported
from benchmarks.harness.table import Row
from benchmarks.harness.timing import ratios
from benchmarks.harness.workload import Workload
from comgra_export import export

__all__ = ["HEADING", "measure"]

HEADING = "Opening the bundle in Chromium, until the first values are there"

_FILE = "one file"
_FOLDER = "folder"
_SMALL = "folder with 10 MB of values, 20 steps"
_LARGE = "folder with 1 GB of values, 2,000 steps"
_RATIO = f"{_LARGE}: ratio to 10 MB"
_LARGE_FILE = "one file of 100 MB"
_PAINT = f"{_LARGE_FILE}: first paint"
_NAMES = (_FILE, _FOLDER, _SMALL, _LARGE, _RATIO, _LARGE_FILE, _PAINT)
_TARGETS = {_LARGE: 1000.0, _LARGE_FILE: 1500.0}

# Runs in the page before anything else. The first row is a statistic: it has a number with a point once the values are there, and they
# are shown when the frame after the one that is being made begins.
_WATCH = """
const observer = new MutationObserver(() => {
  const first = document.querySelector("[data-testid=values-table] [data-testid=value-row] [data-testid=value]");
  if (first !== null && first.textContent.includes(".")) {
    observer.disconnect();
    requestAnimationFrame(() => requestAnimationFrame(() => (window.firstValues = performance.now())));
  }
});
observer.observe(document, { subtree: true, childList: true, characterData: true });
"""
_READ = """
async () => {
  while (window.firstValues === undefined) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return [performance.getEntriesByName("first-contentful-paint")[0].startTime, window.firstValues];
}
"""


@dataclass(frozen=True)
class _Opened:
    """Milliseconds from the start of the navigation."""

    paint: float
    values: float


def measure(workload: Workload) -> list[Row]:
    """Open them in turn, each time in a fresh page."""
    with open_browser() as browser:
        if browser is None:
            return [Row(name, [], "x" if name == _RATIO else "ms", MISSING) for name in _NAMES]
        pages = {
            _FILE: export(workload.recording(torch.float32), workload.folder / "opened.html", force=True).path,
            _FOLDER: export(workload.recording(torch.float32), workload.folder / "opened", force=True).path / "index.html",
            _SMALL: exported(workload, "10 MB", "10-mb"),
            _LARGE: exported(workload, "1 GB", "1-gb"),
            _LARGE_FILE: exported(workload, "steps of 1 MB", "steps-of-1-mb.html"),
        }
        opened = _open_in_turn(browser, pages, rounds=1 if workload.quick else 7)
    values = {name: [each.values for each in all_of_it] for name, all_of_it in opened.items()}
    rows = {
        name: Row(name, times, "ms", f"page of {pages[name].stat().st_size / 1e6:.1f} MB", _TARGETS.get(name))
        for name, times in values.items()
    }
    rows[_RATIO] = Row(_RATIO, ratios(values[_LARGE], values[_SMALL]), "x", "", 1.3)
    rows[_PAINT] = Row(_PAINT, [each.paint for each in opened[_LARGE_FILE]], "ms", "", 500.0)
    return [rows[name] for name in _NAMES]


def _open_in_turn(browser: Browser, pages: Mapping[str, Path], rounds: int) -> dict[str, Sequence[_Opened]]:
    """The first round does not count, and the order changes from round to round."""
    order = Random(0)
    opened: dict[str, list[_Opened]] = {name: [] for name in pages}
    for index in range(-1, rounds):
        for name in order.sample(sorted(pages), len(pages)):
            page = open_bundle(browser, pages[name], script=_WATCH)
            if index >= 0:
                opened[name].append(_Opened(*page.evaluate(_READ)))
            page.close()
    return dict(opened)
