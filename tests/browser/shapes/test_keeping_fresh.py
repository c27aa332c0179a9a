"""`comgra-export build --watch` and an open page: what is recorded meanwhile is shown in place."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, Request, expect

import comgra_export
from support.browser.editable import record_inputs
from support.browser.kept_fresh import kept_fresh
from support.browser.viewer import Viewer, fragment

PATIENCE_MILLISECONDS = 90_000


@pytest.fixture
def watched(tmp_path: Path) -> Iterator[Path]:
    """The page of a folder that a process keeps fresh."""
    with kept_fresh(tmp_path) as page:
        yield page


def _requests(page: Page) -> list[str]:
    asked: list[str] = []

    def remember(request: Request) -> None:
        asked.append(request.url.rpartition("/")[2].partition("?")[0])

    page.on("request", remember)
    return asked


def test_a_trial_that_is_added_is_shown_in_place(watched: Path, open_viewer: Callable[..., Viewer]) -> None:
    link = {"tab": "tensors", "node": "image", "role": "image", "agg": "has_no_batch_dimension", "pane": "picture", "scale": "log"}
    viewer = open_viewer(watched, fragment(link), wait=False)
    viewer.element("edit").click()
    viewer.element("picture").press("Home")
    viewer.element("picture").press("Enter")
    before = viewer.link(until="scale=log")
    asked = _requests(viewer.page)
    record_inputs(watched.parents[1] / "recordings", "first edit 1", factor=3)
    expect(viewer.element("added-trial")).to_contain_text("New trial: first edit 1", timeout=PATIENCE_MILLISECONDS)
    assert viewer.link(until="scale=log") == before
    expect(viewer.element("edit-count")).to_have_text("1 of 96 cells changed")
    viewer.element("compare-added").click()
    viewer.wait_until_shown({"trial": "first edit 1", "node": "image"})
    viewer.select_node("product")
    numbers = [viewer.page.get_by_role("cell", name=number, exact=True) for number in ("3", "1", "2")]
    changed = viewer.element("compare-row")
    for number in numbers:
        changed = changed.filter(has=number)
    expect(changed.first).to_be_visible()
    # Every file that was asked for is of the build that is shown.
    newest = max(int(name.removeprefix("index-").removesuffix(".js")) for name in asked if name.startswith("index-"))
    assert all(f"-{newest}.js" in name for name in asked[asked.index(f"index-{newest}.js") :] if name != "version.js")


ADAPTER = """
def rerun(input, recorder):
    with recorder.batch(0, 1), recorder.iteration():
        recorder.register_tensor("image", input, index_of_batch_dimension=None, is_input=True)
        recorder.register_tensor("product", input * 1, index_of_batch_dimension=None)
"""


def test_from_a_changed_cell_to_what_the_network_makes_of_it(watched: Path, open_viewer: Callable[..., Viewer]) -> None:
    folder = watched.parents[1]
    (folder / "adapter.py").write_text(ADAPTER, encoding="utf-8")
    link = {"tab": "tensors", "node": "image", "role": "image", "agg": "has_no_batch_dimension", "pane": "picture"}
    viewer = open_viewer(watched, fragment(link), wait=False)
    viewer.element("edit").click()
    for key in ("Home", *["ArrowDown"] * 2, *["ArrowRight"] * 5, "Enter"):
        viewer.element("picture").press(key)
    for ending in ("npy", "json"):
        with viewer.page.expect_download() as started:
            viewer.element(f"edit-download-{ending}").click()
        started.value.save_as(folder / started.value.suggested_filename)
    command = [sys.executable, "-m", "comgra_export", "rerun", "adapter.py", "--input", "first-image-step0-edited.npy"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    expect(viewer.element("added-trial")).to_contain_text("New trial: first edit 1", timeout=PATIENCE_MILLISECONDS)
    viewer.element("compare-added").click()
    viewer.wait_until_shown({"trial": "first edit 1", "node": "image"})
    viewer.select_node("product")
    expect(viewer.element("difference")).to_contain_text("1 value of 96 differs by at most 1 (at 2, 5)")
    viewer.element("tab-notes").click()
    expect(viewer.page.locator("#panel-notes")).to_contain_text("with 1 cell changed: [2, 5] 1 -> 0.")


def test_chunks_of_an_older_build_stay_while_its_page_is_open(watched: Path, open_viewer: Callable[..., Viewer]) -> None:
    """A page that does not look, as one in the background, goes on with its own data."""
    viewer = open_viewer(watched, fragment({"node": "image", "role": "image", "agg": "has_no_batch_dimension"}))
    viewer.page.evaluate("() => Object.defineProperty(document, 'hidden', { value: true })")
    record_inputs(watched.parents[1] / "recordings", "second", factor=2)
    _wait_for_generation(watched, 2)
    asked = _requests(viewer.page)
    viewer.select_node("numbers")
    assert viewer.rows()[4].value.replace("\u202f", "").replace(",", "") == str(2**62 + 1)
    assert asked
    assert all(name.endswith("-1.js") for name in asked)
    assert viewer.enabled_options("trial") == ["first"]


def _wait_for_generation(page: Path, generation: int) -> None:
    for _ in range(PATIENCE_MILLISECONDS // 100):
        if f"({generation}," in (page.parent / "data" / "version.js").read_text(encoding="ascii"):
            return
        time.sleep(0.1)
    raise AssertionError(os.listdir(page.parent / "data"))


def test_files_stay_in_sight_while_newer_data_comes(watched: Path, open_viewer: Callable[..., Viewer], tmp_path: Path) -> None:
    other = comgra_export.export(record_inputs(tmp_path / "elsewhere", "other"), tmp_path / "other.html", title="Other").path
    viewer = open_viewer(watched, fragment({"tab": "about"}), wait=False)
    expect(viewer.element("live-foot")).to_be_visible()
    viewer.element("file-input").set_input_files(other)
    expect(viewer.page).to_have_title("Other")
    asked = _requests(viewer.page)
    record_inputs(watched.parents[1] / "recordings", "second", factor=2)
    _wait_for_generation(watched, 2)
    with viewer.page.expect_request(lambda request: "version.js" in request.url):
        pass
    assert viewer.enabled_options("trial") == ["other"]
    for _ in range(PATIENCE_MILLISECONDS // 100):
        if "index-2.js" in asked:
            break
        viewer.page.wait_for_timeout(100)
    viewer.page.wait_for_timeout(500)
    assert viewer.enabled_options("trial") == ["other"]
    viewer.element("own-data").click()
    expect(viewer.element("opened-files")).to_have_count(0)
    assert viewer.enabled_options("trial") == ["first", "second"]


def test_what_says_that_newer_data_is_shown_covers_nothing(watched: Path, open_viewer: Callable[..., Viewer]) -> None:
    viewer = open_viewer(watched, fragment({"node": "image", "role": "image"}), viewport={"width": 1400, "height": 900})
    panel = viewer.page.locator("#panel-tensors")
    box = panel.bounding_box()
    record_inputs(watched.parents[1] / "recordings", "second", factor=2)
    viewer.element("added-trial").get_by_role("button", name="Dismiss").click(timeout=PATIENCE_MILLISECONDS)
    updated = viewer.element("updated")
    expect(updated).to_have_text("Updated just now")
    said = updated.bounding_box()
    assert box is not None
    assert said is not None
    assert said["y"] >= box["y"] + box["height"]
    assert said["y"] + said["height"] <= 900
    assert panel.bounding_box() == box


def test_other_pages_look_for_nothing(tmp_path: Path, open_viewer: Callable[..., Viewer]) -> None:
    bundle = comgra_export.export(record_inputs(tmp_path / "recordings"), tmp_path / "report")
    viewer = open_viewer(bundle.path / "index.html")
    asked = _requests(viewer.page)
    viewer.page.wait_for_timeout(5000)
    assert asked == []
