"""`comgra-export gallery`."""

from __future__ import annotations

from pathlib import Path

from comgra_export.cli.console import out, printable, warn
from comgra_export.gallery import write_gallery

__all__ = ["run_gallery"]


def run_gallery(folder: Path, output: Path, *, title: str, description: str, address: str | None, force: bool) -> None:
    """Write a site of bundles, and say which could not be read."""
    done = write_gallery(folder, output, title=title, description=description, address=address, force=force)
    for problem in done.problems:
        warn(problem)
    count = len(done.bundles)
    out.print(printable(f"Wrote {output} with {count:,} {'bundle' if count == 1 else 'bundles'}"), highlight=False, markup=False)
    out.print(printable(f"Open it in a browser: {done.page.resolve()}"), highlight=False, markup=False)
