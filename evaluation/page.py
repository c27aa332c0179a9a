"""Writes results into a page of the documentation."""

from __future__ import annotations

from pathlib import Path

__all__ = ["END", "write_between"]

END = "<!-- end of results -->"


def write_between(page: Path, begin: str, tables: str) -> None:
    """Replaces what lies between a line that begins the results and the next one that ends them, and keeps the text around."""
    before, opening, rest = page.read_text(encoding="utf-8").partition(begin)
    _, end, after = rest.partition(END)
    if not opening or not end:
        raise SystemExit(f"{page} lacks the lines {begin} and {END}. The tables go between them.")
    page.write_text(f"{before}{begin}\n\n{tables}\n{END}{after}", encoding="utf-8")
