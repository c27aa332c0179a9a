"""When the histograms of panels are read and drawn: near the sight first, all of them for a figure and for paper."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

from playwright.sync_api import expect

import comgra_export
from support.browser.panels import EVAL, SVG, TRAIN, VIEW, open_at
from support.browser.viewer import Viewer, fragment


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


# How many there are when none has come for a while.
PICTURES_IN_THE_END = """() => new Promise((resolve) => {
  const look = (before) => setTimeout(() => (window.pictures === before ? resolve(before) : look(window.pictures)), 500);
  look(window.pictures);
})"""
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
    drawn = viewer.page.evaluate(PICTURES_IN_THE_END)
    assert viewer.page.evaluate(ELEMENTS) == elements
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
    assert all(abs(float(line.get("x1") or 0) - width * 5 / 23) < 0.1 for line in marked)


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
