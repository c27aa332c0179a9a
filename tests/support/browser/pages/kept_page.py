"""Pages that tests use one after another, and what a page must not do."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Dialog, Error, Page, Request, Route, ViewportSize

from support.browser.pages.looks import Looks

__all__ = ["PATIENCE", "VIEWPORT", "KeptPage", "KeptPages", "watch_context"]

VIEWPORT: ViewportSize = {"width": 1400, "height": 900}
_NO_MEDIA: dict[str, Any] = {"media": "null", "color_scheme": "null", "reduced_motion": "null", "forced_colors": "null", "contrast": "null"}
# What can change in an open page.
_CHANGES = {"viewport", *_NO_MEDIA}
# In milliseconds. Generous, since the machine may be busy with other things.
PATIENCE = 30_000


class KeptPage:
    """A page that tests use one after another. Most of what a browser needs to open a page is there from the last one.

    Args:
        page: The page, empty.
        kind: The options of its context that cannot change.
        folder: For copies of what it opens.
    """

    def __init__(self, page: Page, kind: Mapping[str, object], folder: Path) -> None:
        self.page = page
        self.kind = kind
        self.folder = folder
        self.is_taken = False
        # The place that it shows and the options with which it was opened, if the next test may find it open: as this one leaves it, or
        # as it was at first.
        self.left_open: tuple[Path, Mapping[str, object]] | None = None
        self.looks: Looks | None = None

    def is_free_for(self, browser: Browser, kind: Mapping[str, object]) -> bool:
        """Whether it is an empty page of this browser and kind that no test uses."""
        return self.page.context.browser is browser and self.kind == kind and not self.is_taken and self.left_open is None

    def change(self, options: Mapping[str, Any]) -> None:
        """Gives it the window and the media of these options."""
        self.page.set_viewport_size(options.get("viewport", VIEWPORT))
        self.page.emulate_media(**{**_NO_MEDIA, **{name: value for name, value in options.items() if name in _NO_MEDIA}})

    def is_as_opened(self) -> bool:
        """Brings it back to what it was when it was opened, if that is possible without opening it."""
        if self.left_open is None or self.looks is None:
            return False
        try:
            self.change(self.left_open[1])
            self._forget_history()
            return self.looks.come_back()
        except Error:
            # A test has closed it, or has left it for another page.
            return False

    def _forget_history(self) -> None:
        if not _is_of_chromium(self.page):
            # There is no way to, and in others no test goes back.
            return
        session = self.page.context.new_cdp_session(self.page)
        session.send("Page.resetNavigationHistory")
        session.detach()

    def clear(self) -> bool:
        """Leaves nothing of a test in it, and returns whether it can be used again."""
        self.left_open = self.looks = None
        try:
            self.page.evaluate("() => { localStorage.clear(); sessionStorage.clear(); }")
            self.page.goto("about:blank")
            self._forget_history()
        except Error:
            # A test has closed it, or it hangs.
            self.page.context.close()
            return False
        return True


class KeptPages:
    """As many kept pages as a test has had open at the same time, of each kind.

    Args:
        folder: Where each of them gets a folder.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._made = 0
        self._pages: list[KeptPage] = []
        self.complaints: list[str] = []

    def take(self, browser: Browser, options: Mapping[str, Any]) -> KeptPage:
        """An empty page, with options of a context."""
        kind = {name: value for name, value in options.items() if name not in _CHANGES}
        kept = next((kept for kept in self._pages if kept.is_free_for(browser, kind)), None)
        if kept is None:
            context = browser.new_context(viewport=VIEWPORT, **kind)
            context.set_default_timeout(PATIENCE)
            watch_context(context, self.complaints, "file:")
            folder = self._folder / str(self._made)
            folder.mkdir()
            self._made += 1
            kept = KeptPage(context.new_page(), kind, folder)
            self._pages.append(kept)
        kept.is_taken = True
        kept.change(options)
        return kept

    def take_open(self, place: Path, options: Mapping[str, object]) -> KeptPage | None:
        """A page as a test before has left it, if one shows this place with these options."""
        return self._take(place, options, lambda kept: kept.looks is None)

    def take_as_opened(self, place: Path, options: Mapping[str, object]) -> KeptPage | None:
        """A page as it was when a test before opened this place in it with these options, if one can be brought back to that."""
        kept = self._take(place, options, lambda kept: kept.looks is not None)
        if kept is None or kept.is_as_opened():
            return kept
        kept.is_taken = False
        self._clear([kept])
        return None

    def _take(self, place: Path, options: Mapping[str, object], is_wanted: Callable[[KeptPage], bool]) -> KeptPage | None:
        for kept in self._pages:
            if kept.left_open == (place, options) and not kept.is_taken and is_wanted(kept):
                kept.is_taken = True
                return kept
        return None

    def leave_open(self, page: Page, place: Path, options: Mapping[str, object]) -> None:
        """Lets the next tests find what this one has opened in a page, if it is a kept one."""
        for kept in self._pages:
            if kept.page is page:
                kept.left_open = (place, options)

    def remember(self, page: Page, place: Path, options: Mapping[str, object]) -> None:
        """Lets the next tests find a page, if it is a kept one, as it is now that it has just been opened."""
        self.leave_open(page, place, options)
        for kept in self._pages:
            if kept.page is page:
                kept.looks = Looks(page)

    def give_back(self, *, is_clean: bool) -> None:
        """Leaves nothing of a test in its pages, except in those that are left open.

        Args:
            is_clean: Whether pages may be left open: the test has passed.
        """
        self._clear([kept for kept in self._pages if kept.is_taken and (kept.left_open is None or not is_clean)])
        for kept in self._pages:
            kept.is_taken = False

    def close_what_is_open(self) -> None:
        """Leaves no page open: the next tests are about other places, and an open page may go on drawing."""
        self._clear([kept for kept in self._pages if kept.left_open is not None])

    def close(self) -> None:
        """Closes all of them."""
        for kept in self._pages:
            kept.page.context.close()
        self._pages.clear()

    def _clear(self, pages: list[KeptPage]) -> None:
        for kept in pages:
            if not kept.clear():
                self._pages.remove(kept)


def _is_of_chromium(page: Page) -> bool:
    browser = page.context.browser
    return browser is not None and browser.browser_type.name == "chromium"


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
