"""The healthy programs of the evaluation: scripts that anybody could have written, with one line for the recorder."""

from __future__ import annotations

import ast
import importlib
from pathlib import Path

import pytest

from comgra_export.analysis.history.run import read_runs
from evaluation.program import Program, Setting
from support.places import CHECKOUT

FOLDER = CHECKOUT / "evaluation"
FILES = sorted(file for file in FOLDER.glob("**/healthy/*/*.py") if file.name != "__init__.py")
BY_STEM = pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)


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


@BY_STEM
def test_a_program_is_named_like_its_file_and_has_no_bug(file: Path) -> None:
    program = _program(file)
    assert program.name == file.stem.replace("_", "-")
    assert program.truth is None
    assert program.source


@BY_STEM
def test_a_script_says_nothing_to_the_recorder_but_what_to_watch(file: Path) -> None:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    imported = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    imported |= {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    assert not [module for module in imported if module and module.startswith("comgra_export")]
    items = [item for node in ast.walk(tree) if isinstance(node, ast.With) for item in node.items]
    watches = [item for item in items if ast.unparse(item.context_expr).startswith("setting.watch(")]
    assert [item.optional_vars for item in watches] == [None]
    assert isinstance(call := watches[0].context_expr, ast.Call)
    assert (len(call.args), call.keywords) == (1, [])


def test_a_program_trains_and_is_recorded(tmp_path: Path) -> None:
    (file,) = [file for file in FILES if file.stem == "sigmoid_network"]
    _program(file).run(Setting(tmp_path / "recordings"))
    (run,) = read_runs(tmp_path / "recordings")
    assert int(run.is_training.sum()) >= 5
    # It has three layers, and each has a weight and a bias.
    assert len(run.parameters) == 6
