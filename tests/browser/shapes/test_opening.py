"""Every shape of the bundle opens by double-click, shows values, and asks nobody for anything."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from playwright.sync_api import Page, expect

from support.browser.bundled import DESCRIPTION, SHAPES, TITLE
from support.browser.oracle import Oracle
from support.browser.pages.until import wait_until
from support.browser.recorded import HOSTILE_NAME
from support.browser.viewer import Link, Viewer, fragment

LAST_ITERATION: Link = {"tab": "tensors", "trial": "first", "rec": "forward", "type": "any_value", "step": 0, "it": 1}


@pytest.mark.parametrize("shape", SHAPES)
def test_shows_the_first_values(shape: str, bundles: dict[str, Path], open_viewer: Callable[..., Viewer], oracle: Oracle) -> None:
    viewer = open_viewer(bundles[shape])
    link = oracle.check(viewer)
    assert (link["trial"], link["rec"], link["step"], link["it"], link["node"]) == ("first", "forward", "0", "0", "input")
    assert len(viewer.rows()) == 4 + 3


class _Server(SimpleHTTPRequestHandler):
    """Remembers what was asked for."""

    asked: list[str]

    def do_GET(self) -> None:
        self.asked.append(self.path)
        super().do_GET()


def test_opens_from_a_web_server(bundles: dict[str, Path], open_viewer: Callable[..., Viewer], oracle: Oracle) -> None:
    _Server.asked = []
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Server, directory=str(bundles["folder"].parent)))
    Thread(target=server.serve_forever, daemon=True).start()
    origin = f"http://127.0.0.1:{server.server_port}/"
    try:
        viewer = open_viewer(origin, origin=origin)
        oracle.check(viewer)
    finally:
        server.shutdown()
        server.server_close()
    assert _Server.asked[0] == "/"
    assert all(path.startswith("/data/c") for path in _Server.asked[1:])


# What the library for charts asks of the browser when it runs, which takes it tens of milliseconds.
_NOTE_FORMATS = """
window.formats = 0;
Intl.NumberFormat = class extends Intl.NumberFormat { constructor(...all) { super(...all); window.formats += 1; } };
"""


def test_a_library_runs_when_it_is_first_needed(bundle: Path, open_viewer: Callable[..., Viewer]) -> None:
    page = open_viewer(bundle, fragment(LAST_ITERATION)).page
    page.add_init_script(_NOTE_FORMATS)
    page.reload()
    wait_until(page, "() => document.querySelector('[data-testid=graph]')?._cyreg?.cy.nodes().length > 0")
    assert page.evaluate("window.formats") == 0
    page.get_by_test_id("tab-graphs").click()
    expect(page.locator(".u-over").first).to_be_visible()
    assert page.evaluate("window.formats") > 0


def test_the_title_and_the_description_stay_text(bundle: Path, open_page: Callable[..., Page]) -> None:
    page = open_page(bundle)
    expect(page).to_have_title(TITLE)
    expect(page.get_by_role("heading", level=1)).to_have_text(TITLE)
    page.get_by_test_id("tab-overview").click()
    expect(page.get_by_test_id("description")).to_have_text(DESCRIPTION)
    assert page.locator("img, b, #app script").count() == 0


def test_a_hostile_tensor_name_stays_text(bundle: Path, open_viewer: Callable[..., Viewer], oracle: Oracle) -> None:
    viewer = open_viewer(bundle, fragment({**LAST_ITERATION, "node": HOSTILE_NAME, "role": HOSTILE_NAME, "agg": "sample_0"}))
    page = viewer.page
    assert oracle.check(viewer)["node"] == HOSTILE_NAME
    assert oracle.check(open_viewer(page.url))["role"] == HOSTILE_NAME
    expect(page.get_by_test_id("summary").get_by_role("heading")).to_contain_text(HOSTILE_NAME)
    expect(page.get_by_test_id("message")).to_have_count(0)
    # It is made of plain numbers, after others have left PyTorch as arrays.
    expect(viewer.element("dependencies")).to_contain_text("not known")
    viewer.element("node-search").fill("img src")
    viewer.element("node-search").press("Enter")
    viewer.click_node("loss")
    assert viewer.link()["node"] == "loss"
    assert page.locator("img, #app script").count() == 0


def test_the_theme_is_that_of_the_system_until_one_is_chosen(bundle: Path, open_page: Callable[..., Page]) -> None:
    page = open_page(bundle, color_scheme="dark")
    html = page.locator("html")
    expect(html).to_have_attribute("data-theme", "dark")
    theme = page.get_by_test_id("theme")
    page.get_by_test_id("more").click()
    theme.click()
    expect(html).to_have_attribute("data-theme", "light")
    page.reload()
    expect(html).to_have_attribute("data-theme", "light")


def test_high_contrast_is_chosen_beside_the_colours_and_remembered(bundle: Path, open_page: Callable[..., Page]) -> None:
    page = open_page(bundle, color_scheme="dark")
    html, contrast = page.locator("html"), page.get_by_test_id("contrast")
    expect(html).to_have_attribute("data-contrast", "usual")
    before = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
    page.get_by_test_id("more").click()
    contrast.click()
    expect(contrast).to_have_attribute("aria-pressed", "true")
    expect(html).to_have_attribute("data-theme", "dark")
    assert before != page.evaluate("getComputedStyle(document.documentElement).backgroundColor") == "rgb(0, 0, 0)"
    page.get_by_test_id("theme").click()
    page.reload()
    expect(html).to_have_attribute("data-contrast", "more")
    expect(html).to_have_attribute("data-theme", "light")
    assert page.evaluate("getComputedStyle(document.documentElement).color") == "rgb(0, 0, 0)"


def test_high_contrast_is_as_the_system_asks_until_it_is_chosen(bundle: Path, open_page: Callable[..., Page]) -> None:
    page = open_page(bundle, contrast="more")
    expect(page.locator("html")).to_have_attribute("data-contrast", "more")
    page.get_by_test_id("more").click()
    page.get_by_test_id("contrast").click()
    page.reload()
    expect(page.locator("html")).to_have_attribute("data-contrast", "usual")
