"""Visualizations of the user's own: scripts that the page runs in a sandboxed frame, and Python files that draw at export."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from comgra_export.errors import ExportError, WrongChoiceError
from comgra_export.exporter.figures import FigureFile, load_figures

__all__ = ["Visualization", "load_visualization", "load_visualizations"]

# The first ends the element that the script is put into; the second, before a <script in a text, makes the parser overlook the end.
_UNSAFE = re.compile("</script|<!--", re.IGNORECASE)
_NOT_ASCII = re.compile(r"[^\x00-\x7f]")


@dataclass(frozen=True)
class Visualization:
    """A script in ASCII that can stand in a page.

    Attributes:
        name: The name of its file, without the folder.
    """

    name: str
    script: str


@dataclass(frozen=True)
class Visualizations:
    """What the user has given, in their order: scripts, and Python files that have been run."""

    scripts: tuple[Visualization, ...]
    figures: tuple[FigureFile, ...]


def load_visualizations(given: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] | None) -> Visualizations:
    """Reads scripts, and runs Python files.

    Raises:
        ExportError: One of them cannot be used.
    """
    paths = [given] if isinstance(given, (str, os.PathLike)) else given or ()
    files = [Path(path) for path in paths]
    return Visualizations(
        scripts=tuple(load_visualization(file) for file in files if file.suffix.lower() != ".py"),
        figures=tuple(load_figures(file) for file in files if file.suffix.lower() == ".py"),
    )


def load_visualization(path: Path | str) -> Visualization:
    """Reads a script.

    Characters that are not ASCII become escapes, which mean the same in strings, patterns, names and comments.

    Raises:
        WrongChoiceError: There is no such file, or it is no JavaScript by its name.
        ExportError: It holds what cannot stand in a page.
    """
    file = Path(path)
    if file.suffix.lower() not in (".js", ".mjs"):
        raise WrongChoiceError(
            f"The visualization {file.name!r} is neither JavaScript nor Python. Give a file whose name ends in .js or .py."
        )
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise WrongChoiceError(
            f"The visualization {str(file)!r} cannot be read ({type(error).__name__}). Give a JavaScript file in UTF-8."
        ) from error
    unsafe = _UNSAFE.search(text)
    if unsafe:
        raise ExportError(
            f"The visualization {file.name!r} holds {unsafe.group()!r}, which would end the script within the page. "
            "Write it with a backslash: '<\\/script', '<\\!--'."
        )
    return Visualization(file.name.encode("utf-8", "replace").decode("utf-8"), _NOT_ASCII.sub(_escape, text.replace("\r\n", "\n")))


def _escape(match: re.Match[str]) -> str:
    units = match.group().encode("utf-16-be")
    return "".join(f"\\u{units[place]:02x}{units[place + 1]:02x}" for place in range(0, len(units), 2))
