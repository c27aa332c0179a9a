"""The page that tests use one after another is left open only to those that ask for it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from support.browser.kept_page import KeptPage

OPTIONS = {"color_scheme": "dark"}


@pytest.fixture
def kept(browser: Browser) -> Iterator[KeptPage]:
    kept = KeptPage()
    yield kept
    kept.take(browser, {}).context.close()


def test_it_is_there_for_the_same_place_and_options_if_the_test_has_passed(kept: KeptPage, browser: Browser, bundle: Path) -> None:
    page = kept.take(browser, OPTIONS)
    page.goto(bundle.as_uri())
    kept.leave_open(bundle, OPTIONS)
    kept.give_back(is_clean=True)
    # The page adds its view to the address.
    assert page.url.partition("#")[0] == bundle.as_uri()
    assert kept.take_open(bundle, {}) is None
    assert kept.take_open(bundle.parent, OPTIONS) is None
    assert kept.take_open(bundle, OPTIONS) is page
    # It is in use.
    assert kept.take_open(bundle, OPTIONS) is None
    kept.give_back(is_clean=False)
    assert page.url == "about:blank"
    assert kept.take_open(bundle, OPTIONS) is None


def test_whoever_does_not_ask_for_it_finds_it_empty(kept: KeptPage, browser: Browser, bundle: Path) -> None:
    page = kept.take(browser, OPTIONS)
    page.goto(bundle.as_uri())
    page.evaluate("() => localStorage.setItem('left', 'behind')")
    kept.leave_open(bundle, OPTIONS)
    kept.give_back(is_clean=True)
    assert kept.take(browser, {}) is page
    assert page.url == "about:blank"
    assert page.evaluate("() => history.length") == 1
    page.goto(bundle.as_uri())
    assert page.evaluate("() => localStorage.getItem('left')") is None
