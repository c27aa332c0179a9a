"""How the command line speaks: results on standard output, progress and errors on standard error, and exit codes."""

from __future__ import annotations

import os
import re
import sys
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import typer
from rich.console import Console
from rich.markup import escape
from rich.measure import Measurement
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from comgra_export.errors import ComgraExportError, ExportError, OutputExistsError, RecordingError, WrongChoiceError

__all__ = [
    "EXIT_CODES_HELP",
    "EXIT_DIFFERENT",
    "EXIT_FINDINGS",
    "EXIT_RECORDING",
    "EXIT_USAGE",
    "fail",
    "failing_in_words",
    "has_screen",
    "open_in_browser",
    "out",
    "print_lines",
    "print_table",
    "printable",
    "progress_bar",
    "warn",
]

EXIT_OTHER = 1
EXIT_USAGE = 2
EXIT_RECORDING = 3
EXIT_EXPORT = 4
EXIT_FINDINGS = 5
EXIT_DIFFERENT = 6
EXIT_INTERRUPTED = 130
# Wider than any table.
_WIDEST = 1_000_000
EXIT_CODES_HELP = (
    "Exit codes: 0 done, 2 wrong usage, 3 a recording cannot be used, 4 the output cannot be written, "
    "5 findings --fail-on has something to report, 6 diff has found a difference, 1 anything else."
)

# Control characters move the cursor, recolour or rename the terminal; bidirectional ones reorder what stands around them.
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")

out = Console(soft_wrap=True)
_err = Console(stderr=True, soft_wrap=True)


def printable(text: str) -> str:
    r"""Return a text of a recording without power over the terminal: an escape character becomes the four characters `\x1b`."""
    return _UNPRINTABLE.sub(lambda match: match[0].encode("unicode_escape").decode("ascii"), text)


def warn(sentence: str) -> None:
    """Print a warning to standard error."""
    _err.print(f"[yellow]warning:[/yellow] {escape(printable(sentence))}", highlight=False)


def print_lines(lines: list[str]) -> None:
    """Print lines to standard error as they are."""
    for line in lines:
        _err.print(printable(line), highlight=False, markup=False)


def print_table(table: Table, title: str = "") -> None:
    """Print a table below its title. On a terminal, cells are wrapped so that it fits; anything else gets a line per row, and all of it."""
    if title:
        out.print(Text(printable(title), "italic"))
    if not out.is_terminal:
        table.width = Measurement.get(out, out.options.update(max_width=_WIDEST), table).maximum
    out.print(table)
    out.print()


def fail(sentence: str, exit_code: int) -> typer.Exit:
    """Print an error to standard error, and return the exit to raise."""
    _err.print(f"[red]error:[/red] {escape(printable(sentence))}", highlight=False)
    return typer.Exit(exit_code)


@contextmanager
def failing_in_words() -> Iterator[None]:
    """Turn the package's errors, and an interruption, into a message and an exit code. Anything else is a bug and shows its traceback."""
    try:
        yield
    except RecordingError as error:
        raise fail(str(error), EXIT_RECORDING) from error
    except WrongChoiceError as error:
        raise fail(str(error), EXIT_USAGE) from error
    except OutputExistsError as error:
        raise fail(error.with_remedy("--force"), EXIT_EXPORT) from error
    except ExportError as error:
        raise fail(str(error), EXIT_EXPORT) from error
    except ComgraExportError as error:
        raise fail(str(error), EXIT_OTHER) from error
    except KeyboardInterrupt as interruption:
        raise fail("interrupted", EXIT_INTERRUPTED) from interruption


@contextmanager
def progress_bar() -> Iterator[Progress]:
    """A progress bar on standard error that disappears when it is done; silent if standard error is not a terminal."""
    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    with Progress(*columns, console=_err, transient=True, disable=not _err.is_terminal) as progress:
        yield progress


def has_screen() -> bool:
    """Whether a browser window can be expected to open here."""
    if sys.platform in ("darwin", "win32"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def open_in_browser(page: Path) -> None:
    """Open a local page in the user's browser, if there is a screen."""
    if not has_screen() or not webbrowser.open(page.resolve().as_uri()):
        out.print("Open it in a browser: no screen was found here.")
