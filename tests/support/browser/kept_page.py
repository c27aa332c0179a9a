"""A page that tests use one after another, and what a page must not do."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Dialog, Error, Page, Request, Route, ViewportSize

__all__ = ["KEPT_OPTIONS", "PATIENCE", "VIEWPORT", "KeptPage", "watch_context"]

VIEWPORT: ViewportSize = {"width": 1400, "height": 900}
_NO_MEDIA: dict[str, Any] = {"media": "null", "color_scheme": "null", "reduced_motion": "null", "forced_colors": "null", "contrast": "null"}
# What can change in an open page.
KEPT_OPTIONS = {"viewport", *_NO_MEDIA}
# In milliseconds. Generous, since the machine may be busy with other things.
PATIENCE = 30_000


class KeptPage:
    """A page that tests use one after another. A browser compiles the viewer's script once in a page, so it opens in half the time."""

    def __init__(self) -> None:
        self._page: Page | None = None
        self._left_open: tuple[Path, Mapping[str, object]] | None = None
        self.is_taken = False
        self.complaints: list[str] = []

    def take(self, browser: Browser, options: Mapping[str, Any]) -> Page:
        """The page, empty, with options out of `KEPT_OPTIONS`."""
        if self._left_open is not None:
            self._clear()
        if self._page is None:
            context = browser.new_context(viewport=VIEWPORT)
            context.set_default_timeout(PATIENCE)
            watch_context(context, self.complaints, "file:")
            self._page = context.new_page()
        self.is_taken = True
        self._page.set_viewport_size(options.get("viewport", VIEWPORT))
        self._page.emulate_media(**{**_NO_MEDIA, **{name: value for name, value in options.items() if name in _NO_MEDIA}})
        return self._page

    def take_open(self, place: Path, options: Mapping[str, object]) -> Page | None:
        """The page as the test before has left it, if it shows this place with these options."""
        if self._left_open != (place, options) or self.is_taken:
            return None
        self.is_taken = True
        return self._page

    def leave_open(self, place: Path, options: Mapping[str, object]) -> None:
        """Lets the next test find what this one has opened in the page."""
        if self.is_taken:
            self._left_open = (place, options)

    def give_back(self, *, is_clean: bool) -> None:
        """Leaves nothing of a test in the page, unless it is left open.

        Args:
            is_clean: Whether the page may be left open: the test has passed.
        """
        if self.is_taken and (self._left_open is None or not is_clean):
            self._clear()
        self.is_taken = False

    def _clear(self) -> None:
        self._left_open = None
        if self._page is not None:
            try:
                self._page.evaluate("() => { localStorage.clear(); sessionStorage.clear(); }")
                self._page.goto("about:blank")
                self._page.context.new_cdp_session(self._page).send("Page.resetNavigationHistory")
            except Error:
                # A test has closed it, or it hangs.
                self._page.context.close()
                self._page = None


def watch_context(context: BrowserContext, complaints: list[str], origin: str) -> None:
    """Blocks everything but files and what is in the page, and writes down what the page should not have done."""

    def allow_files_only(route: Route, request: Request) -> None:
        if request.url.startswith(origin):
            route.continue_()
        else:
            complaints.append(f"request: {request.url}")
            route.abort()

    def on_console(message: ConsoleMessage) -> None:
        complaints.append(f"console {message.type}: {message.text}")

    def on_dialog(dialog: Dialog) -> None:
        complaints.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    # What it does not match goes on without a word from here.
    context.route(re.compile("^(?!file:|data:|blob:)"), allow_files_only)
    context.on("console", on_console)
    context.on("weberror", lambda error: complaints.append(f"page error: {error.error}"))
    context.on("dialog", on_dialog)
