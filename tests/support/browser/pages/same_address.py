"""Copies of pages at the same address, for which a browser takes the viewer's script as it has compiled it before."""

from __future__ import annotations

from pathlib import Path

__all__ = ["at_same_address"]

_DOCTYPE = b"<!doctype html>\n"
_SCRIPT = b"\n<script>"
# A summary of the recording stands before the script, and has fewer lines than this.
_LINES = 256


def at_same_address(page: Path, folder: Path) -> Path:
    """Copies the page of a single file into a folder, in place of the last one of this name; returns the copy.

    Chromium compiles a script anew unless its text, its line and the whole address of its document are those of one that it has run in
    the same process. So a copy has blank lines after its doctype, such that the script's line is a multiple of 256. A browser leaves
    them out: the document is the same.

    The page of a folder, which needs the files beside it, and what does not begin as a page are returned as they are.
    """
    text = page.read_bytes() if page.name != "index.html" and page.is_file() else b""
    script = text.rfind(_SCRIPT)
    if not text.startswith(_DOCTYPE) or script < 0:
        return page
    blank_lines = -text.count(b"\n", 0, script + 1) % _LINES
    copy = folder / page.name
    copy.write_bytes(_DOCTYPE + b"\n" * blank_lines + text[len(_DOCTYPE) :])
    return copy
