"""The command line, run as a user runs it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Runs `comgra-export` with arguments, in an empty folder, without a terminal or a screen."""

    def run_(*arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
        settings = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")}
        settings |= {"COLUMNS": "200", "NO_COLOR": "1", **environment}
        command = [sys.executable, "-m", "comgra_export", *map(str, arguments)]
        return subprocess.run(command, cwd=tmp_path, env=settings, capture_output=True, text=True, check=False)

    return run_
