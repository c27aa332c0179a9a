"""What the checker of axe-core finds in a page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from playwright.sync_api import Page

from support.browser.pages.until import wait_until
from support.places import CHECKOUT

__all__ = ["CONTRASTS", "SCHEMES", "Contrast", "in_all_colors", "violations", "violations_in_all_colors", "violations_in_high_contrast"]

Scheme = Literal["light", "dark"]
Contrast = Literal["no-preference", "more"]
SCHEMES: tuple[Scheme, ...] = ("light", "dark")
CONTRASTS: tuple[Contrast, ...] = ("no-preference", "more")

_AXE = CHECKOUT / "static" / "node_modules" / "axe-core" / "axe.min.js"
_RUN = """(options) => axe.run(document, { resultTypes: ["violations"], ...options }).then(({ violations }) => violations
  .map(({ id, nodes }) => `${id}: ` + nodes.map((node) => `${node.html.slice(0, 200)} ${node.failureSummary}`).join(" | ")))"""
_COLORS = {"runOnly": ["color-contrast", "link-in-text-block"]}
_SEVEN_TO_ONE = {
    "checks": {"color-contrast": {"options": {"contrastRatio": {"normal": {"expected": 7}, "large": {"expected": 4.5}}}}},
}


def violations(page: Page) -> list[str]:
    """Everything that breaks a rule, of whatever impact.

    A page in the dark or in high contrast differs in its colors only, so only their rules run there: every test runs in the light too.
    """
    return _run(page, {} if _is_plain(page) else _COLORS)


def violations_in_high_contrast(page: Page) -> list[str]:
    """As `violations`, where text has 7 to 1 against its background, or 4.5 to 1 if it is large."""
    return _run(page, _SEVEN_TO_ONE if _is_plain(page) else {**_COLORS, **_SEVEN_TO_ONE})


def in_all_colors(page: Page, contrasts: Sequence[Contrast] = CONTRASTS) -> Iterator[tuple[Scheme, Contrast]]:
    """Shows an open page in the light, in the dark and with these contrasts, one after another; at the end as it was."""
    for scheme in SCHEMES:
        for contrast in contrasts:
            page.emulate_media(color_scheme=scheme, contrast=contrast)
            wait_until(page, "scheme => document.documentElement.dataset.theme === scheme", scheme)
            # What is drawn on a canvas follows in the next frame.
            page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
            yield scheme, contrast
    page.emulate_media(color_scheme="null", contrast="null")


def violations_in_all_colors(page: Page, contrasts: Sequence[Contrast] = ("no-preference",)) -> list[str]:
    """Everything that breaks a rule in the light or in the dark; with more contrast, that of `violations_in_high_contrast`."""
    return [
        f"{scheme}, contrast {contrast}: {violation}"
        for scheme, contrast in in_all_colors(page, contrasts)
        for violation in (violations_in_high_contrast if contrast == "more" else violations)(page)
    ]


def _is_plain(page: Page) -> bool:
    """Whether the browser asks neither for the dark nor for more contrast."""
    plain: bool = page.evaluate(
        "() => !matchMedia('(prefers-color-scheme: dark)').matches && !matchMedia('(prefers-contrast: more)').matches"
    )
    return plain


def _run(page: Page, options: Mapping[str, object]) -> list[str]:
    if not page.evaluate("() => 'axe' in window"):
        page.evaluate(_AXE.read_text(encoding="utf-8"))
    descriptions: list[str] = page.evaluate(_RUN, options)
    return descriptions
