"""An exported page that is dropped onto an open one is shown there."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import expect

import comgra_export
from support.browser.editable import record_inputs
from support.browser.viewer import Viewer, fragment
from support.exporter.unpacker import without_checksum

MAKE_TRANSFER = """([name, text]) => {
  const transfer = new DataTransfer();
  transfer.items.add(new File([text], name));
  return transfer;
}"""


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A page with one trial, one of the same group with another trial too, one of another group, and a folder."""
    folder = tmp_path_factory.mktemp("dropping")
    group = record_inputs(folder / "recordings")
    before = comgra_export.export(group, folder / "before.html").path
    record_inputs(folder / "recordings", "first edit 1", factor=3)
    after = comgra_export.export(group, folder / "after.html", title="After").path
    other = comgra_export.export(record_inputs(folder / "elsewhere", "other"), folder / "other.html", title="Other").path
    return {"before": before, "after": after, "other": other, "folder": comgra_export.export(group, folder / "after").path / "index.html"}


def _drop(viewer: Viewer, file: Path | None, name: str = "") -> None:
    text = "" if file is None else file.read_text(encoding="ascii")
    transfer = viewer.page.evaluate_handle(MAKE_TRANSFER, [name or (file.name if file else ""), text])
    zone = viewer.element("drop-zone")
    expect(zone).to_be_hidden()
    viewer.page.dispatch_event("body", "dragenter", {"dataTransfer": transfer})
    expect(zone).to_be_visible()
    viewer.page.dispatch_event("body", "drop", {"dataTransfer": transfer})
    expect(zone).to_be_hidden()


def test_the_selection_the_address_and_the_edits_stay(pages: dict[str, Path], open_viewer: Callable[..., Viewer]) -> None:
    link = {"tab": "tensors", "node": "image", "role": "image", "agg": "has_no_batch_dimension", "pane": "picture", "scale": "log"}
    viewer = open_viewer(pages["before"], fragment(link), wait=False)
    viewer.element("edit").click()
    viewer.element("picture").press("Home")
    viewer.element("picture").press("Enter")
    expect(viewer.element("edit-count")).to_have_text("1 of 96 cells changed")
    before = viewer.link(until="scale=log")
    _drop(viewer, pages["after"])
    expect(viewer.element("updated")).to_have_text("Updated just now")
    expect(viewer.page).to_have_title("After")
    assert viewer.enabled_options("trial") == ["first", "first edit 1"]
    assert viewer.link(until="scale=log") == before
    expect(viewer.element("edit-count")).to_have_text("1 of 96 cells changed")
    expect(viewer.element("picture-readout")).to_have_text("[0, 0] = 1 (recorded: 0)")
    expect(viewer.element("updated")).to_have_text("", timeout=15_000)


def test_the_page_shows_its_own_data_again(pages: dict[str, Path], open_viewer: Callable[..., Viewer]) -> None:
    link = {"tab": "tensors", "node": "product", "role": "product", "agg": "has_no_batch_dimension", "pane": "picture"}
    viewer = open_viewer(pages["before"], fragment(link), wait=False)
    before = viewer.link(until="pane=picture")
    title = viewer.page.title()
    expect(viewer.element("opened-files")).to_have_count(0)
    # For files without any of the page's trials, the earlier view comes back. For others, the view stays.
    for file, text, tab in ((pages["other"], "Other", "notes"), (pages["after"], "After", "tensors")):
        _drop(viewer, file)
        expect(viewer.page).to_have_title(text)
        expect(viewer.element("opened-files")).to_contain_text(f"Opened in this page: “{file.name}”")
        viewer.element(f"tab-{tab}").click()
        viewer.element("own-data").focus()
        viewer.page.keyboard.press("Enter")
        expect(viewer.page).to_have_title(title)
        expect(viewer.element("opened-files")).to_have_count(0)
        expect(viewer.element("tab-tensors")).to_be_focused()
        viewer.wait_until_shown({"trial": "first", "node": "product"})
        assert viewer.enabled_options("trial") == ["first"]
        # The page's own trials are not new.
        expect(viewer.element("added-trial")).to_have_count(0)
        assert viewer.link(until="pane=picture", gone="other") == before
    viewer.element("tab-about").click()
    expect(viewer.element("about-opened")).to_have_count(0)


def test_before_and_after_an_edit_are_one_click_apart(pages: dict[str, Path], open_viewer: Callable[..., Viewer]) -> None:
    viewer = open_viewer(pages["before"], fragment({"node": "product", "role": "product", "agg": "has_no_batch_dimension"}))
    expect(viewer.element("compare-original")).to_have_count(0)
    expect(viewer.element("own-weights")).to_have_count(0)
    _drop(viewer, pages["after"])
    expect(viewer.element("added-trial")).to_contain_text("New trial: first edit 1")
    viewer.element("compare-added").click()
    viewer.wait_until_shown({"trial": "first edit 1", "node": "product"})
    expect(viewer.element("added-trial")).to_have_count(0)
    expect(viewer.element("pin-trial")).to_contain_text("first")
    expect(viewer.element("own-weights")).to_contain_text("They may differ from those of the recording.")
    # 3 beside 1, and their difference, at the two cells that are not 0.
    expect(viewer.element("compare-row").filter(has_text=re.compile("312$")).first).to_be_visible()
    viewer.element("unpin").click()
    viewer.element("compare-original").click()
    expect(viewer.element("pin-trial")).to_contain_text("first")
    expect(viewer.element("compare-original")).to_have_count(0)


def test_a_file_is_chosen_by_keyboard(pages: dict[str, Path], open_viewer: Callable[..., Viewer]) -> None:
    viewer = open_viewer(pages["before"], fragment({"tab": "about"}), wait=False)
    # The browser begins to report file choosers some time after it was asked to.
    viewer.page.on("filechooser", lambda _: None)
    viewer.page.wait_for_timeout(500)
    viewer.element("open-file").focus()
    with viewer.page.expect_file_chooser() as chooser:
        viewer.page.keyboard.press("Enter")
    chooser.value.set_files(pages["after"])
    expect(viewer.page).to_have_title("After")
    expect(viewer.page.locator("#panel-about h2")).to_have_text("After")


def test_on_a_narrow_page_it_is_in_sight_why_a_file_was_refused(pages: dict[str, Path], open_viewer: Callable[..., Viewer]) -> None:
    viewer = open_viewer(pages["before"], viewport={"width": 400, "height": 700})
    viewer.page.evaluate("() => window.scrollTo(0, document.documentElement.scrollHeight)")
    assert viewer.page.evaluate("() => window.scrollY") > 300
    _drop(viewer, None, "notes.txt")
    expect(viewer.element("message")).to_be_in_viewport(ratio=1)


def test_what_cannot_be_opened_is_said_and_changes_nothing(
    pages: dict[str, Path], open_viewer: Callable[..., Viewer], tmp_path: Path
) -> None:
    viewer = open_viewer(pages["before"])
    rows = viewer.rows()
    text = pages["after"].read_text(encoding="ascii")
    (tmp_path / "other.html").write_text("<title>hello</title><script>alert(1)</script>", encoding="ascii")
    (tmp_path / "cut.html").write_text(text[: len(text) - 2000], encoding="ascii")
    (tmp_path / "hostile.html").write_text(without_checksum(text).replace('"strings":[', '"strings":[5,'), encoding="ascii")
    for file, name, text in (
        (None, "notes.txt", "“notes.txt” cannot be opened here. Drop an exported report.html"),
        (tmp_path / "other.html", "", "“other.html” cannot be opened. It is not a page that comgra-export wrote."),
        (tmp_path / "cut.html", "", "“cut.html” cannot be opened. It has been cut off: a part of its data is missing."),
        (tmp_path / "hostile.html", "", "strings[0] should be a string"),
        (pages["folder"], "", "It is the page of a folder: its numbers are in files beside it."),
    ):
        _drop(viewer, file, name)
        expect(viewer.element("message").filter(has_text=text)).to_be_visible()
        # What was said of the file before does not stay.
        expect(viewer.element("message")).to_have_count(1)
    assert viewer.rows() == rows
    assert viewer.enabled_options("trial") == ["first"]
    viewer.page.get_by_role("button", name="Dismiss").click()
    expect(viewer.element("message")).to_have_count(0)
    _drop(viewer, None, "notes.txt")
    expect(viewer.element("message")).to_have_count(1)
    _drop(viewer, pages["after"])
    expect(viewer.page).to_have_title("After")
    expect(viewer.element("message")).to_have_count(0)
