"""What somebody reads who has never seen a page: its first screen, without scrolling, and what one click shows."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from playwright.sync_api import Locator, Page, expect
from torch import nn

import comgra_export
from comgra_export import export
from support.analysis.runs import Given, RunByHand
from support.browser.axe import CONTRASTS, violations_in_all_colors
from support.browser.broken_runs import BROKEN, NAN_FROM, write_broken_run
from support.browser.pages.until import wait_until
from support.browser.viewer import Viewer, fragment
from support.once import Once

SCREEN = {"width": 1440, "height": 900}
WIDTHS = (1440, 1024, 390)
DESCRIPTION = "First line <b>.\n  Second line.\nThird.\nFourth."
RUN: dict[str, Any] = {
    "started": "2026-01-02T03:04:05Z", "seconds": 92.6, "ending": "exception", "error": "RuntimeError: boom <i>", "error_step": 41,
    "trained": 1219, "recorded": 35, "parameters": 4801, "trainable": 320, "devices": ["cuda"], "dtypes": ["F32"],
    "optimizers": [{"name": "Adam", "groups": 1, "options": {"lr": 0.001, "amsgrad": False}}],
    "config": [["seed", 0], ["amp", True], ["<u>", "a"], ["checkpoint", None]],
}  # fmt: skip
# What stands on the screen as it is, line by line.
READ_SCREEN = """() => {
  const shown = [];
  const walker = document.createTreeWalker(document.querySelector("#panel-overview"), NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const range = document.createRange();
    range.selectNodeContents(walker.currentNode);
    const { top, bottom, height } = range.getBoundingClientRect();
    if (height > 0 && top >= 0 && bottom <= innerHeight && walker.currentNode.parentElement.checkVisibility()) {
      shown.push(walker.currentNode.textContent);
    }
  }
  return shown.join("");
}"""

# Numbers with an exponent, and over how many lines each of them goes.
READ_EXPONENTS = """() => {
  const lines = {};
  const walker = document.createTreeWalker(document.querySelector("#panel-overview"), NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    for (const match of walker.currentNode.textContent.matchAll(/[0-9.]+e[-+][0-9]+/g)) {
      const range = document.createRange();
      range.setStart(walker.currentNode, match.index);
      range.setEnd(walker.currentNode, match.index + match[0].length);
      const tops = [...range.getClientRects()].map(({ top }) => Math.round(top));
      lines[match[0]] = Math.max(new Set(tops).size, lines[match[0]] ?? 0);
    }
  }
  return lines;
}"""

Open = Callable[..., Viewer]


@pytest.fixture(scope="session")
def broken(once: Once) -> Mapping[str, Path]:
    """The pages of short trainings, each with a bug."""

    def write(folder: Path) -> dict[str, str]:
        for bug in BROKEN:
            (folder / bug).mkdir()
            export(write_broken_run(bug, folder / "runs" / bug), folder / bug / "page.html")
        return {bug: str(folder / bug / "page.html") for bug in BROKEN}

    return {bug: Path(page) for bug, page in once("broken", write).items()}


def _first_screen(viewer: Viewer) -> str:
    viewer.element("incident").first.wait_for()
    viewer.page.wait_for_function("() => document.querySelector('[data-testid=evidence-link]') !== null")
    text: str = viewer.page.evaluate(READ_SCREEN)
    return text


@pytest.mark.parametrize(
    ("bug", "wrong", "where", "since"),
    [
        ("two activations", "is the sigmoid of", "model.5.1: output", "step 0"),
        ("no optimizer", "No optimizer that makes steps holds", "model.2.weight", "step 0"),
        ("no zero_grad", "gradients still held those of earlier steps", "model.0.weight", "step 1"),
    ],
)
def test_it_says_what_is_wrong_where_and_since_when(
    bug: str, wrong: str, where: str, since: str, broken: Mapping[str, Path], open_again: Open
) -> None:
    viewer = open_again(broken[bug], viewport=SCREEN)
    text = _first_screen(viewer)
    assert wrong in text
    assert where in re.sub(r".*Where:", "", text.split("Since:")[0])
    assert text.split("Since:")[1].split(".")[0].strip() == since
    # What to do about it is there as well.
    assert "To try" in text
    # And what would show that it is wrong.
    expect(viewer.element("wrong-if").first).to_contain_text("This finding is wrong if: ")
    expect(viewer.element("wrong-if").first).to_be_visible()


def test_it_says_since_which_step_values_are_nan(broken: Mapping[str, Path], open_again: Open) -> None:
    text = _first_screen(open_again(broken["nan"], viewport=SCREEN))
    assert "log is the first tensor that is not finite" in text
    # The default schedule records this very step.
    assert re.findall(r"Since: step (\d+)", text)[0] == str(NAN_FROM)


@pytest.mark.parametrize("bug", BROKEN)
def test_one_click_shows_the_evidence(bug: str, broken: Mapping[str, Path], open_again: Open) -> None:
    viewer = open_again(broken[bug], viewport=SCREEN)
    link = viewer.element("evidence-link").first
    expect(link).to_be_in_viewport()
    name = link.locator("bdi").inner_text()
    link.click()
    expect(viewer.element("tab-tensors")).to_have_attribute("aria-selected", "true")
    expect(viewer.element("summary").get_by_role("heading")).to_contain_text(name.split(": ")[-1])
    chart_or_values = viewer.page.locator("[data-testid=chart], [data-testid=value-row], [data-testid=compare-row]").first
    expect(chart_or_values).to_be_in_viewport()


def test_a_parameter_that_never_changes_is_a_flat_line_beside_its_gradient(broken: Mapping[str, Path], open_again: Open) -> None:
    viewer = open_again(broken["no optimizer"], viewport=SCREEN)
    shown = viewer.element("incident").first.locator(".finding").first.locator(".finding-evidence > [data-testid=evidence]")
    expect(shown.locator("p")).to_contain_text(["The values stay the same.", "The gradient that nothing uses."])
    for view in shown.all():
        expect(view.locator(".sparkline-line")).to_be_in_viewport()
    # The last coordinates of the points are the heights.
    heights = [
        {point.split(",")[1] for point in str(view.locator(".sparkline-line").first.get_attribute("points")).split()}
        for view in shown.all()
    ]
    assert len(heights[0]) == 1 < len(heights[1])
    # The link leads to a chart that is in sight from its upper to its lower end.
    shown.first.get_by_test_id("evidence-link").click()
    expect(viewer.page.locator("[data-testid=chart] .u-over").first).to_be_in_viewport(ratio=1)


def test_values_that_end_in_nan_are_a_curve_up_to_there(tmp_path: Path, open_viewer: Open) -> None:
    written = RunByHand(tmp_path / "runs", [Given("x", "input")])
    for step in range(10):
        written.step(step, {"x": np.full((2, 2), 2.0**step if step < 7 else np.nan)})
    written.read()
    viewer = open_viewer(export(tmp_path / "runs", tmp_path / "page.html").path, wait=False, viewport=SCREEN)
    curve = viewer.element("incident").first.locator(".sparkline").first
    expect(curve).to_contain_text("step 0: 1step 9: NaNlowest 1highest 64not finite: the crosses, from step 7dashed: step 7")
    points = str(curve.locator(".sparkline-line").get_attribute("points")).split()
    # Up to step 6 of 0 to 9, in a picture that is 280 wide with 5 to either side.
    assert [float(point.split(",")[0]) for point in (points[0], points[-1])] == pytest.approx([5, 5 + 270 * 6 / 9], abs=0.1)
    assert curve.locator(".small-chart-not-finite").count() == 3
    # And what the values are at that step.
    expect(viewer.element("value-picture").first).to_be_in_viewport()


def test_other_tabs_begin_at_the_evidence_and_names_are_links(broken: Mapping[str, Path], open_again: Open) -> None:
    viewer = open_again(broken["nan"], viewport=SCREEN)
    name = viewer.element("evidence-link").first.locator("bdi").inner_text()
    viewer.element("tab-tensors").click()
    expect(viewer.element("graph")).to_have_attribute("data-selected-node", name)
    assert int(viewer.link()["step"]) == NAN_FROM
    expect(viewer.element("graph")).to_have_attribute("data-badges", re.compile(r"finding:\d+ nan:\d+"))
    # The names in the finding lead to what they name: to the input of the logarithm, which is finite.
    viewer.element("tab-overview").click()
    operand = viewer.element("finding-message").first.get_by_role("link", name=re.compile("model"))
    name = operand.inner_text()
    operand.click()
    expect(viewer.element("graph")).to_have_attribute("data-selected-node", name)
    # The details of a module say how much of it is NaN.
    viewer.element("tab-modules").click()
    expect(viewer.element("module-details").get_by_test_id("tensor-numbers").last).to_contain_text(re.compile(r"NaN \d+ \([\d.]+ %\)"))


def test_a_finding_of_a_step_that_was_not_recorded_leads_to_the_first_one_after_it(tmp_path: Path, open_viewer: Open) -> None:
    net = nn.Sequential(nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 1))
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
    with comgra_export.watch(net, tmp_path / "runs", every=10):
        for step in range(22):
            output = net.train()(torch.ones(3, 4))
            # The loss is finite, and its gradient is NaN: 0 times infinity.
            loss = (output * 0).sqrt().sum() if step == 13 else output.square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step == 12:
                net.eval()(torch.ones(3, 4))
    viewer = open_viewer(export(tmp_path / "runs", tmp_path / "page.html").path, wait=False, viewport=SCREEN)
    since = viewer.element("finding-where").first
    expect(since).to_contain_text("Since: step 13 (recorded: step 20).")
    viewer.element("tab-tensors").click()
    assert int(viewer.link()["step"]) == 20
    viewer.element("tab-overview").click()
    since.get_by_test_id("since-link").click()
    assert int(viewer.link()["step"]) == 20


def _changed(page: Path, to: Path, change: Callable[[dict[str, Any]], object]) -> Path:
    """A page with another index."""
    text = page.read_text("utf-8")
    match = re.search(r'(?<=id="bundle-index">)[^<]*', text)
    assert match is not None
    index = json.loads(match[0])
    change(index)
    to.write_text(text[: match.start()] + json.dumps(index).replace("<", "\\u003c") + text[match.end() :], "utf-8")
    return to


def _with_runs(page: Path, to: Path, *runs: Mapping[str, Any]) -> Path:
    """A page whose index tells how its runs went."""
    return _changed(page, to, lambda index: index.update(runs=list(runs), description=DESCRIPTION))


def test_what_has_no_curve_has_a_picture_of_its_values(broken: Mapping[str, Path], tmp_path: Path, open_viewer: Open) -> None:
    # As in a bundle without numbers over time.
    page = _changed(broken["no optimizer"], tmp_path / "page.html", lambda index: index["trials"][0].update(series=-1))
    viewer = open_viewer(page, wait=False, viewport=SCREEN)
    evidence = viewer.element("incident").first.get_by_test_id("evidence").first
    expect(evidence.get_by_role("img")).to_have_accessible_name(re.compile(r"^(Histogram|Range) of model\.2\.weight at step 0: "))


def _rows(card: Locator) -> dict[str, str]:
    rows: dict[str, str] = card.evaluate(
        "card => Object.fromEntries([...card.querySelectorAll('dl > div')].map((row) => [...row.children].map((each) => each.innerText)))"
    )
    return rows


def test_the_run_card_says_how_the_run_went(broken: Mapping[str, Path], tmp_path: Path, open_viewer: Open) -> None:
    viewer = open_viewer(_with_runs(broken["nan"], tmp_path / "page.html", RUN), wait=False, viewport=SCREEN)
    rows = _rows(viewer.element("run-card"))
    assert re.fullmatch(r"PyTorch \S+, comgra_export \S+", rows.pop("Versions"))
    assert rows == {
        "Outcome": "ended by RuntimeError: boom <i> in step 41",
        "Began": "2026-01-02 03:04 UTC, for 1 min 33 s",
        "Steps": "1,219 trained, 35 recorded, 29 of them in this page",
        "Parameters": "4,801, 320 of them trainable",
        "Ran on": "cuda, float32",
        "Optimizer": "Adam: lr 0.001",
        "seed": "0",
        "amp": "True",
        "<u>": "a",
        "checkpoint": "None",
    }
    expect(viewer.element("run-card").get_by_text("boom")).to_be_in_viewport()
    # The description keeps its lines, is no markup, and leaves room for the findings.
    assert "it holds NaN" in _first_screen(viewer)
    description = viewer.element("description")
    assert description.inner_text() == DESCRIPTION
    assert viewer.page.locator("#panel-overview").locator("b, i, u").count() == 0
    cut = description.bounding_box()
    viewer.page.get_by_role("button", name="Show all of the description").click()
    whole = description.bounding_box()
    assert cut is not None
    assert whole is not None
    assert round(whole["height"] / cut["height"], 1) == round(4 / 3, 1)


# How many lines of the title the header does not show.
READ_CUT = """() => {
  const header = document.querySelector("h1"), line = parseFloat(getComputedStyle(header).lineHeight);
  const below = header.querySelector("bdi").getBoundingClientRect().bottom - header.getBoundingClientRect().bottom;
  return Math.round(below / line);
}"""


def test_a_title_has_two_lines_in_the_header_where_one_is_too_short(broken: Mapping[str, Path], tmp_path: Path, open_viewer: Open) -> None:
    title = "Ablation 17: the encoder with normalization, and without a warm-up"
    page = _changed(broken["nan"], tmp_path / "page.html", lambda index: index.update(title=title))
    viewer = open_viewer(page, wait=False, viewport=SCREEN)
    for width in (1440, 1280, 1100):
        viewer.page.set_viewport_size({"width": width, "height": 900})
        for tab in ("tensors", "network", "overview"):
            viewer.element(f"tab-{tab}").click()
            assert viewer.page.evaluate(READ_CUT) == 0, (width, tab)
            assert viewer.page.evaluate("document.documentElement.scrollWidth") <= width
            expect(viewer.element("overview-title")).to_have_count(0)


# How far the lines of the title are from the upper and the lower edge of the header, at least.
READ_ROOM = """() => {
  const header = document.querySelector(".header").getBoundingClientRect();
  const lines = [...document.querySelector("h1 bdi").getClientRects()];
  return [lines.length, Math.min(...lines.map((line) => Math.min(line.top - header.top, header.bottom - line.bottom)))];
}"""


def test_a_title_over_two_lines_has_room_around_it_and_a_short_one_its_size(
    broken: Mapping[str, Path], tmp_path: Path, open_viewer: Open
) -> None:
    title = "Ablation 17: the encoder with normalization before its parts, and without a warm-up at its beginning"
    page = _changed(broken["nan"], tmp_path / "page.html", lambda index: index.update(title=title))
    viewer = open_viewer(page, wait=False, viewport={"width": 1280, "height": 900})
    size = "() => getComputedStyle(document.querySelector('h1 bdi')).fontSize"
    wait_until(viewer.page, "() => document.querySelector('h1').hasAttribute('data-long')")
    lines, room = viewer.page.evaluate(READ_ROOM)
    assert (lines, room >= 1, viewer.page.evaluate(size)) == (2, True, "13px")
    # With room for one line, it is as large as any other title.
    viewer.page.set_viewport_size({"width": 1900, "height": 900})
    wait_until(viewer.page, "() => !document.querySelector('h1').hasAttribute('data-long')")
    assert (viewer.page.evaluate(READ_ROOM)[0], viewer.page.evaluate(size)) == (1, "16px")


def test_a_title_that_the_header_cuts_off_is_there_in_full(broken: Mapping[str, Path], tmp_path: Path, open_viewer: Open) -> None:
    title = "Ablation 17: the encoder with the normalization before its feed-forward part, and without a warm-up" * 2
    page = _changed(broken["nan"], tmp_path / "page.html", lambda index: index.update(title=title))
    viewer = open_viewer(page, wait=False, viewport=SCREEN)
    assert viewer.page.evaluate(READ_CUT) > 0
    assert title in _first_screen(viewer)
    # A short one is in the header alone.
    viewer = open_viewer(broken["nan"], wait=False, viewport=SCREEN)
    assert viewer.page.evaluate(READ_CUT) == 0
    expect(viewer.element("overview-title")).to_have_count(0)


def test_no_line_ends_within_a_number(broken: Mapping[str, Path], tmp_path: Path, open_viewer: Open) -> None:
    small = {f"eps {'x' * k}": 1e-8 for k in range(12)}
    run = {**RUN, "optimizers": [{"name": "Adam", "groups": 1, "options": small}]}
    viewer = open_viewer(_with_runs(broken["no zero_grad"], tmp_path / "page.html", run), wait=False, viewport=SCREEN)
    # It is among the optimizer's options, and a limit of the finding.
    assert "limit: 1e-6" in _first_screen(viewer)
    for width in range(390, 460, 7):
        viewer.page.set_viewport_size({"width": width, "height": 900})
        assert viewer.page.evaluate(READ_EXPONENTS) == {"1e-8": 1, "1e-6": 1}


def test_a_page_without_runs_says_nothing_of_them(broken: Mapping[str, Path], tmp_path: Path, open_viewer: Open) -> None:
    page = broken["nan"]
    viewer = open_viewer(_with_runs(page, tmp_path / "page.html"), wait=False, viewport=SCREEN)
    assert set(_rows(viewer.element("run-card"))) == {"Began", "Steps", "Versions"}


def test_the_curves_have_their_last_and_lowest_values_and_lead_to_the_graphs(broken: Mapping[str, Path], open_again: Open) -> None:
    viewer = open_again(broken["no optimizer"], viewport=SCREEN)
    # The learning rate of the optimizer never changes.
    expect(viewer.element("curve-card")).to_have_count(3)
    expect(viewer.element("constant-curves").locator("li")).to_have_text(["learning rate: Adam 0.01 (constant)"])
    card = viewer.element("curve-card").filter(has=viewer.page.locator("h3", has_text="loss: mse"))
    expect(card).to_be_in_viewport()
    last, lowest = card.get_by_test_id("curve-line").locator("td").all_inner_texts()
    card.get_by_role("link").click()
    expect(viewer.element("tab-graphs")).to_have_attribute("aria-selected", "true")
    expect(viewer.element("legend-entry").locator(".chip-value").filter(has_text=last.split()[0]).first).to_be_visible()
    assert float(lowest.split()[0]) <= float(last.split()[0])


@pytest.mark.parametrize("which", ["chart", "constant"])
def test_a_curve_leads_to_its_own_chart(which: str, broken: Mapping[str, Path], open_again: Open) -> None:
    viewer = open_again(broken["no optimizer"], viewport=SCREEN)
    place, group = (viewer.element("curve-card").last, "seconds per step") if which == "chart" else (
        viewer.element("constant-curves"), "learning rate"
    )  # fmt: skip
    place.get_by_role("link").click()
    chart = viewer.page.locator(f"[data-testid=chart][data-group='{group}']")
    expect(chart.locator(".chart-frame")).to_be_focused()
    expect(chart.locator("h2")).to_be_in_viewport()
    # Once: whoever comes back by the tabs begins where the focus is.
    viewer.element("tab-overview").click()
    viewer.element("tab-graphs").click()
    expect(viewer.element("tab-graphs")).to_be_focused()


def test_long_titles_of_findings_wrap_on_a_phone_and_the_table_has_its_room(broken: Mapping[str, Path], open_viewer: Open) -> None:
    viewer = open_viewer(broken["no optimizer"], fragment({"tab": "tensors"}), wait=False, viewport={"width": 390, "height": 844})
    expect(viewer.page.get_by_role("button", name="Finding: A parameter has gradients and never changes")).to_be_visible()
    assert viewer.page.evaluate("document.documentElement.scrollWidth") == 390
    # The numbers of the scale end before the heading beside them, whose text is at its right.
    scale, row = viewer.element("bar-legend"), viewer.element("value-row").first
    right = scale.evaluate("scale => Math.max(...[...scale.children].map((child) => child.getBoundingClientRect().right))")
    value = row.get_by_role("cell").last.bounding_box()
    assert value is not None
    assert right <= value["x"]


def test_two_values_that_are_compared_stand_side_by_side(broken: Mapping[str, Path], open_again: Open) -> None:
    viewer = open_again(broken["two activations"], viewport=SCREEN)
    shown = viewer.element("incident").first.locator(".finding-evidence > [data-testid=evidence]")
    expect(shown.locator("bdi")).to_have_text(["model.5.0: output", "model.5.1: output"])
    first, second = (view.bounding_box() for view in shown.all())
    assert first is not None
    assert second is not None
    assert first["y"] == second["y"]
    assert first["x"] + first["width"] <= second["x"]
    expect(viewer.element("more-evidence")).to_have_count(0)
    # On one axis, from 0 to the largest of both: 0 is not far.
    axes = shown.get_by_test_id("shared-axis").all_inner_texts()
    ranges = [re.match(r"(\S+) to (\S+)", text) for text in shown.locator(".sparkline-range").all_inner_texts()]
    lows, highs = ([each.group(k) for each in ranges if each is not None] for k in (1, 2))
    assert min(map(float, lows)) > 0
    assert axes == [f"both drawn from 0 to {max(highs, key=float)}, gray line: 0"] * 2
    zeros = shown.locator(".evidence-zero").evaluate_all("lines => lines.map((line) => line.getAttribute('x1'))")
    assert zeros == [zeros[0]] * 2


def test_several_trials_leave_the_header_on_one_line_and_their_names_whole(tmp_path: Path, open_viewer: Open) -> None:
    for trial in ("baseline_reproduction", "second"):
        written = RunByHand(tmp_path / "runs", [Given("x", "input")], trial=trial)
        written.step(0, {"x": np.ones((2, 2))})
        written.read()
    page = export(tmp_path / "runs", tmp_path / "page.html").path
    for width in (1280, 1024):
        viewer = open_viewer(page, wait=False, viewport={"width": width, "height": 768})
        name = viewer.element("run-trials").get_by_role("link", name="baseline_reproduction", exact=True)
        # The rectangles of a name that is broken are at two heights.
        assert name.evaluate("element => new Set(Array.from(element.getClientRects(), ({ top }) => top)).size") == 1
        tabs, tools = (viewer.page.locator(place).bounding_box() for place in (".tabs", ".header-tools"))
        assert tabs is not None
        assert tools is not None
        assert tools["x"] >= tabs["x"] + tabs["width"]
        assert tools["y"] < tabs["y"] + tabs["height"]
        assert viewer.page.evaluate("document.documentElement.scrollWidth") <= width
        expect(viewer.page.get_by_label("Trial", exact=True)).to_be_visible()


def test_all_trials_are_in_one_chart_and_one_table(tmp_path: Path, open_viewer: Open) -> None:
    for trial, values in (("one", [4.0, 1.0, 2.0]), ("two", [3.0, 0.5, 1e9])):
        written = RunByHand(tmp_path / "runs", [Given("x", "input")], trial=trial)
        written.step(0, {"x": np.ones((2, 2))})
        written.curve("val_loss", dict(enumerate(values)), group="metrics")
        written.read()
    viewer = open_viewer(export(tmp_path / "runs", tmp_path / "page.html").path, wait=False, viewport=SCREEN)
    lines = viewer.element("curve-line")
    expect(lines).to_have_text(["one2 step 21 step 1", "two1e+9 step 20.5 step 1"], use_inner_text=False)
    trials = viewer.element("run-trials").locator("tbody tr")
    expect(trials).to_have_count(2)
    trials.get_by_role("link", name="two", exact=True).click()
    expect(viewer.control("trial")).to_have_value("two")
    expect(viewer.element("tab-overview")).to_have_attribute("aria-selected", "true")


def test_a_line_of_many_types_says_that_its_last_value_is_of_one_of_them(tmp_path: Path, open_viewer: Open) -> None:
    run = RunByHand(tmp_path / "runs", [Given("x", "input")])
    run.step(0, {"x": np.ones((2, 2))})
    for kind in range(8):
        run.curve("mse", {step: float(10 * kind + step) for step in range(kind, 40, 8)}, kind=f"{kind}_iterations")
    run.read()
    viewer = open_viewer(export(tmp_path / "runs", tmp_path / "page.html").path, wait=False, viewport=SCREEN)
    # At step 39 stands 7_iterations, which has 70 + 39 there; the least is that of 0_iterations at step 0.
    expect(viewer.element("curve-line")).to_have_text("mse109 step 390 step 0", use_inner_text=False)
    card = viewer.element("curve-card")
    expect(card).to_contain_text("All 8 types of steps are drawn together. The table shows single steps.")
    viewer.element("tab-graphs").click()
    entry = viewer.page.get_by_test_id("legend-entry")
    expect(entry.locator(".chip-text")).to_have_text("mse *_iterations, median of 8")
    # From one point to the next, a curve grows by one for each step; beyond its last, it stays: 10 k + 32 + k.
    expect(entry.locator(".chip-value")).to_have_text("70.5")


def test_values_that_show_a_finding_are_a_histogram(tmp_path: Path, open_viewer: Open) -> None:
    values = np.random.default_rng(0).normal(size=(30, 7)).astype(np.float32)
    written = RunByHand(tmp_path / "runs", [Given("x", "input", values=True)])
    written.step(0, {"x": values})
    values[3, 2], values[9, 1] = np.nan, 0
    written.step(7, {"x": values})
    written.read()
    viewer = open_viewer(export(tmp_path / "runs", tmp_path / "page.html").path, wait=False, viewport=SCREEN)
    picture = viewer.element("value-picture").first
    expect(picture).to_be_in_viewport()
    finite = values[np.isfinite(values)].astype(np.float64)
    low, high = (f"{number:.4g}" for number in (finite.min(), finite.max()))
    expect(picture).to_have_text(f"{low} to {high}NaN 1 (0.476 %)zeros 1 (0.476 %)")
    expect(picture.get_by_role("img")).to_have_accessible_name(
        f"Histogram of x at step 7: {low} to {high}, NaN 1 (0.476 %), zeros 1 (0.476 %)"
    )
    heights = picture.locator("rect").evaluate_all("bars => bars.map((bar) => Number(bar.getAttribute('height')))")
    counts, _ = np.histogram(finite, bins=40)
    assert heights == pytest.approx(60 * counts / counts.max(), abs=1e-6)


def test_a_recorded_histogram_shows_a_finding_where_values_were_not_recorded(broken: Mapping[str, Path], open_again: Open) -> None:
    viewer = open_again(broken["nan"], viewport=SCREEN)
    picture = viewer.element("value-picture").first
    expect(picture).to_be_in_viewport()
    assert re.fullmatch(r"\S+ to \S+NaN \d+ \([\d.]+ %\)", picture.inner_text().replace("\n", ""))
    assert picture.locator("rect").count() == 40


@pytest.mark.parametrize("is_single", [False, True])
def test_what_is_known_of_values_is_a_picture_where_they_were_not_recorded(is_single: bool, tmp_path: Path, open_viewer: Open) -> None:
    values = np.float32(3) if is_single else np.random.default_rng(0).normal(3, 1, size=(30, 7)).astype(np.float32)
    written = RunByHand(tmp_path / "runs", [Given("x", "input")])
    written.step(0, {"x": values})
    broken = np.array(np.inf, np.float32) if is_single else values.copy()
    broken[() if is_single else (slice(0, 3), 2)] = np.nan
    written.step(7, {"x": broken})
    written.read()
    viewer = open_viewer(export(tmp_path / "runs", tmp_path / "page.html").path, wait=False, viewport=SCREEN)
    picture = viewer.element("range-picture").first
    expect(picture).to_be_in_viewport()
    name = picture.get_attribute("aria-label")
    assert name is not None
    if is_single:
        assert name == "Range of x at step 7: no finite value, NaN 1 (100 %)"
        return
    finite = broken[np.isfinite(broken)].astype(np.float64)
    assert name.startswith(f"Range of x at step 7: {finite.min():.4g} to {finite.max():.4g}")
    bar = picture.locator("rect").bounding_box()
    frame = picture.bounding_box()
    assert bar is not None
    assert frame is not None
    # The picture begins at zero, or at the smallest value if that is below it.
    first, last = min(finite.min(), 0), finite.max()
    assert bar["width"] / (frame["width"] - 8) == pytest.approx((finite.max() - finite.min()) / (last - first), abs=0.02)


def test_outliers_and_what_is_no_number_are_marked_in_a_chart(tmp_path: Path, open_viewer: Open) -> None:
    written = RunByHand(tmp_path / "runs", [Given("x", "input")])
    written.step(0, {"x": np.ones((2, 2))})
    written.curve("mse", {step: {5: 1e9, 7: np.nan}.get(step, 1 + step / 40) for step in range(40)})
    written.read()
    viewer = open_viewer(export(tmp_path / "runs", tmp_path / "page.html").path, wait=False, viewport=SCREEN)
    chart = viewer.element("curve-card")
    expect(chart.locator(".small-chart-outside")).to_have_count(1)
    expect(chart.locator(".small-chart-not-finite")).to_have_count(1)
    # At its own step, 7 of 0 to 39, in a picture that is 400 wide with 6 to either side.
    box = chart.locator(".small-chart-not-finite").evaluate("cross => { const { x, width } = cross.getBBox(); return x + width / 2; }")
    assert box == pytest.approx(6 + 388 * 7 / 39, abs=0.1)
    expect(chart).to_contain_text("1 point outside this range, at the triangles. 1 value is NaN or infinite, at the crosses.")
    # From 1 to 1 + 39 / 40.
    expect(chart.locator(".small-chart-values span")).to_have_text(["1.98", "1"])


def test_the_axis_of_a_smoothed_line_has_the_values_of_the_table(tmp_path: Path, open_viewer: Open) -> None:
    written = RunByHand(tmp_path / "runs", [Given("x", "input")])
    written.step(0, {"x": np.ones((2, 2))})
    # Means of three steps lie between 2 and 3; the last step is a peak, and the lowest one is a dip.
    written.curve("loss", {step: {0: 1.0, 1: 2.5, 2: 4.0}[step % 3] + step / 1000 for step in range(300)})
    written.read()
    viewer = open_viewer(export(tmp_path / "runs", tmp_path / "page.html").path, wait=False, viewport=SCREEN)
    card = viewer.element("curve-card")
    expect(card.locator(".small-chart-values span")).to_have_text(["4.3", "1"])
    expect(card.locator("td").first).to_have_text("4.299 step 299")
    expect(card.locator("td").last).to_have_text("1 step 0")
    expect(card.locator(".small-chart-notes")).to_have_text("The line is smoothed; the band shows the single steps.")
    # The band is as high as the axis, and the line is not.
    band, line = (card.locator(place).evaluate("part => part.getBBox().height") for place in (".small-chart-band", ".small-chart-line"))
    assert band == pytest.approx(104 - 2 * 6, abs=0.2)
    assert line < band / 4


def test_links_of_earlier_versions_and_of_steps_lead_where_they_did(broken: Mapping[str, Path], open_viewer: Open) -> None:
    viewer = open_viewer(broken["nan"], fragment({"tab": "findings"}), wait=False)
    expect(viewer.element("incidents")).to_be_visible()
    expect(viewer.element("tab-overview")).to_have_attribute("aria-selected", "true")
    viewer.go({"step": 56})
    expect(viewer.element("tab-tensors")).to_have_attribute("aria-selected", "true")
    expect(viewer.element("value-step")).to_have_value("55")


def _check_width(page: Page, width: int) -> None:
    # A picture takes its new width a frame after the window has.
    page.wait_for_function("width => document.documentElement.scrollWidth <= width", arg=width)
    columns = page.locator(".overview-columns > div")
    main, side = (column.bounding_box() for column in columns.all())
    assert main is not None
    assert side is not None
    # Beside each other, or below each other.
    assert (side["x"] >= main["x"] + main["width"]) if width > 900 else (side["y"] >= main["y"] + main["height"])


def test_it_fits_and_is_accessible(broken: Mapping[str, Path], tmp_path: Path, open_viewer: Open) -> None:
    page = _with_runs(broken["nan"], tmp_path / "page.html", RUN)
    viewer = open_viewer(page, wait=False, viewport=SCREEN)
    _first_screen(viewer)
    for width in WIDTHS:
        viewer.page.set_viewport_size({"width": width, "height": 900})
        _check_width(viewer.page, width)
        assert violations_in_all_colors(viewer.page, CONTRASTS) == []


# The document as it is while the browser prints: how many pictures findings have, what is folded, and headings that may end a page.
PRINT = """() => {
  window.dispatchEvent(new Event("beforeprint"));
  const paper = document.querySelector(".print-document");
  return {
    pictures: paper.querySelectorAll("[data-testid=evidence] svg").length,
    folded: paper.querySelectorAll(".incidents details:not([open])").length,
    headings: [...paper.querySelectorAll("h2, h3")].filter((part) => getComputedStyle(part).breakAfter !== "avoid").length,
  };
}"""


@pytest.mark.parametrize(("bug", "pictures"), [("nan", 1), ("two activations", 2)])
def test_evidence_is_printed_at_once(bug: str, pictures: int, broken: Mapping[str, Path], open_viewer: Open) -> None:
    viewer = open_viewer(broken[bug], wait=False, viewport=SCREEN)
    expect(viewer.element("incident").first.locator(".evidence svg")).to_have_count(pictures)
    viewer.page.evaluate("window.print = () => { window.hasPrinted = true; }")
    viewer.choose_in_menu("print")
    viewer.page.wait_for_function("window.hasPrinted")
    viewer.page.emulate_media(media="print")
    printed = viewer.page.evaluate(PRINT)
    assert printed["pictures"] >= pictures
    assert printed["folded"] == printed["headings"] == 0


def test_it_is_printed_with_all_of_it(broken: Mapping[str, Path], tmp_path: Path, open_viewer: Open) -> None:
    viewer = open_viewer(_with_runs(broken["nan"], tmp_path / "page.html", RUN), wait=False)
    _first_screen(viewer)
    viewer.page.emulate_media(media="print")
    viewer.page.evaluate("() => window.dispatchEvent(new Event('beforeprint'))")
    paper = viewer.page.locator(".print-document")
    expect(paper).to_contain_text("it holds NaN")
    expect(paper).to_contain_text("RuntimeError: boom")
    expect(paper.get_by_test_id("curve-card").first).to_be_visible()
    # It is above, as on every document.
    expect(paper.get_by_text("Second line.").and_(viewer.page.locator(":visible"))).to_have_count(1)
