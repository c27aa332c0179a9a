"""How long a reader waits in front of a bundle: from opening it in Chromium to the first values in the table."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median

import torch
from playwright.sync_api import Browser, sync_playwright

from benchmarks.table import Row
from benchmarks.timing import in_turn
from benchmarks.workload import Workload
from comgra_export import export

__all__ = ["HEADING", "measure"]

HEADING = "Opening the bundle in Chromium, until the first values are there"

_VALUE_ROW = "[data-testid=values-table] [data-testid=value-row]"
_NUMBER = re.compile(r"\d\.\d")
_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "microsoft-edge")


def measure(workload: Workload) -> list[Row]:
    """Open one file and a folder in turn, each time in a fresh page."""
    outputs = {"one file": Path("opened.html"), "folder": Path("opened")}
    browser_path = next(filter(None, map(shutil.which, _NAMES)), None)
    if browser_path is None:
        return [Row(name, None, "ms", "no Chromium on the PATH") for name in outputs]
    pages = {}
    for name, output in outputs.items():
        bundle = export(workload.recording(torch.float32), workload.folder / output, force=True)
        pages[name] = bundle.path / "index.html" if bundle.path.is_dir() else bundle.path
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=browser_path, args=["--no-sandbox", "--disable-gpu"])
        calls: dict[str, Callable[[], object]] = {name: partial(_open, browser, page) for name, page in pages.items()}
        times = in_turn(calls, rounds=1 if workload.quick else 7)
        browser.close()
    sizes = {name: page.stat().st_size for name, page in pages.items()}
    return [Row(name, median(durations) * 1000, "ms", f"page of {sizes[name] / 1e6:.1f} MB") for name, durations in times.items()]


def _open(browser: Browser, page_path: Path) -> None:
    page = browser.new_page()
    page.goto(page_path.resolve().as_uri(), wait_until="commit")
    page.locator(_VALUE_ROW, has_text=_NUMBER).first.wait_for()
    page.close()
