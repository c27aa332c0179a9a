"""The command line: help, exit codes, wrong usage, and text that has no power over the terminal."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from comgra_export import __version__
from comgra_export.cli.console import fail, warn
from comgra_export.native import load_kernels
from support.cli.run import Run
from support.cli.written_group import EXPORT, RECORDING, USAGE
from support.exporter.recordings import write_trial


def test_help_names_the_commands_and_the_exit_codes(run: Run) -> None:
    done = run("--help")
    assert done.returncode == 0
    for word in (
        "build",
        "inspect",
        "findings",
        "rerun",
        "demo",
        "import",
        "write-vnittest",
        "--version",
        "--install-completion",
        "Exit codes",
    ):
        assert word in done.stdout


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("build", ["RECORDINGS", "report.zip", "--force", "--watch"]),
        ("inspect", ["--steps", "--json"]),
        ("findings", ["--rule", "--fail-on", "--json", "--config", "--all"]),
        ("demo", ["--recordings"]),
        ("rerun", ["ADAPTER", "--input", "--edit", "--build", "your own Python code, and is executed"]),
    ],
)
def test_help_of_a_command_names_its_options(run: Run, command: str, words: list[str]) -> None:
    done = run(command, "--help")
    assert done.returncode == 0
    assert all(word in done.stdout for word in words)


@pytest.mark.parametrize("command", ["", "build", "inspect", "findings", "rerun", "demo", "import", "import vnittest", "write-vnittest"])
def test_help_names_no_types_of_python(run: Run, command: str) -> None:
    lines = run(*command.split(), "--help").stdout.splitlines()
    assert any("--help" in line for line in lines)
    assert [line for line in lines if re.search("<(bool|str|int|path|file|directory|list)", line)] == []
    assert not any("{" in line for line in lines)


def test_version(run: Run) -> None:
    kernels = "without compiled kernels: recording on the CPU takes longer" if load_kernels() is None else "with compiled kernels"
    assert run("--version").stdout.strip() == f"comgra_export {__version__} ({kernels})"


def test_completion_is_offered_for_the_shell(run_process: Run) -> None:
    # typer looks at this variable when it builds the commands, which those who call `run` share.
    assert "comgra-export" in run_process("--show-completion", "bash", _TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION="1").stdout


@pytest.mark.parametrize("command", ["build", "inspect"])
def test_a_wrong_path_is_named(run: Run, command: str) -> None:
    done = run(command, "nowhere")
    assert done.returncode == RECORDING
    assert "nowhere" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("command", ["build", "inspect"])
def test_an_empty_folder_is_named(run: Run, tmp_path: Path, command: str) -> None:
    (tmp_path / "empty").mkdir()
    done = run(command, "empty")
    assert done.returncode == RECORDING
    assert "empty" in done.stderr


def test_a_newer_recording_is_refused_with_both_versions(run: Run, group: Path) -> None:
    header = group / "first" / "rank-0" / "recording.json"
    header.write_text(re.sub(r'"version":\s*3', '"version":99', header.read_text()))
    done = run("inspect", group / "first")
    assert done.returncode == RECORDING
    assert "99" in done.stderr
    assert "up to 3" in done.stderr
    assert "upgrade" in done.stderr.lower()


def test_several_groups_are_listed_and_the_choice_is_left_to_the_user(run: Run, tmp_path: Path) -> None:
    write_trial(tmp_path / "runs", "trial", group="one")
    write_trial(tmp_path / "runs", "trial", group="two")
    done = run("build", "runs")
    assert done.returncode == EXPORT
    assert "one" in done.stderr
    assert "two" in done.stderr


def test_wrong_usage_has_its_own_exit_code(run: Run) -> None:
    assert run("build").returncode == USAGE
    assert run("nonsense").returncode == USAGE


def test_a_recording_has_no_power_over_the_terminal(run: Run, group: Path) -> None:
    rank = group / "first" / "rank-0"
    hostile = "\x1b[2J\x1b]0;owned\x07\x9b31m\u202e\r"
    header = json.loads((rank / "recording.json").read_text())
    (rank / "recording.json").write_text(json.dumps({**header, "writer": hostile}))
    step = json.loads((rank / "steps" / "000000000007.json").read_text())
    (rank / "steps" / "000000000007.json").write_text(json.dumps({**step, "type_of_execution": hostile}))
    done = run("inspect", group, "--steps")
    assert done.returncode == 0
    shown = r"\x1b[2J\x1b]0;owned\x07\x9b31m\u202e\r"
    assert done.stdout.count(shown) == 3
    assert not set("\x1b\x07\x9b\u202e\r") & set(done.stdout)


@pytest.mark.parametrize("speak", [warn, lambda sentence: fail(sentence, 1)])
def test_messages_have_no_power_over_the_terminal(speak: Callable[[str], object], capsys: pytest.CaptureFixture[str]) -> None:
    speak("a\x1b[31mb\x00\x7f\x85\nwarning: [bold]c \ud800 \u00e9")
    assert capsys.readouterr().err.split(": ", 1)[1] == "a\\x1b[31mb\\x00\\x7f\\x85\\nwarning: [bold]c \\ud800 \u00e9\n"
