"""What the checker of axe-core finds in a page."""

from __future__ import annotations

from collections.abc import Mapping

from playwright.sync_api import Page

from support.places import CHECKOUT

__all__ = ["violations", "weak_contrasts"]

_AXE = CHECKOUT / "static" / "node_modules" / "axe-core" / "axe.min.js"
_RUN = """(options) => axe.run(document, { resultTypes: ["violations"], ...options }).then(({ violations }) => violations
  .map(({ id, nodes }) => `${id}: ` + nodes.map((node) => `${node.html.slice(0, 200)} ${node.failureSummary}`).join(" | ")))"""
_COLORS = {"runOnly": ["color-contrast", "link-in-text-block"]}
_SEVEN_TO_ONE = {"runOnly": ["color-contrast-enhanced"], "rules": {"color-contrast-enhanced": {"enabled": True}}}


def violations(page: Page) -> list[str]:
    """Everything that breaks a rule, of whatever impact.

    A page in the dark or in high contrast differs in its colors only, so only their rules run there: every test runs in the light too.
    """
    plain = page.evaluate("() => !matchMedia('(prefers-color-scheme: dark)').matches && !matchMedia('(prefers-contrast: more)').matches")
    return _run(page, {} if plain else _COLORS)


def weak_contrasts(page: Page) -> list[str]:
    """Text with a contrast below 7 to 1 against its background, or below 4.5 to 1 if it is large."""
    return _run(page, _SEVEN_TO_ONE)


def _run(page: Page, options: Mapping[str, object]) -> list[str]:
    if not page.evaluate("() => 'axe' in window"):
        page.evaluate(_AXE.read_text(encoding="utf-8"))
    descriptions: list[str] = page.evaluate(_RUN, options)
    return descriptions
