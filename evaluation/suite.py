"""All programs of the evaluation, collected from their folders."""

from __future__ import annotations

import importlib
from collections.abc import Collection
from pathlib import Path

from evaluation.program import Program

__all__ = ["collect_programs"]

_HERE = Path(__file__).parent


def collect_programs(only: Collection[str] = (), *, held_out: bool = False) -> tuple[Program, ...]:
    """All programs, those with bugs first, each folder by name.

    A module holds one program as `PROGRAM`. Programs that rules were tried on lie in `tried/SET/bugs/SUBJECT` and
    `tried/SET/healthy/SUBJECT`, the others in `held_out/bugs/SUBJECT` and `held_out/healthy/SUBJECT`.

    Args:
        only: Names of programs, or of folders such as `blind_6` or `loop`. Empty: all.
        held_out: Collect the programs that no rule was tried on, and only these.

    Raises:
        ValueError: Two programs have the same name, or a name in `only` is that of none.
    """
    root = "held_out" if held_out else "tried/*"
    programs: dict[str, Program] = {}
    folders: dict[str, list[str]] = {}
    for file in (file for kind in ("bugs", "healthy") for file in sorted(_HERE.glob(f"{root}/{kind}/*/[!_]*.py"))):
        program = importlib.import_module(".".join(("evaluation", *file.relative_to(_HERE).with_suffix("").parts))).PROGRAM
        if not isinstance(program, Program):
            raise ValueError(f"PROGRAM in {file.relative_to(_HERE)} is a {type(program).__name__}. Give a Program.")
        if program.name in programs:
            raise ValueError(f"Two programs have the name {program.name!r}. Rename that in {file.relative_to(_HERE)}.")
        programs[program.name] = program
        for folder in file.relative_to(_HERE).parts[:-1]:
            folders.setdefault(folder, []).append(program.name)
    unknown = [name for name in only if name not in programs and name not in folders]
    if unknown:
        raise ValueError(f"No program or folder has the name {', '.join(unknown)}.")
    chosen = {name for asked in only for name in folders.get(asked, [asked])}
    return tuple(program for name, program in programs.items() if not only or name in chosen)
