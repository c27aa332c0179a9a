"""The Firefox for the tests: unlike Chromium, it may be missing."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from playwright.sync_api import Browser, Error, Playwright

__all__ = ["start_firefox"]

_NAMES = ("firefox-esr", "firefox")
_MAC = "/Applications/Firefox.app/Contents/MacOS/firefox"


def start_firefox(playwright: Playwright) -> tuple[Browser | None, str]:
    """Start the first Firefox that opens a page: `COMGRA_FIREFOX`, one on the PATH, that of macOS, or the one that Playwright installed.

    Returns:
        The browser, or None, and the reason why there is none.
    """
    chosen = os.environ.get("COMGRA_FIREFOX")
    own = playwright.firefox.executable_path
    candidates = [chosen] if chosen else [*map(shutil.which, _NAMES), _MAC, own]
    reasons = []
    for candidate in dict.fromkeys(candidates):
        if candidate and Path(candidate).exists():
            # Playwright's own Firefox speaks a protocol of its own; every other one speaks WebDriver BiDi.
            channel = None if candidate == own else "moz-firefox"
            try:
                return _start(playwright, candidate, channel), ""
            except Error as error:
                reasons.append(f"{candidate} cannot be used by Playwright: {error.message.splitlines()[0].rstrip('.')}")
    return None, "; ".join(reasons) or "none was found"


def _start(playwright: Playwright, executable: str, channel: str | None) -> Browser:
    """Start a Firefox, and open an empty page in it."""
    browser = playwright.firefox.launch(executable_path=executable, channel=channel, timeout=60_000)
    try:
        browser.new_context().close()
    except Error:
        browser.close()
        raise
    return browser
