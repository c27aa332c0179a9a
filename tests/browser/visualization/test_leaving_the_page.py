"""Something in the page that leaves it for an address: the page asks first."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Dialog

from comgra_export import export
from support.exporter.recordings import write_trial

ELSEWHERE = "http://127.0.0.1:9/?what-it-read"
WAYS = {
    "location": f"location.href = '{ELSEWHERE}'",
    "a link": f"const a = document.createElement('a'); a.href = '{ELSEWHERE}'; document.body.append(a); a.click()",
    "in place of confirm": f"window.confirm = () => true; location.assign('{ELSEWHERE}')",
    "a meta element": f"document.head.insertAdjacentHTML('beforeend', '<meta http-equiv=\"refresh\" content=\"0;url={ELSEWHERE}\">')",
}


@pytest.mark.parametrize("way", WAYS)
def test_the_page_asks_before_it_is_left(way: str, tmp_path: Path, browser: Browser) -> None:
    write_trial(tmp_path / "runs")
    script = tmp_path / "own.js"
    script.write_text("// Draws nothing.")
    # Other tests fail at a dialog, so their pages are of no use here.
    page = browser.new_page()
    page.goto(export(tmp_path / "runs", tmp_path / "report.html", visualization=script).path.as_uri())
    asked: list[str] = []

    def refuse(dialog: Dialog) -> None:
        asked.append(dialog.message)
        dialog.dismiss()

    page.on("dialog", refuse)

    with page.expect_event("dialog"):
        page.evaluate(f"() => {{ setTimeout(() => {{ {WAYS[way]} }}) }}")
    page.wait_for_timeout(200)
    assert ELSEWHERE in asked[0]
    assert page.url.split("#")[0].endswith("report.html")
    page.evaluate("() => { location.hash = '#v=1&tab=about' }")
    page.wait_for_function("() => location.hash.includes('about')")
    assert len(asked) == 1
    page.close()
