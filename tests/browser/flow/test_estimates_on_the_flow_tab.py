"""Gradient flows that were estimated at export, on the Flow tab: both methods, called estimates, with values by hand."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from playwright.sync_api import expect
from torch import Tensor

from comgra_export import ComgraRecorder, export
from support.browser.axe import violations
from support.browser.viewer import Link, Viewer, fragment
from support.exporter.estimated import CHAIN_RULE, TWO_SAMPLES, VNITTEST, W, record, recorder_of

LONG_NAME = "<img src=x onerror=alert(1)> " + "n" * 200
MINUS = "\u2212"
VIEW: Link = {"tab": "flow", "trial": "trial", "type": "train", "step": 0}


def without_y(recorder: ComgraRecorder) -> Tensor:
    x = torch.ones(2, 2, requires_grad=True)
    recorder.register_tensor("x", x)
    return x.sum()


@pytest.fixture(scope="module")
def page_with_estimates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A trial with a step that has x and y and an exact flow, and one without y; a trial of two iterations."""
    folder = tmp_path_factory.mktemp("estimates")
    record(folder / "runs", TWO_SAMPLES, without_y)
    with recorder_of(folder / "runs", "iterations") as recorder, recorder.batch(0, 1, type_of_execution="train"):
        for _ in range(2):
            with recorder.iteration():
                x = torch.tensor([[1.0, 2.0]])
                recorder.register_tensor("x", x)
                y = x @ torch.tensor(W, requires_grad=True).T
                recorder.register_tensor(LONG_NAME, y)
                y.sum().backward()
        recorder.record_current_gradients("gradients")
    return export(folder / "runs", folder / "page.html", estimate_flow=["x, y", ["x", LONG_NAME]]).path


@pytest.fixture
def open_flow(page_with_estimates: Path, open_again: Callable[..., Viewer]) -> Callable[..., Viewer]:
    """Opens the tab, with changes of the address."""

    def open_(link: Link | None = None, **options: object) -> Viewer:
        viewer = open_again(page_with_estimates, {**VIEW, **(link or {})}, **options)
        expect(viewer.element("flow-layers")).to_have_attribute("data-state", "ready")
        return viewer

    return open_


def links_of(viewer: Viewer) -> dict[tuple[str, str], str]:
    """The flows of the list, as they are written."""
    expect(viewer.element("flow-layers")).to_have_attribute("data-state", "ready")
    if viewer.page.locator(".flow-links:not([open])").count():
        viewer.element("flow-links-summary").click()
    rows = viewer.page.evaluate(
        """() => [...document.querySelectorAll("[data-testid=flow-link]")].map((row) => [...row.cells].map((cell) => cell.textContent))"""
    )
    return {(source, target): value for source, target, value in rows}


def select(viewer: Viewer, layer: int, element: int) -> None:
    cells = viewer.page.locator(f"[data-testid=flow-heat][data-layer='{layer}']")
    width, height = (float(cells.get_attribute(f"data-cell-{side}") or 0) for side in ("width", "height"))
    cells.click(position={"x": (element + 0.5) * width, "y": height / 2})
    expect(viewer.element("flow-layers")).to_have_attribute("data-selected", f"{layer}:{element}")


def test_both_methods_are_there_and_called_estimates(open_flow: Callable[..., Viewer]) -> None:
    viewer = open_flow()
    expect(viewer.element("flow-name").locator("option")).to_have_text(["gradient flow", f"{CHAIN_RULE}x, y", f"{VNITTEST}x, y"])
    expect(viewer.element("flow-method")).to_contain_text("Exact")
    viewer.element("flow-name").select_option(f"{CHAIN_RULE}x, y")
    expect(viewer.element("flow-method")).to_have_text("An estimate that satisfies the chain rule, not the true flow.")
    viewer.element("flow-name").select_option(f"{VNITTEST}x, y")
    expect(viewer.element("flow-method")).to_have_text(
        re.compile("^An estimate by vnittest.s formula, which does not satisfy the chain rule")
    )
    expect(viewer.element("sankey")).to_be_visible()
    assert violations(viewer.page) == []


def test_an_element_shows_its_estimated_flows_of_each_sample(open_flow: Callable[..., Viewer]) -> None:
    viewer = open_flow({"flow": f"{CHAIN_RULE}x, y"})
    select(viewer, 0, 1)
    assert links_of(viewer) == {("x [1]", "y [0]"): "+1.2", ("x [1]", "y [1]"): "+4.8"}
    expect(viewer.element("flow-summary")).to_contain_text("x [1], gradient +6")
    viewer.element("flow-sample").select_option("1")
    expect(viewer.element("flow-summary")).to_contain_text(f"gradient {MINUS}12")
    assert links_of(viewer) == {("x [1]", "y [0]"): f"{MINUS}2.4", ("x [1]", "y [1]"): f"{MINUS}9.6"}
    viewer.element("flow-coloring-values").click()
    expect(viewer.element("flow-summary")).to_contain_text(f"activation {MINUS}1")
    viewer.element("flow-name").select_option(f"{VNITTEST}x, y")
    expect(viewer.element("flow-sum")).to_contain_text("2 flows")
    assert {pair: value[:6] for pair, value in links_of(viewer).items()} == {
        ("x [1]", "y [0]"): f"{MINUS}0.666",
        ("x [1]", "y [1]"): "+0.333",
    }


def test_steps_without_an_estimate_lead_to_those_with_one_and_are_told(
    page_with_estimates: Path, open_viewer: Callable[..., Viewer]
) -> None:
    viewer = open_viewer(page_with_estimates, fragment({**VIEW, "step": 1}), wait=False)
    expect(viewer.element("flow-elsewhere")).to_contain_text("No gradient flow was recorded at step 1")
    viewer.element("flow-step").click()
    expect(viewer.element("flow-layers")).to_have_attribute("data-state", "ready")
    viewer.element("tab-about").click()
    expect(viewer.element("problems")).to_contain_text("Step 1 of trial has no estimated flow through x, y: no tensor is called 'y'.")
    link = viewer.element("problems").get_by_role("link", name="Step 1", exact=True).first
    expect(link).to_have_attribute("href", re.compile(r"[&#]step=1(&|$)"))
    # The long name is in another sentence.
    assert viewer.page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    assert viewer.element("problems").evaluate("(list) => list.scrollWidth <= list.clientWidth")


def test_the_iteration_is_said_once_and_names_are_text(open_flow: Callable[..., Viewer]) -> None:
    viewer = open_flow({"trial": "iterations"}, viewport={"width": 400, "height": 800})
    names = [f"{words}x, {LONG_NAME}{ending}" for ending in ("", " (iteration 1)") for words in (CHAIN_RULE, VNITTEST)]
    expect(viewer.element("flow-name").locator("option")).to_have_text(names)
    viewer.element("open-flow-tools").click()
    viewer.element("flow-name").select_option(names[2])
    viewer.page.keyboard.press("Escape")
    # It is cut off in the box.
    expect(viewer.element("flow-name")).to_have_attribute("title", names[2])
    select(viewer, 0, 0)
    assert links_of(viewer) == {("x [0]", f"{LONG_NAME} [{element}]"): "+1.5" for element in (0, 1)}
    assert viewer.page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
