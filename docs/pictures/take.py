"""Takes pictures of the page that `make demo` writes: those of the README (`make pictures`), or every tab (`make screenshots`)."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Literal

from playwright.sync_api import Browser, Page, sync_playwright

from support.browser.chromium import LAUNCH_ARGUMENTS, find_chromium

BUGGED = "trial=leaky_relu_after_every_layer&rec=forward&type=05_iterations&step=5162&it=4"
OUTPUT = f"{BUGGED}&node=output&role=output&agg=sample_0"
Scheme = Literal["light", "dark"]
PICTURES: dict[str, tuple[str, int, int, Scheme]] = {
    "page": ("tab=overview&trial=leaky_relu_after_every_layer", 1280, 720, "light"),
    "tensors": (f"tab=tensors&{OUTPUT}", 1400, 860, "light"),
    "bug": (f"tab=tensors&{BUGGED}&node=subnet_out__out&role=subnet_out__out&agg=sample_0", 1400, 860, "light"),
    "curves": (f"tab=graphs&{BUGGED}&curves=trial.leaky_relu_after_every_layer", 1280, 540, "light"),
}

# Every tab, and every pane of the values.
VIEWS = {
    "overview": f"tab=overview&{BUGGED}",
    "tensors": f"tab=tensors&{OUTPUT}",
    "tensors-colored": f"tab=tensors&{OUTPUT}&color=abs_mean&trace=ancestors",
    "tensors-picture": f"tab=tensors&{BUGGED}&node=subnet_pre__out&role=subnet_pre__out&agg=sample_0&pane=picture",
    "tensors-histogram": f"tab=tensors&{BUGGED}&node=subnet_pre__out&role=subnet_pre__out&agg=sample_0&pane=histogram",
    "tensors-time": f"tab=tensors&{OUTPUT}&pane=time",
    "tensors-compare": f"tab=tensors&{OUTPUT}&pane=compare&pin=agg%3Dsample_1",
    "network": f"tab=network&{BUGGED}",
    "notes": f"tab=notes&{BUGGED}",
    "graphs": f"tab=graphs&{BUGGED}",
    "visualization": f"tab=visualization&{OUTPUT}",
    "about": f"tab=about&{BUGGED}",
}
# A screen, a smaller one, a phone, and the screen at a zoom of 200 %.
WINDOWS = {"1440": (1440, 900, 1), "1024": (1024, 768, 1), "390": (390, 844, 1), "zoomed": (720, 450, 2)}
SCHEMES: tuple[Scheme, ...] = ("light", "dark")
SETTLED_MILLISECONDS = 1200


def main(page_path: Path, folder: Path, every_tab: bool) -> None:
    """Take the pictures of a page, and write them into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(playwright), args=LAUNCH_ARGUMENTS)
        address = page_path.resolve().as_uri() + "#v=1&"
        for name, page in _every_tab(browser, address, page_path.stem) if every_tab else _of_readme(browser, address):
            page.screenshot(path=folder / f"{name}.png", full_page=every_tab)
        browser.close()


def _of_readme(browser: Browser, address: str) -> Iterator[tuple[str, Page]]:
    for name, (fragment, width, height, scheme) in PICTURES.items():
        page = browser.new_page(viewport={"width": width, "height": height}, color_scheme=scheme)
        page.goto(address + fragment)
        page.wait_for_timeout(SETTLED_MILLISECONDS)
        if name == "curves":
            page.get_by_test_id("open-kind").first.click()
            page.get_by_role("button", name="Logarithmic").first.click()
            page.wait_for_timeout(SETTLED_MILLISECONDS)
        yield name, page
        page.close()


def _every_tab(browser: Browser, address: str, name: str) -> Iterator[tuple[str, Page]]:
    """Each view in light and dark, and in every window; and in high contrast in the first. Other pages have their tabs only."""
    for scheme, (window, (width, height, ratio)) in product(SCHEMES, WINDOWS.items()):
        page = browser.new_page(viewport={"width": width, "height": height}, device_scale_factor=ratio, color_scheme=scheme)
        page.goto(address + "tab=overview")
        tabs = page.get_by_role("tab").evaluate_all("tabs => tabs.map((tab) => tab.id.replace('tab-', ''))")
        views = VIEWS if name == "demo" else {tab: f"tab={tab}" for tab in tabs}
        for view, fragment in views.items():
            yield f"{name}-{view}-{scheme}-{window}", _shown(page, fragment)
        if window == next(iter(WINDOWS)):
            page.get_by_test_id("more").click()
            page.get_by_test_id("contrast").click()
            page.keyboard.press("Escape")
            for view, fragment in views.items():
                yield f"{name}-{view}-{scheme}-contrast-{window}", _shown(page, fragment)
        page.close()


def _shown(page: Page, fragment: str) -> Page:
    page.evaluate("fragment => { location.hash = `v=1&${fragment}`; }", fragment)
    page.wait_for_timeout(SETTLED_MILLISECONDS)
    return page


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), every_tab="--every-tab" in sys.argv[3:])
