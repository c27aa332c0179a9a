"""The panels of pinned modules: a view with two of them, and what is in them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from playwright.sync_api import Locator, expect

from support.browser.histories import EPOCHS, STEPS_PER_EPOCH
from support.browser.viewer import Link, Viewer, fragment

__all__ = ["EVAL", "INK", "SVG", "TRAIN", "VIEW", "history", "open_at", "panel_names", "wait_for_panels"]

VIEW: Link = {"tab": "modules", "trial": "trial", "rec": "forward", "type": "train", "step": 5, "it": 0, "panels": "model.0,model.2"}


SVG = "{http://www.w3.org/2000/svg}"


TRAIN, EVAL = EPOCHS * STEPS_PER_EPOCH, EPOCHS


def open_at(open_viewer: Callable[..., Viewer], page: Path, view: Link, **options: Any) -> Viewer:  # noqa: ANN401
    viewer = open_viewer(page, fragment(view), wait=False, **options)
    wait_for_panels(viewer)
    return viewer


def wait_for_panels(viewer: Viewer) -> None:
    expect(viewer.element("history").first).to_be_visible()
    expect(viewer.element("history-waiting")).to_have_count(0)


def history(viewer: Viewer, record: str, kind: str = "train") -> Locator:
    """The picture of `GROUP/ITERATION/NAME`."""
    return viewer.page.locator(f'[data-testid=history][data-record="{record}"][data-type={kind}]').first


def panel_names(viewer: Viewer) -> list[str | None]:
    return [panel.get_attribute("data-module") for panel in viewer.element("panel").all()]


INK = """(record) => document.querySelector(`[data-testid=history][data-record="${record}"] canvas`).toDataURL()"""
