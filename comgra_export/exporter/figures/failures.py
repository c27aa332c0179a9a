"""What went wrong in a Python file of the user's, without the places of this machine."""

from __future__ import annotations

import os
import re
import sys
import tempfile
import traceback
from collections.abc import Iterable
from pathlib import Path

__all__ = ["error_in_words", "traceback_text"]

# In quotes, names may hold spaces.
_QUOTED_PATH = re.compile(r"(?<=['\"])(?:/|[A-Za-z]:\\)[^'\"\n]*[/\\]")
# At least two folders deep, and no part of an address or of a fraction.
_POSIX_PATH = re.compile(r"(?<![\w.:/])/(?:[^/\s'\"<>:,;()]+/)+")
_FOLDERS = r"[/\\](?:[^/\\\s'\"<>:,;()]+[/\\])*"
_WINDOWS_PATH = re.compile(r"(?<!\w)[A-Za-z]:\\(?:[^\\\s'\"<>:,;()]+\\)*")


def traceback_text(error: BaseException, file: str) -> str:
    """The traceback of an error, as Python prints it, with only the lines of the user's file, which was compiled as `file`."""
    described = traceback.TracebackException.from_exception(error, capture_locals=False)
    for traced in _with_causes(described):
        traced.stack[:] = [frame for frame in traced.stack if frame.filename == file]
    return without_places("".join(described.format()))


def error_in_words(error: BaseException) -> str:
    """The last line of the traceback: what kind of error it is, and what it says."""
    return without_places("".join(traceback.format_exception_only(error)).strip().splitlines()[-1])


def without_places(text: str) -> str:
    """A text in which paths are names of files, without their folders."""
    folders = _known_folders()
    for folder in folders:
        # The last part of a path stays below, and that of the user's own folder is a name.
        text = re.sub(re.escape(folder) + r"(?=['\"])", "...", text)
    text = _QUOTED_PATH.sub("", text)
    for folder in folders:
        text = re.sub(re.escape(folder) + _FOLDERS, "", text).replace(folder, "...")
    return _WINDOWS_PATH.sub("", _POSIX_PATH.sub("", text))


def _with_causes(described: traceback.TracebackException | None) -> Iterable[traceback.TracebackException]:
    while described is not None:
        yield described
        for member in getattr(described, "exceptions", None) or ():
            yield from _with_causes(member)
        # Both are set if one was raised from another one.
        if described.__cause__ is not None and described.__context__ is not described.__cause__:
            yield from _with_causes(described.__context__)
        described = described.__cause__ or described.__context__


def _known_folders() -> list[str]:
    """Folders that say something about the machine, the longest first: their names may hold spaces."""
    package = Path(__file__).parents[3]
    folders = {os.getcwd(), str(Path.home()), tempfile.gettempdir(), sys.prefix, sys.base_prefix, str(package)}
    return sorted((folder for folder in folders if len(folder) > 1), key=len, reverse=True)
