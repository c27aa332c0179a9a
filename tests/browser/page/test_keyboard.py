"""Keys for everything, and a list of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import expect

from support.browser.viewer import KEEP_CLIPBOARD, Link, Viewer, fragment

VIEW: Link = {"tab": "tensors", "trial": "second", "rec": "forward", "type": "any_value", "step": 5, "it": 1, "agg": "batch_mean"}
REFUSE_CLIPBOARD = (
    """() => Object.defineProperty(navigator, "clipboard", { value: { writeText: () => Promise.reject(new Error("no")) } })"""
)


@pytest.fixture
def viewer(bundle: Path, open_again: Callable[..., Viewer]) -> Viewer:
    return open_again(bundle, VIEW)


@pytest.fixture
def own(bundle: Path, open_viewer: Callable[..., Viewer]) -> Viewer:
    """A page in which the test may replace a function."""
    return open_viewer(bundle, fragment(VIEW))


@pytest.mark.parametrize("selector", ["step", "iteration", "aggregation", "trial"])
def test_a_letter_goes_to_the_next_choice_and_with_shift_to_the_previous_one(selector: str, viewer: Viewer) -> None:
    key = viewer.element(f"next-{selector}").get_attribute("aria-keyshortcuts")
    assert key is not None
    viewer.page.locator("body").press("S")
    viewer.rows()
    before = viewer.link()
    if viewer.element(f"next-{selector}").get_attribute("aria-disabled") == "true":
        viewer.page.keyboard.press(key.upper())
        viewer.rows()
        assert viewer.link() != before
        viewer.page.keyboard.press(key)
    else:
        viewer.page.keyboard.press(key)
        viewer.rows()
        assert viewer.link() != before
        viewer.page.keyboard.press(key.upper())
    viewer.wait_until_shown({name: value for name, value in before.items() if name not in ("v", "type")})


def test_letters_that_are_typed_are_letters(viewer: Viewer) -> None:
    before = viewer.link()
    viewer.page.keyboard.press("/")
    search = viewer.element("node-search")
    expect(search).to_be_focused()
    viewer.page.keyboard.type("s1?")
    expect(search).to_have_value("s1?")
    expect(viewer.element("key-list")).to_be_hidden()
    assert viewer.link() == before


def test_the_list_of_keys_leads_to_what_the_page_is(viewer: Viewer) -> None:
    viewer.page.keyboard.press("?")
    about = viewer.element("key-list").get_by_role("button", name="About", exact=True)
    about.press("Enter")
    expect(viewer.element("key-list")).to_be_hidden()
    expect(viewer.element("tab-about")).to_have_attribute("aria-selected", "true")
    expect(viewer.element("about-page")).to_be_visible()


def test_digits_open_tabs(viewer: Viewer) -> None:
    for place, tab in enumerate(("overview", "tensors", "network", "notes", "graphs", "about"), start=1):
        viewer.page.keyboard.press(str(place))
        expect(viewer.element(f"tab-{tab}")).to_have_attribute("aria-selected", "true")


def test_every_key_has_one_meaning_and_is_in_the_list(viewer: Viewer) -> None:
    keys = viewer.page.locator("[aria-keyshortcuts]:visible").evaluate_all("all => all.map((one) => one.getAttribute('aria-keyshortcuts'))")
    assert [key for key, count in Counter(keys).items() if count > 1] == []
    viewer.page.keyboard.press("?")
    expect(viewer.element("key-list")).to_be_visible()
    listed = " ".join(viewer.element("key-list").locator("kbd").all_inner_texts()).split()
    assert set(keys) <= set(listed)
    viewer.page.keyboard.press("Escape")
    expect(viewer.element("key-list")).to_be_hidden()


def test_a_link_is_copied_that_opens_this_view(own: Viewer, open_viewer: Callable[..., Viewer]) -> None:
    own.page.evaluate(KEEP_CLIPBOARD)
    own.press_button("step", "previous")
    own.rows()
    own.page.keyboard.press("c")
    expect(own.element("copy-link")).to_have_text("Link copied")
    other = open_viewer(own.page.evaluate("window.copied"))
    assert other.summary() == own.summary()


def test_where_the_clipboard_is_closed_the_link_can_be_selected(own: Viewer) -> None:
    own.page.evaluate(REFUSE_CLIPBOARD)
    own.element("copy-link").click()
    text = own.element("link-text").input_value()
    assert text.startswith("file://")
    assert "step=5" in text
    selected = own.page.evaluate(
        "() => { const field = document.activeElement; return field.value.slice(field.selectionStart, field.selectionEnd); }"
    )
    assert selected == text
