"""The other tabs: network, notes, graphs, about."""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import torch
from playwright.sync_api import Locator, expect

from support.browser.viewer import Viewer, fragment, soon
from support.browser.written import GAP_REASON

# Pixels of a chart that have the colour of its first curve.
COUNT_FIRST_COLOUR = """(chart) => {
  const canvas = chart.querySelector(".chart-frame canvas");
  const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d", { willReadFrequently: true });
  copy.drawImage(canvas, 0, 0);
  const probe = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  probe.fillStyle = getComputedStyle(document.documentElement).getPropertyValue("--curve-0").trim();
  probe.fillRect(0, 0, 1, 1);
  const wanted = probe.getImageData(0, 0, 1, 1).data;
  const { data } = copy.getImageData(0, 0, canvas.width, canvas.height);
  const columns = new Set();
  let count = 0;
  for (let k = 0; k < data.length; k += 4) {
    if (data[k + 3] > 200 && [0, 1, 2].every((channel) => Math.abs(data[k + channel] - wanted[channel]) < 8)) {
      count += 1;
      columns.add(Math.round((k / 4) % canvas.width / 60));
    }
  }
  return { count, places: columns.size };
}"""


def _open_tab(open_again: Callable[..., Viewer], bundle: Path, tab: str) -> Viewer:
    """A page that opens with one of the tabs, when what it shows is there."""
    viewer = open_again(bundle, {"tab": tab, "type": "02_iterations", "curves": "trial.first"})
    viewer.page.locator(f"#panel-{tab} .page").wait_for()
    return viewer


def test_what_is_costly_is_built_when_it_is_first_opened_and_then_stays(bundle: Path, open_viewer: Callable[..., Viewer]) -> None:
    viewer = open_viewer(bundle, fragment({"tab": "overview"}), wait=False)
    graph = viewer.element("graph")
    expect(viewer.element("curve-cards")).to_be_visible()
    expect(graph).to_have_count(0)
    viewer.element("tab-tensors").click()
    expect(graph).to_be_visible()
    viewer.element("tab-overview").click()
    expect(graph).to_be_hidden()
    expect(graph).to_have_count(1)


def test_the_network(bundle: Path, open_again: Callable[..., Viewer]) -> None:
    viewer = _open_tab(open_again, bundle, "network")
    # 7 * 5 + 5, 5 * 2 + 2 and 5 * 4 + 4.
    expect(viewer.element("network-total")).to_contain_text("76 parameter values in 6 parameters of 4 modules")
    tree = viewer.element("network-tree")
    modules = tree.locator(".tree-row:not(.tree-parameter)")
    assert [" ".join(row.inner_text().split()) for row in modules.all()] == [
        "▾ net train ×2 Cell 76",
        "▾ pre train ×2 Linear 40",
        "▾ out train ×2 Linear 12",
        "▾ mem train ×2 Linear 24",
    ]
    parameters = viewer.element("network-parameter")
    expect(parameters).to_have_count(6)
    assert parameters.first.inner_text().split() == ["P", "weight", "F32", "5", "×", "7", "35"]
    viewer.page.get_by_role("button", name="Collapse net", exact=True).click()
    expect(parameters).to_have_count(0)
    viewer.page.get_by_role("button", name="Expand all").click()
    expect(parameters).to_have_count(6)


def test_notes(bundle: Path, open_again: Callable[..., Viewer]) -> None:
    viewer = _open_tab(open_again, bundle, "notes")
    notes = viewer.element("note")
    # One before the first step, and one on each of the 16 steps, recorded or not.
    expect(notes).to_have_count(17)
    assert notes.locator("p").all_inner_texts() == ["This is first. <b>Not bold.</b>", *(f"step {step}" for step in range(16))]
    assert viewer.page.locator("b").count() == 0
    viewer.element("notes-filter").fill("step 1")
    expect(notes).to_have_count(7)
    expect(viewer.element("notes-count")).to_have_text("7 of 17 notes")
    viewer.element("notes-filter").fill("BOLD")
    expect(notes).to_have_count(1)
    viewer.choose("trial", "second")
    expect(notes.first).to_contain_text("This is second.")


def test_a_note_leads_to_its_step(bundle: Path, open_again: Callable[..., Viewer]) -> None:
    viewer = _open_tab(open_again, bundle, "notes")
    links = viewer.element("note").get_by_role("button")
    assert links.all_inner_texts() == [f"step {step}" for step in range(len(links.all_inner_texts()))]
    links.nth(15).click()
    viewer.wait_until_shown({"tab": "tensors", "step": "15", "type": "any_value"})
    # Every fifth step was recorded: the nearest one is shown.
    viewer.element("tab-notes").click()
    expect(links.nth(12)).to_have_attribute("title", re.compile("nearest recorded: step 10, 2 steps before it"))
    links.nth(12).click()
    viewer.wait_until_shown({"tab": "tensors", "step": "10", "type": "any_value"})


def _chart(viewer: Viewer, group: str) -> Locator:
    return viewer.page.locator(f"[data-testid=chart][data-group='{group}']")


def test_a_chart_per_group(bundle: Path, open_again: Callable[..., Viewer]) -> None:
    viewer = _open_tab(open_again, bundle, "graphs")
    charts = viewer.element("chart")
    expect(charts).to_have_count(2)
    assert [chart.get_attribute("data-group") for chart in charts.all()] == ["loss", "never finite"]
    entries = _chart(viewer, "loss").get_by_test_id("legend-entry")
    names = [entry.locator(".chip-text").inner_text() for entry in entries.all()]
    assert names == ["mean 02_iterations", "mean 03_iterations", "strange 02_iterations", "strange 03_iterations"]
    # Without a pointer on the chart the legend has the last value.
    assert entries.nth(2).locator(".chip-value").inner_text() == "10"
    for chart in charts.all():
        expect(chart.locator("canvas").first).to_be_visible()


def test_curves_of_b_are_drawn_over_those_of_a(bundle: Path, open_again: Callable[..., Viewer]) -> None:
    viewer = open_again(bundle, {"tab": "graphs", "trial": "first", "pin": "trial=second&step=5"})
    expect(viewer.element("curves-note")).to_contain_text(
        "Thick lines with filled markers: A, first; thin, finely dashed lines with hollow markers: B, second."
    )
    entries = _chart(viewer, "loss").get_by_test_id("legend-entry")
    assert [entry.locator(".chip-text").inner_text() for entry in entries.all()][:4] == [
        "A mean 02_iterations, first", "B mean 02_iterations, second", "A mean 03_iterations, first", "B mean 03_iterations, second",
    ]  # fmt: skip
    values = [entry.locator(".chip-value").inner_text() for entry in entries.all()][:2]
    # Each is what stands there without the other.
    for trial, value in zip(("first", "second"), values, strict=True):
        alone = open_again(bundle, {"tab": "graphs", "trial": trial, "curves": f"trial.{trial}"})
        expect(_chart(alone, "loss").get_by_test_id("legend-entry").first.locator(".chip-value")).to_have_text(value)
    assert values[0] != values[1]
    # Another step of the same trial has no curves of its own.
    viewer.go({"tab": "graphs", "trial": "first", "pin": "trial=first&step=5", "curves": "trial.first"})
    expect(viewer.element("curves-note")).to_have_count(0)
    expect(entries).to_have_count(4)


def test_the_legend_hides_and_shows_a_curve(bundle: Path, open_again: Callable[..., Viewer]) -> None:
    viewer = _open_tab(open_again, bundle, "graphs")
    chart = _chart(viewer, "loss")
    first, second = chart.get_by_test_id("legend-entry").all()[:2]
    drawn = chart.evaluate(COUNT_FIRST_COLOUR)["count"]
    assert drawn > 100
    first.click()
    expect(first).to_have_attribute("aria-pressed", "false")
    expect(second).to_have_attribute("aria-pressed", "true")
    assert soon(lambda: chart.evaluate(COUNT_FIRST_COLOUR)["count"], lambda count: count < drawn / 10) < drawn / 10
    first.focus()
    viewer.page.keyboard.press("Enter")
    expect(first).to_have_attribute("aria-pressed", "true")
    assert soon(lambda: chart.evaluate(COUNT_FIRST_COLOUR)["count"], lambda count: count == drawn) == drawn


def test_what_is_not_finite_is_marked_in_a_chart(bundle: Path, open_again: Callable[..., Viewer]) -> None:
    viewer = _open_tab(open_again, bundle, "graphs")
    chart = _chart(viewer, "never finite")
    expect(chart).to_contain_text("NaN and infinities are marked")
    # The first curve, of the type 02_iterations, has +inf at its first and -inf at its last step.
    marks = chart.evaluate(COUNT_FIRST_COLOUR)
    assert marks["places"] >= 2
    chart.get_by_test_id("legend-entry").first.click()
    assert soon(lambda: chart.evaluate(COUNT_FIRST_COLOUR)["count"], lambda count: count == 0) == 0


def test_the_value_under_the_pointer(bundle: Path, open_again: Callable[..., Viewer]) -> None:
    viewer = _open_tab(open_again, bundle, "graphs")
    chart = _chart(viewer, "loss")
    plot = chart.locator(".u-over")
    plot.hover(position={"x": 3, "y": 50})
    strange = chart.get_by_test_id("legend-entry").nth(2).locator(".chip-value")
    expect(strange).to_have_text("0")
    expect(chart).to_contain_text("at 0")
    box = plot.bounding_box()
    assert box is not None
    plot.hover(position={"x": box["width"] - 3, "y": 50})
    expect(strange).to_have_text("10")
    assert chart.get_by_test_id("legend-entry").nth(3).locator(".chip-value").inner_text() == "15"


def test_a_logarithmic_axis_and_the_zoom(bundle: Path, open_again: Callable[..., Viewer]) -> None:
    viewer = _open_tab(open_again, bundle, "graphs")
    chart = _chart(viewer, "loss")
    chart.get_by_test_id("log-y").click()
    # The curve `strange` is 0 at its first step.
    expect(chart).to_contain_text("1 value of zero or less not shown")
    reset = chart.get_by_test_id("reset-zoom")
    expect(reset).to_have_attribute("aria-disabled", "true")
    box = chart.locator(".u-over").bounding_box()
    assert box is not None
    mouse = viewer.page.mouse
    mouse.move(box["x"] + 100, box["y"] + 50)
    mouse.down()
    mouse.move(box["x"] + 300, box["y"] + 60)
    mouse.up()
    expect(reset).to_have_attribute("aria-disabled", "false")
    reset.click()
    expect(reset).to_have_attribute("aria-disabled", "true")


def test_what_a_group_is_can_be_asked(bundle: Path, open_viewer: Callable[..., Viewer]) -> None:
    viewer = open_viewer(bundle, "#v=1&tab=about", wait=False)
    viewer.element("hint-group").click()
    expect(viewer.page.get_by_role("tooltip").filter(has_text="trials of one group")).to_be_visible()


def test_about(bundle: Path, open_again: Callable[..., Viewer]) -> None:
    viewer = _open_tab(open_again, bundle, "about")
    panel = viewer.page.locator("#panel-about")
    for text in ("comgra_export " + version("comgra-export"), "bundle format 1", torch.__version__, "2 trials, 8 recorded steps"):
        expect(panel).to_contain_text(text)
    expect(viewer.element("problems")).to_have_count(0)
    expect(panel).to_contain_text("None: the recorder reported nothing that it tried to record and could not.")


def test_gaps_are_listed_and_stay_text(large_bundle: Path, open_again: Callable[..., Viewer]) -> None:
    viewer = open_again(large_bundle, {"trial": "long"})
    gaps = viewer.element("step-gaps")
    expect(gaps).to_contain_text("1 thing could not be recorded on this step")
    gaps.locator("summary").click()
    expect(gaps).to_contain_text(GAP_REASON)
    viewer.element("tab-about").click()
    table = viewer.element("gaps")
    assert table.locator("tbody tr").all_inner_texts()[0].split("\t") == ["0", "0", "forward", "tree", GAP_REASON]
    assert viewer.page.locator("i").count() == 0
    viewer.choose("trial", "wide")
    expect(table).to_have_count(0)
    viewer.choose("trial", "long")
    table.get_by_role("link", name="0", exact=True).first.click()
    expect(viewer.element("tab-tensors")).to_have_attribute("aria-selected", "true")
