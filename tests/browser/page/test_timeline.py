"""The timeline: every recorded step in a line, by mouse, by keys, in words and in marks."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import expect

from support.browser.axe import in_all_colors, violations, violations_in_high_contrast
from support.browser.described import REASON
from support.browser.viewer import Link, Viewer

ANY, TRIGGERED = "any_value", "__triggered"
# Training on 0, 20 and 40, evaluations on 10 and 30, and 43 out of turn. A finding begins at step 20.
VIEW: Link = {"tab": "tensors", "trial": "run", "type": ANY, "step": 20}
LAST = 43
PAD = 8
TABS_WITH_STEP = ("tensors", "network")
# Pixels of controls above the data.
MOST_ABOVE = 110
# About the whole run.
TABS_OF_RUN = ("overview", "notes", "about")
# The pixel columns, in pixels of the page, that have a colour of the style sheet between two heights.
FIND_COLUMNS = """([name, top, bottom]) => {
  const canvas = document.querySelector(".timeline-track canvas");
  const probe = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  probe.fillStyle = getComputedStyle(canvas).getPropertyValue(`--${name}`).trim();
  probe.fillRect(0, 0, 1, 1);
  const wanted = probe.getImageData(0, 0, 1, 1).data;
  const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d", { willReadFrequently: true });
  copy.drawImage(canvas, 0, 0);
  const { data } = copy.getImageData(0, 0, canvas.width, canvas.height);
  const columns = new Set();
  for (let k = 0; k < data.length; k += 4) {
    const [x, y] = [(k / 4) % canvas.width, Math.floor(k / 4 / canvas.width)];
    if (y >= top && y < bottom && data[k + 3] > 250 && [0, 1, 2].every((channel) => Math.abs(data[k + channel] - wanted[channel]) < 6)) {
      columns.add(x);
    }
  }
  return [...columns].sort((a, b) => a - b);
}"""

# The pixel columns that have anything drawn between two heights.
FIND_INK = """([top, bottom]) => {
  const canvas = document.querySelector(".timeline-track canvas");
  const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d", { willReadFrequently: true });
  copy.drawImage(canvas, 0, 0);
  const { data } = copy.getImageData(0, top, canvas.width, bottom - top);
  return [...Array(canvas.width).keys()].filter((x) =>
    [...Array(bottom - top).keys()].some((y) => data[4 * (y * canvas.width + x) + 3] > 0));
}"""
# Rows with the text of labels and no lines.
LABEL_ROWS = [3, 13]


@pytest.fixture
def open_run(described_bundle: Path, visit: Callable[..., Viewer]) -> Callable[..., Viewer]:
    """Opens the run with a change of the view, and options of the browser."""

    def open_(change: Link | None = None, **options: object) -> Viewer:
        link = {**VIEW, **(change or {})}
        return visit(described_bundle, link, **options)

    return open_


def _x(viewer: Viewer, step: float) -> float:
    """How far a step is from the left of the timeline."""
    box = viewer.control("step").bounding_box()
    assert box is not None
    return PAD + step / LAST * (box["width"] - 2 * PAD)


def _point(viewer: Viewer, step: float) -> tuple[float, float]:
    """The same place in the window."""
    box = viewer.control("step").bounding_box()
    assert box is not None
    return box["x"] + _x(viewer, step), box["y"] + box["height"] / 2


def test_a_click_goes_to_the_nearest_step_of_the_chosen_type(open_run: Callable[..., Viewer]) -> None:
    viewer = open_run()
    for kind, place, step in ((ANY, 9, 10), (ANY, 41, 40), (ANY, 42, 43), ("train", 9, 0), ("train", 11, 20), ("eval", 0, 10)):
        viewer.choose("step-type", kind)
        viewer.wait_until_shown({"type": kind})
        viewer.page.mouse.click(*_point(viewer, place))
        viewer.wait_until_shown({"step": step, "type": kind})
        expect(viewer.element("timeline-number")).to_have_text(str(step))
    assert viewer.link()["step"] == "10"


def test_dragging_follows_the_pointer_and_stops_with_the_button(open_run: Callable[..., Viewer]) -> None:
    viewer = open_run()
    mouse = viewer.page.mouse
    mouse.move(*_point(viewer, 20))
    mouse.down()
    for place, step in ((31, 30), (39, 40), (100, 43), (-50, 0), (12, 10)):
        x, y = _point(viewer, place)
        # Also above and below the line, as long as the button is held.
        mouse.move(x, y + place)
        viewer.wait_until_shown({"step": step})
    mouse.up()
    mouse.move(*_point(viewer, 30))
    expect(viewer.element("timeline-hint")).to_contain_text("step 30")
    viewer.wait_until_shown({"step": 10})


def test_the_keys_of_a_slider(open_run: Callable[..., Viewer]) -> None:
    viewer = open_run()
    slider = viewer.control("step")
    slider.focus()
    for key, step in (
        ("ArrowRight", 30), ("ArrowLeft", 20), ("ArrowDown", 10), ("ArrowUp", 20), ("End", 43), ("ArrowRight", 43), ("PageDown", 0),
        ("ArrowLeft", 0), ("PageUp", 43), ("Home", 0), ("s", 10), ("S", 0),
    ):  # fmt: skip
        viewer.page.keyboard.press(key)
        viewer.wait_until_shown({"step": step})
    expect(slider).to_be_focused()
    assert {name: slider.get_attribute(f"aria-{name}") for name in ("valuemin", "valuemax", "valuenow")} == {
        "valuemin": "0",
        "valuemax": "43",
        "valuenow": "0",
    }
    viewer.choose("step-type", "eval")
    expect(slider).to_have_attribute("aria-valuemin", "10")
    expect(slider).to_have_attribute("aria-valuemax", "30")


def test_a_typed_number_goes_there_exactly_or_to_the_nearest(open_run: Callable[..., Viewer]) -> None:
    viewer = open_run({"type": "train"})
    viewer.choose("step", "38")
    viewer.wait_until_shown({"step": 40, "type": "train"})
    field = viewer.element("value-step")
    expect(field).to_have_value("40")
    # A step of another type is meant, too.
    viewer.choose("step", "10")
    viewer.wait_until_shown({"step": 10, "type": ANY})
    viewer.choose("step", "soon")
    expect(viewer.element("value-step-wrong")).to_have_text("Type a step from 0 to 43. It stays 10.")
    assert violations(viewer.page) == []
    field.press("Escape")
    expect(field).to_have_value("10")


def test_words_say_what_the_step_is_and_how_far_the_one_before_is(open_run: Callable[..., Viewer]) -> None:
    viewer = open_run()
    words = viewer.element("step-words")
    expect(words).to_have_text("train \u00b7 10 steps since 10")
    viewer.choose("step-type", "train")
    expect(words).to_have_text("train \u00b7 20 steps since 0")
    viewer.go({**VIEW, "step": 43})
    expect(words).to_have_text("train, triggered \u00b7 3 steps since 40")
    for tab in TABS_WITH_STEP:
        viewer.element(f"tab-{tab}").click()
        # Why, once on every tab that shows the step.
        expect(viewer.page.get_by_text(REASON)).to_have_count(1)
        expect(viewer.element("step-trigger")).to_be_visible()
    viewer.go({**VIEW, "step": 0})
    expect(words).to_have_text("train \u00b7 the first one")


def test_what_is_under_the_pointer_and_what_begins_there(open_run: Callable[..., Viewer]) -> None:
    viewer = open_run()
    hint = viewer.element("timeline-hint")
    viewer.page.mouse.move(*_point(viewer, 8))
    expect(hint).to_contain_text("step 10")
    expect(hint).to_contain_text("eval, 10 steps since 0")
    viewer.element("tab-overview").click()
    expect(viewer.element("since-link").first).to_have_text("step 20")
    title = viewer.element("incident").first.locator("h3").inner_text()
    viewer.element("tab-tensors").click()
    viewer.page.mouse.move(*_point(viewer, 19))
    expect(hint).to_contain_text(f"Begins at step 20: Bug: {title}")
    # Its mark says it, too, if its step cannot be selected.
    viewer.choose("step-type", "eval")
    viewer.wait_until_shown({"type": "eval"})
    viewer.page.mouse.move(*_point(viewer, 20.1))
    expect(hint).to_contain_text(f"step 30eval, 20 steps since 10Begins at step 20: Bug: {title}")
    viewer.page.mouse.move(*_point(viewer, 12))
    expect(hint).not_to_contain_text("Begins")
    viewer.choose("step-type", ANY)
    viewer.control("step").focus()
    viewer.choose("step", "20")
    expect(viewer.control("step")).to_have_attribute("aria-valuetext", f"20, train, 3 of 6, 10 steps since 10. Begins here: Bug: {title}")
    viewer.page.mouse.move(5, 500)
    expect(hint).to_have_count(0)


def test_marks_are_where_the_steps_are(open_run: Callable[..., Viewer]) -> None:
    viewer = open_run()
    expect(viewer.element("problem-count")).to_be_visible()

    def columns(color: str, top: int, bottom: int) -> list[float]:
        return viewer.page.evaluate(FIND_COLUMNS, [color, top, bottom])  # type: ignore[no-any-return]

    def near(columns: list[float], *steps: int) -> None:
        expected = [_x(viewer, step) for step in steps]
        middles = [column for column in columns if not any(abs(column - x) <= 7 for x in expected)]
        assert middles == [], (columns, expected)
        assert all(any(abs(column - x) <= 2 for column in columns) for x in expected), (columns, expected)

    # Training above, evaluations below, in colours of their own; findings above both.
    near(columns("curve-0", 22, 32), 0, 20, 40, 43)
    near(columns("curve-1", 33, 40), 10, 30)
    assert columns("curve-1", 22, 32) == columns("curve-0", 33, 40) == []
    near(columns("bad", 15, 22), 20)
    # A triggered step is no line, but a diamond.
    wide = [len([column for column in columns("curve-0", 22, 32) if abs(column - _x(viewer, step)) <= 7]) for step in (40, 43)]
    assert wide[0] <= 2 < 5 <= wide[1]
    # What cannot be selected is faint.
    viewer.choose("step-type", "eval")
    viewer.wait_until_shown({"type": "eval"})
    near(columns("curve-1", 33, 40), 10, 30)
    assert [column for column in columns("curve-0", 22, 32) if abs(column - _x(viewer, 40)) <= 2] == []


def test_the_timeline_is_on_every_tab(open_run: Callable[..., Viewer]) -> None:
    viewer = open_run({"step": 43})
    for tab in (*TABS_WITH_STEP, *TABS_OF_RUN):
        viewer.element(f"tab-{tab}").click()
        expect(viewer.control("step")).to_be_visible()
        # What is about the whole run needs neither the reason of a step nor what is offered of it.
        expect(viewer.element("step-trigger")).to_have_count(int(tab in TABS_WITH_STEP))
        expect(viewer.control("step-type")).to_have_count(int(tab == "tensors"))
    viewer.go({**VIEW, "tab": "network", "step": 20})
    viewer.wait_until_shown({"tab": "network", "step": 20})
    viewer.page.keyboard.press("s")
    viewer.wait_until_shown({"tab": "network", "step": 30})
    expect(viewer.element("network-step")).to_contain_text("on step 30 (eval)")


def test_charts_and_notes_of_the_run_mark_the_step(open_run: Callable[..., Viewer]) -> None:
    viewer = open_run({"tab": "overview", "step": 20})
    plot = viewer.element("curve-card").first.locator("svg").first
    line = viewer.element("small-chart-step").first.locator("span")

    def place() -> float:
        """From 0, the first step of the chart, to 1, its last."""
        at, around = line.bounding_box(), plot.bounding_box()
        assert at is not None
        assert around is not None
        pad = around["width"] * 6 / 400
        return (at["x"] + 1 - around["x"] - pad) / (around["width"] - 2 * pad)

    steps = viewer.element("curve-card").first.locator(".small-chart-steps span").all_inner_texts()
    first, last = (int(text.removeprefix("step ")) for text in steps)
    viewer.control("step").focus()
    for key, step in (("ArrowRight", 30), ("ArrowRight", 40), ("ArrowLeft", 30)):
        viewer.page.keyboard.press(key)
        viewer.wait_until_shown({"tab": "overview", "step": step})
        assert place() == pytest.approx((step - first) / (last - first), abs=0.01)
    viewer.go({**VIEW, "tab": "notes", "step": 20})
    marked = viewer.page.locator("[data-testid=note][aria-current=true] .note-step")
    assert set(marked.all_inner_texts()) == {"step 20"}


@pytest.mark.parametrize("step", [20, 43])
def test_controls_leave_the_screen_to_the_data(step: int, open_run: Callable[..., Viewer]) -> None:
    viewer = open_run({"step": step, "trial": "run"}, viewport={"width": 1440, "height": 900})
    for color in (None, "abs_mean"):
        if color is not None:
            viewer.element("graph-color").select_option(color)
            expect(viewer.element("color-scale")).to_be_visible()
        graph = viewer.page.locator(".graph-frame").bounding_box()
        banner = viewer.element("step-trigger").bounding_box() if step == 43 else {"height": 0}
        assert graph is not None
        assert banner is not None
        assert graph["y"] - banner["height"] <= MOST_ABOVE


@pytest.mark.parametrize(("width", "height"), [(1440, 900), (1024, 768)])
def test_controls_leave_it_also_while_comparing_searching_and_reading_a_story(
    width: int, height: int, open_viewer: Callable[..., Viewer], bundle: Path
) -> None:
    viewer = open_viewer(bundle, "#v=1&tab=tensors&pin=step%3D0", viewport={"width": width, "height": height})
    graph = viewer.page.locator(".graph-frame")

    def top() -> float:
        box = graph.bounding_box()
        assert box is not None
        return box["y"]

    expect(viewer.element("compare-bar")).to_be_in_viewport(ratio=1)
    expect(viewer.element("graph-comparison")).to_be_visible()
    before = top()
    assert before <= MOST_ABOVE
    viewer.page.keyboard.press("/")
    viewer.page.keyboard.type("weight")
    expect(viewer.page.locator(".search-count")).to_have_text(re.compile("[0-9]+ found"))
    assert top() == before
    viewer.page.keyboard.press("Escape")
    if width == 1440:
        viewer.page.keyboard.press("Escape")
        viewer.element("story-write").click()
        expect(viewer.element("story")).to_be_visible()
        expect(viewer.element("groups")).to_be_visible()
        assert top() == before


def test_no_label_lies_under_the_number_of_the_handle(open_run: Callable[..., Viewer]) -> None:
    viewer = open_run({"step": 10})
    has_ink = {}
    for step in (10, 20):
        viewer.go({**VIEW, "step": step})
        expect(viewer.element("timeline-number")).to_have_text(str(step))
        has_ink[step] = {at: any(abs(x - _x(viewer, at)) < PAD for x in viewer.page.evaluate(FIND_INK, LABEL_ROWS)) for at in (10, 20, 30)}
    assert has_ink == {10: {10: False, 20: True, 30: True}, 20: {10: True, 20: False, 30: True}}


@pytest.mark.parametrize("forced", ["none", "active"])
def test_no_violation_in_any_colours(forced: str, open_run: Callable[..., Viewer]) -> None:
    viewer = open_run({"step": 43}, forced_colors=forced)
    viewer.page.mouse.move(*_point(viewer, 10))
    expect(viewer.element("timeline-hint")).to_be_visible()
    for colors in in_all_colors(viewer.page):
        check = violations_in_high_contrast if "more" in colors and forced == "none" else violations
        assert check(viewer.page) == [], colors
        assert viewer.page.evaluate(FIND_COLUMNS, ["curve-0", 20, 30]) != [], colors


# A phone, and a window of 1280 pixels at 200 %.
@pytest.mark.parametrize(("width", "ratio"), [(390, 1), (640, 2)])
def test_it_works_in_little_room(width: int, ratio: int, open_run: Callable[..., Viewer]) -> None:
    viewer = open_run(viewport={"width": width, "height": 800}, device_scale_factor=ratio)
    box = viewer.control("step").bounding_box()
    assert box is not None
    assert box["width"] >= 250
    viewer.page.mouse.click(*_point(viewer, 29))
    viewer.wait_until_shown({"step": 30})
    expect(viewer.element("step-words")).to_have_text("eval \u00b7 10 steps since 20")
    cut = viewer.element("step-words").evaluate("words => words.scrollWidth - words.clientWidth")
    assert cut <= 0
    viewer.page.mouse.move(*_point(viewer, 43))
    hint = viewer.element("timeline-hint").bounding_box()
    assert hint is not None
    assert hint["x"] + hint["width"] <= width
    assert viewer.page.evaluate("document.documentElement.scrollWidth") <= width
    assert violations(viewer.page) == []
