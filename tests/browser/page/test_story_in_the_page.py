"""A story: notes on views, which readers walk through, and which leave the page in a copy, a file, a link, on paper and as figures."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import os
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from playwright.sync_api import Download, Playwright, expect

import comgra_export
from support.browser.axe import violations_in_all_colors
from support.browser.firefox import start_firefox
from support.browser.viewer import KEEP_CLIPBOARD, Link, Viewer, at_rest, fragment
from support.exporter.unpacker import Bundle

VIEW: Link = {
    "tab": "tensors", "trial": "first", "rec": "forward", "type": "any_value", "step": 5, "it": 2,
    "node": "picture", "role": "picture", "agg": "sample_0",
}  # fmt: skip
HOSTILE = (
    "**Look** at `picture`:\n</script><!--<script>alert(1)</script> [the curves](#v=1&tab=graphs&trial=first) [out](https://example.org)"
)
STORY: list[dict[str, Any]] = [
    {"view": fragment(VIEW), "title": "It begins here", "text": HOSTILE, "point": {"node": "picture"}},
    {"view": "#v=1&tab=graphs&trial=first", "text": "The \u00e9nd"},
    {"view": "#v=1&tab=overview&trial=first", "text": "The run"},
    {"view": fragment({**VIEW, "pane": "picture"}), "text": "As a picture"},
]

PRINT_AT_ONCE = """() => {
  window.print = () => {
    window.dispatchEvent(new Event("beforeprint"));
    window.hasPrinted = true;
  };
}"""
ASKS_BEFORE_LEAVING = """() => {
  const leaving = new Event("beforeunload", { cancelable: true });
  window.dispatchEvent(leaving);
  return leaving.defaultPrevented;
}"""
# Firefox does not tell Playwright of what a page saves.
KEEP_SAVED = """() => {
  const create = URL.createObjectURL;
  URL.createObjectURL = (blob) => {
    blob.text().then((text) => (window.saved = text));
    return create.call(URL, blob);
  };
}"""


@pytest.fixture(scope="module")
def story_page(group: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page with a story, which opens on the graphs."""
    page = tmp_path_factory.mktemp("story") / "report.html"
    return comgra_export.export(group, page, title="Caf\u00e9 & co", story=STORY, start="#v=1&tab=graphs&trial=first").path


def _press(viewer: Viewer, key: str) -> None:
    viewer.page.keyboard.press(key)


def _download(viewer: Viewer, button: str) -> Download:
    with viewer.page.expect_download() as waiting:
        viewer.element(button).click()
    return waiting.value


def test_a_story_is_walked_with_two_keys(story_page: Path, open_viewer: Callable[..., Viewer]) -> None:
    viewer = open_viewer(story_page, wait=False)
    expect(viewer.element("tab-graphs")).to_have_attribute("aria-selected", "true")
    expect(viewer.page.get_by_role("button", name="Story: 4 notes, start reading")).to_be_visible()
    expect(viewer.element("story")).to_have_count(0)
    _press(viewer, ".")
    expect(viewer.element("story-place")).to_have_text("1 of 4")
    expect(viewer.element("tab-tensors")).to_have_attribute("aria-selected", "true")
    link = viewer.link()
    assert {key: link[key] for key in VIEW} == {key: str(value) for key, value in VIEW.items()}
    read = viewer.page.locator("[aria-current=true][data-testid=story-note]")
    expect(read.locator("strong")).to_have_text("Look")
    expect(read.locator("code")).to_have_text("picture")
    expect(read.locator("a")).to_have_count(1)
    expect(read.locator(".note-text")).to_contain_text("</script><!--<script>alert(1)</script>")
    read.locator("a").click()
    expect(viewer.element("tab-graphs")).to_have_attribute("aria-selected", "true")
    _press(viewer, ".")
    _press(viewer, ".")
    expect(viewer.element("tab-overview")).to_have_attribute("aria-selected", "true")
    _press(viewer, ",")
    expect(viewer.element("story-place")).to_have_text("2 of 4")
    expect(viewer.element("tab-graphs")).to_have_attribute("aria-selected", "true")
    viewer.element("keys").click()
    listed = viewer.element("key-list")
    keys = dict(zip(listed.locator("dt").all_inner_texts(), listed.locator("dd").all_inner_texts(), strict=True))
    assert (keys["."], keys[","], keys["n"]) == ("Next note", "Previous note", "Write a note on this view")


@pytest.mark.parametrize("width", [1440, 390])
def test_a_page_says_at_once_that_it_has_a_story_and_how_it_begins(
    width: int, story_page: Path, bundle: Path, open_viewer: Callable[..., Viewer]
) -> None:
    viewer = open_viewer(story_page, wait=False, viewport={"width": width, "height": 844})
    expect(viewer.element("tab-graphs")).to_have_attribute("aria-selected", "true")
    offer = viewer.element("story-offer")
    expect(offer).to_be_in_viewport(ratio=1)
    expect(offer).to_contain_text("This page has a story: It begins here")
    assert violations_in_all_colors(viewer.page) == []
    offer.get_by_role("button", name="Read the story (4 notes)").click()
    expect(offer).to_have_count(0)
    expect(viewer.element("story-place")).to_have_text("1 of 4")
    expect(viewer.element("tab-tensors")).to_have_attribute("aria-selected", "true")
    # It is not said again to who has opened the story.
    viewer.element("story-close").click()
    expect(viewer.element("story")).to_have_count(0)
    expect(offer).to_have_count(0)
    # Nor who was sent to a view, or has a page without a story.
    expect(open_viewer(story_page, fragment(VIEW)).element("story-offer")).to_have_count(0)
    expect(open_viewer(bundle, wait=False).element("story-offer")).to_have_count(0)


def test_the_line_about_a_story_can_be_dismissed(story_page: Path, open_viewer: Callable[..., Viewer]) -> None:
    viewer = open_viewer(story_page, wait=False)
    viewer.element("story-offer").get_by_role("button", name="Dismiss").click()
    expect(viewer.element("story-offer")).to_have_count(0)
    expect(viewer.element("story-open")).to_be_focused()
    expect(viewer.element("story")).to_have_count(0)
    expect(viewer.element("tab-graphs")).to_have_attribute("aria-selected", "true")


def test_a_note_written_with_n_is_pinned_to_the_view(bundle: Path, open_viewer: Callable[..., Viewer]) -> None:
    viewer = open_viewer(bundle, fragment(VIEW))
    for _ in range(3):
        viewer.element("zoom-in").click()
    scale = at_rest(viewer.page, lambda: viewer.node("picture")["screen"])
    _press(viewer, "n")
    viewer.element("note-text").fill("First, n . , are only letters here")
    viewer.element("note-point").select_option("cell")
    viewer.element("note-save").click()
    expect(viewer.page.locator(".field-wrong", has_text="Say what it points at")).to_be_visible()
    viewer.element("note-point-name").fill("0, 3")
    viewer.element("note-save").click()
    expect(viewer.page.locator(".field-wrong", has_text="is 0\u20131, 0\u20132, 0\u20133")).to_be_visible()
    viewer.element("note-point-name").fill("1, 0, 3")
    viewer.element("note-text").press("Control+Enter")
    expect(viewer.element("story-note")).to_contain_text("First, n . , are only letters here")
    expect(viewer.element("story-note")).to_contain_text("cell [1, 0, 3]")
    viewer.element("tab-graphs").click()
    _press(viewer, "n")
    viewer.element("note-text").fill("Second")
    viewer.element("note-point").select_option("curve")
    viewer.element("note-point-name").select_option("strange")
    viewer.element("note-point-step").fill("0")
    entry = viewer.page.locator("#panel-graphs").get_by_test_id("legend-entry").filter(has_text="strange").first.locator(".chip-value")
    expect(entry).to_have_text("10")
    viewer.element("note-save").click()
    # The legend has the values at the step that is marked, rather than the last ones.
    expect(entry).to_have_text("0")
    expect(viewer.element("story-note")).to_have_count(2)
    _press(viewer, ",")
    expect(viewer.element("tab-tensors")).to_have_attribute("aria-selected", "true")
    # As large as it was, around the same middle.
    assert viewer.link()["zoom"]
    again = at_rest(viewer.page, lambda: viewer.node("picture")["screen"])
    assert again["y"] == pytest.approx(scale["y"], abs=40)
    expect(viewer.page.locator(".pointed .index")).to_have_text("1, 0, 3")
    viewer.element("zoom-fit").click()
    viewer.link(gone="zoom=")
    viewer.element("note-down").click()
    expect(viewer.page.locator(".note-text").first).to_have_text("Second")
    viewer.element("note-edit").click()
    viewer.element("note-title").fill("Changed")
    viewer.element("note-save").click()
    viewer.element("note-remove").click()
    expect(viewer.element("story-note")).to_have_count(1)
    viewer.element("note-undo").click()
    expect(viewer.element("story-note").nth(1)).to_contain_text("Changed")
    assert viewer.page.evaluate(ASKS_BEFORE_LEAVING)
    _download(viewer, "story-download")
    assert not viewer.page.evaluate(ASKS_BEFORE_LEAVING)


@pytest.mark.parametrize("name", ["chromium", "firefox"])
def test_a_saved_copy_is_the_page_with_the_notes_in_it(
    name: str, story_page: Path, open_viewer: Callable[..., Viewer], tmp_path: Path, playwright: Playwright
) -> None:
    viewer = open_viewer(story_page, wait=False)
    _press(viewer, "n")
    viewer.element("note-text").fill("Mine: </script> \u2028 \u00fc")
    viewer.element("note-save").click()
    download = _download(viewer, "story-copy")
    assert download.suggested_filename == "report-with-notes.html"
    copy = tmp_path / "copy.html"
    download.save_as(copy)
    original, saved = Bundle(story_page), Bundle(copy)
    # Valid as every bundle is, and the same recording.
    assert saved.digest() == saved.index["content_digest"] == original.index["content_digest"]
    texts = [note["text"] for note in saved.index["story"]]
    assert texts == [*(note["text"] for note in STORY), "Mine: </script> \u2028 \u00fc"]
    assert {**saved.index, "story": []} == {**original.index, "story": []}
    head = [element.attributes for element in saved.page.elements if element.parents == ("html", "head")]
    assert head == [element.attributes for element in original.page.elements if element.parents == ("html", "head")]
    policy = next(element.attributes["content"] for element in saved.page.all("meta") if "http-equiv" in element.attributes)
    for tag in ("script", "style"):
        for element in saved.page.all(tag):
            if "type" not in element.attributes:
                assert base64.b64encode(hashlib.sha256(element.text.encode()).digest()).decode() in policy
    if name == "firefox":
        _check_in_firefox(playwright, copy)
        return
    other = open_viewer(copy, wait=False)
    expect(other.element("tab-graphs")).to_have_attribute("aria-selected", "true")
    expect(other.element("chart").first).to_be_visible()
    _press(other, ".")
    expect(other.element("story-note")).to_have_count(5)
    assert len(other.rows()) > 4
    # A copy of the copy is the same file.
    again = _download(other, "story-copy")
    assert again.suggested_filename == "copy-with-notes.html"
    again.save_as(tmp_path / "again.html")
    assert (tmp_path / "again.html").read_bytes() == copy.read_bytes()


def test_a_copy_can_be_saved_where_the_path_of_the_page_is_not_utf8(
    story_page: Path, open_viewer: Callable[..., Viewer], tmp_path: Path
) -> None:
    page = tmp_path / os.fsdecode(b"r\xe4.html")
    page.write_bytes(story_page.read_bytes())
    viewer = open_viewer(page, wait=False)
    _press(viewer, ".")
    assert _download(viewer, "story-copy").suggested_filename == "r_E4-with-notes.html"


def _check_in_firefox(playwright: Playwright, copy: Path) -> None:
    """The copy opens there, shows values, and can be copied again."""
    browser, reason = start_firefox(playwright)
    if browser is None:
        pytest.skip(f"No Firefox: {reason}")
    page = browser.new_page(accept_downloads=True)
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(copy.as_uri())
    viewer = Viewer(page)
    expect(viewer.element("chart").first).to_be_visible()
    _press(viewer, ".")
    expect(viewer.element("story-note")).to_have_count(5)
    assert len(viewer.rows()) > 4
    page.evaluate(KEEP_SAVED)
    viewer.element("story-copy").click()
    page.wait_for_function("() => window.saved !== undefined")
    assert page.evaluate("window.saved") == copy.read_text(encoding="ascii")
    assert complaints == []
    browser.close()


def test_a_downloaded_story_is_put_into_a_folder(
    group: Path, bundles: dict[str, Path], open_viewer: Callable[..., Viewer], tmp_path: Path
) -> None:
    viewer = open_viewer(bundles["folder"], fragment(VIEW))
    _press(viewer, "n")
    viewer.element("note-text").fill("One")
    viewer.element("note-save").click()
    expect(viewer.element("story-copy")).to_have_count(0)
    download = _download(viewer, "story-download")
    expect(viewer.element("story-said")).to_contain_text("comgra-export build RECORDINGS -o FOLDER --story story.json --force")
    download.save_as(tmp_path / download.suggested_filename)
    assert [note["text"] for note in json.loads((tmp_path / "story.json").read_text(encoding="utf-8"))] == ["One"]
    comgra_export.export(group, tmp_path / "report")
    comgra_export.export(group, tmp_path / "report", story=tmp_path / "story.json", force=True)
    other = open_viewer(tmp_path / "report" / "index.html", wait=False)
    expect(other.element("story-open")).to_have_text("Story: 1 note, start reading")
    _press(other, ".")
    assert {key: other.link()[key] for key in VIEW} == {key: str(value) for key, value in VIEW.items()}


def test_a_short_story_is_in_a_link(story_page: Path, bundle: Path, open_viewer: Callable[..., Viewer]) -> None:
    viewer = open_viewer(story_page, wait=False)
    viewer.page.evaluate(KEEP_CLIPBOARD)
    _press(viewer, ".")
    viewer.element("story-link").click()
    expect(viewer.element("story-said")).to_contain_text("Link copied")
    copied = viewer.page.evaluate("window.copied")
    other = open_viewer(bundle, copied[copied.index("#") :])
    expect(other.element("story-note")).to_have_count(4)
    expect(other.element("story-note").first).to_contain_text("It begins here")
    other.page.reload()
    expect(other.element("story-note")).to_have_count(4)
    own = open_viewer(story_page, copied[copied.index("#") :], wait=False)
    own.element("story-own").click()
    expect(own.element("story-in-address")).to_have_count(0)
    own.link(gone="story=")
    damaged = open_viewer(bundle, f"{fragment(VIEW)}&story=abc")
    expect(damaged.element("message")).to_contain_text("The notes in this address cannot be read")
    expect(damaged.element("story")).to_have_count(0)


def test_a_note_that_no_story_could_hold_is_refused_before_it_is_written(bundle: Path, open_viewer: Callable[..., Viewer]) -> None:
    viewer = open_viewer(bundle, f"{fragment(VIEW)}&pins={'x' * 8000}")
    _press(viewer, "n")
    viewer.element("note-text").fill("Too long")
    viewer.element("note-save").click()
    expect(viewer.element("note-form")).to_contain_text("The address of this view is too long for a note.")
    expect(viewer.element("story-note")).to_have_count(0)
    assert viewer.element("note-text").input_value() == "Too long"
    viewer.element("note-cancel").click()


@pytest.mark.parametrize("button", ["story-close", "story-open"])
def test_a_note_that_is_being_written_outlives_the_list(button: str, story_page: Path, open_viewer: Callable[..., Viewer]) -> None:
    viewer = open_viewer(story_page, wait=False)
    _press(viewer, ".")
    viewer.element("note-edit").click()
    assert not viewer.page.evaluate(ASKS_BEFORE_LEAVING)
    viewer.element("note-text").fill("Half a")
    viewer.element("note-title").fill("Begun")
    assert viewer.page.evaluate(ASKS_BEFORE_LEAVING)
    viewer.element(button).click()
    expect(viewer.element("story")).to_have_count(0)
    assert viewer.page.evaluate(ASKS_BEFORE_LEAVING)
    _press(viewer, "n")
    assert [viewer.element(field).input_value() for field in ("note-title", "note-text")] == ["Begun", "Half a"]
    viewer.element("note-save").click()
    expect(viewer.page.locator("[aria-current=true][data-testid=story-note]")).to_contain_text("Half a")
    expect(viewer.element("note-form")).to_have_count(0)
    expect(viewer.element("story-note")).to_have_count(4)
    _download(viewer, "story-download")
    assert not viewer.page.evaluate(ASKS_BEFORE_LEAVING)


def test_notes_that_are_nowhere_else_outlive_an_address_with_others(
    story_page: Path, bundle: Path, open_viewer: Callable[..., Viewer]
) -> None:
    viewer = open_viewer(story_page, wait=False)
    viewer.page.evaluate(KEEP_CLIPBOARD)
    _press(viewer, ".")
    viewer.element("story-link").click()
    expect(viewer.element("story-said")).to_contain_text("Link copied")
    copied = viewer.page.evaluate("window.copied")
    address = copied[copied.index("#") :]
    other = open_viewer(bundle, address)
    expect(other.element("story-note")).to_have_count(4)
    _press(other, "n")
    other.element("note-text").fill("Mine")
    other.element("note-save").click()
    expect(other.element("story-note")).to_have_count(5)
    other.link(gone="story=")
    # As the back button does.
    other.page.evaluate("address => { location.hash = address; }", address)
    expect(other.element("message")).to_contain_text("not saved yet")
    expect(other.element("story-note")).to_have_count(5)
    _download(other, "story-download")
    other.page.evaluate("address => { location.hash = address; }", address)
    expect(other.element("story-note")).to_have_count(4)


def test_a_story_is_printed_and_saved_as_figures(story_page: Path, open_viewer: Callable[..., Viewer], tmp_path: Path) -> None:
    viewer = open_viewer(story_page, wait=False)
    _press(viewer, ".")
    before = viewer.link()
    page = viewer.page
    page.evaluate(PRINT_AT_ONCE)
    viewer.element("story-print").click()
    page.wait_for_function("() => window.hasPrinted")
    page.emulate_media(media="print")
    chapters = viewer.element("print-chapter")
    headings = [chapter.locator("h2").first.inner_text() for chapter in chapters.all()]
    assert headings == ["1. It begins here", "2. Graphs, first", "3. Overview, first", "4. Tensors, first, step 5, picture"]
    expect(chapters.nth(0).get_by_test_id("print-figure")).to_have_count(1)
    expect(chapters.nth(1).get_by_test_id("print-figure").first).to_be_visible()
    expect(chapters.nth(2).get_by_role("heading", name="Run first")).to_be_visible()
    expect(chapters.nth(3).get_by_test_id("print-figure")).to_have_count(2)
    expect(chapters.nth(0)).to_contain_text("points at node picture")
    page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    page.emulate_media(media="screen")
    assert viewer.link() == before
    download = _download(viewer, "story-figures")
    download.save_as(tmp_path / "figures.zip")
    with zipfile.ZipFile(io.BytesIO((tmp_path / "figures.zip").read_bytes())) as archive:
        assert archive.testzip() is None
        files = {name: archive.read(name).decode("utf-8") for name in archive.namelist()}
    assert "story/01-It_begins_here.svg" in files
    assert len([name for name in files if name.startswith("story/04")]) == 2
    captions = files.pop("story/captions.md")
    for name, text in files.items():
        assert name.removeprefix("story/") in captions
        ElementTree.fromstring(text)
    caption = " ".join(ElementTree.fromstring(files["story/01-It_begins_here.svg"]).itertext())
    assert "It begins here. Look at picture" in caption
    assert "The \u00e9nd" in captions
    # A tab without figures is there as it is in the page, every line where it stands.
    overview = ElementTree.fromstring(next(text for name, text in files.items() if name.startswith("story/03")))
    drawn = next(group for group in overview.iter() if group.get("class") == "drawing")
    written = " ".join((text.text or "") for text in drawn.iter("{http://www.w3.org/2000/svg}text")).split()
    viewer.go({"tab": "overview", "trial": "first"})
    expect(viewer.element("run-card")).to_be_visible()
    shown = viewer.page.locator("#panel-overview [data-testid=run-card] dd").all_inner_texts()
    assert len(shown) > 3
    for words in shown:
        assert set(words.split()) <= set(written)
    assert list(drawn.iter("{http://www.w3.org/2000/svg}polyline"))
    # Before what opens and closes stands its triangle, and around each chart its frame.
    closed = viewer.page.locator("#panel-overview summary:visible").count()
    assert closed > 0
    assert len([mark for mark in drawn.iter("{http://www.w3.org/2000/svg}path") if mark.get("class") == "marker"]) == closed
    frames = {tuple(rect.get(name) for name in ("x", "y", "width", "height")) for rect in drawn.iter("{http://www.w3.org/2000/svg}rect")}
    charts = [chart for chart in drawn.iter("{http://www.w3.org/2000/svg}svg") if list(chart.iter("{http://www.w3.org/2000/svg}polyline"))]
    assert {tuple(chart.get(name) for name in ("x", "y", "width", "height")) for chart in charts} <= frames


@pytest.mark.parametrize("width", [1400, 390])
def test_no_violation_while_a_story_is_read_and_written(width: int, story_page: Path, open_viewer: Callable[..., Viewer]) -> None:
    viewer = open_viewer(story_page, wait=False, viewport={"width": width, "height": 900})
    _press(viewer, ".")
    viewer.rows()
    assert violations_in_all_colors(viewer.page) == []
    viewer.element("note-edit").click()
    assert violations_in_all_colors(viewer.page) == []
    # Nothing of the list is cut off at the side.
    assert viewer.element("story").evaluate("list => list.scrollWidth <= list.clientWidth")
