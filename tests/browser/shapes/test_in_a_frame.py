"""The page within another one, as a notebook shows it."""

from __future__ import annotations

from html import escape
from pathlib import Path

from playwright.sync_api import Browser, expect

from comgra_export.exporter import Bundle

# As strict as a frame can be in which scripts run: no downloads, and no origin of its own.
SANDBOX = "allow-scripts"


def test_a_frame_without_an_address_says_what_a_link_and_a_file_need(bundle: Path, browser: Browser) -> None:
    page = browser.new_page(viewport={"width": 1300, "height": 900})
    page.set_content(
        f'<iframe sandbox="{SANDBOX}" srcdoc="{escape(bundle.read_text(encoding="ascii"))}" width="1200" height="800"></iframe>'
    )
    frame = page.frame_locator("iframe")
    frame.get_by_test_id("tab-tensors").click()
    expect(frame.get_by_test_id("graph")).to_be_visible()
    button = frame.get_by_test_id("copy-link")
    expect(button).to_have_attribute(
        "title", "Copy a link to this view (c). This page has no address here. Append the link to the address of the page."
    )
    button.click()
    # This frame may not write to the clipboard: the link is shown, and names no page.
    link = frame.get_by_test_id("link-text").input_value()
    assert link.startswith("#v=1&")
    assert "tab=tensors" in link
    frame.get_by_test_id("link-text").press("Escape")
    expect(frame.get_by_test_id("link-text")).to_have_count(0)
    frame.get_by_test_id("figure-svg").first.click()
    expect(frame.get_by_test_id("figure-outcome").first).to_contain_text("If no file appears, the page around this one forbids it")
    page.close()


def test_a_notebook_shows_a_page_that_can_save_but_not_reach_the_notebook(bundle: Path, browser: Browser) -> None:
    written = Bundle(bundle, bundle.stat().st_size, "0" * 64, trials=1, steps=1)
    page = browser.new_page(viewport={"width": 1300, "height": 900})
    page.set_content(f"<p id=secret>notebook</p>{written._repr_html_()}")
    frame = page.frame_locator("iframe")
    frame.get_by_test_id("tab-tensors").click()
    expect(frame.get_by_test_id("graph")).to_be_visible()
    with page.expect_download() as download:
        frame.get_by_test_id("figure-svg").first.click()
    assert download.value.suggested_filename.endswith(".svg")
    (inner,) = (each for each in page.frames if each.parent_frame is not None and each.parent_frame == page.main_frame)
    reached = "() => { try { return parent.document.getElementById('secret').textContent } catch (error) { return error.name } }"
    assert inner.evaluate(reached) == "SecurityError"
    assert inner.evaluate("() => self.origin") == "null"
    page.close()
