"""Imports run one way, no files import each other in a circle, folders stay small, and only the recorder needs torch."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections import Counter
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from support.places import CHECKOUT

PACKAGE = CHECKOUT / "comgra_export"
MOST_FILES = 20

# Every room from the ground up: a module or package of comgra_export, and the rooms that it may import.
# A package stands for its own modules: its packages are rooms of their own, and an arrow to the one is none to the others.
MAY_IMPORT = {
    "errors": "",
    "version": "",
    "native": "",
    "native.cuda": "",
    "resources": "errors",
    "storage.text": "errors",
    "storage.model": "",
    "storage.arrays": "errors storage.text storage.model",
    "storage.codec": "errors storage.text storage.model storage.arrays",
    "storage.files": "errors storage.text",
    "storage": "errors storage.text storage.model storage.arrays storage.codec storage.files",
    "recorder.host": "errors storage.text storage.model",
    "recorder.cuda": "native.cuda",
    "recorder.numbers.facts": "storage.model storage.arrays",
    "recorder.numbers": "native native.cuda storage.model storage.arrays recorder.host recorder.cuda recorder.numbers.facts",
    "recorder.tracing": "errors storage.text storage.model recorder.host",
    "recorder.gradients": "errors storage.model recorder.host recorder.cuda recorder.numbers recorder.tracing",
    "recorder.modules": "errors storage.model recorder.host recorder.tracing recorder.gradients",
    "recorder.detection": "errors storage.text storage.model recorder.host recorder.modules",
    "recorder.sentinels": "storage.text storage.model recorder.host recorder.numbers",
    "recorder.output": "errors version storage.text storage.model storage.arrays storage.codec storage.files storage recorder.host "
    "recorder.numbers",
    "recorder.flows": "errors storage.text storage.model recorder.host recorder.tracing recorder.gradients recorder.output",
    "recorder.step": "errors storage.text storage.model recorder.host recorder.cuda recorder.numbers recorder.tracing recorder.gradients "
    "recorder.modules recorder.sentinels recorder.output recorder.flows",
    "workers": "errors version storage.text",
    "analysis.ranks": "errors storage.text storage.arrays storage",
    "analysis.overview": "errors storage.text storage.arrays storage",
    "analysis.history": "errors storage.text storage analysis.ranks",
    "analysis.findings.model": "storage analysis.history",
    "analysis.findings.rules": "storage.arrays storage analysis.history analysis.findings.model",
    "analysis.findings.rules.graph": "storage.text storage analysis.history analysis.findings.model analysis.findings.rules",
    "analysis.findings.rules.training": "storage.text storage analysis.history analysis.findings.model analysis.findings.rules",
    "analysis.findings.rules.gradients": "storage.text storage analysis.history analysis.findings.model analysis.findings.rules",
    "analysis.findings.rules.activations": "storage.text storage.arrays storage analysis.history analysis.findings.model "
    "analysis.findings.rules",
    "analysis.findings.rules.non_finite": "storage.text storage.arrays storage analysis.history analysis.findings.model "
    "analysis.findings.rules",
    "analysis.findings.rules.loss": "storage.text analysis.history analysis.findings.model analysis.findings.rules",
    "analysis.findings.rules.data": "storage.text storage.arrays storage analysis.history analysis.findings.model analysis.findings.rules",
    "analysis.associations": "errors storage.text storage analysis.history analysis.findings.model analysis.findings.rules",
    "analysis.findings": "errors storage.text storage workers analysis.ranks analysis.history analysis.findings.model "
    "analysis.findings.rules analysis.findings.rules.graph analysis.findings.rules.training analysis.findings.rules.gradients "
    "analysis.findings.rules.activations analysis.findings.rules.non_finite analysis.findings.rules.loss analysis.findings.rules.data "
    "analysis.associations",
    "analysis.divergence": "analysis.history",
    "analysis": "errors storage.model storage",
    "reading": "errors storage.text storage.arrays storage.codec storage analysis.ranks analysis.overview analysis.history "
    "analysis.findings.model analysis.findings analysis.divergence",
    "recorder.checking": "errors storage.text storage.arrays storage.files storage recorder.host recorder.output analysis.overview "
    "analysis.history analysis.findings.model analysis.findings",
    "recorder.session": "errors storage.text storage.model storage.codec storage.files storage recorder.host recorder.numbers "
    "recorder.tracing recorder.modules recorder.detection recorder.sentinels recorder.output recorder.flows recorder.step "
    "analysis.findings.model recorder.checking",
    "recorder": "recorder.host recorder.tracing recorder.output recorder.session",
    "importers.pickles": "errors",
    "importers": "errors storage.arrays storage",
    "importers.checkpoints": "errors version storage.text storage.arrays storage importers importers.pickles",
    "importers.comgra": "errors version storage.model storage importers importers.pickles",
    "importers.tensorboard": "errors version storage importers",
    "importers.vnittest": "errors version storage.text storage.model storage.files storage analysis importers importers.pickles",
    "exporter.format": "",
    "exporter.reporting": "storage.text",
    "exporter.plan": "errors storage.text storage.arrays storage workers analysis.ranks analysis.overview analysis.history analysis "
    "exporter.format exporter.reporting",
    "exporter.findings": "errors storage.text storage analysis.ranks analysis.history analysis.findings.model analysis.associations "
    "analysis.findings exporter.format exporter.plan exporter.reporting",
    "exporter.flow_estimates": "errors storage.text storage.model storage analysis exporter.plan exporter.reporting",
    "exporter.figures": "errors storage.text storage.arrays storage exporter.format exporter.reporting exporter.plan",
    "exporter.pack": "errors storage.text storage.arrays storage analysis.ranks analysis exporter.format exporter.reporting exporter.plan "
    "exporter.figures",
    "exporter.output": "errors resources storage.text storage.files exporter.format exporter.reporting exporter.plan exporter.figures",
    "exporter.size": "errors storage.arrays storage workers exporter.format exporter.reporting exporter.plan exporter.figures "
    "exporter.pack",
    "exporter": "version storage.text storage workers exporter.format exporter.reporting exporter.plan exporter.findings "
    "exporter.flow_estimates exporter.figures exporter.pack exporter.output exporter.size",
    "visualization": "exporter.figures",
    "utilities_initialization_config": "",
    "utilities": "utilities_initialization_config",
    "rules": "analysis.history analysis.findings.model analysis.findings",
    "gallery": "errors version resources analysis.overview reading exporter.figures exporter.output",
    "integrations": "version storage importers reading importers.tensorboard exporter",
    "cli": "errors version native resources storage.text storage.files storage workers analysis.overview analysis.findings.model "
    "analysis.findings analysis.divergence analysis reading importers importers.checkpoints importers.comgra importers.tensorboard "
    "importers.vnittest exporter.output exporter gallery",
}
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


@cache
def imports_of(file: Path) -> set[str]:
    """Dotted names of all that a file imports, at the top, inside functions and for types only: modules, not what is in them."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}: relative import"
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                names.add(inner if inner.removeprefix("comgra_export.") in MODULES else node.module or "")
    return names


@cache
def own_imports(file: Path) -> set[str]:
    """Those that are modules of the package."""
    return {name.removeprefix("comgra_export.") for name in imports_of(file) if name.startswith("comgra_export.")}


def may_import(room: str, other: str) -> bool:
    """Whether one room may import another."""
    return other == room or other in MAY_IMPORT[room].split()


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
    used = {room_of(other) for file in members_of(room).values() for other in own_imports(file)}
    assert [name for name in MAY_IMPORT[room].split() if name not in used] == []


def test_rooms_are_listed_from_the_ground_up() -> None:
    rooms = list(MAY_IMPORT)
    for position, room in enumerate(rooms):
        for above in rooms[position + 1 :]:
            assert not may_import(room, above) or above.startswith(f"{room}."), f"{room} may import {above}, which is listed above it"


def test_no_modules_import_each_other_in_a_circle() -> None:
    # A package imports its modules to show their names; what a module imports of a package is meant to be one of these names.
    graph = {name: {other for other in own_imports(file) if other in MODULES and other != name} for name, file in MODULES.items()}
    TopologicalSorter(graph).prepare()


def test_only_the_recorder_and_integrations_import_torch() -> None:
    for name, file in MODULES.items():
        if not name.startswith(("recorder", "integrations")):
            assert not {other for other in imports_of(file) if other.split(".")[0] == "torch"}, name


@pytest.mark.parametrize(
    "module", ["comgra_export", "comgra_export.cli", "comgra_export.exporter", "comgra_export.reading", "comgra_export.storage"]
)
def test_importing_it_does_not_import_torch(module: str) -> None:
    code = f"import sys, {module}; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize("top", ["comgra_export", "tests", "benchmarks", "evaluation", "examples"])
def test_a_folder_has_few_files(top: str) -> None:
    counts = Counter(file.parent for file in (CHECKOUT / top).rglob("*.py") if file.name != "__init__.py")
    assert {str(folder.relative_to(CHECKOUT)): count for folder, count in counts.items() if count > MOST_FILES} == {}


def test_the_name_of_a_test_file_says_its_room() -> None:
    counts = Counter(file.name for file in (CHECKOUT / "tests").rglob("test_*.py"))
    assert [name for name, count in counts.items() if count > 1] == []


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


def test_the_arrows_in_short_are_those_of_the_map() -> None:
    def importers_of(other: str, among: str) -> list[str]:
        return [room for room in rooms_in(among) if any(name in rooms_in(other) for name in MAY_IMPORT[room].split())]

    def rooms_in(package: str) -> list[str]:
        return [room for room in MAY_IMPORT if room == package or room.startswith(f"{package}.")]

    for above, below in [("recorder", "storage"), ("analysis", "storage"), ("exporter", "analysis"), ("cli", "exporter")]:
        assert importers_of(below, among=above)
        assert not importers_of(above, among=below)
    assert not importers_of("recorder", among="analysis")
    assert not importers_of("recorder", among="exporter")
    exceptions = " and ".join(f"`{room}`" for room in importers_of("analysis", among="recorder"))
    text = (CHECKOUT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert "In short: recorder → storage ← analysis ← exporter ← cli." in text
    assert f"In the recorder, only {exceptions} import rooms of `analysis`" in text


if __name__ == "__main__":
    sys.stdout.write(TABLE_HEAD + "\n".join(rows()) + "\n")
