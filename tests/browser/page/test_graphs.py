"""The Graphs tab as a way to steps and to comparisons: points, keys, marks, bands, trials, and what its link keeps."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Locator, expect

from comgra_export import export
from support.analysis.runs import Given, RunByHand
from support.browser.axe import violations, violations_in_all_colors
from support.browser.viewer import Link, Viewer
from support.once import Once

Open = Callable[..., Viewer]
RECORDED = {"one": (0, 60, 137, 200), "two": (0, 100, 200)}
POINTS = 201
LAYERS = 12
DENSE = 4001  # Points of a curve that has more than there are pixels
ALL: Link = {"tab": "graphs", "trial": "one", "step": 0}
GRAPHS: Link = {**ALL, "curves": "trial.one"}


@pytest.fixture(scope="module")
def curves(once: Once) -> Path:
    """Two trials of 201 steps, of which few were recorded, with a curve that has an outlier and the norms of twelve layers."""

    def write(folder: Path) -> str:
        for trial, recorded in RECORDED.items():
            run = RunByHand(folder / "runs", [Given("x", "input")], trial=trial)
            for step in recorded:
                run.step(step, {"x": np.full((2, 2), step + 1.0)})
            run.curve("mse", {step: 1e9 if step == 20 else 2 + np.cos(step / 30) for step in range(POINTS)})
            for layer in range(1, LAYERS + 1):
                run.curve(f"layer{layer}", {step: layer * np.exp(-step / 50) for step in range(POINTS)}, group="norms")
            run.read()
        return str(export(folder / "runs", folder / "page.html").path)

    return Path(once("curves", write))


def _chart(viewer: Viewer, group: str) -> Locator:
    return viewer.page.locator(f"[data-testid=chart][data-group='{group}']")


def _click(chart: Locator, step: float, part: float = 0.5) -> None:
    plot = chart.locator(".u-over")
    box = plot.bounding_box()
    assert box is not None
    plot.click(position={"x": box["width"] * step / (POINTS - 1), "y": box["height"] * part})


def test_a_point_leads_to_the_nearest_recorded_step(curves: Path, open_again: Open) -> None:
    viewer = open_again(curves, GRAPHS)
    chart = _chart(viewer, "loss")
    _click(chart, 140)
    went = viewer.element("chart-went")
    expect(went).to_contain_text("Step 137 is selected: the nearest recorded one, 3 steps away from 140.")
    expect(viewer.element("value-step")).to_have_value("137")
    expect(chart.locator(".chart-notes")).to_contain_text("step 137 was recorded, 3 steps away")
    viewer.element("show-tensors").click()
    viewer.wait_until_shown({"tab": "tensors", "trial": "one", "step": "137"})


def test_keys_walk_through_the_points(curves: Path, open_again: Open) -> None:
    viewer = open_again(curves, GRAPHS)
    frame = _chart(viewer, "loss").get_by_role("slider")
    frame.focus()
    for key in ("End", "ArrowLeft", "ArrowLeft", "ArrowRight"):
        frame.press(key)
    expect(frame).to_have_attribute("aria-valuetext", f"At 199: mse train {2 + np.cos(199 / 30):.4g}. step 200 was recorded, 1 step away")
    frame.press("Enter")
    expect(viewer.element("value-step")).to_have_value("200")
    frame.press("PageUp")
    expect(frame).to_have_attribute("aria-valuenow", "179")
    frame.press("Escape")
    # Nothing is asked about any more: the words are those of the selected step.
    expect(frame).to_have_attribute("aria-valuenow", "200")


def test_an_outlier_does_not_flatten_the_rest_unless_it_shall(curves: Path, open_again: Open) -> None:
    viewer = open_again(curves, GRAPHS)
    chart = _chart(viewer, "loss")
    expect(chart).to_contain_text("1 point outside this range, at the triangles")
    chart.get_by_test_id("full-range").click()
    expect(chart).not_to_contain_text("outside this range")


def _pixels_of_the_grid(chart: Locator) -> int:
    count: int = chart.locator(".uplot canvas").evaluate(
        """canvas => {
          const { width, height } = canvas;
          const copy = new OffscreenCanvas(width, height + 1).getContext("2d", { willReadFrequently: true });
          copy.drawImage(canvas, 0, 1);
          copy.fillStyle = getComputedStyle(canvas).getPropertyValue("--grid");
          copy.fillRect(0, 0, 1, 1);
          const pixels = new Uint32Array(copy.getImageData(0, 0, width, height + 1).data.buffer);
          return pixels.filter((pixel) => pixel === pixels[0]).length - 1;
        }"""
    )
    return count


def test_the_grid_keeps_its_colour_when_a_dense_chart_with_outliers_is_drawn_again(once: Once, open_again: Open) -> None:
    def write(folder: Path) -> str:
        run = RunByHand(folder / "runs", [Given("x", "input")], trial="one")
        for step in (0, 2_000):
            run.step(step, {"x": np.ones((2, 2))})
        run.curve("mse", {step: 1e9 if step == 20 else 2 + np.cos(step) for step in range(DENSE)})
        run.read()
        return str(export(folder / "runs", folder / "page.html").path)

    viewer = open_again(Path(once("dense_curve", write)), GRAPHS)
    chart = _chart(viewer, "loss")
    expect(chart).to_contain_text("1 point outside this range, at the triangles")
    before = _pixels_of_the_grid(chart)
    assert before > 500
    chart.locator(".u-over").click()
    expect(viewer.element("value-step")).to_have_value("2000")
    assert _pixels_of_the_grid(chart) > 0.9 * before


def test_curves_of_one_kind_are_a_band_that_opens(curves: Path, open_again: Open) -> None:
    viewer = open_again(curves, GRAPHS)
    chart = _chart(viewer, "norms")
    entries = chart.get_by_test_id("legend-entry")
    expect(entries).to_have_count(1)
    expect(entries.locator(".chip-text")).to_have_text(f"layer* train, median of {LAYERS}")
    # Alone, it has the room of a whole line for its name.
    assert entries.evaluate("entry => entry.closest('li').clientWidth > 0.9 * entry.closest('ul').clientWidth")
    # The last value of the median of 1 to 12 times the same exponential.
    expect(entries.locator(".chip-value")).to_have_text(f"{6.5 * np.exp(-4):.4g}")
    chart.get_by_test_id("open-kind").click()
    expect(entries).to_have_count(LAYERS)
    assert violations(viewer.page) == []


def test_the_link_keeps_how_curves_are_drawn(curves: Path, open_viewer: Open, open_again: Open) -> None:
    viewer = open_again(curves, GRAPHS)
    chart = _chart(viewer, "norms")
    chart.get_by_test_id("open-kind").click()
    chart.get_by_test_id("log-y").click()
    chart.get_by_test_id("legend-entry").nth(2).click()
    viewer.element("smoothing").select_option("strong")
    read_color = "button => getComputedStyle(button).color"
    chips = viewer.element("curve-trial")
    undrawn = chips.nth(1).evaluate(read_color)
    chips.nth(1).click()
    # The trial that is shown is always drawn, and looks as drawn as the other one.
    assert chips.nth(0).get_attribute("aria-disabled") == "true"
    assert chips.nth(0).evaluate(read_color) == chips.nth(1).evaluate(read_color) != undrawn
    viewer.page.get_by_test_id("trial-color").nth(1).select_option("gray")
    viewer.page.wait_for_function("() => location.hash.includes('color7')")
    again = open_viewer(curves, viewer.page.evaluate("() => location.hash"), wait=False)
    chart = _chart(again, "norms")
    hidden = chart.locator("[data-testid=legend-entry][aria-pressed=false] .chip-text")
    expect(hidden).to_have_text("layer3 train, one")
    expect(chart.get_by_test_id("legend-entry")).to_have_count(2 * LAYERS)
    expect(chart.get_by_test_id("log-y")).to_have_attribute("aria-pressed", "true")
    expect(again.element("smoothing")).to_have_value("strong")
    expect(again.page.get_by_test_id("trial-color").nth(1)).to_have_value("7")
    # A colour that was chosen for a trial is its colour on the overview too.
    again.element("tab-overview").click()
    swatch = again.page.locator("[data-testid=curve-line]", has_text="two").first.locator("line")
    expect(swatch).to_have_attribute("style", "stroke: var(--curve-7);")


def test_all_trials_are_drawn_unless_some_are_left_out(curves: Path, open_viewer: Open, open_again: Open) -> None:
    viewer = open_again(curves, ALL)
    entries = _chart(viewer, "loss").locator(".chip-text")
    expect(entries).to_have_text(["mse train, one", "mse train, two"])
    chips = tuple(viewer.element("curve-trial").nth(k) for k in range(2))
    expect(chips[0]).to_have_text("\u2713one")
    expect(chips[1]).to_have_text("\u2713two")
    # Both look drawn, each in its own colour, and neither as what cannot be used.
    looks = "button => ['borderTopColor', 'color'].map((name) => getComputedStyle(button)[name])"
    (line, text), (other_line, other_text) = (chip.evaluate(looks) for chip in chips)
    assert line != other_line
    assert text == other_text == viewer.page.evaluate("getComputedStyle(document.body).color")
    assert violations_in_all_colors(viewer.page) == []
    chips[1].click()
    expect(entries).to_have_text(["mse train"])
    expect(chips[1]).to_have_text("two")
    viewer.page.wait_for_function("() => location.hash.includes('curves=trial.one')")
    # Who is sent the link sees what its sender saw.
    again = open_viewer(curves, viewer.page.evaluate("() => location.hash"), wait=False)
    expect(_chart(again, "loss").locator(".chip-text")).to_have_text(["mse train"])


def test_of_many_trials_the_first_eight_are_drawn(once: Once, open_again: Open) -> None:
    def write(folder: Path) -> str:
        for number in range(10):
            run = RunByHand(folder / "runs", [Given("x", "input")], trial=f"t{number}")
            run.step(0, {"x": np.ones((2, 2))})
            run.curve("mse", {step: float(number + step) for step in range(3)})
            run.read()
        return str(export(folder / "runs", folder / "page.html").path)

    viewer = open_again(Path(once("ten trials", write)), {"tab": "graphs", "trial": "t9"})
    drawn = viewer.page.locator("[data-testid=curve-trial][aria-pressed=true] .chip-text")
    expect(drawn).to_have_text([*(f"t{number}" for number in range(7)), "t9"])
    expect(viewer.page.locator(".curve-trials summary")).to_have_text("Trials: 8 of 10 drawn")


def test_a_point_of_another_trial_starts_a_comparison(curves: Path, open_again: Open) -> None:
    viewer = open_again(curves, {**GRAPHS, "curves": "trial.two"})
    _click(_chart(viewer, "norms"), 140)
    compare = viewer.element("compare-here")
    expect(compare).to_have_text("Compare with two here")
    compare.click()
    # Each is shown at its own recorded step that is nearest to 140.
    viewer.wait_until_shown({"tab": "tensors", "trial": "one", "step": "137"})
    viewer.page.wait_for_function("() => location.hash.includes('pane=compare')")
    assert "trial%3Dtwo" in viewer.page.url
    assert "step%3D100" in viewer.page.url


@pytest.fixture(scope="module")
def wrong(once: Once) -> Path:
    """A trial in which a tensor is NaN from step 137 on, and step 200 was triggered."""

    def write(folder: Path) -> str:
        run = RunByHand(folder / "runs", [Given("x", "input"), Given("h", operation="LogBackward0", parents=("x",))], trial="one")
        for step in RECORDED["one"]:
            values = {"x": np.full((2, 2), step + 1.0), "h": np.full((2, 2), np.nan if step >= 137 else 1.0)}
            run.step(step, values, triggered="a test" if step == 200 else None)
        run.curve("mse", {step: 2 + np.cos(step / 30) for step in range(POINTS)})
        run.read()
        return str(export(folder / "runs", folder / "page.html").path)

    return Path(once("wrong curves", write))


# How many pixels of a color there are close to a step, within the upper or the lower rows of a chart and just beyond its edges.
COUNT_PIXELS = """(frame, [step, color, isTop]) => {
  const canvas = frame.querySelector("canvas");
  const [over, whole] = [frame.querySelector(".u-over").getBoundingClientRect(), canvas.getBoundingClientRect()];
  const ratio = canvas.width / whole.width;
  const x = (over.left - whole.left + (over.width * step) / 200) * ratio;
  const y = (isTop ? over.top : over.bottom) - whole.top;
  const copy = Object.assign(document.createElement("canvas"), { width: canvas.width, height: canvas.height });
  const context = copy.getContext("2d", { willReadFrequently: true });
  context.drawImage(canvas, 0, 0);
  context.fillStyle = getComputedStyle(document.documentElement).getPropertyValue(`--${color}`);
  const wanted = [1, 3, 5].map((place) => parseInt(context.fillStyle.slice(place, place + 2), 16));
  const { data } = context.getImageData(x - 7 * ratio, (y - 10) * ratio, 14 * ratio, 20 * ratio);
  let count = 0;
  for (let k = 0; k < data.length; k += 4) {
    count += Number(wanted.every((channel, place) => Math.abs(channel - data[k + place]) < 8));
  }
  return count;
}"""


def test_findings_and_triggered_steps_are_marked_in_a_chart(wrong: Path, open_again: Open) -> None:
    viewer = open_again(wrong, GRAPHS)
    chart = _chart(viewer, "loss")
    plot = chart.locator(".chart-frame")
    expect(chart.locator(".u-over")).to_be_visible()
    viewer.page.wait_for_function(f"frame => ({COUNT_PIXELS})(frame, [137, 'bad', true]) > 0", arg=plot.element_handle())
    bad = {step: plot.evaluate(COUNT_PIXELS, [step, "bad", True]) for step in (60, 137, 200)}
    assert bad[137] >= 8
    assert bad[60] == bad[200] == 0
    diamonds = {step: plot.evaluate(COUNT_PIXELS, [step, "text-soft", False]) for step in (60, 137, 200)}
    assert diamonds[200] >= 8
    assert diamonds[60] == diamonds[137] == 0
    _click(chart, 137)
    expect(chart.locator(".chart-notes")).to_contain_text("step 137 was recorded; begins there:")
    _click(chart, 60)
    expect(chart.locator(".chart-notes")).not_to_contain_text("begins there")
