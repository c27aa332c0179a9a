"""Panels of pinned modules: by pointer, by keyboard, and in the link."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from playwright.sync_api import expect

import comgra_export
from comgra_export.storage import Recording
from comgra_export.storage.arrays.histograms import decode_histograms
from comgra_export.storage.arrays.layout_arrays import histogram_records
from support.browser.axe import violations_in_all_colors
from support.browser.panels import EVAL, VIEW, history, open_at, panel_names
from support.browser.viewer import Viewer, fragment
from support.storage.headers import change_header


def test_the_keyboard_goes_through_the_steps_and_to_one_of_them(viewer: Viewer, recording: Recording) -> None:
    plot = history(viewer, "forward/0/model.0: output")
    plot.focus()
    expect(plot).to_have_attribute("aria-valuenow", "5")
    plot.press("ArrowRight")
    expect(plot).to_have_attribute("aria-valuetext", re.compile(r"^Step 6 "))
    said = plot.get_attribute("aria-valuetext") or ""
    recorded = recording.histograms(6)
    places = histogram_records(recording.layout(recording.step(6).layout))
    row = next(k for k, place in enumerate(places) if (place.group, place.entry.name) == ("forward", "model.0: output"))
    quantiles = recorded.quantiles[row].astype(np.float64)
    assert f"Median {float(f'{quantiles[3]:.4g}'):g}"[:10] in said
    looked_at = decode_histograms(recorded.bins, recorded.counts)[row].looked_at
    assert f"use {looked_at:,} of 2,048 values" in said
    expect(viewer.element("history-words").first).to_contain_text("Step 6")
    plot.press("Home")
    expect(plot).to_have_attribute("aria-valuenow", "0")
    plot.press("End")
    expect(plot).to_have_attribute("aria-valuetext", re.compile(r"^Step 23 "))
    plot.press("Enter")
    viewer.wait_until_shown({"step": "23"})
    plot.press("Escape")
    expect(viewer.element("history-words")).to_have_count(0)


def test_the_pointer_asks_in_all_panels_and_a_click_goes_there(viewer: Viewer) -> None:
    plot = history(viewer, "forward/0/model.2: output")
    plot.scroll_into_view_if_needed()
    box = plot.bounding_box()
    assert box is not None
    plot.hover(position={"x": box["width"] - 3, "y": box["height"] / 2})
    words = viewer.element("history-words")
    expect(words).to_contain_text("Step 23")
    expect(words).to_contain_text(re.compile(r"(Zero|to -?[\d.e-]+): [\d,]+"))
    other = history(viewer, "forward/0/model.0: output")
    line, frame = other.get_by_test_id("history-hovered").bounding_box(), other.locator("canvas").bounding_box()
    assert line is not None
    assert frame is not None
    # The axis reaches from step 0 to the evaluation after step 23.
    assert abs(line["x"] + 0.5 - (frame["x"] + frame["width"])) <= 1
    assert line["height"] >= frame["height"]
    plot.click(position={"x": 1, "y": 10})
    viewer.wait_until_shown({"step": "0"})


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


@pytest.mark.parametrize(("axis", "ends"), [("step", ["0", "after 23"]), ("epoch", ["0", "3"])])
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
    expect(plot).to_have_attribute("aria-valuetext", re.compile(r"^Step 6, epoch 1 "))


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
    expect(viewer.element("panel-missing")).to_contain_text("no module with this name")


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


def test_without_an_address_a_page_of_watched_modules_opens_on_the_newest_trial(tmp_path: Path, open_viewer: Callable[..., Viewer]) -> None:
    import torch

    for trial in ("b", "a", "c"):
        # A residual connection, past which gradients through calls are recorded too.
        net = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.TransformerEncoderLayer(2, 1, 4))
        with comgra_export.watch(net, tmp_path / "r", trial_id=trial):
            net(torch.ones(1, 2)).sum().backward()
        # As if the second one by its name had been begun last.
        change_header(tmp_path / "r" / "default" / trial / "rank-0", started=f"2026-01-0{'acb'.index(trial) + 1}T00:00:00Z")
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


def test_a_panel_gives_the_norm_of_each_sample(tmp_path: Path, open_viewer: Callable[..., Viewer]) -> None:
    model = torch.nn.Linear(2, 2, bias=False)
    with torch.no_grad():
        model.weight.copy_(torch.tensor([[1.0, 2.0], [2.0, 2.0]]))
    with comgra_export.watch(model, tmp_path / "recordings"):
        # The gradient of each sample is the sum over the rows of the weight: (3, 4).
        model(torch.tensor([[3.0, -4.0], [6.0, 8.0]])).sum().backward()
    page = comgra_export.export(tmp_path / "recordings", tmp_path / "norms.html").path
    viewer = open_viewer(page, fragment({"tab": "modules", "panels": "model"}), wait=False)
    norms = viewer.element("panel-norms")
    expect(norms).to_have_count(0)
    viewer.element("panel-norms-button").click()
    expect(viewer.page).to_have_url(re.compile("history=norms"))
    # Values and gradients of the input, then of the output: (-5, -2) and (22, 28).
    expect(norms.nth(0).locator("li")).to_have_text(["sample 0: 5", "sample 1: 10"])
    expect(norms.nth(1).locator("li")).to_have_text(["sample 0: 5", "sample 1: 5"])
    expect(norms.nth(2).locator("li")).to_have_text(["sample 0: 5.385", "sample 1: 35.61"])
    expect(norms.nth(3).locator("li")).to_have_text(["sample 0: 1.414", "sample 1: 1.414"])
