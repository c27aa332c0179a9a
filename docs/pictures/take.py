"""Takes the README's pictures from the page that `make demo` writes: `make pictures`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Literal

from browser.chromium import LAUNCH_ARGUMENTS, find_chromium
from playwright.sync_api import sync_playwright

BUGGED = "trial=leaky_relu_after_every_layer&rec=forward&type=05_iterations&step=5162&it=4"
Scheme = Literal["light", "dark"]
PICTURES: dict[str, tuple[str, int, int, Scheme]] = {
    "page": (f"#v=1&tab=tensors&{BUGGED}&node=output&role=output&agg=sample_0", 1400, 860, "light"),
    "bug": (f"#v=1&tab=tensors&{BUGGED}&node=subnet_out__out&role=subnet_out__out&agg=sample_0", 1400, 860, "light"),
    "curves": (f"#v=1&tab=graphs&{BUGGED}", 1280, 480, "light"),
}


def main(page_path: Path, folder: Path) -> None:
    """Take every picture of a page, and write it into a folder."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=LAUNCH_ARGUMENTS)
        for name, (fragment, width, height, scheme) in PICTURES.items():
            page = browser.new_page(viewport={"width": width, "height": height}, color_scheme=scheme)
            page.goto(page_path.resolve().as_uri() + fragment)
            page.wait_for_timeout(1500)
            if name == "curves":
                page.get_by_role("button", name="Logarithmic").first.click()
                page.wait_for_timeout(300)
            page.screenshot(path=folder / f"{name}.png")
            page.close()
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(__file__).parent)
