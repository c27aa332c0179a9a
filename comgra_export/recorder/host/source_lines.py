"""Which line of the user's project makes a call."""

from __future__ import annotations

import os
import sys
import sysconfig
from pathlib import Path

import torch

from comgra_export.storage.model.layout import SourceLine
from comgra_export.storage.text.names import clean_text

__all__ = ["SourceLines", "project_folder"]

_INSTALLED = frozenset({"site-packages", "dist-packages"})
_PACKAGE = Path(__file__).resolve().parents[2]


class SourceLines:
    """Finds the line of a project that is being executed.

    A file has its name relative to the project. What lies elsewhere, or is installed within the project, is no part of it: nothing of the
    machine is named. What is known of a file is kept, so one that is made while the run goes on counts only if it was not met before.

    Args:
        project: The folder of the project; None if there is none, and so no line either.
    """

    def __init__(self, project: Path | None) -> None:
        self._project = None if project is None else project.resolve()
        paths = sysconfig.get_paths()
        self._foreign = [_PACKAGE, Path(torch.__file__).resolve().parent, *(Path(paths[key]).resolve() for key in ("stdlib", "platstdlib"))]
        self._files: dict[str, str | None] = {}
        self._lines: dict[tuple[str, int, str], SourceLine] = {}

    def here(self) -> SourceLine | None:
        """The innermost line of the project that has led to this call; None if none has."""
        frame = sys._getframe(1)
        files = self._files
        while frame is not None:
            code = frame.f_code
            try:
                file = files[code.co_filename]
            except KeyError:
                file = self._file(code.co_filename)
            # A function mode of the user's is called for every function. What it is called for is the line.
            if file is not None and code.co_name != "__torch_function__":
                key = file, frame.f_lineno or 1, code.co_name
                line = self._lines.get(key)
                if line is None:
                    self._lines[key] = line = SourceLine(file, key[1], clean_text(code.co_name))
                return line
            frame = frame.f_back  # type: ignore[assignment]
        return None

    def _file(self, name: str) -> str | None:
        """The name of a file relative to the project; None if it is no part of it."""
        if name.startswith("<"):
            # Code without a file. Such names may be new every time.
            return None
        self._files[name] = relative = self._relative(name)
        return relative

    def _relative(self, name: str) -> str | None:
        if self._project is None:
            return None
        try:
            path = Path(name).resolve(strict=True)
        except (OSError, ValueError, RuntimeError):
            return None
        if not path.is_relative_to(self._project) or any(path.is_relative_to(folder) for folder in self._foreign):
            return None
        relative = path.relative_to(self._project)
        return None if _INSTALLED.intersection(relative.parts) else clean_text(relative.as_posix())


def project_folder() -> Path | None:
    """The folder of the project that is running: the repository of the script, or else that of the working directory.

    Without a repository, it is the working directory if the script lies in it, and the folder of the script if not. None if that holds
    the user's home folder: what lies in it would have the user's name in front.
    """
    script = _script()
    try:
        current = Path.cwd()
    except OSError:
        current = None
    starts = [folder for folder in (None if script is None else script.parent, current) if folder is not None]
    for start in starts:
        for folder in (start, *start.parents):
            # Unlike a path, it raises nothing if the folder may not be read.
            if os.path.exists(folder / ".git") and not _holds_home(folder):
                return folder
    if script is not None and (current is None or not script.is_relative_to(current)):
        current = script.parent
    return None if current is None or _holds_home(current) else current


def _holds_home(folder: Path) -> bool:
    """Whether a folder holds the user's home folder, or is it. The root of the file system holds everything."""
    return folder == folder.parent or Path(os.path.expanduser("~")).resolve().is_relative_to(folder)


def _script() -> Path | None:
    """The script that Python was started with; None if there is none, or it was installed, such as a test runner."""
    name = getattr(sys.modules.get("__main__"), "__file__", None)
    if not isinstance(name, str):
        return None
    script = Path(name).resolve()
    return None if any(script.is_relative_to(Path(prefix).resolve()) for prefix in (sys.prefix, sys.base_prefix)) else script
