"""Esc closes whatever is open, and of several things what was opened last."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import expect

from support.browser.viewer import Link, Viewer

VIEW: Link = {
    "tab": "tensors", "trial": "first", "rec": "forward", "type": "any_value", "step": 5, "it": 2,
    "node": "helper", "role": "final", "agg": "sample_0",
}  # fmt: skip
REFUSE_CLIPBOARD = """() => Object.defineProperty(navigator, "clipboard", {
  value: { writeText: () => Promise.reject(new Error("no")) },
  configurable: true,
})"""


@pytest.fixture
def viewer(bundle: Path, open_again: Callable[..., Viewer]) -> Viewer:
    viewer = open_again(bundle, VIEW)
    viewer.page.evaluate(REFUSE_CLIPBOARD)
    return viewer


@pytest.mark.parametrize(
    ("opens", "shown"),
    [
        ("more", "theme"),
        ("graph-more", "graph-prefix"),
        ("keys", "key-list"),
        ("copy-link", "link-text"),
        ("story-write", "note-form"),
    ],
)
def test_what_a_button_opens(opens: str, shown: str, viewer: Viewer) -> None:
    viewer.element(opens).click()
    expect(viewer.element(shown)).to_be_visible()
    viewer.page.keyboard.press("Escape")
    expect(viewer.element(shown)).to_be_hidden()


def test_hints_that_were_clicked_and_those_that_the_pointer_shows(viewer: Viewer) -> None:
    hint = viewer.element("hint-trial")
    text = viewer.page.get_by_role("tooltip").filter(has_text="One run of the script")
    hint.click()
    viewer.page.mouse.move(700, 600)
    expect(text).to_be_visible()
    viewer.page.keyboard.press("Escape")
    expect(text).to_be_hidden()
    hint.hover()
    expect(text).to_be_visible()
    viewer.page.keyboard.press("Escape")
    expect(text).to_be_hidden()
    viewer.page.mouse.move(700, 600)
    hint.hover()
    expect(text).to_be_visible()


def test_a_hint_on_which_the_pointer_rests_closes_at_once(viewer: Viewer) -> None:
    text = viewer.page.get_by_role("tooltip").filter(has_text="One run of the script")
    viewer.element("hint-trial").click()
    expect(text).to_be_visible()
    viewer.page.keyboard.press("Escape")
    expect(text).to_be_hidden()


def test_tooltips_of_the_graph_and_of_the_timeline(viewer: Viewer) -> None:
    viewer.hover_node("helper")
    expect(viewer.element("graph-tooltip")).to_be_visible()
    viewer.page.keyboard.press("Escape")
    expect(viewer.element("graph-tooltip")).to_be_hidden()
    viewer.control("step").hover()
    expect(viewer.element("timeline-hint")).to_be_visible()
    viewer.page.keyboard.press("Escape")
    expect(viewer.element("timeline-hint")).to_be_hidden()


def test_matches_of_a_search(viewer: Viewer) -> None:
    search = viewer.element("node-search")
    search.fill("e")
    expect(viewer.page.get_by_role("listbox").get_by_role("option").first).to_be_visible()
    search.press("Escape")
    expect(viewer.page.get_by_role("listbox")).to_be_hidden()
    expect(search).to_have_value("e")


def test_an_empty_search_gives_the_keys_back_to_the_page(viewer: Viewer) -> None:
    search = viewer.element("node-search")
    viewer.page.keyboard.press("/")
    expect(search).to_be_focused()
    viewer.page.keyboard.press("Escape")
    expect(search).not_to_be_focused()
    viewer.page.keyboard.press("?")
    expect(search).to_have_value("")
    expect(viewer.page.get_by_role("dialog")).to_be_visible()


def test_the_story_and_the_comparison_one_after_the_other(viewer: Viewer) -> None:
    viewer.go({**VIEW, "pin": "trial=second"})
    expect(viewer.element("compare-bar")).to_be_visible()
    viewer.element("story-write").click()
    viewer.element("note-text").fill("A word")
    # What is being written is not lost.
    viewer.element("graph").focus()
    viewer.page.keyboard.press("Escape")
    expect(viewer.element("note-text")).to_have_value("A word")
    expect(viewer.element("compare-bar")).to_be_hidden()
    viewer.element("note-cancel").click()
    expect(viewer.element("story")).to_be_visible()
    viewer.go({**VIEW, "pin": "trial=second"})
    expect(viewer.element("compare-bar")).to_be_visible()
    viewer.page.keyboard.press("Escape")
    expect(viewer.element("story")).to_be_hidden()
    expect(viewer.element("compare-bar")).to_be_visible()
    viewer.page.keyboard.press("Escape")
    expect(viewer.element("compare-bar")).to_be_hidden()
