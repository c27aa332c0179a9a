"""How long a reader waits in front of a bundle: from opening it in Chromium to the first values in the table."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import torch
from playwright.sync_api import Browser

from benchmarks.browser import MISSING, open_browser, open_bundle
from benchmarks.table import Row
from benchmarks.timing import in_turn
from benchmarks.workload import Workload
from comgra_export import export

__all__ = ["HEADING", "measure"]

HEADING = "Opening the bundle in Chromium, until the first values are there"


def measure(workload: Workload) -> list[Row]:
    """Open one file and a folder in turn, each time in a fresh page."""
    outputs = {"one file": Path("opened.html"), "folder": Path("opened")}
    pages = {}
    for name, output in outputs.items():
        bundle = export(workload.recording(torch.float32), workload.folder / output, force=True)
        pages[name] = bundle.path / "index.html" if bundle.path.is_dir() else bundle.path
    with open_browser() as browser:
        if browser is None:
            return [Row(name, [], "ms", MISSING) for name in outputs]
        calls: dict[str, Callable[[], object]] = {name: partial(_open, browser, page) for name, page in pages.items()}
        times = in_turn(calls, rounds=1 if workload.quick else 7)
    sizes = {name: page.stat().st_size for name, page in pages.items()}
    return [
        Row(name, [duration * 1000 for duration in durations], "ms", f"page of {sizes[name] / 1e6:.1f} MB")
        for name, durations in times.items()
    ]


def _open(browser: Browser, page_path: Path) -> None:
    open_bundle(browser, page_path).close()
