"""The values as a picture, as a histogram, sorted, and taken out of the page."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from playwright.sync_api import expect

from support.browser.recorded import HOSTILE_NAME, LENGTHS, SAMPLES, Kept, Key
from support.browser.viewer import Link, Viewer, fragment
from support.browser.written import HUGE, LONG, LONGER, value_at

STEP = 5
LAST = LENGTHS[STEP] - 1
VIEW: Link = {"tab": "tensors", "trial": "second", "rec": "forward", "type": "any_value", "step": STEP, "it": LAST}
# Every text that the page copies is kept here.
CATCH_COPIES = "() => { navigator.clipboard.writeText = async (text) => { globalThis.copied = text; }; }"
REFUSE_COPIES = "() => { navigator.clipboard.writeText = async () => { throw new Error('not allowed'); }; }"
READ_PIXELS = """(canvas, places) => {
  const ratio = canvas.width / canvas.clientWidth;
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  return places.map(([x, y]) => [0, 1, 2].map((k) => data[4 * (Math.round(y * ratio) * canvas.width + Math.round(x * ratio)) + k]));
}"""
READ_TABLE = "table => [...table.tBodies[0].rows].map((row) => [...row.cells].map((cell) => cell.textContent))"


@pytest.fixture
def show(bundle: Path, visit: Callable[..., Viewer]) -> Callable[..., Viewer]:
    """Goes to a pane with the values of a node."""
    opened: list[Viewer] = []

    def show_(pane: str, node: str, aggregation: str, **view: str) -> Viewer:
        link = {**VIEW, "node": node, "role": node, "agg": aggregation, "pane": pane, **view}
        if opened:
            opened[0].go(link)
            opened[0].wait_until_shown({key: value for key, value in link.items() if key != "pane"})
        else:
            opened.append(visit(bundle, link, viewport={"width": 1400, "height": 1100}))
        return opened[0]

    return show_


def _picture(kept: Kept, sample: int) -> NDArray[np.float64]:
    """A tensor of 2 x 3 x 4 values."""
    tensor: NDArray[np.float64] = kept[Key("second", STEP, "forward", LAST, "picture")][sample]
    return tensor


def _pointed(viewer: Viewer) -> tuple[tuple[int, ...], float]:
    """The index and the value that the readout says."""
    index, _, value = viewer.element("picture-readout").inner_text().partition("] = ")
    exact = float(viewer.element("picture-readout").locator("strong").get_attribute("title") or "")
    assert float(value) == pytest.approx(exact, rel=5.1e-4)
    return tuple(int(part) for part in index.removeprefix("[").split(", ")), exact


def test_every_cell_has_its_value_and_the_colour_of_its_sign(show: Callable[..., Viewer], kept: Kept) -> None:
    values = kept[Key("second", STEP, "forward", LAST, "picture")].mean(axis=0)
    assert (values > 0).any()
    assert (values < 0).any()
    viewer = show("picture", "picture", "batch_mean", extent="view")
    canvas = viewer.element("picture-canvas")
    box = canvas.bounding_box()
    assert box is not None
    positions = {}
    for y in range(4, int(box["height"]), 40):
        for x in range(4, int(box["width"]), 40):
            viewer.page.mouse.move(box["x"] + x, box["y"] + y)
            if "] = " in viewer.element("picture-readout").inner_text():
                index, value = _pointed(viewer)
                assert value == pytest.approx(values[index], abs=1e-6)
                positions[index] = (x, y)
    assert len(positions) == values.size
    colors = canvas.evaluate(READ_PIXELS, list(positions.values()))
    warm = {index for index, (red, _, blue) in zip(positions, colors, strict=True) if red > blue}
    assert warm == {index for index in positions if values[index] > 0}


def test_the_picture_by_keyboard(show: Callable[..., Viewer], kept: Kept) -> None:
    viewer = show("picture", "picture", "sample_2")
    expect(viewer.element("picture-readout")).to_have_text("Down: axis 2 (3); right: axis 3 (4); tiles: axis 1 (2)")
    picture = viewer.element("picture")
    for key, index in (
        ("Home", (0, 0, 0)), ("ArrowRight", (0, 0, 1)), ("ArrowDown", (0, 1, 1)), ("ArrowLeft", (0, 1, 0)),
        ("End", (1, 2, 3)), ("ArrowDown", (1, 2, 3)), ("ArrowUp", (1, 1, 3)),
    ):  # fmt: skip
        picture.press(key)
        shown, value = _pointed(viewer)
        assert shown == index
        assert value == pytest.approx(_picture(kept, 2)[index], abs=1e-6)
    # From tile to tile, over what lies between them.
    picture.press("Home")
    for _ in range(4):
        picture.press("ArrowRight")
    assert _pointed(viewer)[0] == (1, 0, 0)
    for key, is_larger in (("+", True), ("0", False)):
        picture.press(key)
        assert (float(picture.get_attribute("data-zoom") or 0) > 1) == is_larger


def test_the_wheel_zooms_at_the_pointer(large_bundle: Path, open_again: Callable[..., Viewer]) -> None:
    link = {"trial": "long", "node": "long", "agg": "sample_1", "pane": "picture"}
    viewer = open_again(large_bundle, link)
    # The values are 0.5, 1.5 and so on.
    label = "Picture of 200,000 finite values from 0.5 to 200000, mean 100000; shape 200 × 1000, rows are axis 1 (200)"
    expect(viewer.element("picture-canvas")).to_have_attribute("aria-label", label)
    viewer.element("picture").hover(position={"x": 200, "y": 60})
    before = _pointed(viewer)
    assert before[1] == value_at(before[0][0] * LONG[1] + before[0][1], 1)
    for _ in range(20):
        viewer.page.mouse.wheel(0, -300)
    viewer.page.wait_for_function("() => Number(document.querySelector('[data-testid=picture]').dataset.zoom) > 50")
    viewer.element("picture").hover(position={"x": 201, "y": 60})
    viewer.element("picture").hover(position={"x": 200, "y": 60})
    after = _pointed(viewer)
    assert np.abs(np.subtract(after[0], before[0])).max() <= 1
    viewer.element("picture-zoom-fit").click()
    expect(viewer.element("picture")).to_have_attribute("data-zoom", "1.00")


def test_colours_are_in_the_address(show: Callable[..., Viewer], kept: Kept) -> None:
    viewer = show("picture", "picture", "sample_2")
    ticks = viewer.element("picture-legend").locator(".legend-ticks span")
    # The batch goes evenly from -2 to 2.
    expect(ticks).to_have_text(["-2", "0", "2"])
    viewer.element("picture-extent").select_option("view")
    values = _picture(kept, 2)
    # All values of this sample are negative, so that zero is no middle.
    expect(ticks).to_have_text([f"{number:.4g}" for number in (values.min(), (values.min() + values.max()) / 2, values.max())])
    viewer.element("picture-scale").select_option("diverging")
    expect(ticks).to_have_text([f"{values.min():.4g}", "0", f"{-values.min():.4g}"])
    viewer.page.wait_for_url("**&scale=diverging&extent=view")
    viewer.page.reload()
    expect(viewer.element("picture-scale")).to_have_value("diverging")
    expect(viewer.element("picture-extent")).to_have_value("view")


def test_an_extent_of_all_steps(show: Callable[..., Viewer], kept: Kept) -> None:
    limits = {step: float(np.abs(kept[Key("second", step, "forward", 0, "input")]).max()) for step in LENGTHS}
    step = min(limits, key=lambda step: limits[step])
    viewer = show("picture", "input", "sample_0", it="0", step=str(step))
    ticks = viewer.element("picture-legend").locator(".legend-ticks span")
    expect(ticks.last).to_have_text(f"{limits[step]:.4g}")
    viewer.element("picture-extent").select_option("steps")
    expect(ticks.last).to_have_text(f"{max(limits.values()):.4g}")
    expect(viewer.element("extent-loading")).to_have_count(0)


def test_pages_of_a_picture(show: Callable[..., Viewer], kept: Kept) -> None:
    viewer = show("picture", "picture", "sample_0")
    expect(viewer.element("page-all-1")).to_have_attribute("aria-pressed", "true")
    viewer.element("page-1").fill("1")
    viewer.element("page-1").press("Enter")
    viewer.page.wait_for_url("**&page=1")
    viewer.element("picture").press("Home")
    index, value = _pointed(viewer)
    assert index == (1, 0, 0)
    assert value == pytest.approx(_picture(kept, 0)[index], abs=1e-6)
    viewer.element("page-previous-1").click()
    expect(viewer.element("page-1")).to_have_value("0")
    viewer.element("page-all-1").click()
    expect(viewer.element("page-all-1")).to_have_attribute("aria-pressed", "true")


def test_what_is_not_finite_is_found_in_the_picture(show: Callable[..., Viewer]) -> None:
    viewer = show("picture", HOSTILE_NAME, "sample_0")
    for name, text, value in (("nan", "NaN", "NaN"), ("positiveInfinity", "+inf", "+inf"), ("negativeInfinity", "−inf", "-inf")):
        button = viewer.element(f"find-{name}")
        expect(button).to_have_text(f"{text}: 1 value")
        button.click()
        expect(viewer.element("picture-readout").locator("strong")).to_have_text(value)
    viewer.choose("aggregation", "sample_1")
    expect(viewer.element("find-nan")).to_have_count(0)


def test_samples_side_by_side(show: Callable[..., Viewer], kept: Kept) -> None:
    viewer = show("picture", "picture", "sample_0")
    samples = viewer.element("samples").get_by_test_id("sample")
    expect(samples).to_have_count(SAMPLES)
    means = [float(_picture(kept, sample).mean()) for sample in range(SAMPLES)]
    expect(samples.first.locator(".soft")).to_have_text(f"mean {means[0]:.4g}")
    viewer.element("sample-order").select_option("abs_max")
    largest = [float(np.abs(_picture(kept, sample)).max()) for sample in range(SAMPLES)]
    order = [f"sample_{sample}" for sample in np.argsort(largest, kind="stable")]
    assert order != sorted(order)
    viewer.page.wait_for_function("first => document.querySelector('[data-testid=sample]').dataset.sample === first", arg=order[0])
    assert [sample.get_attribute("data-sample") for sample in samples.all()] == order
    samples.nth(1).click()
    expect(viewer.control("aggregation")).to_have_value(order[1])
    expect(samples.nth(1)).to_have_attribute("aria-pressed", "true")


@pytest.mark.parametrize("node", ["loss"])
def test_what_has_no_values_says_so(node: str, show: Callable[..., Viewer]) -> None:
    for pane in ("picture", "histogram"):
        viewer = show(pane, node, "has_no_batch_dimension")
        expect(viewer.element(f"{pane}-empty")).to_contain_text("It is a single value")


def test_the_histogram_counts_every_value_once(show: Callable[..., Viewer], kept: Kept) -> None:
    viewer = show("histogram", "picture", "sample_2")
    counts, edges = np.histogram(_picture(kept, 2), bins=8)
    rows = viewer.element("histogram-bins").evaluate(READ_TABLE)
    assert [int(count) for _, count in rows] == counts.tolist()
    assert rows[0][0] == f"{edges[0]:.4g} to {edges[1]:.4g}"
    histogram = viewer.element("histogram")
    for bin_number in range(3):
        histogram.press("ArrowRight")
        expect(viewer.element("histogram-readout").locator("strong")).to_have_text(f"{counts[bin_number]} values")
    viewer.element("histogram-log").click()
    viewer.page.wait_for_url("**&scale=log")
    rows = viewer.element("histogram-bins").evaluate(READ_TABLE)
    assert sum(int(count) for _, count in rows) == 24


def test_the_scale_keeps_the_focus_while_values_are_counted(bundle: Path, open_viewer: Callable[..., Viewer]) -> None:
    link = {**VIEW, "node": "picture", "role": "picture", "agg": "sample_0", "pane": "histogram"}
    viewer = open_viewer(bundle, fragment(link), wait=False)
    button = viewer.element("histogram-log")
    expect(viewer.element("histogram-bins")).to_have_count(1)
    # Every look at the clock ends a slice, as with many values.
    viewer.page.evaluate("() => { let time = performance.now(); performance.now = () => (time += 50); }")
    button.focus()
    button.press("Enter")
    expect(button).to_have_attribute("aria-pressed", "true")
    expect(viewer.element("histogram-bins")).to_have_count(1)
    expect(button).to_be_focused()


def test_the_histogram_counts_what_no_bar_shows(show: Callable[..., Viewer]) -> None:
    viewer = show("histogram", HOSTILE_NAME, "sample_0")
    table = viewer.element("histogram-counts")
    assert table.evaluate(READ_TABLE) == [["here", *["1 (25 %)"] * 4], ["in the whole batch", *["1 (4.17 %)"] * 4]]
    viewer.choose("aggregation", "sample_1")
    expect(table.locator("tbody tr").first).to_have_text("here0000")


@pytest.mark.parametrize("order", ["ascending", "descending", "magnitude"])
def test_the_table_is_sorted_by_value(order: str, show: Callable[..., Viewer], kept: Kept) -> None:
    values = _picture(kept, 2).reshape(-1)
    keys = {"ascending": values, "descending": -values, "magnitude": -np.abs(values)}[order]
    expected = np.argsort(keys, kind="stable")
    viewer = show("table", "picture", "sample_2")
    viewer.element("table-order").select_option(order)
    viewer.page.wait_for_url(f"**&order={order}")
    rows = [row for row in viewer.rows() if row.item == "neuron"]
    shape = _picture(kept, 2).shape
    places = [", ".join(map(str, np.unravel_index(place, shape))) for place in expected]
    assert [row.place for row in rows] == places[: len(rows)]
    assert [float(row.exact) for row in rows] == pytest.approx(values[expected][: len(rows)], rel=1e-6)


def test_a_long_table_is_sorted_and_gone_through_by_index(large_bundle: Path, open_again: Callable[..., Viewer]) -> None:
    viewer = open_again(large_bundle, {"trial": "long", "node": "longer", "agg": "sample_1", "order": "descending"})
    first = viewer.page.locator("[data-testid=value-row][data-item=neuron]").first
    expect(first.get_by_test_id("value")).to_have_attribute("title", str(value_at(LONGER - 1, 1)))
    viewer.element("go-to-index").fill("0")
    viewer.element("go-to-index").press("Enter")
    last = viewer.page.locator("[data-testid=value-row][data-index='0']")
    expect(last).to_be_in_viewport()
    expect(last).to_have_attribute("aria-rowindex", str(LONGER + 5))


def _download(viewer: Viewer, folder: Path) -> tuple[str, NDArray[np.generic]]:
    """Download the values, and read them as NumPy does."""
    with viewer.page.expect_download() as waiting:
        viewer.element("download-npy").click()
    path = folder / waiting.value.suggested_filename
    waiting.value.save_as(path)
    return path.name, np.load(path, allow_pickle=False)


def test_a_download_is_what_was_recorded(show: Callable[..., Viewer], kept: Kept, tmp_path: Path) -> None:
    dtypes = {"picture": np.float32, "count": np.int64, "half": np.float32, HOSTILE_NAME: np.float32}
    for node, dtype in dtypes.items():
        name, array = _download(show("table", node, "sample_0"), tmp_path)
        expected = kept[Key("second", STEP, "forward", LAST, node)][0]
        assert array.dtype == dtype
        assert array.shape == expected.shape
        np.testing.assert_array_equal(array, expected.astype(dtype))
        assert name.endswith("-forward-step5-sample_0.npy")


def test_a_download_of_many_values_and_of_huge_integers(large_bundle: Path, open_again: Callable[..., Viewer], tmp_path: Path) -> None:
    viewer = open_again(large_bundle, {"trial": "long", "node": "huge"})
    array = _download(viewer, tmp_path)[1]
    assert array.dtype == np.int64
    assert array.tolist() == list(HUGE)
    viewer = open_again(large_bundle, {"trial": "long", "node": "long", "agg": "sample_1"})
    array = _download(viewer, tmp_path)[1]
    np.testing.assert_array_equal(array, (np.arange(LONG[0] * LONG[1]) + 0.5).reshape(LONG).astype(np.float32))
    viewer.element("copy-csv").click()
    expect(viewer.element("copy-outcome")).to_have_text("200,000 values are too many to copy; up to 100,000 can be. Download them instead.")


def _copy(viewer: Viewer, way: str) -> str:
    viewer.page.evaluate(CATCH_COPIES)
    viewer.element(f"copy-{way}").click()
    expect(viewer.element("copy-outcome")).to_contain_text("Copied")
    text: str = viewer.page.evaluate("copied")
    return text


def test_python_and_a_spreadsheet_read_what_is_copied(show: Callable[..., Viewer], kept: Kept) -> None:
    for node, dtype in (("picture", np.float32), ("count", np.int64), (HOSTILE_NAME, np.float32)):
        viewer = show("table", node, "sample_0")
        expected = kept[Key("second", STEP, "forward", LAST, node)][0].astype(dtype)
        array = eval(_copy(viewer, "numpy"), {"np": np})
        assert array.dtype == dtype
        np.testing.assert_array_equal(array, expected)
        rows = list(csv.reader(io.StringIO(_copy(viewer, "csv"))))
        assert rows[0] == [*(f"axis_{axis + 1}" for axis in range(expected.ndim)), "value"]
        copied = {tuple(map(int, index)): dtype(value) for *index, value in rows[1:]}
        assert len(copied) == expected.size
        np.testing.assert_array_equal([copied[index] for index in np.ndindex(expected.shape)], expected.reshape(-1))


def test_a_text_that_may_not_be_copied_is_shown(show: Callable[..., Viewer]) -> None:
    viewer = show("table", "count", "sample_1")
    viewer.page.evaluate(REFUSE_COPIES)
    viewer.element("copy-numpy").click()
    field = viewer.element("copy-by-hand")
    expect(field).to_be_focused()
    expect(field).to_have_value("np.array([1000], dtype=np.int64)")
    assert viewer.page.evaluate("getSelection().toString()") == "np.array([1000], dtype=np.int64)"
