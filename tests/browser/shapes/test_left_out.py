"""Values that an export left out or rounded are not taken for values that were not recorded."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import expect

from comgra_export import export
from support.browser.viewer import Viewer, fragment
from support.browser.written import write_large_group


def test_the_page_says_what_was_rounded_and_what_was_left_out(tmp_path: Path, open_viewer: Callable[..., Viewer]) -> None:
    group = write_large_group(tmp_path)
    export(group, tmp_path / "a.html", trials="long", samples=1, tensors="!longer", precision="bfloat16")
    viewer = open_viewer(tmp_path / "a.html", fragment({"trial": "long", "node": "long", "agg": "s0"}))
    expect(viewer.element("summary-dtype")).to_have_text("F32, stored as BF16")
    expect(viewer.element("remark-rounded")).to_have_text(
        "The values were rounded for this bundle and are stored as BF16. Statistics are exact."
    )
    expect(viewer.element("remark-samples-left-out")).to_have_text("This bundle has the values of 1 sample; the others were left out.")
    viewer.page.goto((tmp_path / "a.html").as_uri() + "#" + fragment({"trial": "long", "node": "longer"}).lstrip("#"))
    viewer.page.reload()
    expect(viewer.element("value-count")).to_have_text("Statistics only: these values were left out of this bundle")
    viewer.page.get_by_role("tab", name="About").click()
    expect(viewer.element("omissions")).to_contain_text("1 of 2 trials are left out: wide.")
