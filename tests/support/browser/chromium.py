"""Where the browser for the tests is."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from playwright.sync_api import Playwright

__all__ = ["LAUNCH_ARGUMENTS", "find_chromium"]

# The headless shell is Chromium without its windows. It opens a page in half the time.
_NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "microsoft-edge")
_MAC = (
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
)
LAUNCH_ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    # As browsers with windows do, and the headless shell does not unless it is asked to.
    "--site-per-process",
    # A page is drawn in few large parts instead of many small ones. That takes a sixth of the processor time of opening one.
    "--default-tile-width=2048",
    "--default-tile-height=2048",
    # A page of a test is gone before compiling its script a second and a third time pays. That takes a fifth of what its process takes.
    "--js-flags=--no-maglev --no-opt",
]


def find_chromium(playwright: Playwright) -> str | None:
    """Return the path of a Chromium, or None: `COMGRA_CHROMIUM`, one on the PATH, one of macOS, or the one that Playwright installed."""
    chosen = os.environ.get("COMGRA_CHROMIUM")
    candidates = [chosen] if chosen else [*map(shutil.which, _NAMES), *_MAC]
    for candidate in candidates:
        if candidate and Path(candidate).exists():
            return candidate
    own = playwright.chromium.executable_path
    return own if Path(own).exists() else None
