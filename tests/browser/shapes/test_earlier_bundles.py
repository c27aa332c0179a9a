"""Bundles that version 0.1.0 made still open, with their own viewer and with the one of today."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import expect

from comgra_export.resources import find_resource
from support.browser.viewer import Link, Viewer, fragment
from support.made_before import expected_values, unpack_page

STEP = 4
SCRIPT = re.compile(r"<script>(.*?)</script>", re.DOTALL)
STYLE = re.compile(r"<style>(.*?)</style>", re.DOTALL)
VIEW: Link = {"tab": "tensors", "trial": "first", "rec": "forward", "type": "any_value", "step": STEP, "it": 0}

Opener = Callable[..., Viewer]


@pytest.fixture(params=["its own viewer", "the viewer of today"])
def open_earlier(request: pytest.FixtureRequest, tmp_path: Path, open_viewer: Opener) -> Opener:
    """Opens the page of a recording. Its policy allows no other viewer than its own: with the one of today, it does not count."""

    def open_(name: str, link: Link) -> Viewer:
        page = unpack_page(name, tmp_path)
        is_own = request.param == "its own viewer"
        if not is_own:
            text = page.read_text(encoding="ascii")
            for pattern, tag, file in ((SCRIPT, "script", "viewer.js"), (STYLE, "style", "viewer.css")):
                part = f"<{tag}>{find_resource(f'static/dist/{file}').read_text(encoding='ascii')}</{tag}>"
                before, text = text, pattern.sub(lambda _, part=part: part, text, count=1)  # type: ignore[misc]
                assert before != text or part in text
            page.write_text(text, encoding="ascii")
        return open_viewer(page, fragment(link), wait=False, bypass_csp=not is_own, viewport={"width": 1400, "height": 2200})

    return open_


def _shown(viewer: Viewer) -> list[float]:
    """The values below the statistics."""
    return [float(row.exact) for row in viewer.rows() if row.place]


def test_values_of_a_recording_by_hand(open_earlier: Opener) -> None:
    expected = expected_values("by_hand")
    viewer = open_earlier("by_hand", {**VIEW, "node": "x", "role": "x", "agg": "sample_0"})
    for position in range(3):
        for name, digits in (("x", 2e-6), ("output", 2e-6), ("half", 5e-3)):
            view = {**VIEW, "node": name, "role": name, "agg": f"sample_{position}"}
            viewer.go(view)
            viewer.wait_until_shown(view)
            assert _shown(viewer) == pytest.approx(expected[name][position].tolist(), rel=digits, abs=1e-7)


def test_non_finite_values_have_their_names(open_earlier: Opener) -> None:
    viewer = open_earlier("by_hand", {**VIEW, "node": "broken", "role": "broken", "agg": "sample_0"})
    viewer.wait_until_shown({"node": "broken"})
    assert [row.value for row in viewer.rows() if row.place] == ["NaN", "+inf", "-inf", "0"]


def test_tabs_of_a_recording_by_hand(open_earlier: Opener) -> None:
    viewer = open_earlier("by_hand", {**VIEW, "node": "x", "role": "x"})
    viewer.wait_until_shown({"node": "x"})
    for tab, test_id in (("graphs", "chart"), ("notes", "note"), ("network", "network-parameter"), ("flow", "flow-layers")):
        viewer.element(f"tab-{tab}").click()
        expect(viewer.element(test_id).first).to_be_visible()
    viewer.element("tab-notes").click()
    expect(viewer.element("note").last).to_contain_text("The end.")


def test_a_watched_recording(open_earlier: Opener) -> None:
    tensor = "net: input x"
    view: Link = {**VIEW, "trial": "only", "type": "train", "node": tensor, "role": tensor, "agg": "sample_1"}
    viewer = open_earlier("watched", view)
    viewer.wait_until_shown({"node": tensor})
    assert _shown(viewer) == pytest.approx(expected_values("watched")["input"][1].reshape(-1).tolist(), rel=2e-6)
    viewer.element("tab-modules").click()
    graph = "document.querySelector('[data-testid=module-graph]')?._cyreg?.cy"
    viewer.page.wait_for_function(f"() => {graph}?.nodes().length > 0")
    titles = viewer.page.evaluate(f"() => {graph}.nodes().map((node) => node.data('label').split('\\n')[0])")
    assert {"stem", "block", "head"} <= set(titles)
