"""Other tools, each installed into an environment of its own: they bring dozens of packages that ours does not need."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import torch

from benchmarks.harness.own_process import CHECKOUT, Unavailable

__all__ = ["COMGRA", "TORCHEXPLORER", "OtherTool", "OtherToolEnvironment"]

_INSTALLATION_LIMIT = 600


@dataclass(frozen=True)
class OtherTool:
    """A tool that ours is compared with.

    Attributes:
        name: As it calls itself.
        package: Its name in the package index.
        version: The version that is compared.
        module: What is imported to see whether it is there.
        program: A program that it needs and that no package index has, if any.
    """

    name: str
    package: str
    version: str
    module: str
    program: str | None = None

    @property
    def title(self) -> str:
        """The name with the version."""
        return f"{self.name} {self.version}"


COMGRA = OtherTool("comgra", "comgra", "0.11.5", "comgra.recorder")
TORCHEXPLORER = OtherTool("TorchExplorer", "torchexplorer", "1.1.2", "torchexplorer", program="dot")


class OtherToolEnvironment:
    """An environment with another tool, made when it is first asked for and kept for the next run.

    torch and what it needs are not installed again: they come from the running environment, so that both tools are
    measured with the same torch.
    """

    def __init__(self, tool: OtherTool, folder: Path | None = None) -> None:
        self._tool = tool
        self._folder = folder or CHECKOUT / "build" / f"{tool.package}-{tool.version}"

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
        program = self._tool.program
        if program is not None and shutil.which(program) is None:
            raise Unavailable(f"{self._tool.title} needs the program {program} of graphviz, which is not installed")
        if not self.is_installed:
            print(f"Installing {self._tool.title} into an environment of its own ...", flush=True)
            self._install()
        return self._interpreter

    @property
    def _mark(self) -> Path:
        return self._folder / "installed"

    @property
    def _interpreter(self) -> Path:
        return self._folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")

    def _install(self) -> None:
        self._run(sys.executable, "-m", "venv", "--without-pip", "--clear", str(self._folder))
        where = "import sysconfig; print(sysconfig.get_path('purelib'))"
        packages = Path(self._run(str(self._interpreter), "-c", where).strip())
        (packages / "torch_from_the_running_environment.pth").write_text(f"{_packages_with_torch()}\n")
        # The running pip installs there: a pip of its own would take longer to install than the tool.
        pip = (sys.executable, "-m", "pip", "--python", str(self._interpreter))
        self._run(*pip, "install", "--quiet", f"{self._tool.package}=={self._tool.version}")
        self._run(str(self._interpreter), "-c", f"import {self._tool.module}")
        self._mark.write_text(str(_packages_with_torch()))

    def _run(self, *command: str) -> str:
        constraints = str(CHECKOUT / "constraints.txt")
        environment = {**os.environ, "PIP_CONSTRAINT": constraints, "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
        try:
            done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True, timeout=_INSTALLATION_LIMIT)
        except (subprocess.SubprocessError, OSError) as error:
            print(getattr(error, "stderr", None) or error, file=sys.stderr)
            raise Unavailable(f"{self._tool.title} could not be installed") from error
        return done.stdout


def _packages_with_torch() -> Path:
    return Path(torch.__file__).parents[1]
