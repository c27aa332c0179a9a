"""Texts that name a tensor, a step, a parameter or a module lead there, and numbers show all of their digits if they are asked for."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from playwright.sync_api import expect
from torch import nn

import comgra_export
from support.browser.viewer import Viewer

NAN_AT = 13
WEIGHT = "model.0.weight"


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A training of which every tenth step is recorded, and one between them, whose input has a NaN."""
    folder = tmp_path_factory.mktemp("names")
    net = nn.Sequential(nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 1))
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
    with comgra_export.watch(net, folder / "runs", every=10, sentinels=True) as recorder:
        recorder.add_note(f"Look at `{WEIGHT}` in step 10.")
        for step in range(21):
            x = torch.full((3, 4), torch.nan if step == NAN_AT else 1 / 3)
            loss = net(x).square().mean()
            optimizer.zero_grad()
            if step != NAN_AT:
                loss.backward()
                optimizer.step()
    return comgra_export.export(folder / "runs", folder / "page.html").path


def _open(open_viewer: Callable[..., Viewer], page: Path, tab: str, step: int = 0) -> Viewer:
    return open_viewer(page, f"#v=1&tab={tab}&step={step}", wait=False, viewport={"width": 1440, "height": 900})


def test_the_reason_of_a_triggered_step_leads_to_what_it_names(page: Path, open_viewer: Callable[..., Viewer]) -> None:
    viewer = _open(open_viewer, page, "tensors", NAN_AT)
    link = viewer.element("step-trigger").get_by_role("link").first
    name = link.inner_text()
    link.click()
    expect(viewer.element("graph")).to_have_attribute("data-selected-node", name)


def test_a_note_leads_to_what_it_names(page: Path, open_viewer: Callable[..., Viewer]) -> None:
    viewer = _open(open_viewer, page, "notes")
    viewer.element("note").get_by_role("link", name=WEIGHT).click()
    expect(viewer.element("graph")).to_have_attribute("data-selected-node", WEIGHT)
    viewer.element("tab-notes").click()
    viewer.element("note").get_by_role("link", name="step 10").click()
    assert viewer.link(until="step=10")["step"] == "10"


def test_the_network_leads_to_parameters_and_modules(page: Path, open_viewer: Callable[..., Viewer]) -> None:
    viewer = _open(open_viewer, page, "network")
    viewer.element("network-parameter").get_by_role("link", name="weight").first.click()
    expect(viewer.element("graph")).to_have_attribute("data-selected-node", WEIGHT)
    viewer.element("tab-network").click()
    viewer.element("network-tree").get_by_role("link", name="2", exact=True).click()
    expect(viewer.element("tab-modules")).to_have_attribute("aria-selected", "true")
    expect(viewer.element("module-details").get_by_role("heading").first).to_have_text("model.2")


def test_all_digits_are_shown_if_they_are_asked_for(page: Path, open_viewer: Callable[..., Viewer]) -> None:
    viewer = _open(open_viewer, page, "tensors")
    value = viewer.element("value-row").first.get_by_test_id("value")
    expect(value).to_have_text("0.3333")
    viewer.page.get_by_role("button", name="All digits").click()
    expect(value).not_to_have_text("0.3333")
    assert np.float32(value.inner_text()) == np.float32(1 / 3)
