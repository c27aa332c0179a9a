"""A Chromium to measure in."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

__all__ = ["MISSING", "TENSORS", "open_browser", "open_bundle"]

MISSING = "no Chromium on the PATH"
TENSORS = "#v=1&tab=tensors"
_VALUE_ROW = "[data-testid=values-table] [data-testid=value-row]"

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "microsoft-edge")


@contextmanager
def open_browser() -> Iterator[Browser | None]:
    """Start a browser, or give None if none is installed."""
    path = next(filter(None, map(shutil.which, _NAMES)), None)
    if path is None:
        yield None
        return
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        yield browser
        browser.close()


def open_bundle(browser: Browser, page_path: Path, fragment: str = TENSORS, script: str = "") -> Page:
    """Open a bundle in a fresh page, at the view that `fragment` names, and wait for its first values. `script` runs before anything else.

    The first row is a statistic: it has a number with a point once the values are there.
    """
    page = browser.new_page()
    page.add_init_script(script)
    page.goto(page_path.resolve().as_uri() + fragment, wait_until="commit")
    page.locator(f"{_VALUE_ROW} [data-testid=value]", has_text=".").first.wait_for()
    return page
