"""The page on paper."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

import comgra_export
from support.browser.pages.until import wait_until
from support.browser.viewer import Link, Viewer, fragment

VIEW: Link = {
    "tab": "tensors", "trial": "first", "rec": "forward", "type": "any_value", "step": 5, "it": 2,
    "node": "picture", "role": "picture", "agg": "sample_0",
}  # fmt: skip
# Parts of the document that are cut off at the side or in a box of their own.
FIND_CUT = """() => [...document.querySelectorAll(".print-document *")].filter((part) => {
  const { overflowX, overflowY } = getComputedStyle(part);
  return [overflowX, overflowY].some((overflow) => overflow === "auto" || overflow === "scroll")
    && (part.scrollHeight > part.clientHeight + 1 || part.scrollWidth > part.clientWidth + 1);
}).map((part) => part.className)"""


# Of the first drawing of a document: within its black square, and beside it.
READ_PIXELS = """async image => {
  await image.decode();
  const context = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  context.drawImage(image, 0, 0);
  return [10, 100].map((x) => [...context.getImageData(x, 10, 1, 1).data]);
}"""


def _wait_for_picture(page: Page) -> None:
    """Wait until the frame of scripts has sent a picture, as it does when its drawing is at rest.

    It may have sent one already, so it draws anew, in other colours and back.
    """
    page.evaluate("addEventListener('message', ({ data }) => { if (data.kind === 'pictures') { window.sentAt = performance.now(); } })")
    for scheme in ("dark", "light"):
        # Until one is sent, the difference below is not a number.
        page.evaluate("window.sentAt = undefined")
        page.emulate_media(color_scheme=scheme)
        wait_until(page, "() => performance.now() - window.sentAt > 1000")


def _print(page: Page) -> None:
    """Bring the document up as printing does, and leave it there."""
    page.emulate_media(media="print")
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_paper_has_the_view_in_order_and_in_light_colours(scheme: str, bundle: Path, open_viewer: Callable[..., Viewer]) -> None:
    viewer = open_viewer(bundle, fragment(VIEW), color_scheme=scheme, viewport={"width": 720, "height": 1000})
    rows = viewer.rows()
    page = viewer.page
    page.evaluate("window.print = () => { window.hasPrinted = true; }")
    viewer.choose_in_menu("print")
    page.wait_for_function("window.hasPrinted")
    _print(page)
    document = page.locator(".print-document")
    assert document.locator("article > section > h2").all_inner_texts() == ["Selection", "Graph", "Values", "Notes", "Curves"]
    selection = viewer.element("print-selection").inner_text()
    for said in ("trial first", "step 5", "iteration 2", "node picture", "recording values"):
        assert said in selection
    statistics = dict(line.split("\t") for line in viewer.element("print-statistics").inner_text().splitlines())
    assert statistics == {row.item: row.value for row in rows if row.item != "neuron"}
    printed = viewer.element("print-values").locator("li").all_text_contents()
    assert len(printed) == 24
    shown = {row.place: row.value for row in rows if row.item == "neuron"}
    assert shown
    assert all(f"{place} {value}" in printed for place, value in shown.items())
    assert "not loaded" not in document.inner_text()
    # Nothing of the page itself, nothing that scrolls, nothing dark.
    expect(page.locator("#app")).to_be_hidden()
    assert page.evaluate(FIND_CUT) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= 720
    assert document.evaluate("part => [getComputedStyle(part).color, getComputedStyle(part).backgroundColor]") == [
        "rgb(27, 31, 36)",
        "rgb(255, 255, 255)",
    ]
    page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    expect(document).to_have_count(0)


@pytest.mark.parametrize("pane", ["picture", "histogram", "time"])
def test_what_the_pane_shows_is_printed_as_a_figure(pane: str, bundle: Path, open_viewer: Callable[..., Viewer]) -> None:
    viewer = open_viewer(bundle, fragment({**VIEW, "pane": pane}), wait=False)
    expect(viewer.page.locator(".values").get_by_test_id("figure-svg").first).to_be_visible()
    _print(viewer.page)
    values = viewer.page.locator(".print-document section", has=viewer.page.get_by_role("heading", name="Values", exact=True))
    expect(values.get_by_test_id("print-figure").first).to_be_visible()
    expect(viewer.element("print-values")).to_have_count(0)


def test_all_notes_are_on_paper(bundle: Path, open_viewer: Callable[..., Viewer]) -> None:
    viewer = open_viewer(bundle, fragment({**VIEW, "tab": "notes"}), wait=False)
    expect(viewer.element("note").first).to_be_visible()
    notes = viewer.element("note").count()
    _print(viewer.page)
    expect(viewer.element("print-notes").locator("li")).to_have_count(notes)


@pytest.mark.parametrize("tab", ["overview", "network", "about"])
def test_other_tabs_are_printed_as_they_are(tab: str, bundle: Path, open_viewer: Callable[..., Viewer]) -> None:
    viewer = open_viewer(bundle, fragment({**VIEW, "tab": tab}), wait=False)
    expect(viewer.page.locator(f"#panel-{tab} .page")).to_be_visible()
    _print(viewer.page)
    expect(viewer.page.locator(".print-document .page")).to_be_visible()


def test_a_browser_prints_the_document_by_itself(bundle: Path, open_viewer: Callable[..., Viewer]) -> None:
    viewer = open_viewer(bundle, fragment(VIEW))
    viewer.page.evaluate(
        """() => window.addEventListener("beforeprint", () => {
          window.printed = document.querySelectorAll(".print-document section").length;
        })"""
    )
    assert viewer.page.pdf().startswith(b"%PDF")
    assert viewer.page.evaluate("window.printed") == 5
    expect(viewer.page.locator(".print-document")).to_have_count(0)


def test_what_is_compared_is_printed_beside_it(bundle: Path, open_viewer: Callable[..., Viewer]) -> None:
    viewer = open_viewer(
        bundle, fragment({**VIEW, "node": "output", "role": "output", "pane": "compare", "pin": "trial=second&step=5"}), wait=False
    )
    expect(viewer.element("difference")).to_contain_text("differ")
    rows = viewer.element("compare-row").all_inner_texts()
    page = viewer.page
    page.evaluate("window.print = () => { window.hasPrinted = true; }")
    viewer.choose_in_menu("print")
    page.wait_for_function("window.hasPrinted")
    _print(page)
    expect(viewer.element("print-second")).to_have_text(re.compile(r"B has \w+ second, [\w ]+ 5; the rest is as in A\.$"))
    assert len(rows) == 6
    printed = [row.inner_text().split("\t") for row in viewer.element("print-comparison").locator("tbody tr").all()]
    shown = [row.split("\n") for row in rows]
    assert len(printed) == 4 + 2
    for row, cells in zip(printed, shown, strict=False):
        assert row[1:3] == [cell.strip() for cell in cells if cell.strip()][-3:-1]
    # The curves of both.
    curves = page.locator(".print-document section", has=page.get_by_role("heading", name="Curves", exact=True))
    expect(curves).to_contain_text("Thick lines with filled markers: A, first")
    expect(curves.get_by_test_id("print-figure").first.locator(".legend-entry")).to_have_count(8)


def test_drawings_are_lent_to_the_document(group: Path, tmp_path: Path, open_viewer: Callable[..., Viewer]) -> None:
    script, figures = tmp_path / "own.js", tmp_path / "own.py"
    script.write_text(
        "comgraVisualize('On a canvas', ({ element }) => { const canvas = document.createElement('canvas');"
        " canvas.dataset.testid = 'own-canvas'; canvas.getContext('2d').fillRect(0, 0, 50, 50); element.replaceChildren(canvas); });",
        encoding="utf-8",
    )
    figures.write_text(
        "from comgra_export.visualization import visualization\n\n\n"
        "@visualization('An image')\ndef image(view):\n"
        '    return \'<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20"><rect width="9" height="9"/></svg>\'\n\n\n'
        "@visualization('In a frame')\ndef frame(view):\n    return '<p>hello</p>'\n",
        encoding="utf-8",
    )
    path = comgra_export.export(group, tmp_path / "page.html", visualization=[script, figures]).path
    viewer = open_viewer(path, fragment({**VIEW, "tab": "visualization"}), wait=False)
    expect(viewer.page.locator("#panel-visualization img")).to_have_count(1)
    expect(viewer.page.frame_locator("iframe[title=Drawings]").get_by_test_id("own-canvas")).to_be_visible()
    _wait_for_picture(viewer.page)
    _print(viewer.page)
    printed = viewer.element("print-drawings")
    expect(printed.locator("h3")).to_have_text(["On a canvas", "An image", "In a frame"])
    for drawing in (printed.locator("img").first, printed.locator("img").last, printed.get_by_text("which cannot be printed")):
        expect(drawing).to_be_visible()
    assert printed.locator("img").first.evaluate(READ_PIXELS) == [[0, 0, 0, 255], [255, 255, 255, 255]]
    viewer.page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    # Back where they were.
    viewer.page.emulate_media(media="screen")
    expect(viewer.page.locator("#panel-visualization img")).to_be_visible()
    viewer.element("tab-tensors").click()
    _print(viewer.page)
    expect(viewer.element("print-drawings-elsewhere")).to_be_visible()
