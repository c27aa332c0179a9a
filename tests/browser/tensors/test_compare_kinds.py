"""The demo's two trials compared: the page says first what differs in structure, and on every tab what A and B are."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import expect

import comgra_export
from examples import tutorial
from support.browser.axe import violations_in_all_colors
from support.browser.viewer import Link, Viewer, fragment

A, B = tutorial.VARIANTS
VIEW: Link = {"tab": "tensors", "trial": A, "pane": "compare", "pin": f"trial={B}"}


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of a few steps of the tutorial."""
    folder = tmp_path_factory.mktemp("demo")
    return comgra_export.export(tutorial.run(folder, steps=3), folder / "report.html").path


def test_the_bug_of_the_demo_is_read_on_the_first_screen(demo: Path, open_viewer: Callable[..., Viewer]) -> None:
    viewer = open_viewer(demo, wait=False, viewport={"width": 1440, "height": 900})
    incident, link = viewer.element("incident").first, viewer.element("evidence-link").first
    expect(incident).to_be_in_viewport(ratio=1)
    expect(incident).to_contain_text("output is the sigmoid of subnet_out__out, which is the result of leaky_relu")
    expect(incident).to_contain_text("Since: step 0")
    expect(link).to_be_in_viewport()
    link.click()
    viewer.wait_until_shown({"tab": "tensors", "trial": A, "step": "0", "node": "subnet_out__out"})
    expect(viewer.element("summary-operation")).to_contain_text("LeakyRelu")


def test_the_bug_of_the_demo_is_a_difference_in_kind(demo: Path, open_viewer: Callable[..., Viewer]) -> None:
    viewer = open_viewer(demo, fragment(VIEW), wait=False)
    expect(viewer.element("kinds-summary")).to_have_text("4 differences in structure: operation (3), hyperparameter (1).")
    rows = viewer.element("kind")
    length = viewer.page.evaluate("() => document.querySelector('[data-testid=select-iteration]').max")
    iterations = f" ({int(length) + 1} iterations)"
    read = "rows => rows.map((row) => [...row.querySelectorAll('[role=cell]')].map((cell) => cell.textContent))"
    expect(rows).to_have_count(4)
    assert rows.evaluate_all(read) == [
        ["operation", f"subnet_pre__out{iterations}", "LeakyRelu", "Addmm"],
        ["operation", f"subnet_out__out{iterations}", "LeakyRelu", "Addmm"],
        ["operation", f"memory{iterations}", "LeakyRelu", "Addmm"],
        ["hyperparameter", "activation_on_output", "True", "False"],
    ]
    expect(viewer.element("graph-comparison")).to_have_text("Graph beside B: 3 nodes with another operation, shape or dtype.")
    # Every row is a link, and B stays beside A.
    rows.nth(1).get_by_role("link").click()
    viewer.wait_until_shown({"trial": A, "node": "subnet_out__out"})
    expect(viewer.element("summary-operation")).to_contain_text("LeakyRelu")
    expect(viewer.element("difference")).to_contain_text("differ by at most")
    rows.nth(3).get_by_role("link").click()
    expect(viewer.element("run-card")).to_be_visible()
    expect(viewer.element("compare-bar")).to_be_visible()


def test_a_bar_says_on_every_tab_what_is_compared_and_keys_swap_and_stop_it(demo: Path, open_viewer: Callable[..., Viewer]) -> None:
    viewer = open_viewer(demo, fragment({**VIEW, "step": 1}), wait=False)
    bar = viewer.element("compare-bar")
    for tab in ("overview", "network", "notes", "graphs", "about", "tensors"):
        viewer.element(f"tab-{tab}").click()
        expect(viewer.element("compare-a")).to_have_text(f"A {A}, step 1")
        expect(viewer.element("compare-b")).to_have_text(f"B {B}, step 1")
    box = bar.bounding_box()
    assert box is not None
    assert box["height"] <= 30
    viewer.page.keyboard.press("w")
    expect(viewer.element("compare-a")).to_contain_text(B)
    viewer.wait_until_shown({"trial": B, "step": 1})
    viewer.element("show-kinds").click()
    expect(viewer.element("kind").first).to_contain_text("AddmmLeakyRelu")
    viewer.page.keyboard.press("Escape")
    expect(bar).to_have_count(0)
    assert "pin" not in viewer.link(gone="pin=")


def test_no_violation_where_two_views_are_compared(demo: Path, open_viewer: Callable[..., Viewer]) -> None:
    viewer = open_viewer(demo, fragment(VIEW), wait=False)
    expect(viewer.element("kind")).to_have_count(4)
    assert violations_in_all_colors(viewer.page) == []
    for pane, shown in {"table": "value-b", "picture": "picture-canvas-b", "histogram": "histogram-sides"}.items():
        viewer.element(f"pane-{pane}").click()
        expect(viewer.element(shown).first).to_be_visible()
        assert violations_in_all_colors(viewer.page) == []
    viewer.element("pane-compare").click()
    viewer.element("unpin").click()
    expect(viewer.element("trial-value")).to_have_count(2)
    assert violations_in_all_colors(viewer.page) == []
