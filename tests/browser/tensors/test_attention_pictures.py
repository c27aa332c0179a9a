"""Patterns of attention: a picture per head whose axes have names, and a word where there is none."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from playwright.sync_api import expect
from torch import Tensor, nn

import comgra_export
from support.browser.viewer import Link, Viewer, fragment

HEADS, QUERIES, KEYS = 3, 4, 5
PATTERN: Link = {"tab": "tensors", "node": "net.attention: output[1]", "agg": "sample_1", "pane": "picture"}


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.attention = nn.MultiheadAttention(6, HEADS, batch_first=True)
        self.fused = nn.MultiheadAttention(6, HEADS, batch_first=True)

    def forward(self, x: Tensor, memory: Tensor) -> tuple[Tensor, Tensor]:
        x, pattern = self.attention(x, memory, memory, average_attn_weights=False)
        return self.fused(x, x, x, need_weights=False)[0], pattern


@pytest.fixture(scope="module")
def attending(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Tensor]:
    """The page of a network with two attentions, and the pattern of the first."""
    folder = tmp_path_factory.mktemp("attending")
    torch.manual_seed(0)
    net = Net().eval()
    with comgra_export.watch(net, folder / "runs", name="net"), torch.no_grad():
        _, pattern = net(torch.randn(2, QUERIES, 6), torch.randn(2, KEYS, 6))
    return comgra_export.export(folder / "runs", folder / "report.html").path, pattern


def test_each_head_has_a_picture_with_queries_and_keys(attending: tuple[Path, Tensor], open_viewer: Callable[..., Viewer]) -> None:
    path, pattern = attending
    page = open_viewer(path, fragment(PATTERN), wait=False).page
    readout = page.get_by_test_id("picture-readout")
    expect(readout).to_have_text(f"Down: query ({QUERIES}); right: key ({KEYS}); tiles: head ({HEADS})")
    expect(page.get_by_test_id("picture-canvas")).to_have_attribute("aria-label", re.compile(rf"rows are query \({QUERIES}\)$"))
    page.get_by_test_id("picture").focus()
    page.keyboard.press("End")
    expect(readout).to_have_text(f"head {HEADS - 1}, query {QUERIES - 1}, key {KEYS - 1} = {pattern[1, -1, -1, -1].item():.4f}")
    page.get_by_role("button", name="Next on head").click()
    expect(page.get_by_role("spinbutton", name="Index on head")).to_have_value("0")
    expect(readout).to_have_text(f"Down: query ({QUERIES}); right: key ({KEYS})")


def test_the_tab_of_the_modules_says_why_there_is_none(attending: tuple[Path, Tensor], open_viewer: Callable[..., Viewer]) -> None:
    page = open_viewer(attending[0], fragment({"tab": "modules", "module": "0.net.fused"}), wait=False).page
    expect(page.get_by_text("not returned: need_weights=False")).to_be_visible()


@pytest.mark.parametrize(
    ("training", "words"), [(False, "attention pattern"), (True, "attention pattern after dropout")], ids=["evaluation", "training"]
)
def test_the_tab_of_the_modules_leads_to_the_picture(
    training: bool, words: str, tmp_path: Path, open_viewer: Callable[..., Viewer]
) -> None:
    torch.manual_seed(0)
    net = nn.MultiheadAttention(6, HEADS, dropout=0.5, batch_first=True).train(training)
    x = torch.randn(2, QUERIES, 6)
    with comgra_export.watch(net, tmp_path / "runs", name="net"):
        net(x, x, x, average_attn_weights=False)[0].sum().backward()
    path = comgra_export.export(tmp_path / "runs", tmp_path / "report.html").path
    recording = {"rec": "gradients"} if training else {}
    viewer = open_viewer(path, fragment({"tab": "modules", "module": "0.net", **recording}), wait=False)
    page = viewer.page
    items = page.get_by_test_id("module-details").get_by_role("listitem")
    pattern = items.filter(has=page.get_by_role("button", name="output[1]", exact=True))
    expect(pattern.get_by_text("attention pattern")).to_have_text(words)
    expect(items.get_by_text("attention pattern")).to_have_count(1)
    pattern.get_by_role("button").click()
    viewer.wait_until_shown({"rec": "forward"})
    expect(page.get_by_test_id("picture-readout")).to_have_text(f"Down: query ({QUERIES}); right: key ({QUERIES}); tiles: head ({HEADS})")
    page.go_back()
    expect(pattern).to_be_visible()
