"""The tab of gradient flows, with numbers that were worked out by hand: by pointer, by keyboard, and in the link."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit
from xml.etree import ElementTree

import numpy as np
import pytest
from playwright.sync_api import Locator, expect

from comgra_export import export
from support.browser.axe import violations, violations_in_all_colors
from support.browser.flows_by_hand import CONVOLUTION, HEAD, HOSTILE_LAYER, STAGES, write_flows, write_stages
from support.browser.viewer import Link, Viewer, fragment

VIEW: Link = {"tab": "flow", "trial": "with", "type": "train", "step": 0}
MINUS = "\u2212"
Row = tuple[str, str, float]


@pytest.fixture(scope="module")
def page_with_flows(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("flows")
    return export(write_flows(folder), folder / "flows.html").path


@pytest.fixture
def open_flow(page_with_flows: Path, open_again: Callable[..., Viewer]) -> Callable[..., Viewer]:
    """Opens the tab, with changes of the address."""

    def open_(link: Link | None = None, **options: object) -> Viewer:
        return open_again(page_with_flows, {**VIEW, **(link or {})}, ready=wait, **options)

    return open_


@pytest.fixture(scope="module")
def page_with_stages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("stages")
    return export(write_stages(folder), folder / "stages.html").path


@pytest.fixture
def open_stages(page_with_stages: Path, open_again: Callable[..., Viewer]) -> Callable[..., Viewer]:
    """Opens the page of six layers with two channels."""

    def open_(link: Link | None = None, **options: object) -> Viewer:
        return open_again(page_with_stages, {**VIEW, **(link or {})}, ready=wait, **options)

    return open_


def wait(viewer: Viewer) -> None:
    expect(viewer.element("flow-layers")).to_have_attribute("data-state", "ready")


def heat(viewer: Viewer, layer: int) -> Locator:
    return viewer.page.locator(f"[data-testid=flow-heat][data-layer='{layer}']")


def place(cells: Locator, row: int, column: int) -> tuple[float, float]:
    """The middle of a cell, from the corner of its layer."""
    width, height = (float(cells.get_attribute(f"data-cell-{side}") or 0) for side in ("width", "height"))
    return (column + 0.5) * width, (row + 0.5) * height


def click(viewer: Viewer, layer: int, row: int, column: int) -> None:
    x, y = place(heat(viewer, layer), row, column)
    heat(viewer, layer).click(position={"x": x, "y": y})
    expect(viewer.element("flow-layers")).not_to_have_attribute("data-selected", "")
    wait(viewer)


def drawn(viewer: Viewer) -> set[Row]:
    """The flows of the list."""
    wait(viewer)
    if viewer.page.locator(".flow-links:not([open])").count():
        viewer.element("flow-links-summary").click()
    rows = viewer.page.evaluate(
        """() => [...document.querySelectorAll("[data-testid=flow-link]")].map((row) => [...row.cells].map((cell) => cell.textContent))"""
    )
    return {(source, target, float(value.replace(MINUS, "-"))) for source, target, value in rows}


def link_of(viewer: Viewer, until: str) -> dict[str, str]:
    """What the address names, once it contains a text."""
    expect(viewer.page).to_have_url(re.compile(re.escape(until)))
    return dict(parse_qsl(urlsplit(viewer.address()).fragment, keep_blank_values=True))


def of_matrix(matrix: np.ndarray, names: tuple[str, str], rows: list[int] | None = None, columns: list[int] | None = None) -> set[Row]:
    """All flows of a matrix that are not zero, from these rows and into these columns, as the list shows them."""
    labels = {
        "image": lambda k: f"image [0, {k // 4}, {k % 4}]",
        "conv": lambda k: f"conv [0, {k // 2}, {k % 2}]",
        "head": lambda k: f"head [{k}]",
    }
    return {
        (labels[names[0]](row), labels[names[1]](column), float(matrix[row, column]))
        for row in (range(len(matrix)) if rows is None else rows)
        for column in (range(matrix.shape[1]) if columns is None else columns)
        if matrix[row, column] != 0
    }


INTO_CONV, INTO_HEAD = ("image", "conv"), ("conv", "head")


def test_a_page_without_flows_has_no_such_tab(bundle: Path, open_viewer: Callable[..., Viewer]) -> None:
    expect(open_viewer(bundle).element("tab-flow")).to_have_count(0)


def test_the_strongest_come_first(open_flow: Callable[..., Viewer]) -> None:
    viewer = open_flow()
    strongest = of_matrix(CONVOLUTION, INTO_CONV)
    rows = drawn(viewer)
    assert {row for row in rows if row[0].startswith("conv")} == of_matrix(HEAD, INTO_HEAD)
    of_image = {row for row in rows if row[0].startswith("image")}
    assert len(of_image) == 20
    assert of_image <= strongest
    # 25 in all: the nine of 4 and six of 3, seven more are the weakest.
    assert sorted(value for *_, value in of_image) == sorted((value for *_, value in strongest), reverse=True)[:20][::-1]
    for count in ("50", "1000"):
        viewer.element("flow-strongest").select_option(count)
        assert drawn(viewer) == strongest | of_matrix(HEAD, INTO_HEAD)
    expect(viewer.element("flow-strongest")).to_contain_text("all, up to 1,000")
    expect(viewer.element("flow-method")).to_contain_text("Exact")


def test_an_element_shows_what_it_reaches(open_flow: Callable[..., Viewer]) -> None:
    viewer = open_flow()
    click(viewer, 0, 1, 1)
    assert drawn(viewer) == of_matrix(CONVOLUTION, INTO_CONV, rows=[5]) | of_matrix(HEAD, INTO_HEAD)
    assert {value for source, _, value in drawn(viewer) if source.startswith("image")} == {1, 2, 3, 4}
    expect(viewer.element("flow-summary")).to_contain_text("image [0, 1, 1], gradient +10, activation")
    expect(viewer.element("flow-sum")).to_have_text([f"into conv: 4 flows, sum +10 / {MINUS}0; residual: 0"])
    assert link_of(viewer, until="flowat")["flowat"] == "0:0,1,1"
    # All four outputs, and what these reach.
    expect(viewer.page.locator("[data-testid=flow-layer][data-what=flow]")).to_have_count(2)
    expect(viewer.element("sankey")).to_have_attribute("data-ribbons", str(4 + np.count_nonzero(HEAD)))


def test_an_element_shows_what_feeds_it(open_flow: Callable[..., Viewer]) -> None:
    viewer = open_flow()
    click(viewer, 1, 1, 1)
    assert drawn(viewer) == of_matrix(CONVOLUTION, INTO_CONV, columns=[3]) | of_matrix(HEAD, INTO_HEAD, rows=[3])
    into, out_of = viewer.element("flow-sum").nth(1), viewer.element("flow-sum").nth(0)
    expect(into).to_have_text(f"from image: 9 flows, sum +36 / {MINUS}0")
    expect(out_of).to_have_text(f"into head: 3 flows, sum +4.5 / {MINUS}1; residual: +0.5")
    residual = viewer.page.locator("[data-testid=sankey] path[data-kind=residual]")
    expect(residual).to_have_count(1)
    residual.dispatch_event("pointerover")
    expect(viewer.element("flow-said")).to_have_text("conv [0, 1, 1]: +0.5 of its gradient is not in its flows into head")
    expect(viewer.element("flow-residual")).to_have_text(
        "Residual: the part of an element\u2019s gradient that its flows into the next layer do not carry. "
        "It comes on paths around that layer or through other samples of the batch, or is rounding."
    )


def test_a_node_of_the_diagram_and_a_row_of_the_list_select(open_flow: Callable[..., Viewer]) -> None:
    viewer = open_flow({"flowat": "0:0,0,0"})
    viewer.page.locator("[data-testid=sankey] [data-node]", has_text="0, 0, 0").last.click()
    expect(viewer.element("flow-layers")).to_have_attribute("data-selected", "1:0,0,0")
    assert drawn(viewer) == of_matrix(CONVOLUTION, INTO_CONV, columns=[0]) | of_matrix(HEAD, INTO_HEAD, rows=[0])
    viewer.page.get_by_role("button", name="head [1]").click()
    expect(viewer.element("flow-layers")).to_have_attribute("data-selected", "2:1")
    assert {row for row in drawn(viewer) if row[0].startswith("conv")} == of_matrix(HEAD, INTO_HEAD, columns=[1])


def test_the_threshold_bundles_and_counts_what_is_below(open_flow: Callable[..., Viewer]) -> None:
    viewer = open_flow({"flowat": "0:0,1,1"})
    viewer.element("flow-threshold-typed").fill("2.5")
    viewer.element("flow-threshold-typed").press("Enter")
    expect(viewer.page).to_have_url(re.compile("flows=t2.5"))
    rows = {row for row in of_matrix(CONVOLUTION, INTO_CONV, rows=[5]) if row[2] >= 2.5}
    reached = [2, 3]
    assert drawn(viewer) == rows | {row for row in of_matrix(HEAD, INTO_HEAD, rows=reached) if abs(row[2]) >= 2.5}
    viewer.page.locator("[data-testid=sankey] path[data-kind=others]").first.dispatch_event("pointerover")
    expect(viewer.element("flow-said")).to_have_text(f"image [0, 1, 1] \u2192 others of conv: 2 other flows, sum +3 / {MINUS}0")
    # Two flows from the two elements that are reached are smaller: -1 and 2.
    expect(viewer.element("flow-left-out")).to_have_text(
        [f"image \u2192 conv: 2 other flows, sum +3 / {MINUS}0", f"conv \u2192 head: 2 other flows, sum +2 / {MINUS}1"]
    )
    viewer.element("flow-threshold").fill("0")
    expect(viewer.element("sankey")).to_have_attribute("data-ribbons", str(4 + np.count_nonzero(HEAD)))


def test_nonsense_in_the_fields_is_said_and_what_held_stays(open_flow: Callable[..., Viewer]) -> None:
    viewer = open_flow({"flowat": "0:0,1,1", "flows": "t2.5"})
    rows = drawn(viewer)
    field, wrong = viewer.element("flow-threshold-typed"), viewer.element("flow-threshold-typed-wrong")
    for text in ("lots", "-1", "0x10", "1e999", ""):
        field.fill(text)
        field.press("Enter")
        expect(wrong).to_have_text("Type a number of 0 or more, such as 0.25 or 1e-3. It stays 2.5.")
        expect(field).to_have_attribute("aria-invalid", "true")
        expect(field).to_have_value(text)
    assert drawn(viewer) == rows
    assert violations(viewer.page) == []
    field.press("Escape")
    expect(field).to_have_value("2.5")
    expect(wrong).to_have_text("")
    field.fill("1e21")
    viewer.element("flow-sign-both").focus()
    assert link_of(viewer, until="flows=t1e")["flows"] == "t1e+21"
    viewer.page.reload()
    expect(field).to_have_value("1e+21")

    viewer.element("flow-layer-options").first.click()
    zoom = viewer.element("flow-zoom").first
    zoom.fill("1")
    expect(viewer.element("flow-lattice")).to_be_visible()
    zoom.fill("7")
    expect(viewer.element("flow-zoom-wrong").first).to_have_text("Type a whole number from 0 to 1. It stays 1.")
    expect(viewer.element("flow-lattice")).to_be_visible()
    offset = viewer.element("flow-row-offset").first
    offset.press("ControlOrMeta+a")
    offset.press_sequentially("-e")
    expect(viewer.element("flow-row-offset-wrong").first).to_have_text(f"Type a whole number from {MINUS}99 to 99. It stays 0.")
    assert viewer.page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")


def test_signs_can_be_told_apart_and_chosen(open_flow: Callable[..., Viewer]) -> None:
    viewer = open_flow({"flowat": "1:0,0,0"})
    negative = viewer.page.locator("[data-testid=sankey] path[data-sign=negative]")
    expect(negative).to_have_count(1)
    assert negative.get_attribute("stroke-dasharray")
    assert negative.get_attribute("stroke") != viewer.page.locator("[data-testid=sankey] path[data-sign=positive]").first.get_attribute(
        "stroke"
    )
    negative.dispatch_event("pointerover")
    expect(viewer.element("flow-said")).to_have_text(f"conv [0, 0, 0] \u2192 head [1]: {MINUS}1")
    viewer.element("flow-sign-negative").click()
    expect(viewer.page).to_have_url(re.compile("flows=negative"))
    assert drawn(viewer) == {("conv [0, 0, 0]", "head [1]", -1.0)}


def test_a_drag_and_keys_select_a_box(open_flow: Callable[..., Viewer]) -> None:
    viewer = open_flow()
    cells = heat(viewer, 0)
    box = cells.bounding_box()
    assert box is not None
    (x0, y0), (x1, y1) = place(cells, 0, 1), place(cells, 1, 2)
    viewer.page.mouse.move(box["x"] + x0, box["y"] + y0)
    viewer.page.mouse.down()
    viewer.page.mouse.move(box["x"] + x1, box["y"] + y1, steps=3)
    viewer.page.mouse.up()
    expect(viewer.element("flow-layers")).to_have_attribute("data-selected", "0:0,0-1,1-2")
    expect(viewer.element("flow-summary")).to_contain_text("image [0, 0\u20131, 1\u20132] (4 elements)")
    inside = [1, 2, 5, 6]
    assert {row for row in drawn(viewer) if row[0].startswith("image")} == of_matrix(CONVOLUTION, INTO_CONV, rows=inside)
    assert CONVOLUTION[inside].sum() == 21
    expect(viewer.element("flow-sum")).to_contain_text("sum +21 /")
    cells.press("Escape")
    expect(viewer.element("flow-layers")).to_have_attribute("data-selected", "")
    cells.press("ArrowRight")
    expect(viewer.element("flow-layers")).to_have_attribute("data-selected", "0:0,0,0")
    cells.press("ArrowDown")
    cells.press("ArrowRight")
    expect(viewer.element("flow-layers")).to_have_attribute("data-selected", "0:0,1,1")
    cells.press("Shift+ArrowRight")
    cells.press("Shift+ArrowDown")
    expect(viewer.element("flow-layers")).to_have_attribute("data-selected", "0:0,1-2,1-2")


def test_what_is_pointed_at_is_said_and_marked_in_its_neighbours(open_flow: Callable[..., Viewer]) -> None:
    viewer = open_flow()
    x, y = place(heat(viewer, 1), 0, 1)
    heat(viewer, 1).hover(position={"x": x, "y": y})
    expect(viewer.element("flow-said")).to_have_text(re.compile(r"^conv \[0, 0, 1\]: gradient \+2"))
    # Its window of 3 x 3 is cut at the rim above.
    expect(heat(viewer, 0)).to_have_attribute("data-reached", "6")
    expect(heat(viewer, 2)).to_have_attribute("data-reached", "2")
    expect(heat(viewer, 3)).to_have_attribute("data-reached", "0")


def test_the_link_brings_everything_back(open_flow: Callable[..., Viewer]) -> None:
    viewer = open_flow({"step": 2})
    click(viewer, 0, 2, 2)
    viewer.element("flow-sample").select_option("1")
    viewer.element("flow-coloring-values").click()
    viewer.element("flow-sign-positive").click()
    viewer.element("flow-strongest").select_option("100")
    viewer.element("flow-layer-options").first.click()
    viewer.element("flow-zoom").first.fill("1")
    viewer.element("flow-layer-options").nth(1).click()
    viewer.element("flow-row-offset").nth(1).fill("-1")
    link = link_of(viewer, until="layers=_z1%3B_r-1")
    rows = drawn(viewer)
    assert {row for row in rows if row[0].startswith("image")} == of_matrix(2 * CONVOLUTION, INTO_CONV, rows=[10])
    again = open_flow({key: link[key] for key in ("step", "flowat", "flows", "layers")})
    assert drawn(again) == rows
    assert link["flows"] == "s1,positive,k100,values"
    expect(again.element("flow-coloring-values")).to_have_attribute("aria-pressed", "true")
    # The sub-lattice with the selected element: rows and columns 0 and 2, below the row by which the other layer begins earlier.
    expect(heat(again, 0)).to_have_attribute("data-rows", "3")
    expect(heat(again, 0)).to_have_attribute("data-columns", "2")
    again.element("flow-layer-options").first.click()
    expect(again.element("flow-lattice")).to_have_text("plane 0 of 4: rows from 0 and columns from 0 on, 2 apart")
    expect(again.element("flow-zoom").first).to_have_value("1")


def test_an_element_is_typed(open_flow: Callable[..., Viewer]) -> None:
    viewer = open_flow()
    viewer.element("flow-layer-options").nth(1).click()
    field = viewer.element("flow-element").nth(1)
    field.fill("0, 2, 0")
    field.press("Enter")
    expect(viewer.element("flow-element-wrong").nth(1)).to_have_text("Type an index below 1, 2, 2, such as 0, 0, 0.")
    expect(viewer.element("flow-layers")).to_have_attribute("data-selected", "")
    field.fill("0 1 0")
    field.press("Enter")
    expect(viewer.element("flow-layers")).to_have_attribute("data-selected", "1:0,1,0")
    expect(field).to_have_value("0, 1, 0")


def remark(viewer: Viewer, layer: int) -> Locator:
    return viewer.element("flow-remark").nth(layer)


# Of every element: its label, the box of that, and what lies between that and the flows.
LABELS = """
() => {
  const box = (element) => { const { x, y, width, height } = element.getBBox(); return [x, y, x + width, y + height]; };
  const isAbove = (upper, lower) => (lower.compareDocumentPosition(upper) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
  const plates = [...document.querySelectorAll("[data-plates] rect")];
  const flows = [...document.querySelectorAll("[data-testid=sankey] [data-ribbon]")];
  return [...document.querySelectorAll("[data-testid=sankey] [data-kind=element] text")].map((label) => ({
    text: label.textContent,
    box: box(label),
    plates: plates.filter((plate) => isAbove(label, plate) && flows.every((flow) => isAbove(plate, flow))).map(box),
  }));
}
"""


def test_no_flow_runs_through_the_number_of_an_element(open_stages: Callable[..., Viewer]) -> None:
    viewer = open_stages({"flows": "k200"})
    labels = viewer.page.evaluate(LABELS)
    assert len(labels) > 10
    for label in labels:
        left, top, right, bottom = label["box"]
        middle = (top + bottom) / 2
        assert any(x0 < left and right < x1 and y0 < middle - 4 and middle + 2 < y1 for x0, y0, x1, y1 in label["plates"]), label["text"]


def test_a_click_on_the_strongest_channel_chooses_one_that_has_flows(open_stages: Callable[..., Viewer]) -> None:
    viewer = open_stages({"flows": "gradients"})
    click(viewer, 1, 0, 1)
    expect(viewer.element("flow-layers")).to_have_attribute("data-selected", "1:1,0,1")
    expect(remark(viewer, 1)).to_have_text(
        f"{STAGES[1]} [0, 0, 1], which has the strongest gradient here, has no flows. [1, 0, 1] is the strongest that has some."
    )
    assert {row[2] for row in drawn(viewer)} == {2.0}
    x, y = place(heat(viewer, 1), 0, 0)
    heat(viewer, 1).hover(position={"x": x, "y": y})
    expect(viewer.element("flow-said")).to_have_text(f"{STAGES[1]} [0, 0, 0]: gradient +9")
    heat(viewer, 1).press("ArrowLeft")
    expect(viewer.element("flow-layers")).to_have_attribute("data-selected", "1:1,0,0")
    # The pointer has not moved, but another element is shown below it.
    expect(viewer.element("flow-said")).to_have_text(f"{STAGES[1]} [1, 0, 0]: gradient +1")
    # What is typed is meant as it is.
    viewer.element("flow-layer-options").nth(1).click()
    viewer.element("flow-element").nth(1).fill("0 0 1")
    viewer.element("flow-element").nth(1).press("Enter")
    expect(viewer.element("flow-layers")).to_have_attribute("data-selected", "1:0,0,1")
    expect(remark(viewer, 1)).to_have_text("")
    viewer.element("flow-clear").click()
    click(viewer, 0, 1, 1)
    expect(viewer.element("flow-layers")).to_have_attribute("data-selected", "0:0,1,1")
    expect(remark(viewer, 0)).to_have_text("No flow enters or leaves any channel at this cell.")


def test_a_box_says_in_which_channel_it_lies(open_stages: Callable[..., Viewer]) -> None:
    viewer = open_stages({"flows": "gradients"})
    click(viewer, 0, 1, 0)
    expect(remark(viewer, 0)).to_contain_text("is the strongest that has some")
    heat(viewer, 0).press("Shift+ArrowUp")
    expect(viewer.element("flow-layers")).to_have_attribute("data-selected", "0:1,0-1,0")
    expect(remark(viewer, 0)).to_have_text("The box lies in channel 1, and in no other.")
    expect(remark(viewer, 1)).to_have_text("")
    heat(viewer, 0).press("Shift+ArrowRight")
    expect(viewer.element("flow-layers")).to_have_attribute("data-selected", "0:1,0-1,0-1")
    assert {row[2] for row in drawn(viewer)} == {1.0, 2.0, 3.0}


def test_where_there_is_none_it_says_where_there_is_one(
    open_flow: Callable[..., Viewer], page_with_flows: Path, open_viewer: Callable[..., Viewer]
) -> None:
    viewer = open_viewer(page_with_flows, fragment({**VIEW, "step": 1}), wait=False)
    expect(viewer.element("flow-elsewhere")).to_contain_text("No gradient flow was recorded at step 1.")
    expect(viewer.element("flow-step")).to_have_text(["0", "2"])
    viewer.element("flow-step").nth(1).click()
    expect(viewer.element("flow-name")).to_be_visible()
    viewer.choose("trial", "without")
    expect(viewer.element("flow-none")).to_contain_text("This trial has no gradient flow")
    expect(viewer.element("flow-none")).to_contain_text("recorder.record_gradient_flow(loss, layers) records one.")


def test_hostile_names_nan_and_what_was_not_computed(open_flow: Callable[..., Viewer]) -> None:
    viewer = open_flow({"step": 2, "flow": f"strange {HOSTILE_LAYER}", "flowat": "0:0"})
    expect(viewer.element("flow-method")).to_have_text("An estimate that satisfies the chain rule, not the true flow.")
    heading = viewer.page.locator("[data-testid=flow-layer] h2").first
    expect(heading).to_have_attribute("title", HOSTILE_LAYER)
    expect(heading).to_have_accessible_name(re.sub(r"\s+", " ", HOSTILE_LAYER))
    assert drawn(viewer) == {(f"{HOSTILE_LAYER} [0]", "=SUM(A1) [0]", 1.0)}
    expect(viewer.element("flow-sum")).to_contain_text(f"2 flows, sum +1 / {MINUS}0, 1 of them NaN or infinite")
    expect(viewer.element("flow-not-computed")).to_contain_text("Flows into 1 of its 3 elements were not computed")
    x, y = place(heat(viewer, 1), 0, 1)
    heat(viewer, 1).hover(position={"x": x, "y": y})
    expect(viewer.element("flow-said")).to_contain_text("=SUM(A1) [1]: gradient +1, flow NaN")
    assert viewer.page.locator("img").count() == 0


def test_no_violation_of_accessibility(open_flow: Callable[..., Viewer]) -> None:
    viewer = open_flow({"flowat": "1:0,1,1"})
    drawn(viewer)
    viewer.element("flow-layer-options").first.click()
    assert violations_in_all_colors(viewer.page) == []


def test_it_is_saved_as_a_figure(open_flow: Callable[..., Viewer], tmp_path: Path) -> None:
    viewer = open_flow({"flowat": "1:0,1,1"})
    with viewer.page.expect_download() as waiting:
        viewer.element("figure-svg").click()
    waiting.value.save_as(tmp_path / "figure.svg")
    assert waiting.value.suggested_filename.startswith("flow")
    root = ElementTree.parse(tmp_path / "figure.svg").getroot()
    paths = [path for path in root.iter("{http://www.w3.org/2000/svg}path") if path.get("data-kind") == "flow"]
    assert len(paths) == 9 + 3
    text = " ".join("".join(node.itertext()) for node in root.iter("{http://www.w3.org/2000/svg}text"))
    assert "conv [0, 1, 1]" in text.replace("\u00a0", " ")
    assert "Blue and striped: below zero." in text


def test_data_that_is_missing_is_said_and_found_again(tmp_path: Path, open_viewer: Callable[..., Viewer], complaints: list[str]) -> None:
    page = export(write_flows(tmp_path / "recordings"), tmp_path / "report").path
    (page / "data").rename(page / "moved")
    viewer = open_viewer(page / "index.html", fragment({**VIEW, "flowat": "0:0,1,1"}), wait=False)
    expect(viewer.element("failure")).to_contain_text("Could not load the gradient flow")
    (page / "moved").rename(page / "data")
    viewer.element("failure").get_by_role("button", name="Try again").click()
    assert drawn(viewer) == of_matrix(CONVOLUTION, INTO_CONV, rows=[5]) | of_matrix(HEAD, INTO_HEAD)
    assert set(complaints) == {"console error: Failed to load resource: net::ERR_FILE_NOT_FOUND"}
    complaints.clear()


def test_the_diagram_is_printed(open_flow: Callable[..., Viewer]) -> None:
    viewer = open_flow({"flowat": "1:0,1,1"})
    viewer.page.emulate_media(media="print")
    viewer.page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    section = viewer.page.locator(".print-document section", has=viewer.page.get_by_role("heading", name="Gradient flow"))
    expect(section.locator("svg path[data-kind=flow]")).to_have_count(9 + 3)


def test_nothing_is_wider_than_a_narrow_page(open_flow: Callable[..., Viewer]) -> None:
    for width in (400, 800):
        viewer = open_flow({"flowat": "0:0,1,1"}, viewport={"width": width, "height": 800})
        viewer.element("flow-layer-options").first.click()
        assert viewer.page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
        frame = viewer.element("sankey-frame")
        assert frame.evaluate("frame => frame.scrollWidth <= frame.clientWidth"), "columns are cut off"
        headings = viewer.page.locator("[data-testid=sankey] [data-heading]")
        ends = headings.evaluate_all("all => all.map((one) => [one.getBoundingClientRect().left, one.getBoundingClientRect().right])")
        assert len(ends) > 2
        assert all(right < left for (_, right), (left, _) in pairwise(ends)), ends


def test_headings_of_a_narrow_page_tell_layers_apart_and_have_their_names(open_stages: Callable[..., Viewer]) -> None:
    viewer = open_stages({"flows": "gradients"}, viewport={"width": 400, "height": 800})
    headings = viewer.page.locator("[data-testid=sankey] [data-heading]")
    assert headings.locator("text").all_text_contents() == [f"…stage{k}…" for k in range(6)]
    assert headings.locator("title").all_text_contents() == STAGES
    headings.nth(1).dispatch_event("pointerover")
    expect(viewer.element("flow-said")).to_have_text(STAGES[1])
    expect(viewer.element("sankey")).to_have_attribute("aria-label", re.compile(re.escape(", ".join(STAGES)) + "$"))
    cards = viewer.page.locator("[data-testid=flow-layer] h2")
    assert len({text for text in cards.all_text_contents() if "stage" in text}) == 6
    assert cards.evaluate_all("all => all.every((one) => one.scrollWidth <= one.clientWidth)"), "a heading is cut off"
    expect(cards.nth(2)).to_have_accessible_name(STAGES[2])


def test_columns_that_do_not_fit_are_reached_by_keys(open_stages: Callable[..., Viewer]) -> None:
    viewer = open_stages({"flows": "gradients"}, viewport={"width": 400, "height": 800})
    frame = viewer.element("sankey-frame")
    assert frame.evaluate("frame => frame.scrollWidth > frame.clientWidth")
    frame.focus()
    for _ in range(12):
        viewer.page.keyboard.press("ArrowRight")
    viewer.page.wait_for_function(
        "() => { const f = document.querySelector('.sankey-frame'); return f.scrollLeft >= f.scrollWidth - f.clientWidth - 1; }"
    )
    # The words beside it have said so.
    expect(frame).to_have_attribute("aria-label", re.compile("arrow keys"))


def test_the_selection_and_the_threshold_stay_with_newer_data(open_flow: Callable[..., Viewer], page_with_flows: Path) -> None:
    viewer = open_flow({"flowat": "0:0,1,1", "flows": "t2.5", "layers": "_z1"})
    rows = drawn(viewer)
    viewer.element("tab-about").click()
    viewer.element("file-input").set_input_files(page_with_flows)
    expect(viewer.element("about-opened")).to_be_visible()
    viewer.element("tab-flow").click()
    assert drawn(viewer) == rows
    expect(viewer.element("flow-threshold-typed")).to_have_value("2.5")
    expect(viewer.element("flow-layers")).to_have_attribute("data-selected", "0:0,1,1")
    expect(viewer.element("flow-lattice")).to_have_count(1)
