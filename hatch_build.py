"""The part of the build that is not only copying files: compiling the kernels."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from packaging.tags import sys_tags


class CompileKernels(BuildHookInterface):  # type: ignore[type-arg]
    """Puts compiled kernels into a wheel, which then is one for this platform; in an editable install, beside their source."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Called before a wheel is built.

        Args:
            version: `editable` for an editable install.
            build_data: What becomes of the wheel.
        """
        compiling = _load(Path(self.root, "comgra_export", "native", "compiling.py"))
        reason = compiling.compile_kernels()
        if reason is not None:
            self.app.display_warning(f"comgra-export without compiled kernels: {reason}. Recording on the CPU takes longer.")
        elif version != "editable":
            build_data["artifacts"].append(str(compiling.LIBRARY.relative_to(self.root)))
            build_data["pure_python"] = False
            build_data["tag"] = f"py3-none-{_platform()}"


def _platform() -> str:
    """This machine's, as wheels call it. For many Linux systems at once nothing is promised: the C library is the one that is here."""
    return next(tag.platform for tag in sys_tags() if not tag.platform.startswith(("manylinux", "musllinux")))


def _load(path: Path) -> ModuleType:
    """The module at a path, without the package around it, whose dependencies need not be there."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
