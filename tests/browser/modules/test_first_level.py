"""Which level the tab of the modules opens with."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from playwright.sync_api import expect
from torch import nn

import comgra_export
from support.browser.viewer import Viewer, fragment

GRAPH = "document.querySelector('[data-testid=module-graph]')._cyreg.cy"
TITLES = f"() => {GRAPH}.nodes().map((node) => node.data('label').split('\\n')[0])"


class _Autoencoder(nn.Module):
    """Its parts are called by the loop; it has no forward pass of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(6, 3), nn.ReLU())
        self.decoder = nn.Linear(3, 6)


@pytest.fixture(scope="module")
def page_of_parts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of a training loop that calls parts of the watched module alone."""
    folder = tmp_path_factory.mktemp("parts")
    torch.manual_seed(0)
    model = _Autoencoder()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with comgra_export.watch(model, folder / "recordings", every=1):
        for _ in range(3):
            x = torch.rand(4, 6)
            optimizer.zero_grad()
            nn.functional.mse_loss(model.decoder(model.encoder(x)), x).backward()
            optimizer.step()
    return comgra_export.export(folder / "recordings", folder / "report.html").path


def test_the_level_around_the_parts_is_open_if_parts_alone_were_called(page_of_parts: Path, open_viewer: Callable[..., Viewer]) -> None:
    page = open_viewer(page_of_parts, fragment({"tab": "modules"}), wait=False).page
    page.wait_for_function(f"() => {GRAPH}?.nodes().length > 0")
    assert {"encoder", "decoder"} <= {title.removeprefix("model.") for title in page.evaluate(TITLES)}
    assert page.get_by_test_id("module-graph").get_attribute("data-open") == ""
    expect(page.get_by_test_id("module-note")).to_have_count(0)
