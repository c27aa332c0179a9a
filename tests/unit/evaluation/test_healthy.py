"""The healthy programs of the evaluation: scripts that anybody could have written, with one line for the recorder."""

from __future__ import annotations

import ast
import importlib
from pathlib import Path

from comgra_export.analysis.history.run import read_runs
from evaluation.program import Program, Setting
from support.places import CHECKOUT

FOLDER = CHECKOUT / "evaluation"
FILES = sorted(file for file in FOLDER.glob("**/healthy/*/*.py") if file.name != "__init__.py")


def _program(file: Path) -> Program:
    program = importlib.import_module(".".join(file.relative_to(CHECKOUT).with_suffix("").parts)).PROGRAM
    assert isinstance(program, Program)
    return program


def test_there_are_programs_of_many_kinds_and_no_name_is_used_twice() -> None:
    files = [file for file in FILES if file.is_relative_to(FOLDER / "tried")]
    kinds = {"acting", "customary", "generative", "odd_but_right", "ordinary", "other_tasks", "representation", "sequence", "tabular"}
    assert {file.parent.name for file in files} == kinds | {"usual_tasks", "usual_ways", "vision"}
    assert len(files) >= 222
    assert len({_program(file).name for file in FILES}) == len(FILES)


def test_every_program_is_named_like_its_file_and_has_no_bug() -> None:
    programs = [(file.stem, _program(file)) for file in FILES]
    assert [(stem, program.name) for stem, program in programs if program.name != stem.replace("_", "-")] == []
    assert [stem for stem, program in programs if program.truth is not None] == []
    assert [stem for stem, program in programs if not program.source] == []


def _tells_the_recorder_only_what_to_watch(script: str) -> bool:
    tree = ast.parse(script)
    imported = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    imported |= {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    if any(module and module.startswith("comgra_export") for module in imported):
        return False
    items = [item for node in ast.walk(tree) if isinstance(node, ast.With) for item in node.items]
    match [item for item in items if ast.unparse(item.context_expr).startswith("setting.watch(")]:
        case [ast.withitem(context_expr=ast.Call(args=[_], keywords=[]), optional_vars=None)]:
            return True
    return False


def test_every_script_says_nothing_to_the_recorder_but_what_to_watch() -> None:
    assert [file.stem for file in FILES if not _tells_the_recorder_only_what_to_watch(file.read_text(encoding="utf-8"))] == []


def test_a_program_trains_and_is_recorded(tmp_path: Path) -> None:
    (file,) = [file for file in FILES if file.stem == "sigmoid_network"]
    _program(file).run(Setting(tmp_path / "recordings"))
    (run,) = read_runs(tmp_path / "recordings")
    assert int(run.is_training.sum()) >= 5
    # It has three layers, and each has a weight and a bias.
    assert len(run.parameters) == 6
