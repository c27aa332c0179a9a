"""Loads a Python file that draws figures. Only ever one that the user has named."""

from __future__ import annotations

import linecache
import sys
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from comgra_export.errors import ExportError
from comgra_export.exporter.figures.declare import Figure
from comgra_export.exporter.figures.failures import error_in_words, traceback_text
from comgra_export.storage import clean_text

__all__ = ["FigureFile", "load_figures"]


@dataclass(frozen=True)
class FigureFile:
    """A Python file that has been run.

    Attributes:
        name: Its name, without the folder. Its code was compiled under this name, so that tracebacks do not name the folder.
        figures: What it declares, in its order.
    """

    name: str
    figures: tuple[Figure, ...]


def load_figures(path: Path) -> FigureFile:
    """Runs a Python file. What it prints goes to standard error.

    Raises:
        ExportError: It cannot be read or run, or it declares no visualization.
    """
    name = clean_text(path.name)
    try:
        source = path.read_bytes()
    except OSError as error:
        raise ExportError(f"The visualization {str(path)!r} cannot be read ({type(error).__name__}). Give a Python file.") from error
    module = ModuleType("comgra_visualization")
    module.__file__ = str(path.resolve())
    try:
        # A SyntaxError, or a ValueError for a null byte.
        code = compile(source, name, "exec", dont_inherit=True)
    except (SyntaxError, ValueError) as error:
        line = f", line {error.lineno}" if isinstance(error, SyntaxError) and error.lineno else ""
        raise ExportError(f"The visualization {name!r} is not valid Python{line}: {error_in_words(error)}") from error
    text = source.decode("utf-8", "replace")
    # So that tracebacks can show the lines.
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    # Data classes look for the module that they are in.
    sys.modules[module.__name__] = module
    try:
        with redirect_stdout(sys.stderr):
            exec(code, module.__dict__)
    except (Exception, SystemExit) as error:
        raise ExportError(f"The visualization {name!r} failed while it was loaded.\n{traceback_text(error, name)}") from error
    figures = tuple(dict.fromkeys(value for value in vars(module).values() if isinstance(value, Figure)))
    if not figures:
        raise ExportError(
            f'The visualization {name!r} declares none. Put @visualization("Title", per=("step",)) of comgra_export.visualization '
            "above a function that draws."
        )
    return FigureFile(name, figures)
