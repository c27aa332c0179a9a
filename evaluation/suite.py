"""All programs of the evaluation, collected from their folders."""

from __future__ import annotations

import importlib
from collections.abc import Collection
from pathlib import Path

from evaluation.program import Program

__all__ = ["FOLDERS", "collect_programs"]

FOLDERS = ("bugs", "healthy")
"""Folders whose subfolders hold one program per module, as `PROGRAM`."""

_HERE = Path(__file__).parent
_HELD_OUT = _HERE / "held_out"
"""Holds the same folders, with programs that no rule was tried on."""


def collect_programs(only: Collection[str] = (), *, held_out: bool = False) -> tuple[Program, ...]:
    """All programs, those with bugs first, each folder by name.

    Args:
        only: Names of programs, or of folders such as `loop`. Empty: all.
        held_out: Collect the programs that no rule was tried on, and only these.

    Raises:
        ValueError: Two programs have the same name, or a name in `only` is that of none.
    """
    root = _HELD_OUT if held_out else _HERE
    programs: dict[str, Program] = {}
    folders: dict[str, list[str]] = {}
    for file in sorted(file for top in FOLDERS for file in (root / top).glob("*/[!_]*.py")):
        program = importlib.import_module(".".join(("evaluation", *file.relative_to(_HERE).with_suffix("").parts))).PROGRAM
        if not isinstance(program, Program):
            raise ValueError(f"PROGRAM in {file.relative_to(_HERE)} is a {type(program).__name__}. Give a Program.")
        if program.name in programs:
            raise ValueError(f"Two programs have the name {program.name!r}. Rename that in {file.relative_to(_HERE)}.")
        programs[program.name] = program
        for folder in file.relative_to(root).parts[:-1]:
            folders.setdefault(folder, []).append(program.name)
    unknown = [name for name in only if name not in programs and name not in folders]
    if unknown:
        raise ValueError(f"No program or folder has the name {', '.join(unknown)}.")
    chosen = {name for asked in only for name in folders.get(asked, [asked])}
    return tuple(program for name, program in programs.items() if not only or name in chosen)
