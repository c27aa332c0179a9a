"""Install the browsers for the browser tests: a missing Chromium is a failure, a missing Firefox is a test less."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence

from playwright.sync_api import sync_playwright

from support.browser.chromium import find_chromium
from support.browser.firefox import start_firefox


def main() -> int:
    """Install a Chromium and a Firefox if they are missing; return the exit code."""
    if not (_has_chromium() or _install("chromium", ("chromium-headless-shell", "chromium"), _has_chromium)):
        print("A Chromium could not be installed. Install one, or set COMGRA_CHROMIUM to its path.", file=sys.stderr)
        return 1
    if not (_has_firefox() or _install("firefox", ("firefox-esr",), _has_firefox)):
        print("A Firefox could not be installed: its tests will be skipped. To run them, install one, or set COMGRA_FIREFOX to its path.")
    return 0


def _install(browser: str, packages: Sequence[str], is_there: Callable[[], bool]) -> bool:
    """Install a browser with apt-get, as the first package that there is, or with Playwright; return whether it is there then."""
    print(f"No {browser.capitalize()} found; installing one ...", flush=True)
    commands = [[sys.executable, "-m", "playwright", "install", browser]]
    if shutil.which("apt-get") and os.geteuid() == 0:
        install = "apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends"
        commands = [*(["sh", "-c", f"{install} {package}"] for package in packages), *commands]
    return any(subprocess.run(command, check=False).returncode == 0 and is_there() for command in commands)


def _has_chromium() -> bool:
    with sync_playwright() as playwright:
        return find_chromium(playwright) is not None


def _has_firefox() -> bool:
    with sync_playwright() as playwright:
        browser, _ = start_firefox(playwright)
        if browser:
            browser.close()
        return browser is not None


if __name__ == "__main__":
    sys.exit(main())
