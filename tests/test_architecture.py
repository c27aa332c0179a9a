"""Imports run one way, and only the recorder needs torch."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "comgra_export"
MAY_IMPORT = {
    "errors": set[str](),
    "version": set[str](),
    "resources": {"errors"},
    "native": set[str](),
    "storage": {"errors"},
    "recorder": {"errors", "version", "native", "storage"},
    "analysis": {"errors", "storage"},
    "importers": {"errors", "version", "storage", "analysis"},
    "exporter": {"errors", "version", "resources", "storage", "analysis"},
    "cli": {"errors", "version", "resources", "native", "storage", "analysis", "importers", "exporter"},
}


def imports_of(file: Path) -> set[str]:
    """Dotted names of all modules that a file imports, at the top or inside functions."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}: relative import"
            names.add(node.module or "")
            names.update(f"{node.module}.{alias.name}" for alias in node.names)
    return names


@pytest.mark.parametrize("room", sorted(MAY_IMPORT))
def test_a_room_imports_only_the_rooms_below_it(room: str) -> None:
    files = [PACKAGE / f"{room}.py"] if (PACKAGE / f"{room}.py").exists() else sorted((PACKAGE / room).rglob("*.py"))
    assert files
    for file in files:
        rooms = {name.split(".")[1] for name in imports_of(file) if name.startswith("comgra_export.")} & set(MAY_IMPORT)
        assert rooms <= MAY_IMPORT[room] | {room}, f"{file.name} imports {rooms - MAY_IMPORT[room] - {room}}"


def test_only_the_recorder_imports_torch() -> None:
    for file in sorted(PACKAGE.rglob("*.py")):
        if "recorder" not in file.relative_to(PACKAGE).parts:
            assert not {name for name in imports_of(file) if name.split(".")[0] == "torch"}, file


@pytest.mark.parametrize("module", ["comgra_export", "comgra_export.cli", "comgra_export.exporter", "comgra_export.storage"])
def test_importing_it_does_not_import_torch(module: str) -> None:
    code = f"import sys, {module}; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
