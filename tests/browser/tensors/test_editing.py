"""Inputs are changed in the page, and taken out of it as files that NumPy reads."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from playwright.sync_api import expect

import comgra_export
from support.browser.axe import violations_in_all_colors
from support.browser.editable import BATCH, SAMPLES, image, numbers, planes, record_inputs
from support.browser.viewer import Viewer, fragment

ROWS, COLUMNS = 8, 12
READ_CORNERS = """(canvas, cells) => {
  const ratio = canvas.width / canvas.clientWidth;
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  return cells.map(([x, y]) => data[4 * (Math.round(y * ratio) * canvas.width + Math.round(x * ratio))]);
}"""


@pytest.fixture(scope="module")
def page_of_inputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page with inputs to edit."""
    folder = tmp_path_factory.mktemp("inputs")
    return comgra_export.export(record_inputs(folder / "recordings"), folder / "report.html").path


@pytest.fixture
def show(page_of_inputs: Path, open_viewer: Callable[..., Viewer]) -> Callable[..., Viewer]:
    """Opens the picture of an input, ready to be edited."""

    def show_(node: str, aggregation: str = "has_no_batch_dimension", **view: str) -> Viewer:
        link = {"tab": "tensors", "node": node, "role": node, "agg": aggregation, "pane": "picture", **view}
        viewer = open_viewer(page_of_inputs, fragment(link), wait=False, viewport={"width": 1400, "height": 1100})
        viewer.element("edit").click()
        expect(viewer.element("edit")).to_have_attribute("aria-pressed", "true")
        return viewer

    return show_


def _place(viewer: Viewer, row: int, column: int, rows: int = ROWS, columns: int = COLUMNS) -> tuple[float, float]:
    """The middle of a cell on the screen, where the whole picture is seen."""
    box = viewer.element("picture-canvas").bounding_box()
    assert box is not None
    side = min(box["width"] / columns, box["height"] / rows, 56)
    return box["x"] + (column + 0.5) * side, box["y"] + (row + 0.5) * side


def _click(viewer: Viewer, row: int, column: int, rows: int = ROWS, columns: int = COLUMNS) -> None:
    viewer.page.mouse.click(*_place(viewer, row, column, rows, columns))


def _count(viewer: Viewer, changed: int, of: int = ROWS * COLUMNS, shown: str = "") -> None:
    expect(viewer.element("edit-count")).to_have_text(f"{changed} of {of:,} cells changed{shown}")


def _downloaded(viewer: Viewer, folder: Path) -> tuple[NDArray[Any], dict[str, Any]]:
    """Download both files."""
    files = {}
    for ending in ("npy", "json"):
        with viewer.page.expect_download() as started:
            viewer.element(f"edit-download-{ending}").click()
        files[ending] = folder / started.value.suggested_filename
        started.value.save_as(files[ending])
        expect(viewer.element("edit-outcome")).to_have_text(f"Saved as {files[ending].name}.")
    assert files["npy"].stem == files["json"].stem
    array: NDArray[Any] = np.load(files["npy"], allow_pickle=False)
    description: dict[str, Any] = json.loads(files["json"].read_text(encoding="utf-8"))
    for place, _, after in description["changed"]:
        assert array.reshape(-1)[place] == np.array(after).astype(array.dtype)
    return array, description


def test_one_cell_is_changed_and_downloaded(show: Callable[..., Viewer], tmp_path: Path) -> None:
    viewer = show("image")
    _count(viewer, 0)
    _click(viewer, 2, 5)
    _count(viewer, 1)
    expect(viewer.element("picture-readout")).to_have_text("[2, 5] = 0 (recorded: 1)")
    array, description = _downloaded(viewer, tmp_path)
    expected = image().numpy()
    expected[2, 5] = 0
    assert array.dtype == np.float32
    np.testing.assert_array_equal(array, expected)
    assert description == {
        "format": "comgra-edit", "version": 1, "group": "inputs", "trial": "first", "rank": 0, "step": 0, "iteration": 0, "tensor": "image",
        "shape": [8, 12], "dtype": "F32", "samples": [], "missing": [], "changed": [[2 * 12 + 5, 1, 0]],
    }  # fmt: skip


@pytest.mark.parametrize("z", ["1", "-2.5"])
def test_a_click_toggles_between_0_and_any_value(show: Callable[..., Viewer], z: str) -> None:
    viewer = show("image")
    viewer.element("edit-value").fill(z)
    for value in (z, "0", z):
        _click(viewer, 6, 1)
        expect(viewer.element("picture-readout").locator("strong")).to_have_text({"0": "0", "1": "1", "-2.5": "-2.500"}[value])
    _count(viewer, 1)
    _click(viewer, 6, 1)
    _count(viewer, 0)


def test_a_drag_paints_and_is_one_step(show: Callable[..., Viewer], tmp_path: Path) -> None:
    viewer = show("image")
    viewer.element("edit-kind").select_option("set")
    viewer.element("edit-value").fill("0.25")
    viewer.page.mouse.move(*_place(viewer, 0, 0))
    viewer.page.mouse.down()
    # A fast movement skips cells; the brush does not.
    viewer.page.mouse.move(*_place(viewer, 0, 11))
    viewer.page.mouse.move(*_place(viewer, 7, 11))
    viewer.page.mouse.up()
    _count(viewer, 12 + 7)
    _click(viewer, 5, 5)
    _count(viewer, 20)
    viewer.page.keyboard.press("Control+z")
    _count(viewer, 19)
    viewer.page.keyboard.press("Control+z")
    _count(viewer, 0)
    viewer.page.keyboard.press("Control+Shift+Z")
    _count(viewer, 19)
    viewer.element("edit-redo").click()
    viewer.element("edit-reset").click()
    _count(viewer, 0)
    viewer.element("edit-undo").click()
    expected = image().numpy()
    expected[0, :] = expected[:, 11] = expected[5, 5] = 0.25
    np.testing.assert_array_equal(_downloaded(viewer, tmp_path)[0], expected)


def test_by_keyboard(show: Callable[..., Viewer], tmp_path: Path) -> None:
    viewer = show("image")
    picture = viewer.element("picture")
    for key in ("Home", "ArrowDown", "ArrowRight", "Enter", "ArrowRight", " "):
        picture.press(key)
    _count(viewer, 2)
    expected = image().numpy()
    expected[1, 1:3] = 1
    np.testing.assert_array_equal(_downloaded(viewer, tmp_path)[0], expected)
    viewer.page.keyboard.press("x")
    expect(viewer.element("edit")).to_have_text("Edit (2 changed)")


def test_changed_cells_have_a_mark_and_keep_it(show: Callable[..., Viewer]) -> None:
    viewer = show("image")
    box = viewer.element("picture-canvas").bounding_box()
    assert box is not None
    _click(viewer, 2, 5)
    viewer.page.mouse.move(0, 0)
    viewer.element("picture").press("End")
    # Both are 0 now, and one of them was always: just inside its corner it has the color of 0.
    half = min(box["width"] / COLUMNS, box["height"] / ROWS, 56) / 2
    corners = [(x - box["x"] + half - 2.5, y - box["y"] - half + 2.5) for x, y in (_place(viewer, 2, 5), _place(viewer, 3, 5))]
    changed, recorded = viewer.element("picture-canvas").evaluate(READ_CORNERS, corners)
    assert changed < 30
    assert recorded > 60
    # What is changed survives other tensors, tabs and ways to look at it, and no key changes what is not seen.
    viewer.element("tab-about").click()
    viewer.page.keyboard.press("Control+z")
    viewer.element("tab-tensors").click()
    _count(viewer, 1)
    viewer.select_node("numbers")
    _count(viewer, 0, of=3)
    viewer.select_node("product")
    expect(viewer.element("edit")).to_have_count(0)
    viewer.select_node("image")
    viewer.element("pane-table").click()
    viewer.element("pane-picture").click()
    _count(viewer, 1)


def test_an_edit_in_one_channel_changes_no_other(show: Callable[..., Viewer], tmp_path: Path) -> None:
    viewer = show("planes", "sample_1", page="4")
    _click(viewer, 7, 7, 8, 8)
    _count(viewer, 1, of=SAMPLES * 9 * 64)
    expect(viewer.element("picture-readout")).to_contain_text("[4, 7, 7] = 0 (recorded:")
    viewer.element("page-next-1").click()
    _count(viewer, 1, of=SAMPLES * 9 * 64, shown=", 0 of them shown here")
    array, description = _downloaded(viewer, tmp_path)
    expected = planes().numpy()[:SAMPLES]
    expected[1, 4, 7, 7] = 0
    np.testing.assert_array_equal(array, expected)
    missing = [f"The file holds {SAMPLES} of {BATCH} samples of the batch: this page has no others."]
    assert (description["samples"], description["missing"], description["shape"]) == ([0, 1], missing, [SAMPLES, 9, 8, 8])
    expect(viewer.element("edit-missing")).to_have_text(missing)


def test_means_over_the_batch_are_no_input(page_of_inputs: Path, open_viewer: Callable[..., Viewer]) -> None:
    link = {"node": "planes", "role": "planes", "agg": "batch_mean", "pane": "picture"}
    viewer = open_viewer(page_of_inputs, fragment(link), wait=False)
    viewer.element("edit").click()
    viewer.wait_until_shown({"agg": "sample_0"})
    expect(viewer.element("edit")).to_have_attribute("aria-pressed", "true")
    viewer.choose("aggregation", "batch_abs_max")
    expect(viewer.element("edit")).to_have_attribute("aria-pressed", "false")


def test_whole_numbers_stay_exact_and_only_fitting_values_are_taken(show: Callable[..., Viewer], tmp_path: Path) -> None:
    viewer = show("numbers")
    viewer.element("edit-value").fill("0.5")
    expect(viewer.element("edit-value")).to_have_attribute("aria-invalid", "true")
    expect(viewer.element("edit-value-wrong")).to_have_text(
        "Type a whole number from -9223372036854775808 to 9223372036854775807. It stays 1."
    )
    viewer.page.keyboard.press("Tab")
    picture = viewer.element("picture")
    for key in ("Home", "ArrowRight", "Enter"):
        picture.press(key)
    expect(viewer.element("picture-readout").locator("strong")).to_have_text("1")
    picture.press("Enter")
    _count(viewer, 0, of=3)
    viewer.element("edit-value").fill("9223372036854775807")
    for key in ("Home", "ArrowRight", "Enter"):
        picture.press(key)
    _count(viewer, 1, of=3)
    array, description = _downloaded(viewer, tmp_path)
    assert array.dtype == np.int64
    assert array.tolist() == [numbers()[0].item(), 2**63 - 1, -3]
    assert description["changed"] == [[1, 0, "9223372036854775807"]]


def test_bfloat16_becomes_float32(show: Callable[..., Viewer], tmp_path: Path) -> None:
    viewer = show("half")
    expect(viewer.element("edit-missing")).to_have_text("NumPy has no bfloat16: the file is float32, which holds the same numbers.")
    array, description = _downloaded(viewer, tmp_path)
    assert array.dtype == np.float32
    assert (array.tolist(), description["dtype"], description["changed"]) == ([[0.5, -2.0]], "F32", [])


@pytest.mark.parametrize("width", [1400, 400])
def test_no_violation_of_accessibility(page_of_inputs: Path, open_viewer: Callable[..., Viewer], width: int) -> None:
    link = {"node": "planes", "role": "planes", "agg": "sample_0", "pane": "picture"}
    viewer = open_viewer(page_of_inputs, fragment(link), wait=False, viewport={"width": width, "height": 900})
    viewer.element("edit").click()
    for key in ("Home", "Enter"):
        viewer.element("picture").press(key)
    viewer.element("edit-value").fill("nonsense")
    viewer.element("edit-rerun").locator("summary").click()
    expect(viewer.element("edit-value")).to_have_attribute("aria-invalid", "true")
    assert violations_in_all_colors(viewer.page) == []
    assert viewer.page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
