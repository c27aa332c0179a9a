"""Panels of pinned modules: their histograms over time, by pointer, by keyboard, and in the link."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from playwright.sync_api import Locator, expect

import comgra_export
from comgra_export.storage import Recording, open_recording
from comgra_export.storage.arrays.histograms import decode_histograms
from comgra_export.storage.arrays.layout_arrays import histogram_records
from support.browser.axe import violations, violations_in_all_colors
from support.browser.histories import EPOCHS, STEPS_PER_EPOCH, record_histories
from support.browser.viewer import Link, Viewer, fragment

VIEW: Link = {"tab": "modules", "trial": "trial", "rec": "forward", "type": "train", "step": 5, "it": 0, "panels": "model.0,model.2"}
SVG = "{http://www.w3.org/2000/svg}"
TRAIN, EVAL = EPOCHS * STEPS_PER_EPOCH, EPOCHS


@pytest.fixture(scope="module")
def recordings(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return record_histories(tmp_path_factory.mktemp("histories"))


@pytest.fixture(scope="module")
def recording(recordings: Path) -> Recording:
    return open_recording(recordings / "default" / "trial" / "rank-0")


@pytest.fixture(scope="module")
def page_with_panels(recordings: Path) -> Path:
    return comgra_export.export(recordings, recordings.parent / "histories.html", force=True).path


@pytest.fixture
def viewer(page_with_panels: Path, open_viewer: Callable[..., Viewer]) -> Viewer:
    return open_at(open_viewer, page_with_panels, VIEW)


def open_at(open_viewer: Callable[..., Viewer], page: Path, view: Link, **options: Any) -> Viewer:  # noqa: ANN401
    viewer = open_viewer(page, fragment(view), wait=False, **options)
    expect(viewer.element("history").first).to_be_visible()
    expect(viewer.element("history-waiting")).to_have_count(0)
    return viewer


def history(viewer: Viewer, record: str, kind: str = "train") -> Locator:
    """The picture of `GROUP/ITERATION/NAME`."""
    return viewer.page.locator(f'[data-testid=history][data-record="{record}"][data-type={kind}]').first


def panel_names(viewer: Viewer) -> list[str | None]:
    return [panel.get_attribute("data-module") for panel in viewer.element("panel").all()]


def test_a_panel_has_values_and_gradients_of_all_that_the_module_has(viewer: Viewer) -> None:
    panel = viewer.element("panel").first
    expect(panel.locator("h3")).to_have_text("model.0")
    # The loss uses the input of the network as well.
    alone = "input, through this call alone is model: gradient of input"
    expect(panel.locator("h4")).to_have_text(["input is model: input", alone, "output", "weight", "bias"])
    recorded = [plot.get_attribute("data-record") for plot in panel.get_by_test_id("history").all()]
    names = ["0/model: input", "0/model.0: output", "-1/model.0.weight", "-1/model.0.bias"]
    expected = [f"{group}/{name}" for name in names for group in ("forward", "gradients")]
    assert recorded == [*expected[:2], "gradients/0/model: gradient of input", *expected[2:]]
    for plot in panel.get_by_test_id("history").all():
        expect(plot).to_have_attribute("data-columns", str(TRAIN))


def test_the_keyboard_goes_through_the_steps_and_to_one_of_them(viewer: Viewer, recording: Recording) -> None:
    plot = history(viewer, "forward/0/model.0: output")
    plot.focus()
    expect(plot).to_have_attribute("aria-valuenow", "5")
    plot.press("ArrowRight")
    # Behind the six steps of the first epoch, 6 is an evaluation.
    expect(plot).to_have_attribute("aria-valuetext", re.compile(r"^Step 7 "))
    said = plot.get_attribute("aria-valuetext") or ""
    recorded = recording.histograms(7)
    places = histogram_records(recording.layout(recording.step(7).layout))
    row = next(k for k, place in enumerate(places) if (place.group, place.entry.name) == ("forward", "model.0: output"))
    quantiles = recorded.quantiles[row].astype(np.float64)
    assert f"Median {float(f'{quantiles[3]:.4g}'):g}"[:10] in said
    looked_at = decode_histograms(recorded.bins, recorded.counts)[row].looked_at
    assert f"use {looked_at:,} of 2,048 values" in said
    expect(viewer.element("history-words").first).to_contain_text("Step 7")
    plot.press("Home")
    expect(plot).to_have_attribute("aria-valuenow", "0")
    plot.press("End")
    expect(plot).to_have_attribute("aria-valuetext", re.compile(r"^Step 26 "))
    plot.press("Enter")
    viewer.wait_until_shown({"step": "26"})
    plot.press("Escape")
    expect(viewer.element("history-words")).to_have_count(0)


def test_nan_and_infinities_are_said_and_marked(viewer: Viewer) -> None:
    plot = history(viewer, "forward/0/model: input")
    plot.focus()
    steps = {}
    plot.press("Home")
    for _ in range(TRAIN):
        text = plot.get_attribute("aria-valuetext") or ""
        special = re.findall(r"(NaN|\+∞|−∞): (\d+)", text)
        if special:
            steps[re.match(r"Step (\d+)", text)[1]] = special  # type: ignore[index]
        plot.press("ArrowRight")
    # The 11th and the 13th step of training, behind one evaluation and two.
    assert steps == {"11": [("NaN", "1")], "14": [("+∞", "2"), ("−∞", "1")]}


def test_tiny_gradients_are_spread_over_many_rows(viewer: Viewer) -> None:
    plot = history(viewer, "gradients/-1/model.0.weight")
    assert int(plot.get_attribute("data-rows") or 0) > 20
    plot.focus()
    assert re.search(r"From -\d\.\d+e-\d+ to \d\.\d+e-\d+", plot.get_attribute("aria-valuetext") or "")


def test_the_pointer_asks_in_all_panels_and_a_click_goes_there(viewer: Viewer) -> None:
    plot = history(viewer, "forward/0/model.2: output")
    plot.scroll_into_view_if_needed()
    box = plot.bounding_box()
    assert box is not None
    plot.hover(position={"x": box["width"] - 3, "y": box["height"] / 2})
    words = viewer.element("history-words")
    expect(words).to_contain_text("Step 26")
    expect(words).to_contain_text(re.compile(r"(Zero|to -?[\d.e-]+): [\d,]+"))
    other = history(viewer, "forward/0/model.0: output")
    line, frame = other.get_by_test_id("history-hovered").bounding_box(), other.locator("canvas").bounding_box()
    assert line is not None
    assert frame is not None
    # The axis reaches from step 0 to step 27, the last evaluation.
    assert abs(line["x"] + 0.5 - (frame["x"] + frame["width"] * 26 / 27)) <= 1
    assert line["height"] >= frame["height"]
    plot.click(position={"x": 1, "y": 10})
    viewer.wait_until_shown({"step": "0"})


INK = """(record) => document.querySelector(`[data-testid=history][data-record="${record}"] canvas`).toDataURL()"""


def test_only_what_is_near_is_drawn_and_the_rest_when_it_is_scrolled_or_tabbed_to(
    page_with_panels: Path, open_viewer: Callable[..., Viewer]
) -> None:
    modules = ",".join(f"model.{place}" for place in (0, 2, 4, 1, 3))
    view = {**VIEW, "panels": f"{modules},model", "history": "types"}
    viewer = open_at(open_viewer, page_with_panels, view, viewport={"width": 1200, "height": 620})
    expect(viewer.element("history").first.locator("canvas")).to_have_count(1)
    plots = viewer.element("history").all()
    last = plots[-1]
    assert sum(plot.locator("canvas").count() for plot in plots) < len(plots)
    expect(last.locator("canvas")).to_have_count(0)
    assert last.get_attribute("data-rows") is None
    last.focus()
    expect(last.locator("canvas")).to_have_count(1)
    expect(last).to_have_attribute("aria-valuetext", re.compile(r"From .* to "))
    expect(viewer.element("history").first.locator("canvas")).to_have_count(0)
    assert last.evaluate("plot => plot === document.activeElement")
    viewer.element("history").first.scroll_into_view_if_needed()
    expect(viewer.element("history").first.locator("canvas")).to_have_count(1)


def test_histograms_are_read_ahead_once_the_tab_is_open(recordings: Path, tmp_path: Path, open_viewer: Callable[..., Viewer]) -> None:
    comgra_export.export(recordings, tmp_path / "page", force=True)
    viewer = open_viewer(tmp_path / "page" / "index.html", fragment({**VIEW, "tab": "tensors", "panels": "", "at": "0.model.2"}))
    viewer.page.wait_for_timeout(300)
    asked: list[str] = []
    viewer.page.on("request", lambda request: asked.append(request.url))
    viewer.element("tab-modules").click()
    viewer.page.wait_for_function("() => document.querySelector('[data-testid=module-graph] canvas') !== null")
    viewer.page.wait_for_timeout(800)
    read_ahead = len([url for url in asked if "/data/c" in url])
    assert read_ahead > 0
    viewer.element("module-pin").click()
    expect(viewer.element("history").first.locator("canvas")).to_have_count(1)
    assert len([url for url in asked if "/data/c" in url]) == read_ahead


COUNT_PICTURES = """() => {
  window.pictures = 0;
  const put = CanvasRenderingContext2D.prototype.putImageData;
  CanvasRenderingContext2D.prototype.putImageData = function (...given) { window.pictures += 1; return put.apply(this, given); };
}"""
ELEMENTS = "() => document.querySelectorAll('*').length"


def test_panels_are_rehearsed_once_the_tab_is_open_and_nothing_of_that_is_shown(
    page_with_panels: Path, open_viewer: Callable[..., Viewer]
) -> None:
    viewer = open_viewer(page_with_panels, fragment({**VIEW, "tab": "tensors", "panels": ""}))
    viewer.page.evaluate(COUNT_PICTURES)
    viewer.page.wait_for_timeout(500)
    assert viewer.page.evaluate("window.pictures") == 0
    viewer.element("tab-modules").click()
    viewer.page.wait_for_function("() => document.querySelector('[data-testid=module-graph] canvas') !== null")
    elements = viewer.page.evaluate(ELEMENTS)
    viewer.page.wait_for_function("() => window.pictures > 20")
    viewer.page.wait_for_timeout(300)
    assert viewer.page.evaluate(ELEMENTS) == elements
    drawn = viewer.page.evaluate("window.pictures")
    viewer.element("module-graph").click()
    viewer.page.wait_for_timeout(800)
    assert viewer.page.evaluate("window.pictures") == drawn


IN_THE_NEXT_FRAME = """(hash) => new Promise((resolve) => {
  location.hash = hash;
  const count = (selector) => document.querySelectorAll(selector).length;
  const look = () => count("[data-testid=history] canvas") > 0
    ? resolve({ drawn: count("[data-testid=history] canvas"), waiting: count("[data-testid=history-waiting]") })
    : requestAnimationFrame(look);
  look();
})"""


def test_what_is_in_sight_does_not_wait_for_the_rest(page_with_panels: Path, open_viewer: Callable[..., Viewer]) -> None:
    closed = {**VIEW, "panels": ""}
    viewer = open_viewer(page_with_panels, fragment(closed), wait=False, viewport={"width": 1200, "height": 620})
    viewer.page.wait_for_function("() => document.querySelector('[data-testid=module-graph] canvas') !== null")
    viewer.page.wait_for_timeout(1000)
    opened = {**closed, "panels": ",".join(f"model.{place}" for place in (0, 2, 4))}
    frame = viewer.page.evaluate(IN_THE_NEXT_FRAME, fragment(opened))
    assert frame["drawn"] > 0
    assert frame["waiting"] > frame["drawn"]
    height = viewer.element("panels").bounding_box()
    expect(viewer.element("history-waiting")).to_have_count(0)
    assert viewer.element("history").count() == frame["drawn"] + frame["waiting"]
    assert viewer.element("panels").bounding_box() == height


def test_types_stand_apart_and_side_by_side(viewer: Viewer) -> None:
    expect(viewer.page.locator("[data-testid=history][data-type=eval]")).to_have_count(0)
    viewer.element("panel-types").click()
    expect(viewer.element("panel-types")).to_have_attribute("aria-pressed", "true")
    plot = history(viewer, "forward/0/model.0: output", "eval")
    expect(plot).to_have_attribute("data-columns", str(EVAL))
    expect(viewer.element("panel").first.locator(".panel-column-head")).to_have_text(["train: values", "train: gradients", "eval: values"])
    expect(viewer.page).to_have_url(re.compile("history=types"))
    viewer.element("panel-types").click()
    viewer.choose("step-type", "eval")
    expect(plot).to_be_visible()
    expect(viewer.page.locator("[data-testid=history][data-type=train]")).to_have_count(0)


@pytest.mark.parametrize(("axis", "ends"), [("step", ["0", "27"]), ("epoch", ["0", "3"])])
def test_all_panels_share_the_axis_that_is_chosen(viewer: Viewer, axis: str, ends: list[str]) -> None:
    viewer.element(f"axis-{axis}").click()
    expect(viewer.element("panels")).to_have_attribute("data-axis", axis)
    for shown in viewer.page.locator(".panel-axis").all():
        assert [shown.locator("span").first.inner_text(), shown.locator("span").last.inner_text()] == ends
    expect(viewer.page).to_have_url(re.compile("history=epoch" if axis == "epoch" else "^(?!.*history=)"))


def test_the_time_axis_says_how_long_it_took(viewer: Viewer) -> None:
    viewer.element("axis-time").click()
    expect(viewer.page.locator(".panel-axis").first).to_contain_text(re.compile(r"\d s"))
    plot = history(viewer, "forward/0/model.0: output")
    expect(plot).to_have_attribute("aria-valuetext", re.compile(r"^Step 5, after "))


def test_a_step_is_said_to_be_in_a_whole_epoch(viewer: Viewer) -> None:
    viewer.element("axis-epoch").click()
    plot = history(viewer, "forward/0/model.0: output")
    plot.focus()
    # The last training step of the first epoch.
    expect(plot).to_have_attribute("aria-valuetext", re.compile(r"^Step 5, epoch 0 "))
    plot.press("ArrowRight")
    expect(plot).to_have_attribute("aria-valuetext", re.compile(r"^Step 7, epoch 1 "))


def test_without_quantiles_there_are_no_lines(viewer: Viewer) -> None:
    before = viewer.page.evaluate(INK, "forward/0/model.0: output")
    viewer.element("panel-quantiles").click()
    expect(viewer.element("panel-quantiles")).to_have_attribute("aria-pressed", "false")
    assert viewer.page.evaluate(INK, "forward/0/model.0: output") != before
    expect(viewer.page).to_have_url(re.compile("history=plain"))


def test_panels_are_moved_and_unpinned_and_the_link_brings_them_back(
    viewer: Viewer, page_with_panels: Path, open_viewer: Callable[..., Viewer]
) -> None:
    viewer.element("panel-right").first.click()
    assert panel_names(viewer) == ["model.2", "model.0"]
    viewer.element("panel-types").click()
    expect(viewer.page).to_have_url(re.compile("history=types"))
    again = open_at(open_viewer, page_with_panels, viewer.link())
    assert panel_names(again) == ["model.2", "model.0"]
    expect(again.element("panel-types")).to_have_attribute("aria-pressed", "true")
    viewer.element("panel-unpin").first.focus()
    viewer.page.keyboard.press("Enter")
    assert panel_names(viewer) == ["model.0"]


def test_a_module_of_a_panel_is_shown_in_the_graph(viewer: Viewer) -> None:
    viewer.element("panel-show").nth(1).click()
    expect(viewer.element("module-graph")).to_have_attribute("data-selected", "0.model.2")


def test_a_module_that_is_not_there_says_so(page_with_panels: Path, open_viewer: Callable[..., Viewer]) -> None:
    viewer = open_at(open_viewer, page_with_panels, {**VIEW, "panels": "model.0,gone.module"})
    expect(viewer.element("panel-missing")).to_contain_text("no module of this name")


@pytest.mark.parametrize("width", [1400, 800, 400])
def test_no_violation_and_nothing_beyond_the_page(width: int, page_with_panels: Path, open_viewer: Callable[..., Viewer]) -> None:
    link = {**VIEW, "history": "types"}
    viewer = open_at(open_viewer, page_with_panels, link, viewport={"width": width, "height": 900})
    history(viewer, "forward/0/model: input").focus()
    viewer.page.keyboard.press("ArrowRight")
    expect(viewer.element("history-words")).to_be_visible()
    assert violations_in_all_colors(viewer.page) == []
    for plot in viewer.element("history").all():
        box = plot.bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["width"] > 20
        assert box["x"] + box["width"] <= width
    words = viewer.element("history-words").bounding_box()
    assert words is not None
    assert words["x"] >= 0
    assert words["x"] + words["width"] <= width


def test_long_names_of_rows_and_columns_are_whole(page_with_panels: Path, open_viewer: Callable[..., Viewer]) -> None:
    viewer = open_at(open_viewer, page_with_panels, {**VIEW, "history": "types"}, viewport={"width": 400, "height": 900})
    rows = viewer.element("panel").first.locator("h4")
    alone = rows.nth(1)
    expect(alone).to_have_text("input, through this call alone is model: gradient of input")
    for text in (*rows.all(), *viewer.page.locator(".panel-column-head").all()):
        assert text.evaluate("e => e.scrollWidth <= e.clientWidth && e.scrollHeight <= e.clientHeight")
    # It takes more than one line, and nothing covers the second.
    lines = "e => new Set([...e.querySelectorAll('bdi')].flatMap((part) => [...part.getClientRects()].map(({ top }) => top))).size"
    assert alone.evaluate(lines) > 1
    below = alone.evaluate("e => e.nextElementSibling.getBoundingClientRect().top - e.getBoundingClientRect().bottom")
    assert below >= 0


def test_without_histograms_the_panels_say_so(tmp_path: Path, open_viewer: Callable[..., Viewer]) -> None:
    import torch

    net = torch.nn.Linear(2, 1)
    with comgra_export.watch(net, tmp_path / "r", histograms=False):
        net.eval()(torch.ones(1, 2))
    page = comgra_export.export(tmp_path / "r", tmp_path / "page.html").path
    viewer = open_viewer(page, fragment({"tab": "modules", "panels": "model"}), wait=False)
    expect(viewer.element("panels-empty")).to_contain_text("holds no histograms")
    viewer.element("panel-unpin").click()
    expect(viewer.element("panel")).to_have_count(0)


def test_a_panel_is_saved_as_a_figure_with_pictures_that_were_never_in_sight(
    page_with_panels: Path, open_viewer: Callable[..., Viewer]
) -> None:
    view = {**VIEW, "panels": "model.0,model.2,model.4", "history": "types"}
    viewer = open_at(open_viewer, page_with_panels, view, viewport={"width": 1200, "height": 620})
    panel = viewer.element("panel").last
    expect(panel.locator("canvas")).to_have_count(0)
    with viewer.page.expect_download() as download:
        panel.get_by_test_id("figure-svg").evaluate("button => button.click()")
    assert download.value.suggested_filename == "panel-trial-model.4.svg"
    root = ElementTree.parse(download.value.path()).getroot()
    texts = [text.text for text in root.iter(f"{SVG}text")]
    assert texts[:3] == ["train: values", "train: gradients", "eval: values"]
    for label in ("input is model.3: output", "output", "weight", "bias", "model.4: histograms over steps"):
        assert label in texts
    assert "not loaded" not in texts
    # In evaluation there are no gradients: of each of four tensors, three pictures, with three lines and the marked step.
    images = list(root.iter(f"{SVG}image"))
    assert [image.get("data-columns") for image in images] == [str(TRAIN), str(TRAIN), str(EVAL)] * 4
    assert all((image.get("href") or "").startswith("data:image/png;base64,") for image in images)
    assert sum(path.get("class") == "quantile" for path in root.iter(f"{SVG}path")) == 36
    marked = [line for line in root.iter(f"{SVG}line") if line.get("class") == "marked"]
    width = float(images[0].get("width") or 0)
    assert len(marked) == 12
    assert all(abs(float(line.get("x1") or 0) - width * 5 / 27) < 0.1 for line in marked)


def test_paper_has_the_details_and_all_panels(page_with_panels: Path, open_viewer: Callable[..., Viewer]) -> None:
    viewer = open_at(open_viewer, page_with_panels, {**VIEW, "at": "0.model.2"}, color_scheme="dark")
    page = viewer.page
    page.evaluate("window.print = () => { window.hasPrinted = true; }")
    viewer.choose_in_menu("print")
    page.wait_for_function("window.hasPrinted")
    page.emulate_media(media="print")
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    headings = page.locator(".print-document article > section > h2").all_inner_texts()
    assert headings[:4] == ["Selection", "Graph", "Details", "Panels"]
    details = viewer.element("print-details").inner_text()
    for said in ("model.2", "Linear, in training mode", "in_features=64", "weight 64 × 64 F32", "Reads from"):
        assert said in details
    panels = page.locator(".print-document section", has=page.get_by_role("heading", name="Panels", exact=True))
    assert panels.locator("svg title").all_text_contents() == ["model.0: histograms over steps", "model.2: histograms over steps"]
    # model.0 has the gradient through its call alone too: the loss reads the input as well.
    assert panels.locator("image").count() == 17
    assert "not loaded" not in page.locator(".print-document").inner_text()


def test_what_a_dropout_hands_on_is_one_row_for_training_and_evaluation(tmp_path: Path, open_viewer: Callable[..., Viewer]) -> None:
    import torch

    net = torch.nn.Sequential(torch.nn.Linear(3, 8), torch.nn.Dropout(), torch.nn.Linear(8, 1))
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    every_step = comgra_export.DecisionMakerForRecordingsFrequencyPerType(1)
    with comgra_export.watch(net, tmp_path / "r", decision_maker_for_recordings=every_step):
        for _ in range(3):
            net.train()
            optimizer.zero_grad()
            net(torch.rand(4, 3)).mean().backward()
            optimizer.step()
            with torch.no_grad():
                net.eval()(torch.rand(4, 3))
    page = comgra_export.export(tmp_path / "r", tmp_path / "page.html").path
    viewer = open_at(open_viewer, page, {"tab": "modules", "panels": "model.2", "history": "types"})
    expect(viewer.element("panel").locator("h4")).to_have_text(
        ["input is model.1: output (train), is model.0: output (eval)", "output", "weight", "bias"]
    )
    shown = [(plot.get_attribute("data-type"), plot.get_attribute("data-record")) for plot in viewer.element("history").all()]
    assert shown[:3] == [
        ("train", "forward/0/model.1: output"),
        ("train", "gradients/0/model.1: output"),
        # In evaluation, dropout returns what it is given; in training, this tensor is not what the module got.
        ("eval", "forward/0/model.0: output"),
    ]
    viewer.element("panel-types").click()
    expect(viewer.element("panel").locator("h4").first).to_have_text("input is model.1: output")


def test_parameters_of_a_part_that_is_never_called_are_with_the_module_that_uses_them(
    tmp_path: Path, open_viewer: Callable[..., Viewer]
) -> None:
    import torch

    # It uses the weight and the bias of its `out_proj` without calling that.
    attention = torch.nn.MultiheadAttention(4, 2, batch_first=True)
    every_step = comgra_export.DecisionMakerForRecordingsFrequencyPerType(1)
    with comgra_export.watch(attention, tmp_path / "r", decision_maker_for_recordings=every_step):
        optimizer = torch.optim.SGD(attention.parameters(), lr=0.1)
        for _ in range(2):
            optimizer.zero_grad()
            x = torch.rand(2, 3, 4)
            attention(x, x, x)[0].mean().backward()
            optimizer.step()
    page = comgra_export.export(tmp_path / "r", tmp_path / "page.html").path
    viewer = open_at(open_viewer, page, {"tab": "modules", "panels": "model"})
    wanted = ["in_proj_weight", "in_proj_bias", "out_proj.weight", "out_proj.bias"]
    headings = viewer.element("panel").locator("h4")
    expect(headings.last).to_have_text("out_proj.bias")
    assert [text for text in headings.all_inner_texts() if "proj" in text] == wanted
    records = [plot.get_attribute("data-record") for plot in viewer.element("history").all()]
    assert records[-2:] == ["forward/-1/model.out_proj.bias", "gradients/-1/model.out_proj.bias"]
    items = viewer.element("module-details").locator(".module-tensors li").all_inner_texts()
    assert [item.split()[0] for item in items if "proj" in item] == wanted


def test_selectors_without_effect_are_not_there(viewer: Viewer) -> None:
    selectors = ("recording", "aggregation")
    for name in selectors:
        expect(viewer.element(f"selector-{name}")).to_have_count(0)
    expect(viewer.control("step-type")).to_be_visible()
    viewer.element("tab-tensors").click()
    for name in selectors:
        expect(viewer.control(name)).to_be_visible()
    expect(viewer.control("aggregation")).to_have_value("batch_mean")
    viewer.element("tab-network").click()
    expect(viewer.control("step")).to_be_visible()
    expect(viewer.control("step-type")).to_have_count(0)
    viewer.element("tab-about").click()
    expect(viewer.control("step")).to_be_visible()
    expect(viewer.control("step-type")).to_have_count(0)


def test_gradients_that_are_tiny_beside_the_values_have_a_chart_of_their_own(viewer: Viewer) -> None:
    viewer.go({**VIEW, "tab": "tensors", "node": "model.0: output", "role": "model.0: output", "pane": "time"})
    charts = viewer.element("chart")
    expect(charts).to_have_count(2)
    name = "model.0: output, iteration 0"
    assert [chart.get_attribute("data-group") for chart in charts.all()] == [f"{name}, forward", f"{name}, gradients"]
    expect(viewer.element("time-log")).to_have_attribute("aria-pressed", "false")
    viewer.element("time-log").click()
    expect(charts).to_have_count(1)
    expect(viewer.page).to_have_url(re.compile("log"))
    viewer.element("time-log").click()
    expect(charts).to_have_count(2)
    # Largest magnitudes alone are all positive.
    viewer.element("time-mean").click()
    expect(charts).to_have_count(1)
    expect(viewer.element("time-log")).to_have_attribute("aria-pressed", "true")
    viewer.element("time-log").click()
    expect(viewer.element("time-log")).to_have_attribute("aria-pressed", "false")
    expect(viewer.page).to_have_url(re.compile("linear"))


def test_histograms_lie_beneath_the_curves_of_their_tensor_at_the_same_steps(
    page_with_panels: Path, open_viewer: Callable[..., Viewer]
) -> None:
    view: Link = {**VIEW, "tab": "tensors", "node": "model.0: output", "role": "model.0: output", "pane": "time", "panels": ""}
    viewer = open_at(open_viewer, page_with_panels, view)
    lanes = viewer.element("histogram-lanes")
    records = ["forward/0/model.0: output", "gradients/0/model.0: output"]
    assert [lane.get_attribute("data-record") for lane in lanes.get_by_test_id("history").all()] == records
    lane = lanes.get_by_test_id("history").first
    lane.scroll_into_view_if_needed()
    expect(lane.locator("canvas")).to_have_count(1)
    plot = viewer.element("chart").first.locator(".u-over")
    above, below = plot.bounding_box(), lane.locator("canvas").bounding_box()
    assert above is not None
    assert below is not None
    assert abs(above["x"] - below["x"]) <= 1
    assert abs(above["width"] - below["width"]) <= 1
    assert violations(viewer.page) == []
    # The keyboard asks and goes, as in a panel.
    lane.focus()
    lane.press("ArrowRight")
    expect(lane).to_have_attribute("aria-valuetext", re.compile("^Step 7 "))
    lane.press("Enter")
    viewer.wait_until_shown({"step": "7"})
    # What is zoomed is the same: about a third of the steps, from the left.
    plot.scroll_into_view_if_needed()
    above = plot.bounding_box()
    assert above is not None
    viewer.page.mouse.move(above["x"] + 1, above["y"] + 40)
    viewer.page.mouse.down()
    viewer.page.mouse.move(above["x"] + above["width"] / 3, above["y"] + 40, steps=4)
    viewer.page.mouse.up()
    expect(lane).to_have_attribute("data-columns", re.compile("^[789]$"))
    viewer.element("time-reset-zoom").click()
    expect(lane).to_have_attribute("data-columns", str(TRAIN))
    viewer.choose("step-type", "eval")
    expect(lanes.get_by_test_id("history")).to_have_count(1)
    expect(lane).to_have_attribute("data-columns", str(EVAL))
    viewer.choose("step-type", "any_value")
    expect(lanes.locator("h4").first).to_have_text("train: values histograms")


def test_without_an_address_a_page_of_watched_modules_opens_on_the_newest_trial(tmp_path: Path, open_viewer: Callable[..., Viewer]) -> None:
    import torch

    for trial in ("b", "a", "c"):
        # A residual connection, past which gradients through calls are recorded too.
        net = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.TransformerEncoderLayer(2, 1, 4))
        with comgra_export.watch(net, tmp_path / "r", trial_id=trial):
            net(torch.ones(1, 2)).sum().backward()
        header = tmp_path / "r" / "default" / trial / "rank-0" / "recording.json"
        # As if the second one by its name had been begun last.
        header.write_text(re.sub('"started":"[^"]*"', f'"started":"2026-01-0{"acb".index(trial) + 1}T00:00:00Z"', header.read_text()))
    page = comgra_export.export(tmp_path / "r", tmp_path / "page.html").path
    viewer = open_viewer(page, wait=False)
    expect(viewer.element("tab-overview")).to_have_attribute("aria-selected", "true")
    expect(viewer.control("trial")).to_have_value("b")
    viewer.element("tab-modules").click()
    expect(viewer.element("module-graph")).to_be_visible()
    expect(viewer.control("trial")).to_have_value("b")
    # An address wins.
    linked = open_viewer(page, fragment({"tab": "tensors", "trial": "c"}))
    expect(linked.element("tab-tensors")).to_have_attribute("aria-selected", "true")
    expect(linked.control("trial")).to_have_value("c")


def test_a_module_without_parameters_says_where_those_of_its_parts_are(page_with_panels: Path, open_viewer: Callable[..., Viewer]) -> None:
    viewer = open_at(open_viewer, page_with_panels, {"tab": "modules", "panels": "model,model.0,model.1"})
    # 16 * 64 + 64, 64 * 64 + 64 and 64 * 10 + 10.
    said = "No parameters of its own. Its parts have 5,898 parameter values, shown in the {} of 0, 2, 4."
    lines = viewer.element("panel").get_by_test_id("parts-line")
    expect(lines).to_have_text([said.format("panels")])
    own = viewer.element("module-details").get_by_test_id("parts-line")
    expect(own).to_have_text(said.format("details"))
    lines.get_by_role("button", name="2", exact=True).click()
    expect(viewer.element("module-graph")).to_have_attribute("data-selected", "0.model.2")
    expect(viewer.element("module-details").get_by_role("button", name="weight")).to_be_visible()
    expect(own).to_have_count(0)


def test_inputs_that_are_one_tensor_are_said_to_be_and_drawn_once(tmp_path: Path, open_viewer: Callable[..., Viewer]) -> None:
    import torch

    class Residual(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.attention = torch.nn.MultiheadAttention(4, 2, batch_first=True)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x + self.attention(x, x, x)[0]  # type: ignore[no-any-return]

    net = Residual()
    every_step = comgra_export.DecisionMakerForRecordingsFrequencyPerType(1)
    with comgra_export.watch(net, tmp_path / "r", decision_maker_for_recordings=every_step):
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        for _ in range(2):
            optimizer.zero_grad()
            net(torch.rand(2, 3, 4)).mean().backward()
            optimizer.step()
    page = comgra_export.export(tmp_path / "r", tmp_path / "page.html").path
    viewer = open_at(open_viewer, page, {"tab": "modules", "panels": "model.attention", "module": "0.model", "at": "0.model.attention"})
    headings = viewer.element("panel").locator("h4")
    expect(headings.nth(5)).to_have_text("output[1]")
    assert [" ".join(text.split()) for text in headings.all_inner_texts()[:5]] == [
        "input query is model: input x",
        # The residual connection reads it as well.
        "input query, through this call alone",
        "input key is the same tensor as input query",
        "input value is the same tensor as input query",
        "output[0]",
    ]
    records = [plot.get_attribute("data-record") for plot in viewer.element("history").all()]
    assert [record for record in records if "input" in str(record)] == [
        "forward/0/model: input x",
        "gradients/0/model: input x",
        "gradients/0/model.attention: gradient of input query",
    ]
    listed = viewer.element("module-details").locator(".module-tensors").first.get_by_role("listitem")
    expect(listed).to_have_count(3)
    query, *others = (" ".join(text.split()) for text in listed.all_inner_texts())
    assert query.startswith("query 2 × 3 × 4 F32 forward: mean ")
    assert "gradient through this call alone" in query
    assert others == ["key the same tensor as query", "value the same tensor as query"]
    with viewer.page.expect_download() as download:
        viewer.element("panel").get_by_test_id("figure-svg").evaluate("button => button.click()")
    root = ElementTree.parse(download.value.path()).getroot()
    assert "input key is the same tensor as input query" in [text.text for text in root.iter(f"{SVG}text")]
    assert len(list(root.iter(f"{SVG}image"))) == len(records)
    # Each of the three leads to the tensor.
    listed.last.get_by_role("button").click()
    expect(viewer.element("graph")).to_have_attribute("data-selected-node", "model: input x")
