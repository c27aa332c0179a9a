"""Imports run one way, no files import each other in a circle, folders stay small, and only the recorder needs torch."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from support.places import CHECKOUT

PACKAGE = CHECKOUT / "comgra_export"
MOST_FILES = 20

# Every room from the ground up: a module or package of comgra_export, and the rooms that it may import.
# A package stands for everything in it, except for its own packages.
MAY_IMPORT = {
    "errors": "",
    "version": "",
    "native": "",
    "resources": "errors",
    "storage.text": "errors",
    "storage.model": "",
    "storage.arrays": "errors storage.text storage.model",
    "storage.codec": "errors storage.text storage.model storage.arrays",
    "storage.files": "errors storage.text",
    "storage": "errors storage.*",
    "recorder.host": "errors storage",
    "recorder.numbers": "native storage recorder.host",
    "recorder.tracing": "errors storage recorder.host",
    "recorder.gradients": "errors storage recorder.host recorder.numbers recorder.tracing",
    "recorder.modules": "errors storage recorder.host recorder.tracing recorder.gradients",
    "recorder.detection": "errors storage recorder.host recorder.modules",
    "recorder.sentinels": "storage recorder.host recorder.numbers",
    "recorder.output": "errors version storage recorder.host recorder.numbers",
    "recorder.flows": "errors storage recorder.host recorder.tracing recorder.gradients recorder.output",
    "recorder.step": "errors storage recorder.host recorder.numbers recorder.tracing recorder.gradients recorder.modules "
    "recorder.sentinels recorder.output recorder.flows",
    "analysis.ranks": "errors storage",
    "analysis.overview": "errors storage",
    "analysis.history": "errors storage analysis.ranks",
    "analysis.findings.model": "storage analysis.history",
    "analysis.findings.rules": "storage analysis.history analysis.findings.model",
    "analysis.findings.rules.graph": "storage analysis.history analysis.findings.model analysis.findings.rules",
    "analysis.findings.rules.training": "storage analysis.history analysis.findings.model analysis.findings.rules",
    "analysis.findings.rules.gradients": "storage analysis.history analysis.findings.model analysis.findings.rules",
    "analysis.findings.rules.activations": "storage analysis.history analysis.findings.model analysis.findings.rules",
    "analysis.findings.rules.loss": "storage analysis.history analysis.findings.model analysis.findings.rules",
    "analysis.findings.rules.data": "storage analysis.history analysis.findings.model analysis.findings.rules",
    "analysis.associations": "errors storage analysis.history analysis.findings.model analysis.findings.rules",
    "analysis.findings": "errors storage analysis.history analysis.findings.model analysis.findings.rules.* analysis.associations",
    "analysis": "errors storage",
    "recorder.checking": "errors storage recorder.host recorder.output analysis.overview analysis.history analysis.findings.model "
    "analysis.findings",
    "recorder.session": "errors storage recorder.host recorder.numbers recorder.tracing recorder.modules recorder.detection "
    "recorder.sentinels recorder.output recorder.flows recorder.step analysis.findings.model recorder.checking",
    "recorder": "recorder.host recorder.tracing recorder.output recorder.session",
    "importers.pickles": "errors",
    "importers": "errors storage",
    "importers.vnittest": "errors version storage analysis importers importers.pickles",
    "exporter.format": "",
    "exporter.reporting": "storage.text",
    "exporter.plan": "errors storage analysis exporter.format exporter.reporting",
    "exporter.findings": "errors storage analysis exporter.format exporter.plan exporter.reporting",
    "exporter.flow_estimates": "errors storage analysis exporter.plan exporter.reporting",
    "exporter.figures": "errors storage exporter.format exporter.reporting exporter.plan",
    "exporter.pack": "errors storage analysis exporter.format exporter.reporting exporter.plan exporter.figures",
    "exporter.output": "errors resources storage.text exporter.format exporter.reporting exporter.plan exporter.figures",
    "exporter.size": "errors storage exporter.format exporter.reporting exporter.plan exporter.figures exporter.pack",
    "exporter": "version storage exporter.*",
    "visualization": "exporter.figures",
    "rules": "analysis.history analysis.findings.model analysis.findings",
    "cli": "errors version resources native storage analysis importers importers.* exporter exporter.output",
}
"""`NAME.*` stands for the packages in a package. `storage` and `analysis` include theirs: other rooms read recordings with them."""
WITH_PACKAGES = {"storage", "analysis"}
TABLE_HEAD = "| room | its job | may import |\n|---|---|---|\n"


def modules() -> dict[str, Path]:
    """The modules of the package by their dotted names, without `comgra_export.`; a package is named like its folder."""
    files = {file: ".".join(file.relative_to(PACKAGE).with_suffix("").parts) for file in sorted(PACKAGE.rglob("*.py"))}
    return {name.removesuffix(".__init__"): file for file, name in files.items() if name not in ("__init__", "__main__")}


MODULES = modules()


def room_of(module: str) -> str:
    """The innermost room that a module is in."""
    while module not in MAY_IMPORT:
        module, dot, _ = module.rpartition(".")
        assert dot, f"{module} is in no room: name it in MAY_IMPORT"
    return module


def imports_of(file: Path) -> Iterator[str]:
    """Dotted names of all that a file imports, at the top, inside functions and for types only: modules, not what is in them."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}: relative import"
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                yield inner if inner.removeprefix("comgra_export.") in MODULES else node.module or ""


@cache
def own_imports(file: Path) -> set[str]:
    """Those that are modules of the package."""
    return {name.removeprefix("comgra_export.") for name in imports_of(file) if name.startswith("comgra_export.")}


def may_import(room: str, other: str) -> bool:
    """Whether one room may import another."""
    return other == room or any(stands_for(name, other) for name in MAY_IMPORT[room].split())


def stands_for(name: str, room: str) -> bool:
    """Whether a name in the second column of the map means a room."""
    parents = {".".join(room.split(".")[:count]) for count in range(1, room.count(".") + 1)}
    return name == room or (name.removesuffix(".*") in parents and (name.endswith(".*") or name in WITH_PACKAGES))


def members_of(room: str) -> dict[str, Path]:
    return {name: file for name, file in MODULES.items() if room_of(name) == room}


@pytest.mark.parametrize("room", MAY_IMPORT)
def test_a_room_imports_only_rooms_below_it(room: str) -> None:
    members = members_of(room)
    assert members, "the room does not exist"
    against = {
        f"{name} imports {other}" for name, file in members.items() for other in own_imports(file) if not may_import(room, room_of(other))
    }
    assert not against


@pytest.mark.parametrize("room", MAY_IMPORT)
def test_a_room_uses_every_room_that_it_may_import(room: str) -> None:
    used = {room_of(other) for file in members_of(room).values() for other in own_imports(file)} - {room}
    assert [name for name in MAY_IMPORT[room].split() if not any(stands_for(name, other) for other in used)] == []


def test_rooms_are_listed_from_the_ground_up() -> None:
    rooms = list(MAY_IMPORT)
    for position, room in enumerate(rooms):
        for above in rooms[position + 1 :]:
            assert not may_import(room, above) or above.startswith(f"{room}."), f"{room} may import {above}, which is listed above it"


def test_no_modules_import_each_other_in_a_circle() -> None:
    # A package imports its modules to show their names; what a module imports of a package is meant to be one of these names.
    graph = {name: {other for other in own_imports(file) if other in MODULES and other != name} for name, file in MODULES.items()}
    TopologicalSorter(graph).prepare()


def test_only_the_recorder_imports_torch() -> None:
    for name, file in MODULES.items():
        if not name.startswith("recorder"):
            assert not {other for other in imports_of(file) if other.split(".")[0] == "torch"}, name


@pytest.mark.parametrize("module", ["comgra_export", "comgra_export.cli", "comgra_export.exporter", "comgra_export.storage"])
def test_importing_it_does_not_import_torch(module: str) -> None:
    code = f"import sys, {module}; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize("top", ["comgra_export", "tests", "benchmarks", "evaluation", "examples"])
def test_a_folder_has_few_files(top: str) -> None:
    counts = Counter(file.parent for file in (CHECKOUT / top).rglob("*.py") if file.name != "__init__.py")
    assert {str(folder.relative_to(CHECKOUT)): count for folder, count in counts.items() if count > MOST_FILES} == {}


def rows() -> list[str]:
    """The rows of the map in CONTRIBUTING.md that are about Python."""
    return [
        f"| `{room}` | {_job(room)} | {', '.join(f'`{name}`' for name in MAY_IMPORT[room].split()) or 'nothing'} |" for room in MAY_IMPORT
    ]


def docstring_of(file: Path) -> str:
    return ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""


@pytest.mark.parametrize("package", sorted(name for name, file in MODULES.items() if file.name == "__init__.py"))
def test_the_docstring_of_a_package_is_one_sentence(package: str) -> None:
    assert re.findall(r"[.!?](?=\s|$)", docstring_of(MODULES[package])) == ["."]


def _job(room: str) -> str:
    return docstring_of(MODULES[room]).split("\n\n")[0].replace("\n", " ").replace("|", "\\|")


def test_the_map_in_contributing_is_this_one() -> None:
    text = (CHECKOUT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert TABLE_HEAD + "\n".join(rows()) in text, f"Put these rows into CONTRIBUTING.md:\n{TABLE_HEAD}" + "\n".join(rows())


if __name__ == "__main__":
    sys.stdout.write(TABLE_HEAD + "\n".join(rows()) + "\n")
