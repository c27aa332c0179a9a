"""The pages that tests use one after another are left open only to those that ask for it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from support.browser.pages.kept_page import KeptPages
from support.browser.pages.same_address import at_same_address
from support.browser.viewer import Link, Viewer, fragment

NOTES: Link = {"tab": "notes", "trial": "first", "type": "any_value", "step": 5, "it": 2, "node": "output", "role": "output"}
OPTIONS = {"color_scheme": "dark"}


@pytest.fixture
def kept(browser: Browser, tmp_path: Path) -> Iterator[KeptPages]:
    kept = KeptPages(tmp_path)
    yield kept
    kept.close()


def _left_open(kept: KeptPages, browser: Browser, bundle: Path) -> Page:
    page = kept.take(browser, OPTIONS).page
    page.goto(bundle.as_uri())
    page.evaluate("() => localStorage.setItem('left', 'behind')")
    kept.leave_open(page, bundle, OPTIONS)
    kept.give_back(is_clean=True)
    # The page adds its view to the address.
    assert page.url.partition("#")[0] == bundle.as_uri()
    return page


def _is_as_new(page: Page, bundle: Path) -> bool:
    assert page.url == "about:blank"
    assert page.evaluate("() => history.length") == 1
    page.goto(bundle.as_uri())
    return page.evaluate("() => localStorage.getItem('left')") is None


def test_one_is_there_for_the_same_place_and_options_if_the_test_has_passed(kept: KeptPages, browser: Browser, bundle: Path) -> None:
    page = _left_open(kept, browser, bundle)
    assert kept.take_open(bundle, {}) is None
    assert kept.take_open(bundle.parent, OPTIONS) is None
    again = kept.take_open(bundle, OPTIONS)
    assert again is not None
    assert again.page is page
    # It is in use.
    assert kept.take_open(bundle, OPTIONS) is None
    kept.give_back(is_clean=False)
    assert page.url == "about:blank"
    assert kept.take_open(bundle, OPTIONS) is None


def test_whoever_does_not_ask_for_it_finds_another_one_empty(kept: KeptPages, browser: Browser, bundle: Path) -> None:
    left = _left_open(kept, browser, bundle)
    first, second = (kept.take(browser, {}).page for _ in range(2))
    assert len({left, first, second}) == 3
    for page in (first, second):
        page.goto(bundle.as_uri())
        page.evaluate("() => localStorage.setItem('left', 'behind')")
    kept.give_back(is_clean=True)
    assert {kept.take(browser, {}).page for _ in range(2)} == {first, second}
    for page in (first, second):
        assert _is_as_new(page, bundle)


def test_none_is_open_after_the_tests_of_a_file(kept: KeptPages, browser: Browser, bundle: Path) -> None:
    page = _left_open(kept, browser, bundle)
    kept.close_what_is_open()
    assert kept.take_open(bundle, OPTIONS) is None
    assert kept.take(browser, {}).page is page
    assert _is_as_new(page, bundle)


def test_a_page_is_kept_for_what_cannot_change_in_it(kept: KeptPages, browser: Browser, bundle: Path) -> None:
    plain = kept.take(browser, {}).page
    sharp = kept.take(browser, {"device_scale_factor": 2}).page
    for page in (plain, sharp):
        page.goto(bundle.as_uri())
    kept.give_back(is_clean=True)
    assert kept.take(browser, {"device_scale_factor": 2, "color_scheme": "dark"}).page is sharp
    assert sharp.evaluate("() => devicePixelRatio") == 2
    assert kept.take(browser, OPTIONS).page is plain


def _remembered(kept: KeptPages, browser: Browser, bundle: Path, link: Link) -> Viewer:
    viewer = Viewer(kept.take(browser, {}).page)
    viewer.page.goto(bundle.as_uri() + fragment(link))
    viewer.wait_until_shown(link)
    kept.remember(viewer.page, bundle, {})
    return viewer


def test_one_comes_back_to_what_it_was_when_it_was_opened(kept: KeptPages, browser: Browser, bundle: Path) -> None:
    viewer = _remembered(kept, browser, bundle, NOTES)
    viewer.element("notes-filter").fill("step 1")
    viewer.page.mouse.wheel(0, 200)
    viewer.page.set_viewport_size({"width": 800, "height": 500})
    viewer.page.evaluate("() => localStorage.setItem('left', 'behind')")
    viewer.go({**NOTES, "tab": "graphs", "step": 10})
    viewer.wait_until_shown({"tab": "graphs", "step": 10})
    kept.give_back(is_clean=True)
    again = kept.take_as_opened(bundle, {})
    assert again is not None
    assert again.page is viewer.page
    viewer.wait_until_shown(NOTES)
    assert viewer.element("notes-filter").input_value() == ""
    assert viewer.page.evaluate("() => [innerWidth, innerHeight]") == [1400, 900]
    assert viewer.page.evaluate("() => document.querySelectorAll('[data-testid=note]').length") == 17
    assert viewer.page.evaluate("() => localStorage.getItem('left')") is None


@pytest.mark.parametrize("change", ["what is typed", "the zoom", "an attribute", "the document"])
def test_one_that_does_not_come_back_is_opened_anew(change: str, kept: KeptPages, browser: Browser, bundle: Path) -> None:
    viewer = _remembered(kept, browser, bundle, {**NOTES, "tab": "tensors"})
    if change == "what is typed":
        viewer.element("node-search").fill("loss")
    elif change == "the zoom":
        viewer.element("zoom-in").click()
    elif change == "an attribute":
        viewer.page.evaluate("() => { document.body.dataset.left = 'behind'; }")
    else:
        viewer.page.reload()
    kept.give_back(is_clean=True)
    assert kept.take_as_opened(bundle, {}) is None
    page = kept.take(browser, {}).page
    assert page is viewer.page
    assert page.url == "about:blank"


def test_a_copy_at_the_same_address_is_the_same_document(
    kept: KeptPages, browser: Browser, bundles: dict[str, Path], tmp_path: Path
) -> None:
    # Without scripts, it stays as it was read.
    page = kept.take(browser, {"java_script_enabled": False}).page
    copy = at_same_address(bundles["single"], tmp_path)
    documents = []
    for place in (bundles["single"], copy):
        page.goto(place.as_uri())
        documents.append(page.content())
    assert copy == tmp_path / bundles["single"].name
    assert len(documents[0]) > 1_000_000
    assert documents[0] == documents[1]
    # The page of a folder needs its files.
    assert at_same_address(bundles["folder"], tmp_path) == bundles["folder"]


def test_a_script_is_compiled_once_for_pages_at_the_same_address(
    kept: KeptPages, browser: Browser, bundle: Path, described_bundle: Path, tmp_path: Path
) -> None:
    page = kept.take(browser, {}).page
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})

    def has_compiled(place: Path) -> bool:
        """Whether a document took processor time for it: 50 milliseconds, or some microseconds."""
        page.goto(place.as_uri())
        page.get_by_role("tab").first.wait_for()
        metrics = session.send("Performance.getMetrics")["metrics"]
        seconds: float = next(metric["value"] for metric in metrics if metric["name"] == "V8CompileDuration")
        return seconds > 0.002

    # The second copy takes the place of the first.
    assert has_compiled(at_same_address(bundle, tmp_path))
    assert not has_compiled(at_same_address(described_bundle, tmp_path))
    assert has_compiled(described_bundle)
