"""comgra, installed into an environment of its own: it brings some forty packages that ours does not need."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import cached_property
from pathlib import Path

import torch

from benchmarks.apart import CHECKOUT, Unavailable

__all__ = ["VERSION", "ComgraEnvironment"]

VERSION = "0.11.5"

_INSTALLATION_LIMIT = 600


class ComgraEnvironment:
    """An environment with comgra, made when it is first asked for and kept for the next run.

    torch and what it needs are not installed again: they are found where the running environment has them, so that both recorders are
    measured with the same torch.
    """

    def __init__(self, folder: Path = CHECKOUT / "build" / f"comgra-{VERSION}") -> None:
        self._folder = folder

    @property
    def is_installed(self) -> bool:
        """Whether nothing is left to install."""
        return self._mark.is_file() and self._mark.read_text() == str(_packages_with_torch())

    @cached_property
    def python(self) -> Path:
        """The interpreter of the environment.

        Raises:
            Unavailable: It cannot be installed.
        """
        if not self.is_installed:
            print(f"Installing comgra {VERSION} into an environment of its own ...", flush=True)
            self._install()
        return self._interpreter

    @property
    def _mark(self) -> Path:
        return self._folder / "installed"

    @property
    def _interpreter(self) -> Path:
        return self._folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")

    def _install(self) -> None:
        _run(sys.executable, "-m", "venv", "--clear", str(self._folder))
        where = "import sysconfig; print(sysconfig.get_path('purelib'))"
        packages = Path(_run(str(self._interpreter), "-c", where).strip())
        (packages / "torch_from_the_running_environment.pth").write_text(f"{_packages_with_torch()}\n")
        _run(str(self._interpreter), "-m", "pip", "install", "--quiet", f"comgra=={VERSION}")
        _run(str(self._interpreter), "-c", "import comgra.recorder")
        self._mark.write_text(str(_packages_with_torch()))


def _packages_with_torch() -> Path:
    return Path(torch.__file__).parents[1]


def _run(*command: str) -> str:
    constraints = str(CHECKOUT / "constraints.txt")
    environment = {**os.environ, "PIP_CONSTRAINT": constraints, "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    try:
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True, timeout=_INSTALLATION_LIMIT)
    except (subprocess.SubprocessError, OSError) as error:
        print(getattr(error, "stderr", None) or error, file=sys.stderr)
        raise Unavailable(f"comgra {VERSION} could not be installed") from error
    return done.stdout
