"""The tab of the modules: what is drawn of a watched network, and how one moves in it."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest
import torch
from playwright.sync_api import Locator, Page, expect
from torch import nn

import comgra_export
from comgra_export import ComgraRecorder
from support.browser.axe import violations_in_all_colors
from support.browser.pages.until import wait_until
from support.browser.viewer import Link, Viewer, at_rest, double_click, fragment
from support.browser.watched import BLOCKS, STEPS, STEPS_WITH_EXTRA, record_watched_group

# Cytoscape keeps itself at its element; there is no other way to ask what it draws.
GRAPH = "document.querySelector('[data-testid=module-graph]')._cyreg.cy"
# What a module's label ends with if a rule names the module or a part of it.
MARK = " \u00b7 finding"
# No more than a tab would lead to the worst finding.
MODULES: Link = {"tab": "modules", "it": 0}
EVAL = " \u00b7 eval"
BLOCK: Link = {**MODULES, "module": "0.model.blocks.3"}

# By hand, from the code of the network. Dashes: no gradient flows.
EDGES_OF_MODEL = {
    ("input ids", "embed", "dashed"),
    ("embed", f"Block \u00d7 {BLOCKS}", "solid"),
    (f"Block \u00d7 {BLOCKS}", "norm", "solid"),
    ("norm", "head", "solid"),
    ("norm", "head (call 2)", "solid"),
    ("head", "output[0]", "solid"),
    ("head (call 2)", "output[1]", "dashed"),
}
EDGES_OF_BLOCK = {
    ("input x", "norm1", "solid"),
    ("norm1", "attention", "solid"),
    ("attention", "drop", "solid"),
    ("input x", "norm2", "solid"),
    ("drop", "norm2", "solid"),
    ("norm2", "mlp", "solid"),
    ("mlp", "drop (call 2)", "solid"),
    ("input x", "output", "solid"),
    ("drop", "output", "solid"),
    ("drop (call 2)", "output", "solid"),
}


@pytest.fixture(scope="module")
def watched(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of a network that was watched."""
    folder = tmp_path_factory.mktemp("watched")
    return comgra_export.export(record_watched_group(folder / "runs"), folder / "report.html").path


@pytest.fixture
def open_modules(watched: Path, open_again: Callable[..., Viewer]) -> Callable[..., Page]:
    """Opens a view of the tab, and waits until something is drawn."""

    def open_(link: Link = MODULES, **options: object) -> Page:
        def is_drawn(viewer: Viewer) -> None:
            wait_until(viewer.page, f"() => {GRAPH}?.nodes().length > 0")

        page: Page = open_again(watched, link, ready=is_drawn, **options).page
        return page

    return open_


def _titles(page: Page) -> list[str]:
    titles: list[str] = page.evaluate(f"() => {GRAPH}.nodes().map((node) => node.data('label').replace('{MARK}', '').split('\\n')[0])")
    return titles


def _edges(page: Page) -> set[tuple[str, str, str]]:
    edges = page.evaluate(
        f"() => {GRAPH}.edges().map((edge) => [...[edge.source(), edge.target()].map((end) => "
        f"end.data('label').replace('{MARK}', '').split('\\n')[0]), edge.style('line-style')])"
    )
    return {(source, target, style) for source, target, style in edges}


def _place(page: Page, title: str) -> tuple[float, float]:
    """The place of a node in the window, once the drawing is at rest."""

    def read() -> tuple[float, float]:
        box = page.get_by_test_id("module-graph").bounding_box()
        position = page.evaluate(
            f"(title) => {GRAPH}.nodes().filter((node) => node.data('label').startsWith(title))[0].renderedPosition()", title
        )
        assert box is not None
        return box["x"] + position["x"], box["y"] + position["y"]

    return at_rest(page, read)


def _expect_open(page: Page, key: str) -> None:
    expect(page.get_by_test_id("module-graph")).to_have_attribute("data-open", key)


def _expect_selected(page: Page, key: str) -> None:
    expect(page.get_by_test_id("module-graph")).to_have_attribute("data-selected", key)


def _details(page: Page) -> Locator:
    return page.get_by_test_id("module-details")


def test_controls_leave_the_screen_to_the_modules(open_modules: Callable[..., Page]) -> None:
    """At most 110 pixels of them are above."""
    page = open_modules(viewport={"width": 1440, "height": 900})
    graph = page.locator(".module-main").bounding_box()
    assert graph is not None
    assert graph["y"] <= 110


def test_the_graph_is_what_the_code_of_the_network_says(open_modules: Callable[..., Page]) -> None:
    assert _edges(open_modules()) == EDGES_OF_MODEL
    assert _edges(open_modules(BLOCK)) == EDGES_OF_BLOCK


def test_in_evaluation_there_are_the_same_connections_without_gradient(open_modules: Callable[..., Page]) -> None:
    page = open_modules({**MODULES, "type": "eval"})
    plain = {(source.removesuffix(EVAL), target.removesuffix(EVAL)) for source, target, _ in _edges(page)}
    assert plain == {(source, target) for source, target, _ in EDGES_OF_MODEL}
    assert {style for _, _, style in _edges(page)} == {"dashed"}
    labels = page.evaluate(f"() => {GRAPH}.nodes('.call').map((node) => node.data('label'))")
    assert labels
    assert all("eval" in label for label in labels)
    expect(_details(page)).to_contain_text("in evaluation mode")


def test_a_double_click_looks_inside_and_the_path_leads_back(open_modules: Callable[..., Page]) -> None:
    page = open_modules({**MODULES, "unfold": "0.model.blocks.0"})
    assert [title for title in _titles(page) if title.startswith("blocks.")] == [f"blocks.{number}" for number in range(BLOCKS)]
    # The first click of a double click must not count where it has changed what is drawn.
    double_click(page, *_place(page, "blocks.3"))
    _expect_open(page, "0.model.blocks.3")
    assert _edges(page) == EDGES_OF_BLOCK
    double_click(page, *_place(page, "mlp"))
    _expect_open(page, "0.model.blocks.3.mlp")
    assert _titles(page) == ["input", "0", "1", "2", "output"]
    crumbs = page.get_by_test_id("breadcrumbs")
    expect(crumbs).to_have_text("All modulesmodelblocks.3mlp")
    crumbs.get_by_text("model", exact=True).click()
    _expect_open(page, "0.model")
    _expect_selected(page, "0.model.blocks.3")
    crumbs.get_by_text("All modules").click()
    _expect_open(page, "")
    assert _titles(page) == ["model: input ids", "model", "sum"]


def test_equal_blocks_unfold_and_fold(open_modules: Callable[..., Page], watched: Path, open_viewer: Callable[..., Viewer]) -> None:
    page = open_modules()
    page.mouse.click(*_place(page, "Block"))
    wait_until(page, f"() => {GRAPH}.nodes().length === {BLOCKS + 7}")
    _expect_selected(page, "0.model.blocks.0")
    wait_until(page, "() => location.hash.includes('unfold=0.model.blocks.0')")
    again = open_viewer(watched, page.evaluate("() => location.hash"), wait=False).page
    wait_until(again, f"() => {GRAPH}?.nodes().length > 0")
    assert len(_titles(again)) == BLOCKS + 7
    page.keyboard.press("f")
    wait_until(page, f"() => {GRAPH}.nodes().length === 8")
    assert _edges(page) == EDGES_OF_MODEL
    expect(page.get_by_test_id("module-fold")).to_have_text("Unfold")
    page.keyboard.press("f")
    wait_until(page, f"() => {GRAPH}.nodes().length === {BLOCKS + 7}")


def test_a_link_that_unfolds_is_one_step_back(open_modules: Callable[..., Page]) -> None:
    page = open_modules()
    before = page.evaluate("() => location.hash")
    page.evaluate("(hash) => { location.hash = hash; }", fragment({**MODULES, "module": "?model.blocks.2"}))
    wait_until(page, "() => location.hash.includes('unfold=0.model.blocks.0')")
    _expect_selected(page, "0.model.blocks.2")
    # Longer than the time in which changes count as one.
    page.wait_for_timeout(1200)
    page.go_back()
    wait_until(page, "(hash) => location.hash === hash", arg=before)
    wait_until(page, f"() => {GRAPH}.nodes().length === 8")


def test_everything_by_keyboard(open_modules: Callable[..., Page]) -> None:
    page = open_modules()
    page.keyboard.press("ArrowDown")
    _expect_selected(page, "input ids")
    for key in ("0.model.embed", "0.model.blocks.0"):
        page.keyboard.press("ArrowDown")
        _expect_selected(page, key)
    page.keyboard.press("Enter")
    wait_until(page, f"() => {GRAPH}.nodes().length === {BLOCKS + 7}")
    page.keyboard.press("ArrowDown")
    _expect_selected(page, "0.model.blocks.1")
    page.keyboard.press("Enter")
    _expect_open(page, "0.model.blocks.1")
    page.keyboard.press("Backspace")
    _expect_open(page, "0.model")
    _expect_selected(page, "0.model.blocks.1")
    page.keyboard.press("p")
    expect(page.get_by_test_id("panel-area")).to_contain_text("model.blocks.1")
    page.keyboard.press("p")
    expect(page.get_by_test_id("panel-area")).not_to_contain_text("model.blocks.1")


def test_the_search_finds_a_module_wherever_it_is(open_modules: Callable[..., Page]) -> None:
    page = open_modules()
    page.keyboard.press("/")
    page.keyboard.type("blocks.7.mlp.2")
    page.keyboard.press("Enter")
    _expect_open(page, "0.model.blocks.7.mlp")
    _expect_selected(page, "0.model.blocks.7.mlp.2")
    expect(_details(page)).to_contain_text("in_features=16, out_features=8, bias=True")


def test_what_was_searched_for_is_drawn_alone_where_it_would_be_folded(open_modules: Callable[..., Page]) -> None:
    page = open_modules()
    for _ in range(2):
        page.keyboard.press("/")
        page.keyboard.press("ControlOrMeta+a")
        page.keyboard.type("blocks.7")
        page.keyboard.press("Enter")
        _expect_selected(page, "0.model.blocks.7")
        assert len(_titles(page)) == BLOCKS + 7
        page.keyboard.press("Escape")
        page.keyboard.press("f")
        wait_until(page, f"() => {GRAPH}.nodes().length === 8")
    page.keyboard.press("f")
    wait_until(page, f"() => {GRAPH}.nodes().length === {BLOCKS + 7}")


def test_the_search_finds_modules_by_their_type(open_modules: Callable[..., Page]) -> None:
    page = open_modules()
    page.keyboard.press("/")
    page.keyboard.type("relu")
    expect(page.locator(".search-count").last).to_have_text(f"{BLOCKS} found")


def test_the_search_prefers_what_is_called_so(open_modules: Callable[..., Page]) -> None:
    page = open_modules()
    page.keyboard.press("/")
    # Earlier ones have it in their name (`norm1`) or type (`LayerNorm`).
    page.keyboard.type("norm")
    page.keyboard.press("Enter")
    _expect_selected(page, "0.model.norm")


def test_a_link_to_a_module_that_there_is_not_says_so(watched: Path, open_viewer: Callable[..., Viewer]) -> None:
    page = open_viewer(watched, fragment({**MODULES, "module": "0.model.nothing"}), wait=False).page
    expect(page.get_by_test_id("module-note")).to_contain_text("This recording has no module model.nothing.")


@pytest.mark.parametrize("width", [1400, 800, 400])
def test_the_legend_is_in_view_and_covers_nothing(width: int, open_modules: Callable[..., Page]) -> None:
    page = open_modules(BLOCK, viewport={"width": width, "height": 900})
    legend, graph = page.locator(".module-legend").bounding_box(), page.get_by_test_id("module-graph").bounding_box()
    assert legend is not None
    assert graph is not None
    assert 0 <= legend["x"] < legend["x"] + legend["width"] <= width
    assert legend["y"] >= graph["y"] + graph["height"]
    # A phone shows the graph first, and one scrolls to its legend.
    assert width == 400 or legend["y"] + legend["height"] <= 900


def test_all_steps_say_how_often_a_branch_was_taken(open_modules: Callable[..., Page]) -> None:
    page = open_modules()
    assert "extra" not in _titles(page)
    page.keyboard.press("u")
    expect(page.get_by_test_id("module-note")).to_have_text(f"Over {STEPS + 1} steps.")
    often = f"{len(STEPS_WITH_EXTRA)} of {STEPS + 1}"
    labels = page.evaluate(
        f"() => Object.fromEntries({GRAPH}.edges().map((edge) => [edge.target().data('label').replace('{MARK}', ''), edge.data('label')]))"
    )
    assert labels[f"extra\nLinear \u00b7 {often} steps"] == often
    page.mouse.click(*_place(page, "extra"))
    expect(page.get_by_test_id("module-often")).to_have_text(f"Found on {len(STEPS_WITH_EXTRA)} of {STEPS + 1} steps.")
    # Among the steps of evaluation alone there is no such branch.
    page.locator("[data-testid=select-step-type]").select_option("eval")
    wait_until(page, f"() => {GRAPH}.nodes().length === 8")


def test_a_module_that_was_not_called_on_the_step_is_said_to_be_missing(watched: Path, open_viewer: Callable[..., Viewer]) -> None:
    link = {**MODULES, "module": "0.model.extra", "step": STEPS_WITH_EXTRA[0]}
    page = open_viewer(watched, fragment(link), wait=False).page
    wait_until(page, f"() => {GRAPH}?.nodes().length === 2")
    page.get_by_test_id("select-step").focus()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_test_id("module-note")).to_have_text("model.extra was not called in this iteration.")


def test_every_tensor_leads_to_its_values(open_modules: Callable[..., Page]) -> None:
    page = open_modules({**BLOCK, "at": "0.model.blocks.3.norm1"})
    details = _details(page)
    expect(details).to_contain_text("LayerNorm, in training mode")
    expect(details).to_contain_text("output 2 \u00d7 5 \u00d7 8 F32")
    expect(details).to_contain_text("weight 8 F32")
    # However long it takes to unfold the graph of the tensors, it is no step of its own.
    page.evaluate("() => { const now = Date.now, start = now(); Date.now = () => start + (now() - start) * 100; }")
    details.get_by_role("button", name="output", exact=True).first.click()
    expect(page.get_by_test_id("tab-tensors")).to_have_attribute("aria-selected", "true")
    expect(page.get_by_test_id("graph")).to_have_attribute("data-selected-node", "model.blocks.3.norm1: output")
    wait_until(page, "() => location.hash.includes('fold=')")
    page.go_back()
    _expect_open(page, "0.model.blocks.3")
    _details(page).get_by_role("button", name="weight").click()
    expect(page.get_by_test_id("graph")).to_have_attribute("data-selected-node", "model.blocks.3.norm1.weight")


def test_what_was_given_besides_tensors_and_buffers_are_shown(open_modules: Callable[..., Page]) -> None:
    expect(_details(open_modules(BLOCK))).to_contain_text("mask None")
    expect(_details(open_modules({**MODULES, "at": "0.model.norm"}))).to_contain_text("running_mean 5 F32")


def test_the_pointer_gets_shapes_and_settings(open_modules: Callable[..., Page]) -> None:
    page = open_modules()
    page.mouse.move(*_place(page, "embed"))
    tooltip = page.get_by_test_id("module-tooltip")
    for text in ("model.embed", "Embedding", "10, 8", "in: input 2 \u00d7 5", "out: output 2 \u00d7 5 \u00d7 8"):
        expect(tooltip).to_contain_text(text)


def test_a_module_is_pinned_by_dragging_it_to_the_panels(open_modules: Callable[..., Page]) -> None:
    page = open_modules()
    area = page.get_by_test_id("panel-area")
    box = area.bounding_box()
    assert box is not None
    page.mouse.move(*_place(page, "embed"))
    page.mouse.down()
    page.mouse.move(box["x"] + 40, box["y"] + 200, steps=5)
    expect(page.locator(".dragged-module")).to_have_text("embed")
    page.mouse.up()
    expect(area).to_contain_text("model.embed")
    expect(page.locator(".dragged-module")).to_have_count(0)
    wait_until(page, "() => location.hash.includes('panels=model.embed')")
    # Let go elsewhere, nothing is pinned.
    page.mouse.move(*_place(page, "norm"))
    page.mouse.down()
    page.mouse.move(200, 500, steps=3)
    page.mouse.up()
    expect(area).not_to_contain_text("model.norm")


def test_the_tensors_of_a_long_network_open_as_an_overview(watched: Path, open_viewer: Callable[..., Viewer]) -> None:
    name = "model.embed: output"
    viewer = open_viewer(watched, fragment({"tab": "tensors", "node": name, "role": name}))
    graph = viewer.element("graph")
    expect(graph).to_have_attribute("data-selected-node", name)
    # By hand: the blocks lie in one group, and what is in front of and behind them is beside it.
    columns = "() => new Set(document.querySelector('[data-testid=graph]')._cyreg.cy.nodes().map((node) => node.position().x)).size"
    wait_until(viewer.page, f"() => ({columns})() > 1")
    assert viewer.page.evaluate(columns) <= 12
    assert int(graph.get_attribute("data-shown-node-count") or 0) < int(graph.get_attribute("data-node-count") or 0)
    expect(viewer.element("summary")).to_contain_text(name)
    viewer.page.get_by_role("button", name="Expand all").click()
    expect(graph).to_have_attribute("data-group-count", "0")
    assert viewer.page.evaluate(columns) > 12


def test_a_link_to_a_tensor_of_a_long_network_shows_it_among_readable_names(watched: Path, open_viewer: Callable[..., Viewer]) -> None:
    name = "model.blocks.3.norm2: output"
    viewer = open_viewer(watched, fragment({"tab": "tensors", "node": name, "role": name}))
    read = """() => {
      const cy = document.querySelector('[data-testid=graph]')?._cyreg?.cy;
      const [node] = cy === undefined ? [] : cy.nodes().filter((node) => node.data('label').endsWith('norm2: output'));
      return node === undefined ? null : { ...node.renderedPosition(), size: 13 * cy.zoom(), width: cy.width(), height: cy.height() };
    }"""
    wait_until(viewer.page, read)
    own = viewer.page.evaluate(read)
    assert own["size"] >= 11
    assert 0 < own["x"] < own["width"]
    assert 0 < own["y"] < own["height"]
    # Its block is expanded, and the other blocks are not.
    assert int(viewer.element("graph").get_attribute("data-group-count") or 0) >= BLOCKS - 1


def test_a_tensor_leads_to_the_module_that_made_it(watched: Path, open_viewer: Callable[..., Viewer]) -> None:
    link = {"tab": "tensors", "node": "model.blocks.3.mlp.2: output", "role": "model.blocks.3.mlp.2: output"}
    page = open_viewer(watched, fragment(link)).page
    page.get_by_test_id("summary-module").get_by_role("button").click()
    _expect_open(page, "0.model.blocks.3.mlp")
    _expect_selected(page, "0.model.blocks.3.mlp.2")


def test_damaged_calls_are_said_to_be_damaged(watched: Path, tmp_path: Path, open_viewer: Callable[..., Viewer]) -> None:
    text = watched.read_text(encoding="utf-8")
    index = json.loads(re.search(r'id="bundle-index">([^<]*)', text)[1])  # type: ignore[index]
    chunk = index["calls"]["chunk"][0]
    start = text.index(f'<template id="chunk-{chunk}">') + len(f'<template id="chunk-{chunk}">') + 40
    changed = tmp_path / "report.html"
    changed.write_text(text[:start] + ("A" if text[start] != "A" else "B") + text[start + 1 :], encoding="utf-8")
    page = open_viewer(changed, fragment(MODULES), wait=False).page
    expect(page.get_by_test_id("failure")).to_contain_text(f"Part {chunk} of the data is damaged")
    page.get_by_test_id("tab-tensors").click()
    expect(page.get_by_test_id("graph")).to_be_visible()


def test_several_models_stand_side_by_side_and_an_exception_is_marked(tmp_path: Path, open_viewer: Callable[..., Viewer]) -> None:
    class Picky(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            raise ValueError(x.shape)

    class Tolerant(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.picky = Picky()
            self.fc = nn.Linear(2, 2)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            with contextlib.suppress(ValueError):
                self.picky(x)
            return self.fc(x)  # type: ignore[no-any-return]

    generator, critic = Tolerant(), nn.Linear(2, 1)
    with ComgraRecorder(tmp_path / "runs") as recorder:
        recorder.watch(generator, "generator")
        recorder.watch(critic, "critic")
        with recorder.batch(0, 3, "train"), recorder.iteration():
            loss = critic(generator(torch.rand(3, 2))).mean()
            recorder.register_tensor("loss", loss, is_loss=True)
    path = comgra_export.export(tmp_path / "runs", tmp_path / "report.html").path
    page = open_viewer(path, fragment(MODULES), wait=False).page
    wait_until(page, f"() => {GRAPH}?.nodes().length > 0")
    assert _edges(page) == {("generator: input x", "generator", "solid"), ("generator", "critic", "solid"), ("critic", "loss", "solid")}
    double_click(page, *_place(page, "generator\nTolerant"))
    _expect_open(page, "0.generator")
    assert page.evaluate(f"() => {GRAPH}.nodes('.raised').map((node) => node.data('label'))") == ["picky\nPicky \u00b7 raised"]
    page.mouse.click(*_place(page, "picky"))
    expect(_details(page)).to_contain_text("This call ended with an exception.")


def test_what_is_drawn_can_be_saved_and_printed(open_modules: Callable[..., Page]) -> None:
    page = open_modules({**MODULES, "union": "1"})
    expect(page.get_by_test_id("module-note")).to_have_text(f"Over {STEPS + 1} steps.")
    with page.expect_download() as download:
        page.get_by_role("button", name="SVG: modules").click()
    assert download.value.suggested_filename == "modules-trial-all-steps-model.svg"
    root = ElementTree.parse(download.value.path()).getroot()
    texts = [(element.text or "").removesuffix(MARK) for element in root.iter("{http://www.w3.org/2000/svg}text")]
    for text in (
        f"Block \u00d7 {BLOCKS}",
        "head (call 2)",
        f"{len(STEPS_WITH_EXTRA)} of {STEPS + 1}",
        "Calls in model",
        "Dashed: no gradient flows.",
    ):
        assert text in texts
    page.evaluate("() => window.dispatchEvent(new Event('beforeprint'))")
    expect(page.locator(".print-document")).to_contain_text("Calls in model")
    expect(page.locator(".print-document")).not_to_contain_text("Dependency graph")


def test_without_a_watched_module_there_is_no_such_tab(bundle: Path, open_viewer: Callable[..., Viewer]) -> None:
    viewer = open_viewer(bundle)
    expect(viewer.element("tab-network")).to_be_visible()
    expect(viewer.element("tab-modules")).to_have_count(0)


@pytest.mark.parametrize("width", [1400, 800, 400])
def test_it_fits_and_is_accessible(width: int, open_modules: Callable[..., Page]) -> None:
    link = {**BLOCK, "at": "0.model.blocks.3.norm2", "panels": "model.embed"}
    page = open_modules(link, viewport={"width": width, "height": 900})
    assert page.evaluate("() => document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    assert violations_in_all_colors(page) == []
