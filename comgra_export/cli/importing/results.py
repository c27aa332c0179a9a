"""What every import does around the import itself: checks, progress, messages, and the page."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.progress import Progress

from comgra_export.cli.build import build_with_progress, show_page
from comgra_export.cli.console import out, printable, progress_bar, warn
from comgra_export.errors import MisuseError, OutputExistsError, OutputNotWritableError
from comgra_export.exporter.output.bundle_output import check_output

__all__ = ["counted", "importing_to", "say", "show_result", "warn_of"]

_REMARKS_SHOWN = 10


@contextmanager
def importing_to(recordings: Path, page: str | None, what: str, *, force: bool) -> Iterator[Progress]:
    """Checks where the page goes, shows progress during an import, and turns its errors into words."""
    if page is not None:
        check_output(page, force=force)
    with progress_bar() as bar:
        bar.add_task(what, total=None)
        try:
            yield bar
        except MisuseError as error:
            raise OutputExistsError(f"The recording cannot be written. {error} Or pass --force to replace an earlier import.") from error
        except OSError as error:
            raise OutputNotWritableError(f"The recording cannot be written to {recordings}: {error.strerror}.") from error


def show_result(folder: Path, page: str | None, *, force: bool) -> None:
    """Builds the page of an import if asked, else says how to."""
    if page is None:
        say(f"Build a page of it: comgra-export build {shlex.quote(str(folder))} -o report.html")
    else:
        show_page(build_with_progress(folder, page, title=None, description="", force=force), open_page=False)


def warn_of(sentences: tuple[str, ...]) -> None:
    """Warns of what was left out, of the first few things at length."""
    for sentence in sentences[:_REMARKS_SHOWN]:
        warn(sentence)
    if len(sentences) > _REMARKS_SHOWN:
        warn(f"and {len(sentences) - _REMARKS_SHOWN} more")


def say(sentence: str) -> None:
    """Prints a sentence that may hold names of others."""
    out.print(printable(sentence), highlight=False, markup=False)


def counted(count: int, noun: str) -> str:
    """A number of things, as `3 curves`."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
