"""The page describes missing or damaged data, says what to do, and still shows the rest."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

import comgra_export
from comgra_export.storage import open_recording
from support.browser.bundled import TITLE
from support.browser.recorded import BATCH, TRIALS
from support.browser.viewer import Link, Viewer, fragment

# Curves and notes of each trial, the network and the gaps of both, the graphs and the layouts come before the numbers.
DOCUMENTS = 8
CHUNK = re.compile(r'(<template id="chunk-(\d+)">)([^<]*)')


def test_a_folder_without_its_data(
    bundles: dict[str, Path], tmp_path: Path, open_viewer: Callable[..., Viewer], complaints: list[str]
) -> None:
    page_alone = tmp_path / "index.html"
    shutil.copy(bundles["folder"], page_alone)
    viewer = open_viewer(page_alone, wait=False)
    # The overview needs none of it.
    expect(viewer.element("findings-summary")).to_be_visible()
    expect(viewer.element("curve-card").first).to_be_visible()
    expect(viewer.page.locator("#panel-overview").get_by_test_id("failure")).to_have_count(0)
    viewer.element("tab-tensors").click()
    failure = viewer.element("failure")
    expect(failure).to_contain_text("A file of the data folder is missing.")
    # Everything under a temporary folder looks like a page inside a zip that was not extracted.
    expect(failure).to_contain_text(re.compile("Extract the whole zip first|must lie beside index.html"))
    assert len(viewer.nodes()) == int(viewer.element("graph").get_attribute("data-node-count") or 0) > 0
    viewer.click_node("output")
    assert viewer.summary()["shape"] == f"{BATCH} × 2"
    for tab, test_id in (("graphs", "chart"), ("notes", "note"), ("network", "network-parameter")):
        viewer.element(f"tab-{tab}").click()
        expect(viewer.element(test_id).first).to_be_visible()
    viewer.element("tab-tensors").click()
    shutil.copytree(bundles["folder"].parent / "data", tmp_path / "data")
    failure.get_by_role("button", name="Try again").click()
    expect(failure).to_have_count(0)
    assert viewer.rows()[0].value != ""
    assert set(complaints) == {"console error: Failed to load resource: net::ERR_FILE_NOT_FOUND"}
    complaints.clear()


def _change_one_character(page: str, number: int) -> str:
    """Changes a character in the middle of a chunk into another one of base64."""
    (match,) = (match for match in CHUNK.finditer(page) if int(match[2]) == number)
    place = match.start(3) + len(match[3]) // 2
    return page[:place] + ("A" if page[place] != "A" else "B") + page[place + 1 :]


def _chunks(page: str) -> list[int]:
    return [int(match[2]) for match in CHUNK.finditer(page)]


def test_a_changed_character_in_the_numbers_is_refused(bundle: Path, tmp_path: Path, open_viewer: Callable[..., Viewer]) -> None:
    page = bundle.read_text(encoding="utf-8")
    # The last chunks hold the numbers of the last step of the second trial.
    damaged = page
    for number in _chunks(page)[-2:]:
        damaged = _change_one_character(damaged, number)
    changed = tmp_path / "report.html"
    changed.write_text(damaged, encoding="utf-8")
    last: Link = {"trial": "second", "rec": "forward", "type": "any_value", "step": 15, "it": 0, "node": "output", "role": "output"}
    viewer = open_viewer(changed, fragment(last), wait=False)
    expect(viewer.element("failure")).to_contain_text(re.compile(r"Part \d+ of the data is damaged"))
    expect(viewer.element("value-row")).to_have_count(0)
    expect(viewer.element("graph")).to_be_visible()
    viewer.press_button("step", "previous")
    viewer.wait_until_shown({"step": "10"})
    assert len(viewer.rows()) == 4 + 2
    expect(viewer.element("failure")).to_have_count(0)


def _texts_of_all_tabs(viewer: Viewer) -> Iterator[str]:
    for trial in TRIALS:
        viewer.choose("trial", trial)
        for tab in ("overview", "tensors", "network", "notes", "graphs", "about"):
            viewer.element(f"tab-{tab}").click()
            panel = viewer.page.locator(f"#panel-{tab}")
            expect(panel).not_to_contain_text("Loading\u2026")
            yield panel.inner_text()


def test_any_changed_document_is_refused_and_the_page_lives(bundle: Path, tmp_path: Path, open_viewer: Callable[..., Viewer]) -> None:
    page = bundle.read_text(encoding="utf-8")
    for number in range(DOCUMENTS):
        changed = tmp_path / f"report-{number}.html"
        changed.write_text(_change_one_character(page, number), encoding="utf-8")
        viewer = open_viewer(changed, wait=False)
        expect(viewer.page.get_by_role("heading", level=1)).to_have_text(TITLE)
        assert any(f"Part {number} of the data is damaged" in text for text in _texts_of_all_tabs(viewer)), number


@pytest.mark.parametrize("kept_part", [0.3, 0.95])
def test_a_page_that_was_cut_off(kept_part: float, bundle: Path, tmp_path: Path, open_page: Callable[..., Page]) -> None:
    text = bundle.read_text(encoding="utf-8")
    start = text.index("<template")
    length = start + int((len(text) - start) * kept_part)
    cut = tmp_path / "report.html"
    cut.write_text(text[:length], encoding="utf-8")
    page = open_page(cut, fragment({"trial": "second", "step": 15}), wait=False)
    expect(page.get_by_test_id("failure").or_(page.get_by_test_id("unreadable"))).to_contain_text(re.compile("cut off|damaged"))


@pytest.mark.parametrize("place", ["</style>\n<script", "</script>\n</head>", "</script>\n<template"])
def test_a_page_that_was_cut_off_before_its_data(
    place: str, bundle: Path, tmp_path: Path, open_page: Callable[..., Page], complaints: list[str]
) -> None:
    """In the style sheet, in the index, in the viewer."""
    text = bundle.read_text(encoding="utf-8")
    cut = tmp_path / "report.html"
    cut.write_text(text[: text.index(place) - 5], encoding="utf-8")
    page = open_page(cut, wait=False)
    shown = "getComputedStyle(document.documentElement, '::before').content + document.body.innerText"
    page.wait_for_function(f"() => ({shown}).includes('file was cut off')")
    # Half a style sheet is not the one that the policy allows.
    complaints[:] = [complaint for complaint in complaints if "inline style" not in complaint]


def test_an_index_that_is_no_index(bundle: Path, tmp_path: Path, open_page: Callable[..., Page]) -> None:
    for broken in ("", "{", "[]", '{"format":"comgra-bundle","version":2}'):
        changed = tmp_path / "report.html"
        text = re.sub(r'(id="bundle-index">)[^<]*', lambda match, new=broken: match[1] + new, bundle.read_text(encoding="utf-8"), count=1)  # type: ignore[misc]
        changed.write_text(text, encoding="utf-8")
        page = open_page(changed, wait=False)
        unreadable = page.get_by_test_id("unreadable")
        expect(unreadable).to_contain_text("This page cannot be shown")
        if "version" in broken:
            expect(unreadable).to_contain_text("version 2")


def test_without_javascript_there_is_a_summary(bundles: dict[str, Path], open_page: Callable[..., Page]) -> None:
    for path in bundles.values():
        page = open_page(path, wait=False, java_script_enabled=False)
        expect(page.get_by_role("heading", level=1)).to_have_text(TITLE)
        rows = page.locator("tbody tr").all()
        assert [row.locator("td").all_inner_texts() for row in rows] == [
            [trial, "4", "0", "15", "02_iterations (2), 03_iterations (2)"] for trial in ("first", "second")
        ]
        expect(page.get_by_text("If this text stays, JavaScript is switched off")).to_be_visible()
        assert page.locator("img, b").count() == 0


def test_a_damaged_recording_is_exported_with_its_problem_named(group: Path, tmp_path: Path, open_viewer: Callable[..., Viewer]) -> None:
    copy = tmp_path / "group"
    shutil.copytree(group, copy)
    blob = copy / "first" / "rank-0" / "steps" / "000000000005.safetensors"
    blob.write_bytes(blob.read_bytes()[:-7])
    (copy / "first" / "rank-0" / "structures").joinpath(_structure_of(copy, step=0, iteration=1)).unlink()
    path = comgra_export.export(copy, tmp_path / "report.html").path
    viewer = open_viewer(path, fragment({"trial": "first", "step": 0, "it": 1, "node": "output", "role": "output"}))
    expect(viewer.element("graph-note")).to_contain_text("dependencies of this iteration were not recorded")
    expect(viewer.element("message")).to_have_count(0)
    assert len(viewer.rows()) == 4 + 2
    viewer.press_button("step", "next")
    viewer.wait_until_shown({"step": "10"})
    viewer.element("tab-about").click()
    expect(viewer.element("problems")).to_contain_text("Step 5 of first")
    expect(viewer.element("problems")).not_to_contain_text(str(tmp_path))


def _structure_of(group: Path, step: int, iteration: int) -> str:
    return f"{open_recording(group / 'first' / 'rank-0').step(step).structures[iteration]}.json"
