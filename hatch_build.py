"""What the build does besides copying files: it compiles the kernels, and adds the addresses of the project."""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.builders.macos import process_macos_plat_tag
from hatchling.metadata.plugin.interface import MetadataHookInterface
from packaging.tags import sys_tags

_WHEN_TO_COMPILE = "COMGRA_EXPORT_KERNELS"
"""The environment variable that says whether to compile the kernels: `never`, `always`, or `auto`, the default: if a compiler works."""


class CompileKernels(BuildHookInterface):  # type: ignore[type-arg]
    """Puts compiled kernels into a wheel, which is then for one platform. In an editable install, they lie beside their source."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Called before a wheel is built.

        Args:
            version: `editable` for an editable install.
            build_data: What the wheel will hold, and its tag.

        Raises:
            RuntimeError: The kernels must be compiled and cannot be.
            ValueError: The environment variable has another value.
        """
        when = os.environ.get(_WHEN_TO_COMPILE, "auto")
        if when not in ("auto", "always", "never"):
            raise ValueError(f"{_WHEN_TO_COMPILE} is {when!r}, and has to be auto, always or never")
        if when == "never":
            return
        compiling = _load(Path(self.root, "comgra_export", "native", "compiling.py"))
        reason = compiling.compile_kernels()
        if reason is not None:
            if when == "always":
                raise RuntimeError(f"{_WHEN_TO_COMPILE} is always, and there are no compiled kernels: {reason}")
            self.app.display_warning(f"comgra-export without compiled kernels: {reason}. Recording on the CPU takes longer.")
        elif version != "editable":
            build_data["artifacts"].append(compiling.LIBRARY.relative_to(self.root).as_posix())
            build_data["pure_python"] = False
            build_data["tag"] = f"py3-none-{_platform()}"


class AddAddresses(MetadataHookInterface):
    """Adds the addresses of the repository in which a workflow builds the package. Elsewhere, the build knows of none."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Called when the metadata is read.

        Args:
            metadata: The table `project` of `pyproject.toml`, which gets the entry `urls`.
        """
        server, repository = os.environ.get("GITHUB_SERVER_URL"), os.environ.get("GITHUB_REPOSITORY")
        metadata["urls"] = {}
        if server and repository:
            address = f"{server}/{repository}"
            metadata["urls"] = {
                "Source": address,
                "Issues": f"{address}/issues",
                "Changelog": f"{address}/blob/main/CHANGELOG.md",
                "Documentation": f"{address}/tree/main/docs",
            }


def _platform() -> str:
    """The name of this platform in a wheel's tag. It promises one Linux: auditwheel finds out for which others a wheel is good."""
    platform = next(tag.platform for tag in sys_tags() if not tag.platform.startswith(("manylinux", "musllinux")))
    # The kernels are for the processors and the macOS that the compiler was asked for, which need not be those of this machine.
    return process_macos_plat_tag(platform, compat=False) if sys.platform == "darwin" else platform


def _load(path: Path) -> ModuleType:
    """Loads the module at a path without the package around it, whose dependencies may be missing."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
