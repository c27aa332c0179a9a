"""Real bundles in a real Chromium, opened from file:// with the network blocked; any console message or request fails the test."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Playwright, sync_playwright

from benchmarks.page.large_graph import write_recording
from comgra_export import export
from support.browser.bundled import write_bundles
from support.browser.chromium import LAUNCH_ARGUMENTS, find_chromium
from support.browser.described import write_described_group
from support.browser.oracle import Oracle
from support.browser.pages.kept_page import PATIENCE, VIEWPORT, KeptPages, watch_context
from support.browser.pages.same_address import at_same_address
from support.browser.pages.viewer_coverage import ViewerCoverage, viewer_coverage
from support.browser.recorded import Kept, Key, record_group
from support.browser.viewer import SELECTORS, Link, Viewer, fragment
from support.browser.written import write_large_group
from support.once import Once

__all__ = ["viewer_coverage"]

# A link with no more than a tab leads to the worst finding.
TENSORS = "#v=1&tab=tensors&it=0"
HAS_PASSED = pytest.StashKey[bool]()
ROW = "[data-testid=values-table] [data-testid=value-row]"
# What is drawn beside the rows, such as the graph, follows within a frame.
AFTER_A_FRAME = "() => new Promise((done) => requestAnimationFrame(() => setTimeout(done)))"


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


@pytest.fixture(scope="session")
def kept_pages(tmp_path_factory: pytest.TempPathFactory) -> KeptPages:
    return KeptPages(tmp_path_factory.mktemp("kept"))


@pytest.fixture(scope="module", autouse=True)
def each_file_finds_no_page_open(kept_pages: KeptPages) -> Iterator[None]:
    yield
    kept_pages.close_what_is_open()


@pytest.fixture
def complaints(kept_pages: KeptPages) -> list[str]:
    """Console messages, page errors and requests that a page must not make. A test that provokes some clears the list."""
    kept_pages.complaints.clear()
    return kept_pages.complaints


@pytest.fixture
def open_page(
    browser: Browser, kept_pages: KeptPages, complaints: list[str], viewer_coverage: ViewerCoverage | None, request: pytest.FixtureRequest
) -> Iterator[Callable[..., Page]]:
    """Opens a file or an address, with a hash if given, as a new visitor. At the end nothing may have complained.

    Waits until the table has rows, unless `wait` is False; if no hash is given, opens the tab that has the table. `origin` may be asked
    besides files; other options are those of a browser context. Pages of files alone are kept for the next test. They open a copy of the
    file, at an address of their own.
    """
    contexts: list[BrowserContext] = []

    def new_page(origin: str, options: dict[str, object]) -> Page:
        context = browser.new_context(**{"viewport": VIEWPORT, **options})  # type: ignore[arg-type]
        contexts.append(context)
        context.set_default_timeout(PATIENCE)
        watch_context(context, complaints, origin)
        page = context.new_page()
        if viewer_coverage is not None and browser.browser_type.name == "chromium":
            viewer_coverage.watch(page)
        return page

    def open_(place: Path | str, fragment: str = "", *, wait: bool = True, origin: str = "file:", **options: object) -> Page:
        if viewer_coverage is None and origin == "file:":
            kept = kept_pages.take(browser, options)
            page = kept.page
            if isinstance(place, Path):
                place = at_same_address(place, kept.folder)
        else:
            page = new_page(origin, options)
        address = (place if isinstance(place, str) else place.as_uri()) + fragment
        page.goto(address + (TENSORS if wait and "#" not in address else ""))
        if wait:
            page.wait_for_selector(ROW)
            page.evaluate(AFTER_A_FRAME)
        return page

    yield open_
    if viewer_coverage is not None:
        viewer_coverage.collect()
    for context in contexts:
        context.close()
    kept_pages.give_back(is_clean=complaints == [] and HAS_PASSED in request.node.stash)
    assert complaints == []


@pytest.fixture
def open_viewer(open_page: Callable[..., Page]) -> Callable[..., Viewer]:
    """As `open_page`, for those who use the page."""
    return lambda *arguments, **options: Viewer(open_page(*arguments, **options))


@pytest.fixture
def visit(open_viewer: Callable[..., Viewer], kept_pages: KeptPages) -> Callable[..., Viewer]:
    """As `open_viewer` with a link, but in the page that a test before has left open, if that has visited the same place.

    For tests that leave nothing behind but what a link changes. It takes a fifth of the time of opening the page. Waits until the
    controls say what the link names, unless `wait` is False.
    """

    def visit(place: Path, link: Link, *, wait: bool = True, **options: object) -> Viewer:
        kept = kept_pages.take_open(place, options)
        if kept is None:
            viewer = open_viewer(place, fragment(link), wait=False, **options)
            kept_pages.leave_open(viewer.page, place, options)
        else:
            viewer = Viewer(kept.page)
            viewer.go(link)
        if wait:
            _wait_until_shown(viewer, link)
        return viewer

    return visit


@pytest.fixture
def open_again(open_viewer: Callable[..., Viewer], kept_pages: KeptPages) -> Callable[..., Viewer]:
    """As `open_viewer` with a link, but in a page in which a test before has opened the same place, if that can be brought back.

    That page has followed the link with which it was opened. It is used only if all that there is to see is as it was then: elements,
    fields, scrolled places, the graph and the stored settings. Else the place is opened anew. Then the page follows the link of this test.
    For tests that are not about opening a page. `ready` waits until the page has all that the link names.
    """

    def open_again(place: Path, link: Link | None = None, *, ready: Callable[[Viewer], object] | None = None, **options: object) -> Viewer:
        kept = kept_pages.take_as_opened(place, options)
        if kept is not None:
            viewer = Viewer(kept.page)
            if link is not None:
                viewer.go(link)
                viewer.page.evaluate(AFTER_A_FRAME)
        else:
            viewer = open_viewer(place, "" if link is None else fragment(link), wait=False, **options)
        _wait_until_shown(viewer, link or {})
        if ready is not None:
            ready(viewer)
        if kept is None:
            kept_pages.remember(viewer.page, place, options)
        return viewer

    return open_again


def _wait_until_shown(viewer: Viewer, link: Link) -> None:
    viewer.wait_until_shown({key: value for key, value in link.items() if key in ("tab", "node", *SELECTORS.values())})
    viewer.page.evaluate(AFTER_A_FRAME)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if call.when == "call" and report.passed:
        item.stash[HAS_PASSED] = True
    return report
