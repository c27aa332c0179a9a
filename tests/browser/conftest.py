"""Real bundles in a real Chromium, opened from file:// with the network blocked; any console message or request fails the test."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Dialog,
    Error,
    Page,
    Playwright,
    Request,
    Route,
    ViewportSize,
    sync_playwright,
)

from benchmarks.page.large_graph import write_recording
from comgra_export import export
from support.browser.bundled import write_bundles
from support.browser.chromium import LAUNCH_ARGUMENTS, find_chromium
from support.browser.described import write_described_group
from support.browser.oracle import Oracle
from support.browser.recorded import Kept, Key, record_group
from support.browser.viewer import Viewer
from support.browser.viewer_coverage import ViewerCoverage, viewer_coverage
from support.browser.written import write_large_group
from support.once import Once

__all__ = ["viewer_coverage"]

VIEWPORT: ViewportSize = {"width": 1400, "height": 900}
NO_MEDIA: dict[str, Any] = {"media": "null", "color_scheme": "null", "reduced_motion": "null", "forced_colors": "null", "contrast": "null"}
# What can change in an open page.
KEPT_OPTIONS = {"viewport", *NO_MEDIA}
# In milliseconds. Generous, since the machine may be busy with other things.
PATIENCE = 30_000
TENSORS = "#v=1&tab=tensors"
ROW = "[data-testid=values-table] [data-testid=value-row]"


@pytest.fixture(scope="session")
def recorded(once: Once) -> tuple[Path, Kept]:
    """The recordings of two trials, and what the recorded tensors held."""

    def record(folder: Path) -> list[Key]:
        kept: Kept = {}
        record_group(folder, kept=kept)
        np.savez(folder / "kept.npz", *kept.values())
        return list(kept)

    keys, folder = once("recordings", record), once.folder("recordings")
    with np.load(folder / "kept.npz") as arrays:
        return folder / "group", {Key(*key): arrays[f"arr_{number}"] for number, key in enumerate(keys)}


@pytest.fixture(scope="session")
def kept(recorded: tuple[Path, Kept]) -> Kept:
    """What the recorded tensors held."""
    return recorded[1]


@pytest.fixture(scope="session")
def group(recorded: tuple[Path, Kept]) -> Path:
    """The recordings of two trials."""
    return recorded[0]


@pytest.fixture(scope="session")
def oracle(group: Path) -> Oracle:
    """What must be shown of them."""
    return Oracle(group)


@pytest.fixture(scope="session")
def bundles(group: Path, once: Once) -> dict[str, Path]:
    """The page of each shape of the bundle."""
    pages = once("bundles", lambda folder: {shape: str(page) for shape, page in write_bundles(group, folder).items()})
    return {shape: Path(page) for shape, page in pages.items()}


@pytest.fixture(scope="session")
def bundle(bundles: dict[str, Path]) -> Path:
    """The page with everything inside."""
    return bundles["single"]


@pytest.fixture(scope="session")
def large_bundle(once: Once) -> Path:
    """The page of a folder with long tensors and a graph of 5,000 nodes."""
    return Path(once("large", lambda folder: str(export(write_large_group(folder), folder / "report").path / "index.html")))


@pytest.fixture(scope="session")
def large_graph(once: Once) -> Path:
    """The page of a single file with a graph of 20,000 nodes."""
    return Path(once("large_graph", lambda folder: str(export(write_recording(folder), folder / "report.html").path)))


@pytest.fixture(scope="session")
def described_bundle(once: Once) -> Path:
    """The page of a resumed run and of a run of three ranks, with all that is known of their steps."""
    return Path(once("described", lambda folder: str(export(write_described_group(folder), folder / "report.html").path)))


@pytest.fixture(scope="session")
def playwright() -> Iterator[Playwright]:
    with sync_playwright() as playwright:
        yield playwright


@pytest.fixture(scope="session")
def browser(playwright: Playwright) -> Iterator[Browser]:
    """A Chromium; test_firefox.py has another one."""
    executable = find_chromium(playwright)
    assert executable, "No Chromium: `make browser-tests` installs one"
    browser = playwright.chromium.launch(executable_path=executable, args=LAUNCH_ARGUMENTS)
    yield browser
    browser.close()


class KeptPage:
    """A page that tests use one after another. A browser compiles the viewer's script once in a page, so it opens in half the time."""

    def __init__(self) -> None:
        self._page: Page | None = None
        self.is_taken = False
        self.complaints: list[str] = []

    def take(self, browser: Browser, options: Mapping[str, Any]) -> Page:
        """The page, empty, with options out of `KEPT_OPTIONS`."""
        if self._page is None:
            context = browser.new_context(viewport=VIEWPORT)
            context.set_default_timeout(PATIENCE)
            _watch(context, self.complaints, "file:")
            self._page = context.new_page()
        self.is_taken = True
        self._page.set_viewport_size(options.get("viewport", VIEWPORT))
        self._page.emulate_media(**{**NO_MEDIA, **{name: value for name, value in options.items() if name in NO_MEDIA}})
        return self._page

    def give_back(self) -> None:
        """Leaves nothing of a test in the page."""
        if self._page is not None and self.is_taken:
            try:
                self._page.evaluate("() => { localStorage.clear(); sessionStorage.clear(); }")
                self._page.goto("about:blank")
                self._page.context.new_cdp_session(self._page).send("Page.resetNavigationHistory")
            except Error:
                # A test has closed it, or it hangs.
                self._page.context.close()
                self._page = None
        self.is_taken = False


@pytest.fixture(scope="session")
def kept_page() -> KeptPage:
    return KeptPage()


@pytest.fixture
def complaints(kept_page: KeptPage) -> list[str]:
    """Console messages, page errors and requests that a page must not make. A test that provokes some clears the list."""
    kept_page.complaints.clear()
    return kept_page.complaints


@pytest.fixture
def open_page(
    browser: Browser, kept_page: KeptPage, complaints: list[str], viewer_coverage: ViewerCoverage | None
) -> Iterator[Callable[..., Page]]:
    """Opens a file or an address, with a hash if given, as a new visitor. At the end nothing may have complained.

    Waits until the table has rows, unless `wait` is False; if no hash is given, opens the tab that has the table. `origin` may be asked
    besides files; other options are those of a browser context. The first page of a test is the kept one if its options allow it.
    """
    contexts: list[BrowserContext] = []

    def new_page(origin: str, options: dict[str, object]) -> Page:
        is_chromium = browser.browser_type.name == "chromium"
        if is_chromium and viewer_coverage is None and options.keys() <= KEPT_OPTIONS and origin == "file:" and not kept_page.is_taken:
            return kept_page.take(browser, options)
        context = browser.new_context(**{"viewport": VIEWPORT, **options})  # type: ignore[arg-type]
        contexts.append(context)
        context.set_default_timeout(PATIENCE)
        _watch(context, complaints, origin)
        page = context.new_page()
        if viewer_coverage is not None and is_chromium:
            viewer_coverage.watch(page)
        return page

    def open_(place: Path | str, fragment: str = "", *, wait: bool = True, origin: str = "file:", **options: object) -> Page:
        page = new_page(origin, options)
        address = (place if isinstance(place, str) else place.as_uri()) + fragment
        page.goto(address + (TENSORS if wait and "#" not in address else ""))
        if wait:
            page.wait_for_selector(ROW)
        return page

    yield open_
    if viewer_coverage is not None:
        viewer_coverage.collect()
    for context in contexts:
        context.close()
    kept_page.give_back()
    assert complaints == []


@pytest.fixture
def open_viewer(open_page: Callable[..., Page]) -> Callable[..., Viewer]:
    """As `open_page`, for those who use the page."""
    return lambda *arguments, **options: Viewer(open_page(*arguments, **options))


def _watch(context: BrowserContext, complaints: list[str], origin: str) -> None:
    """Blocks everything but files and what is in the page, and writes down what the page should not have done."""

    def allow_files_only(route: Route, request: Request) -> None:
        if request.url.startswith(origin):
            route.continue_()
        else:
            complaints.append(f"request: {request.url}")
            route.abort()

    def on_console(message: ConsoleMessage) -> None:
        complaints.append(f"console {message.type}: {message.text}")

    def on_dialog(dialog: Dialog) -> None:
        complaints.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    # What it does not match goes on without a word from here.
    context.route(re.compile("^(?!file:|data:|blob:)"), allow_files_only)
    context.on("console", on_console)
    context.on("weberror", lambda error: complaints.append(f"page error: {error.error}"))
    context.on("dialog", on_dialog)
