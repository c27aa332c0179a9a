"""Tensors of which a recording does not know all that they were computed from are marked as such."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from playwright.sync_api import expect

import comgra_export
from comgra_export import ComgraRecorder
from support.browser.viewer import Link, Viewer

OUTSIDE = "How it was computed is not known: it was made from plain values, after values had left PyTorch as an array or a list."
IN_PART = OUTSIDE.replace("How it was computed is not known", "It may depend on more than the graph shows")


@pytest.fixture(scope="module")
def page_with_arrays(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """In a trial, `y` is made from an array, and `z` from `x` and an array; `plain` has neither."""
    folder = tmp_path_factory.mktemp("arrays")
    x = torch.ones(2, 3)
    for trial in ("arrays", "plain"):
        with ComgraRecorder(folder / "r", trial_id=trial) as recorder, recorder.batch(0, 2), recorder.iteration():
            recorder.register_tensor("x", x, is_input=True)
            if trial == "arrays":
                recorder.register_tensor("y", torch.from_numpy(x.numpy() * 2))
                recorder.register_tensor("z", x + torch.tensor(x.tolist()))
            recorder.register_tensor("seen", x * 2)
    return comgra_export.export(folder / "r", folder / "page.html").path


@pytest.fixture
def open_graph(page_with_arrays: Path, visit: Callable[..., Viewer]) -> Callable[..., Viewer]:
    def open_at(**change: str) -> Viewer:
        link: Link = {"tab": "tensors", "trial": "arrays", "rec": "forward", "step": 0, "it": 0, **change}
        return visit(page_with_arrays, link)

    return open_at


def test_a_mark_a_sentence_and_the_neighbours_say_what_is_not_known(open_graph: Callable[..., Viewer]) -> None:
    viewer = open_graph(node="y")
    expect(viewer.element("remark-not-known")).to_have_text(OUTSIDE)
    expect(viewer.element("dependencies")).to_have_text("not known")
    expect(viewer.element("dependents")).to_have_text("nothing")
    legend = viewer.element("badge-not-known")
    expect(legend).to_have_accessible_name("origin not known 2")
    viewer.hover_node("y")
    expect(viewer.element("graph-tooltip")).to_contain_text(OUTSIDE)

    legend.click()
    viewer.wait_until_shown({"node": "z"})
    expect(viewer.element("remark-not-known")).to_have_text(IN_PART)
    expect(viewer.element("dependencies")).to_have_text("Ixmaybe more, not known")
    assert set(viewer.line_styles()) == {("x", "z")}


def test_what_is_known_has_no_mark(open_graph: Callable[..., Viewer]) -> None:
    viewer = open_graph(node="seen")
    expect(viewer.element("dependencies")).to_have_text("Ix")
    expect(viewer.element("remark-not-known")).to_have_count(0)
    viewer = open_graph(trial="plain", node="x")
    expect(viewer.element("dependencies")).to_have_text("nothing")
    expect(viewer.element("badge-not-known")).to_have_count(0)
