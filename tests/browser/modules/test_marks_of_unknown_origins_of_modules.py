"""Modules and tensors are marked if the recording does not know all that a tensor was computed from."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from playwright.sync_api import expect
from torch import Tensor, nn

import comgra_export
from support.browser.viewer import Viewer, fragment

OUTSIDE = "How it was computed is not known: it was made from plain values, after values had left PyTorch as an array or a list."
SELECTED = "(key) => document.querySelector('[data-testid=module-graph]').dataset.selected === key"


class _Rounding(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return torch.from_numpy(x.detach().numpy().round())


class _Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.rounding = _Rounding()

    def forward(self, x: Tensor) -> Tensor:
        result: Tensor = x + self.rounding(x)
        return result


class _Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(3, 3)
        self.block = _Block()
        self.last = nn.Linear(3, 3)
        self.recorder: comgra_export.ComgraRecorder | None = None

    def forward(self, x: Tensor) -> Tensor:
        hidden: Tensor = self.block(self.fc(x))
        assert self.recorder is not None
        self.recorder.register_tensor("scale", torch.tensor(hidden.tolist()))
        result: Tensor = self.last(hidden)
        return result


@pytest.fixture(scope="module")
def page_with_arrays(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """In a block, a module makes its output from an array; `scale` is registered beside the block, made from a list."""
    folder = tmp_path_factory.mktemp("arrays")
    torch.manual_seed(0)
    model = _Model()
    with comgra_export.watch(model, folder / "recordings", every=1) as model.recorder:
        model(torch.rand(4, 3)).square().mean().backward()
    return comgra_export.export(folder / "recordings", folder / "page.html").path


def test_a_mark_rises_to_the_module_around_and_leads_to_what_is_not_known(
    page_with_arrays: Path, open_viewer: Callable[..., Viewer]
) -> None:
    viewer = open_viewer(page_with_arrays, fragment({"tab": "modules"}), wait=False)
    legend = viewer.element("badge-not-known")
    expect(legend).to_have_accessible_name("origin not known 2")
    legend.click()
    viewer.page.wait_for_function(SELECTED, arg="0.model.block")
    legend.click()
    viewer.page.wait_for_function("() => document.querySelector('[data-testid=module-graph]').dataset.selected.endsWith('scale')")
    expect(viewer.element("port-not-known")).to_have_text(OUTSIDE)

    inside = open_viewer(page_with_arrays, fragment({"tab": "modules", "module": "0.model.block"}), wait=False)
    expect(inside.element("badge-not-known")).to_have_accessible_name("origin not known 1")
    inside.element("badge-not-known").click()
    inside.page.wait_for_function(SELECTED, arg="0.model.block.rounding")
    expect(inside.element("port-not-known")).to_have_text(OUTSIDE)
