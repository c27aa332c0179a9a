"""The programs of the evaluation, and runs of one of them from the command line."""

from __future__ import annotations

import ast
import inspect
import sys
from pathlib import Path

import pytest

from comgra_export.analysis.findings.catalogue import all_rules
from evaluation.__main__ import begin, main
from evaluation.outcome import Outcome, read_outcomes
from evaluation.own_process import Task
from evaluation.page import END
from evaluation.program import Program
from evaluation.published import PUBLISHED
from evaluation.suite import collect_programs
from support.places import CHECKOUT

BEGINS, HELD_OUT_BEGINS = begin(), begin(held_out=True)
NAMES = """
softmax-before-cross-entropy nll-without-log-softmax broadcast-in-loss summed-loss linear-after-linear softmax-over-one target-out-of-range
activation-after-activation softmax-over-batch cut-path tied-parameters trained-target dropout-before-loss
softmax-for-several-labels one-unit-bottleneck optimizer-never-steps frozen-as-initialized class-numbers-as-target rank-collapse
batch-as-sequence heavy-dropout
gradients-left-over gradients-cleared-early never-updated not-in-optimizer unregistered-modules no-gradient zero-gradient
training-in-evaluation-mode evaluation-in-training-mode evaluation-changes-buffers small-batch-norm exception-in-step
optimizer-made-anew maximized-loss batch-norm-momentum class-imbalance
vanishing-gradient exploding-gradient gradient-spike always-clipped updates-too-large updates-too-small weights-collapse equal-weights
nan-origin runaway-growth near-overflow dead-relu saturated-units growing-with-depth same-for-all-samples same-for-all-tokens dormant-units
branch-without-effect attention-collapse logit-growth
initial-loss loss-does-not-fall diverging-loss oscillating-loss negative-loss overfitting predictions-ignore-input
input-not-normalized batches-not-shuffled feature-is-label repeated-batch constant-input ranks-differ constant-target renumbered-classes
"""
RULES = set(NAMES.split())

TRIED = collect_programs()
HELD_OUT = collect_programs(held_out=True)
PROGRAMS = TRIED + HELD_OUT


def _mistakes(program: Program) -> list[str]:
    """What is not as it should be in the script of a program."""
    tree = ast.parse(inspect.getsource(sys.modules[program.train.__module__]))
    used = [node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute) and getattr(node.value, "id", "") == "setting"]
    is_right = {
        "a bug is in exactly one place, and a healthy program has none": used.count("is_fixed") == (0 if program.truth is None else 1),
        "it uses nothing else of its setting": set(used) <= {"is_fixed", "seed", "watch"},
        "it is watched": "watch" in used,
        "it has a docstring": bool(ast.get_docstring(tree)),
        "its source is named": bool(program.source),
    }
    return [what for what, holds in is_right.items() if not holds]


def test_every_module_in_the_folders_is_a_program() -> None:
    for root, programs in (("evaluation/tried", TRIED), ("evaluation/held_out", HELD_OUT)):
        files = [file for file in (CHECKOUT / root).rglob("*.py") if file.name != "__init__.py"]
        assert {Path(sys.modules[program.train.__module__].__file__ or "") for program in programs} == set(files)
    # Recordings of both are kept in the same folder.
    assert len({program.name for program in PROGRAMS}) == len(TRIED) + len(HELD_OUT)


def test_programs_that_no_rule_was_tried_on_are_collected_by_themselves() -> None:
    assert not {program.name for program in TRIED} & {program.name for program in HELD_OUT}
    # No limit was chosen with them: whatever that is true of has been tried.
    assert not [program.name for program in HELD_OUT if program.chose_thresholds]
    with pytest.raises(ValueError, match="zero-grad-missing"):
        collect_programs(["zero-grad-missing"], held_out=True)
    for program in HELD_OUT[:1]:
        assert [chosen.name for chosen in collect_programs([program.name], held_out=True)] == [program.name]
        with pytest.raises(ValueError, match=program.name):
            collect_programs([program.name])


def test_programs_can_be_chosen_by_name_and_by_folder() -> None:
    assert [program.name for program in collect_programs(["zero-grad-missing"])] == ["zero-grad-missing"]
    for folder in ("loop", "development", "bugs"):
        assert "zero-grad-missing" in {program.name for program in collect_programs([folder])}
    with pytest.raises(ValueError, match="no-such-program"):
        collect_programs(["no-such-program"])


def test_the_rules_of_the_package_are_known() -> None:
    assert {rule.name for rule in all_rules()} <= RULES


def test_every_bug_names_rules_that_exist() -> None:
    rules = {program.name: set(program.truth.rules) for program in PROGRAMS if program.truth is not None}
    assert [name for name, named in rules.items() if not named] == []
    assert {name: unknown for name, named in rules.items() if (unknown := named - RULES)} == {}


def test_every_program_is_a_script_that_is_only_watched() -> None:
    assert {program.name: mistakes for program in PROGRAMS if (mistakes := _mistakes(program))} == {}


@pytest.mark.slow
def test_a_bug_is_run_judged_and_reported(tmp_path: Path) -> None:
    json, page = tmp_path / "outcomes.json", tmp_path / "page.md"
    page.write_text(f"# Page\n\n{BEGINS}\nold\n{END}\n\nAfter.\n")
    command = ["--only", "layer-not-in-optimizer", "--seeds", "1", "--keep", str(tmp_path)]
    assert main([*command, "--json", str(json), "--write", str(page)]) == 0
    buggy, fixed = read_outcomes(json)
    assert (buggy.variant, fixed.variant) == ("buggy", "fixed")
    assert "never-updated" in {seen.rule for seen in buggy.findings}
    assert "never-updated" not in {seen.rule for seen in fixed.findings}
    assert len(buggy.training_steps) >= 5
    text = page.read_text()
    assert text.startswith("# Page")
    assert text.endswith("After.\n")
    assert "old" not in text
    assert all(tool in text for tool in PUBLISHED)
    # A second run judges the same recordings.
    times = [(tmp_path / "layer-not-in-optimizer" / f"{variant}-0" / "trained.txt").stat().st_mtime_ns for variant in ("buggy", "fixed")]
    assert main(command) == 0
    assert times == [
        (tmp_path / "layer-not-in-optimizer" / f"{variant}-0" / "trained.txt").stat().st_mtime_ns for variant in ("buggy", "fixed")
    ]


@pytest.mark.slow
def test_a_run_that_fails_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # A file stands where the folder of its recordings belongs.
    (tmp_path / "layer-not-in-optimizer" / "buggy-0").mkdir(parents=True)
    (tmp_path / "layer-not-in-optimizer" / "buggy-0" / "recordings").write_text("")
    assert main(["--only", "layer-not-in-optimizer", "--seeds", "1", "--keep", str(tmp_path)]) == 1
    printed = capsys.readouterr().out
    assert "layer-not-in-optimizer buggy 0: FAILED" in printed
    assert "Runs that failed" in printed


def test_programs_held_out_have_tables_of_their_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tasks: list[Task] = []

    def run_tasks(given: list[Task], *_: object) -> list[Outcome]:
        tasks.extend(given)
        return [Outcome(task.program, task.variant, task.seed) for task in given]

    monkeypatch.setattr("evaluation.__main__.run_tasks", run_tasks)
    page = tmp_path / "page.md"
    page.write_text(f"{BEGINS}\nTheir tables.\n{END}\n\nBetween.\n\n{HELD_OUT_BEGINS}\nEarlier tables.\n{END}\n\nAfter.\n")
    assert main(["--held-out", "--seeds", "1", "--write", str(page)]) == 0
    assert {task.program for task in tasks} == {program.name for program in HELD_OUT}
    before, line, after = page.read_text().partition(HELD_OUT_BEGINS)
    assert line
    assert before == f"{BEGINS}\nTheir tables.\n{END}\n\nBetween.\n\n"
    assert "### How well findings fit, held out" in after
    assert "Earlier tables." not in after
    assert after.endswith(f"{END}\n\nAfter.\n")
    tasks.clear()
    assert main(["--seeds", "1", "--write", str(page)]) == 0
    assert {task.program for task in tasks} == {program.name for program in TRIED}
    assert "Their tables." not in page.read_text()
    assert "### How well findings fit, held out" in page.read_text()
    page.write_text(f"{page.read_text()}{begin(every_step=True)}\n{END}\n")
    tasks.clear()
    assert main(["--every-step", "--only", "loop", "--seeds", "1", "--write", str(page)]) == 0
    assert all(task.every_step for task in tasks)
    every_step = page.read_text().partition(begin(every_step=True))[2]
    assert "### How well findings fit, with every step recorded" in every_step
    # It is compared with the same table of the default schedule, and has no others.
    assert "### Precision" not in every_step


@pytest.mark.slow
@pytest.mark.skipif(not HELD_OUT, reason="rules have been tried on all programs; the next set will be held out")
def test_a_program_held_out_runs_in_its_process(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    name, variant = HELD_OUT[0].name, "healthy" if HELD_OUT[0].truth is None else "buggy"
    # Files stand where the folders of its recordings belong, so each run ends when it begins to record.
    for each in ("buggy-0", "fixed-0", "healthy-0"):
        (tmp_path / name / each).mkdir(parents=True)
        (tmp_path / name / each / "recordings").write_text("")
    assert main(["--held-out", "--only", name, "--seeds", "1", "--keep", str(tmp_path)]) == 1
    printed = capsys.readouterr().out
    assert f"{name} {variant} 0: FAILED" in printed
    assert "No program or folder has the name" not in printed
