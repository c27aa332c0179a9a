"""Measures whether a chart stays smooth with very many points, and with very many curves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from math import exp, sin
from pathlib import Path
from statistics import median

from playwright.sync_api import Browser, Page

from benchmarks.harness.browser import MISSING, open_browser, open_bundle
from benchmarks.harness.frames import Frame, traced_frames
from benchmarks.harness.synthetic_recordings import write_recording
from benchmarks.harness.table import Row
from benchmarks.harness.workload import Workload
from comgra_export import export
from comgra_export.storage import CurvePoint

__all__ = ["HEADING", "measure"]

HEADING = "A chart with two curves of 100,000 points, and one with 100 of 10,000, in Chromium: script, style, layout and paint of the frame"

_HOVER = "pointing at a time"
_ZOOM_IN = "zooming in by a tenth"
_ZOOM_OUT = "resetting the zoom"
_HIDE = "hiding one of 100 curves, and showing it again"
_LOGARITHMIC = "a logarithmic axis for 100 curves, and back"
_FRAME = 1000 / 60
_POINTS = 100_000
_CURVES = 100

# What an event changes is drawn before the next frame is made.
_WATCH = """
(type) => addEventListener(type, () => {
  performance.mark("act");
  requestAnimationFrame(() => performance.mark("done"));
}, { capture: true, once: true })
"""

_SETTLED = 150


def measure(workload: Workload) -> list[Row]:
    """Point at many times, zoom in and out, and change what is drawn of many curves."""
    points = _POINTS // 100 if workload.quick else _POINTS
    few = _page(workload, "curves", ["curve 0", "curve 1"], points)
    # Names that differ in more than numbers: curves of one kind would be a band.
    many = _page(workload, "many curves", ["".join(letters) for letters in product("abcdefghij", repeat=2)][:_CURVES], points // 10)
    with open_browser() as browser:
        if browser is None:
            return [Row(name, [], "ms", MISSING, _FRAME) for name in (_HOVER, _ZOOM_IN, _ZOOM_OUT, _HIDE, _LOGARITHMIC)]
        rounds = 2 if workload.quick else 12
        hovers = _frames(browser, few, [("point", (k + 1) / (rounds + 2)) for k in range(rounds)])
        zooms = _frames(browser, few, [(kind, 0.0) for _ in range(rounds // 2) for kind in ("zoom in", "zoom out")])
        hidden = _frames(browser, many, [("legend-entry", 0.0)] * rounds)
        logarithmic = _frames(browser, many, [("log-y", 0.0)] * rounds)
    frames = {_HOVER: hovers, _ZOOM_IN: zooms[::2], _ZOOM_OUT: zooms[1::2], _HIDE: hidden, _LOGARITHMIC: logarithmic}
    return [
        Row(name, [frame.work for frame in those], "ms", f"of a processor {median(frame.processor for frame in those):.1f} ms", _FRAME)
        for name, those in frames.items()
    ]


def _page(workload: Workload, name: str, curves: Sequence[str], points: int) -> Path:
    root = workload.folder / name
    write_recording(root, steps=1, samples=4, values=8, curves=_points(curves, points))
    return export(root, workload.folder / f"{name}.html", force=True).path


def _points(curves: Sequence[str], count: int) -> Iterator[CurvePoint]:
    for k in range(count):
        for number, curve in enumerate(curves, 1):
            yield CurvePoint("loss", curve, "train", float(k), 3 * exp(-3 * k / count) + 0.3 * sin(k * k * number % 1000))


def _frames(browser: Browser, path: Path, actions: list[tuple[str, float]]) -> list[Frame]:
    page = open_bundle(browser, path)
    page.locator("[data-testid=tab-graphs]").click()
    page.locator("[data-testid=chart] .u-over").wait_for()
    page.wait_for_timeout(500)

    def act() -> None:
        for kind, place in actions:
            _act(page, kind, place)
            page.wait_for_timeout(_SETTLED)

    frames = traced_frames(browser, page, act)
    page.close()
    return frames


def _act(page: Page, kind: str, place: float) -> None:
    """Point at a place from 0 to 1, zoom in to nine tenths of the width, zoom out, or press another control of the chart."""
    box = page.locator("[data-testid=chart] .u-over").bounding_box()
    assert box is not None
    left, middle, width = box["x"], box["y"] + box["height"] / 2, box["width"]
    if kind == "point":
        page.evaluate(_WATCH, "mousemove")
        page.mouse.move(left + place * width, middle)
    elif kind == "zoom in":
        page.mouse.move(left + 0.05 * width, middle)
        page.mouse.down()
        page.mouse.move(left + 0.95 * width, middle, steps=3)
        page.wait_for_timeout(_SETTLED)
        page.evaluate(_WATCH, "mouseup")
        page.mouse.up()
        page.locator("[data-testid=reset-zoom][aria-disabled=false]").wait_for()
    else:
        control = page.locator(f"[data-testid={'reset-zoom' if kind == 'zoom out' else kind}]").first
        control.hover()
        page.wait_for_timeout(_SETTLED)
        page.evaluate(_WATCH, "click")
        control.click()
