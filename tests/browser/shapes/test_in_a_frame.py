"""The page within another one, as a notebook shows it."""

from __future__ import annotations

from html import escape
from pathlib import Path

from playwright.sync_api import Browser, expect

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
        "title", "Copy a link to this view (c). This page has no address here: put the link behind that of the page."
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
