"""The command line, as a user runs it."""

from __future__ import annotations

import io
import os
import shutil
import signal
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from functools import cache, partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
import typer
from typer.main import get_command

from comgra_export.cli import main

__all__ = ["COMMAND", "Run", "run", "run_process", "started"]

Run = Callable[..., "subprocess.CompletedProcess[str]"]

COMMAND = shutil.which("comgra-export", path=Path(sys.executable).parent) or "comgra-export"
"""The script that is installed with the package."""


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Runs `comgra-export` with arguments in this process, in an empty folder, without a terminal or a screen."""

    def run_(*arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
        command = ["comgra-export", *map(str, arguments)]
        out, err, code = io.StringIO(), io.StringIO(), 0
        with _as_a_process(command, tmp_path, environment), redirect_stdout(out), redirect_stderr(err):
            try:
                main()
            except SystemExit as end:
                code = end.code if isinstance(end.code, int) else int(end.code is not None)
        return subprocess.CompletedProcess(command, code, out.getvalue(), err.getvalue())

    return run_


@pytest.fixture
def run_process(tmp_path: Path) -> Run:
    """The same in a process of its own: the script that the package installs."""

    def run_(*arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
        command = [COMMAND, *map(str, arguments)]
        return subprocess.run(command, cwd=tmp_path, env=environment_of_a_user(environment), capture_output=True, text=True, check=False)

    return run_


def started(command: list[str], **options: Any) -> subprocess.Popen[str]:  # noqa: ANN401
    """A process of the command that Ctrl+C ends, also if these tests run in the background, where processes ignore it."""
    return subprocess.Popen(
        command,
        env=environment_of_a_user({"PYTHONUNBUFFERED": "1"}),
        stdout=subprocess.PIPE,
        text=True,
        preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL),
        **options,
    )


def environment_of_a_user(own: dict[str, str]) -> dict[str, str]:
    """No screen, no colors, a wide terminal, and what is given."""
    inherited = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")}
    return inherited | {"COLUMNS": "200", "NO_COLOR": "1"} | own


@contextmanager
def _as_a_process(command: list[str], folder: Path, environment: dict[str, str]) -> Iterator[None]:
    """Gives a call what its own process would have: folder, arguments, environment, modules and warnings."""
    before, modules = Path.cwd(), set(sys.modules)
    os.chdir(folder)
    try:
        with (
            patch.object(sys, "argv", command),
            patch.object(sys, "path", ["", *sys.path]),
            patch("typer.main.get_command", _command_of),
            patch.dict(os.environ, environment_of_a_user(environment), clear=True),
            warnings.catch_warnings(),
        ):
            warnings.resetwarnings()
            warnings.showwarning = _show_warning  # type: ignore[assignment]
            yield
    finally:
        os.chdir(before)
        for name in set(sys.modules) - modules:
            # The user's script. Other tests have other scripts.
            if Path(getattr(sys.modules[name], "__file__", None) or "/").is_relative_to(folder):
                del sys.modules[name]


@cache
def _command_of(app: typer.Typer) -> Any:  # noqa: ANN401
    """All commands, built once: typer builds them in each call, of which a process has one."""
    return get_command(app)


def _show_warning(message: Warning | str, category: type[Warning], file: str, line: int, *_: object) -> None:
    sys.stderr.write(warnings.formatwarning(message, category, file, line))
