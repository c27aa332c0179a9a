"""Results, messages and exit codes of the command line."""

from __future__ import annotations

import json
import math
import os
import re
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from comgra_export import __version__
from comgra_export.cli.console import fail, warn
from comgra_export.native import load_kernels
from comgra_export.storage import Gap, Header, RecordingWriter, SessionEnd
from support.cli.run import Run
from support.exporter.recordings import write_trial
from support.exporter.unpacker import Bundle
from support.storage.small_step import small_step

USAGE, RECORDING, EXPORT = 2, 3, 4


@pytest.fixture
def group(tmp_path: Path) -> Path:
    """Two trials of three steps."""
    write_trial(tmp_path / "runs", "first")
    write_trial(tmp_path / "runs", "second", seed=1)
    return tmp_path / "runs" / "group"


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


@pytest.mark.parametrize("below", ["", "group", "group/first", "group/first/rank-0"])
def test_build_accepts_every_level_of_the_folder(run: Run, group: Path, tmp_path: Path, below: str) -> None:
    done = run("build", tmp_path / "runs" / below, "-o", "report.html")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "report.html").read_text(encoding="ascii").startswith("<!doctype html>")
    assert "report.html" in done.stdout


def test_build_takes_several_recordings(run: Run, group: Path, tmp_path: Path) -> None:
    write_trial(tmp_path / "others", "first", seed=2)
    done = run("build", group / "second", tmp_path / "others", "-o", "report.html")
    assert done.returncode == 0, done.stderr
    assert [trial["name"] for trial in Bundle(tmp_path / "report.html").index["trials"]] == ["second", "first"]
    write_trial(tmp_path / "more", "third", group="another")
    done = run("build", group, tmp_path / "more", "-o", "other.html")
    assert (done.returncode, "belong to 2 groups" in done.stderr) == (EXPORT, True)
    done = run("build", group, "nowhere", "-o", "other.html")
    assert (done.returncode, "nowhere does not exist" in done.stderr) == (RECORDING, True)


def test_build_says_that_it_made_the_folder_of_the_output(run: Run, group: Path, tmp_path: Path) -> None:
    done = run("build", group, "-o", "new/deep/report.html")
    assert done.returncode == 0, done.stderr
    assert f"Made the folder {Path('new/deep')}" in done.stdout
    assert (tmp_path / "new" / "deep" / "report.html").is_file()
    assert "Made the folder" not in run("build", group, "-o", "new/deep/report/").stdout
    assert "Made the folder" not in run("build", group, "-o", "report.html").stdout


def test_build_takes_the_shape_from_the_name(run: Run, group: Path, tmp_path: Path) -> None:
    assert run("build", group, "-o", "report/").returncode == 0
    assert (tmp_path / "report" / "index.html").is_file()
    assert list((tmp_path / "report" / "data").glob("c*.js"))
    assert run("build", group, "-o", "report.zip").returncode == 0
    assert any(name.endswith("index.html") for name in zipfile.ZipFile(tmp_path / "report.zip").namelist())


def test_build_without_an_output_names_it_after_the_group(run: Run, group: Path, tmp_path: Path) -> None:
    assert run("build", group).returncode == 0
    assert (tmp_path / "group.html").is_file()


def test_build_leaves_nothing_else_behind(run: Run, group: Path, tmp_path: Path) -> None:
    run("build", group, "-o", "report.html")
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["report.html", "runs"]


def test_a_story_is_put_into_a_folder_that_is_there(run: Run, group: Path, tmp_path: Path) -> None:
    note = {"view": "#v=1&tab=graphs", "text": "Here"}
    (tmp_path / "story.json").write_text(json.dumps([note]), encoding="utf-8")
    assert run("build", group, "-o", "report/").returncode == 0
    done = run("build", group, "-o", "report/", "--force", "--story", "story.json", "--start", "#v=1&tab=network")
    assert done.returncode == 0, done.stderr
    index = Bundle(tmp_path / "report").index
    assert index["story"] == [{**note, "title": "", "point": None}]
    assert index["start"] == "#v=1&tab=network"
    (tmp_path / "story.json").write_text('[{"text": "Here"}]', encoding="utf-8")
    done = run("build", group, "-o", "report/", "--force", "--story", "story.json")
    assert (done.returncode, "story.json, note 1: its view is missing" in done.stderr) == (USAGE, True)


def test_a_picture_for_previews_is_named_by_its_address(run: Run, group: Path, tmp_path: Path) -> None:
    address = "https://me.github.io/report.png"
    assert run("build", group, "-o", "report.html", "--picture", address).returncode == 0
    assert f'<meta property="og:image" content="{address}">' in (tmp_path / "report.html").read_text()
    done = run("build", group, "-o", "other.html", "--picture", "report.png")
    assert (done.returncode, "is not an address on the web" in done.stderr) == (USAGE, True)


def test_an_existing_output_is_refused_without_force(run: Run, group: Path, tmp_path: Path) -> None:
    (tmp_path / "report.html").write_text("mine")
    done = run("build", group, "-o", "report.html")
    assert done.returncode == EXPORT
    assert "report.html" in done.stderr
    assert "--force" in done.stderr
    assert (tmp_path / "report.html").read_text() == "mine"
    assert run("build", group, "-o", "report.html", "--force").returncode == EXPORT
    assert (tmp_path / "report.html").read_text() == "mine"
    assert run("build", group, "-o", "other.html").returncode == 0
    assert run("build", group, "-o", "other.html").returncode == EXPORT
    assert run("build", group, "-o", "other.html", "--force").returncode == 0


def test_a_slash_at_the_end_asks_for_a_folder(run: Run, group: Path, tmp_path: Path) -> None:
    assert run("build", group, "-o", "report.txt").returncode == USAGE
    assert run("build", group, "-o", "report.txt/").returncode == 0
    assert (tmp_path / "report.txt" / "index.html").is_file()


def test_a_folder_in_place_of_a_command_is_noticed(run: Run, group: Path) -> None:
    done = run(group, "-o", "x.html")
    assert done.returncode == USAGE
    assert f"Did you mean: comgra-export build {group} -o x.html" in done.stderr
    assert "Did you mean: comgra-export" not in run("nowhere").stderr


def test_a_trial_without_steps_is_reported(run: Run, group: Path) -> None:
    RecordingWriter(group / "third" / "rank-0", Header("group", "third")).close()
    done = run("build", group, "-o", "report.html")
    assert done.returncode == 0
    assert "third has no recorded step" in done.stderr
    assert "start_batch" in done.stderr
    assert "first has" not in done.stderr


def test_a_bundle_without_steps_is_reported_once(run: Run, tmp_path: Path) -> None:
    RecordingWriter(tmp_path / "runs" / "only" / "rank-0", Header("runs", "only")).close()
    done = run("build", tmp_path / "runs", "-o", "report.html")
    assert done.returncode == 0
    assert done.stderr.count("has no recorded step") == 1
    assert "UserWarning" not in done.stderr


def test_a_folder_with_other_things_is_never_replaced(run: Run, group: Path, tmp_path: Path) -> None:
    (tmp_path / "report").mkdir()
    (tmp_path / "report" / "thesis.tex").write_text("mine")
    done = run("build", group, "-o", "report/", "--force")
    assert done.returncode == EXPORT
    assert "thesis.tex" in done.stderr
    assert (tmp_path / "report" / "thesis.tex").exists()


def test_an_output_below_a_file_is_refused_in_words(run: Run, group: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = run("build", group, "-o", "file/report.html")
    assert done.returncode == EXPORT
    assert "file/report.html" in done.stderr
    assert "Traceback" not in done.stderr


def test_an_unwritable_folder_is_refused_in_words(run: Run, group: Path, tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o500)
    if os.access(closed, os.W_OK):
        closed = Path("/proc/self")  # root may write anywhere but here
    done = run("build", group, "-o", closed / "report.html")
    assert done.returncode == EXPORT
    assert f"{closed}/report.html" in done.stderr
    assert "Traceback" not in done.stderr


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


def test_a_truncated_blob_loses_that_step_alone(run: Run, group: Path, tmp_path: Path) -> None:
    blob = group / "first" / "rank-0" / "steps" / "000000000007.safetensors"
    blob.write_bytes(blob.read_bytes()[:-10])
    done = run("build", group, "-o", "report.html")
    assert done.returncode == 0
    assert "warning" in done.stderr
    assert re.search(r"step 7\b", done.stderr, re.IGNORECASE)
    assert (tmp_path / "report.html").exists()


def test_a_step_without_its_description_is_not_there(run: Run, group: Path) -> None:
    (group / "first" / "rank-0" / "steps" / "000000000007.json").unlink()
    done = run("inspect", group / "first", "--steps")
    assert done.returncode == 0, done.stderr
    assert "2 (0 to 1,200)" in done.stdout


def test_inspect_says_what_is_inside(run: Run, group: Path) -> None:
    done = run("inspect", group)
    assert done.returncode == 0
    for words in (
        "group / first",
        "group / second",
        "3 (0 to 1,200)",
        "even: 2, odd: 1",
        "forward, gradients",
        "5, of which 1 are parameters",
    ):
        assert words in done.stdout


def write_ranks(root: Path) -> None:
    """A trial of two ranks: one finished, and an exception ended the other after a NaN."""
    for rank, end in enumerate((SessionEnd(40), SessionEnd(38, "RuntimeError: \x1b[31mboom", 37))):
        writer = RecordingWriter(root / "group" / "my trial" / f"rank-{rank}", Header("group", "my trial", rank, 2))
        writer.write_config({"lr": 0.5, "clip": math.inf, "seed": 7})
        description, blobs = small_step(writer, 10)
        dict(blobs)["counts"].data[0] = rank
        writer.write_step(description, blobs)
        writer.add_gap(Gap("the disk was full", 20))
        writer.close(end=end)


def test_inspect_says_how_a_run_went(run: Run, tmp_path: Path) -> None:
    write_ranks(tmp_path / "runs")
    done = run("inspect", "runs")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert re.fullmatch(
        r"group / my trial: trained 40 steps, recorded 1 step \(.* kB\)\. It ended in step 37 with RuntimeError: \\x1b\[31mboom\. "
        r"The first NaN is in step 10: w\. 2 gaps, the first: the disk was full\.",
        lines[0],
    )
    assert lines[1] == "Page: comgra-export build 'runs/group/my trial' -o report.html"
    assert sum("It ended" in line for line in lines) == 1
    assert "group / my trial, rank 1 of 2" in done.stdout


def test_inspect_as_json(run: Run, tmp_path: Path) -> None:
    write_ranks(tmp_path / "runs")
    done = run("inspect", "runs", "--json")
    assert done.returncode == 0, done.stderr
    assert done.stdout.isascii()
    assert done.stdout.count("\n") == 1
    document = json.loads(done.stdout)
    (trial,) = document.pop("trials")
    assert document == {"format": "comgra-inspection", "version": 1, "problems": []}
    files = [file for file in (tmp_path / "runs").rglob("*") if file.is_file()]
    gap = {"step": 20, "iteration": None, "group": None, "tensor": None, "reason": "the disk was full"}
    assert trial == {
        "group": "group", "trial": "my trial", "ranks": [0, 1], "started": "", "seconds": None, "ending": "exception",
        "error": "RuntimeError: \x1b[31mboom", "error_step": 37, "between_steps": False,
        "trained": 40, "recorded": 1, "last": 10, "parameters": 0, "trainable": 0,
        "devices": [], "dtypes": [], "optimizers": [], "config": {"lr": 0.5, "clip": "Infinity", "seed": 7},
        "first_nan": {"step": 10, "group": "forward", "tensor": "w"}, "triggered": [], "gaps": [gap, gap], "missing_steps": 0,
        "bytes": sum(file.stat().st_size for file in files), "command": "comgra-export build 'runs/group/my trial' -o report.html",
    }  # fmt: skip


def test_inspect_as_json_reports_damage(run: Run, group: Path) -> None:
    (group / "first" / "rank-0" / "recording.json").write_text("{")
    (group / "second" / "rank-0" / "steps" / "000000000007.json").write_text("{")
    done = run("inspect", group, "--json")
    assert done.returncode == RECORDING
    document = json.loads(done.stdout)
    assert [(trial["trial"], trial["recorded"]) for trial in document["trials"]] == [("second", 3)]
    assert [problem.split(" ")[0] for problem in document["problems"]] == [str(group / "first/rank-0/recording.json"), "Step"]


def test_inspect_says_what_is_missing_and_what_was_left_behind(run: Run, tmp_path: Path) -> None:
    for first, lost, ended in ((0, (), True), (25, (35, 45), False)):
        writer = RecordingWriter(tmp_path / "rank-0", Header("group", "trial"), append=True)
        for number in range(first, first + 30, 10):
            writer.add_finished_step(number)
            if number not in lost:
                description, blobs = small_step(writer, number, session=writer.session, triggered="NaN" if number == 25 else None)
                writer.write_step(description, blobs)
        if lost:
            writer.add_gap(Gap("the disk was full", 45, whole_step=True))
        writer.close(ended=ended)
    done = run("inspect", "rank-0")
    assert done.returncode == 0, done.stderr
    for words in (
        "2, the last one not ended",
        "4 (0 to 25)",
        "1 of them, recorded for what they showed",
        "Triggered step 25 (t): NaN.",
        "2 were finished but not written (35; 45: the disk was full)",
    ):
        assert words in done.stdout
    assert "left behind" not in done.stdout
    writer = RecordingWriter(tmp_path / "rank-0", Header("group", "trial"), append=True)
    writer.add_finished_step(5)
    writer.write_step(*small_step(writer, 5, session=2))
    writer.close()
    done = run("inspect", "rank-0")
    assert done.returncode == 0, done.stderr
    assert "3, the last one ended" in done.stdout
    assert "2 (0 to 5)" in done.stdout
    assert "3 steps, since the run was resumed" in done.stdout
    assert "missing" not in done.stdout


def test_inspect_reports_damage_with_its_exit_code_and_shows_the_rest(run: Run, group: Path) -> None:
    (group / "first" / "rank-0" / "steps" / "000000000007.json").write_text("{")
    done = run("inspect", group)
    assert done.returncode == RECORDING
    assert "000000000007.json" in done.stderr
    assert "group / second" in done.stdout


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


@pytest.mark.parametrize(("damaged", "words"), [(0, "report.html ("), (1, ", without 1 step of 6 "), (2, ", without 2 steps of 6 ")])
def test_build_says_how_many_steps_are_missing(run: Run, group: Path, damaged: int, words: str) -> None:
    for number in (0, 7)[:damaged]:
        (group / "first" / "rank-0" / "steps" / f"{number:012d}.safetensors").write_bytes(b"")
    done = run("build", group, "-o", "report.html")
    assert done.returncode == 0
    assert words in done.stdout
    assert ("without" in done.stdout) == (damaged > 0)


@pytest.mark.parametrize(
    "part",
    ["network.json", "notes.jsonl", "curves.jsonl", "gaps.jsonl", "journal.jsonl", "structures/*.json", "steps/000000000007.safetensors"],
)
def test_inspect_finds_damage_in_every_part(run: Run, group: Path, part: str) -> None:
    (file,) = (group / "first" / "rank-0").glob(part)
    file.write_bytes(b"{\n")
    done = run("inspect", group, "--steps")
    assert done.returncode == RECORDING
    assert done.stderr.count("warning: ") == 1
    assert f"group/first/rank-0/{file.parent.name + '/' if '/' in part else ''}{file.name}" in done.stderr
    assert ("cannot be read" in done.stdout) == part.endswith("safetensors")
    assert "group / second" in done.stdout


def test_inspect_shows_the_others_where_one_cannot_be_opened(run: Run, group: Path) -> None:
    (group / "first" / "rank-0" / "recording.json").write_text("{")
    done = run("inspect", group)
    assert done.returncode == RECORDING
    assert "first/rank-0/recording.json" in done.stderr
    assert "group / second" in done.stdout


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


def test_build_chooses_and_says_what_was_left_out(run: Run, group: Path, tmp_path: Path) -> None:
    done = run("build", group, "-o", "report.html", "--trials", "first", "--steps", "0-7", "--precision", "none")
    assert done.returncode == 0, done.stderr
    assert "1 of 2 trials are left out: second." in done.stdout
    assert "1 of 3 recorded steps are left out. Curves are whole." in done.stdout
    assert "Statistics, counts of NaN, infinities and zeros, extremes and curves are exact" in done.stdout
    assert run("build", group, "-o", "other.html", "--trials", "group/sec*").returncode == 0
    assert {trial["name"] for trial in Bundle(tmp_path / "other.html").index["trials"]} == {"second"}
    whole = run("build", group, "-o", "whole.html")
    assert whole.returncode == 0, whole.stderr
    # What is needed is estimated with some room.
    limit = (tmp_path / "whole.html").stat().st_size + 70_000
    limited = run("build", group, "--preset", "mail", "--max-size", str(limit))
    assert limited.returncode == 0, limited.stderr
    assert (tmp_path / "group.html").stat().st_size <= limit


@pytest.mark.parametrize(
    ("options", "words", "code"),
    [
        (["--trials", "other/first"], "There is no trial 'other/first'. There are: first, second.", USAGE),
        (["--trials", "third"], "There is no trial 'third'. There are: first, second.", USAGE),
        (["--steps", "frist"], "every 10th", USAGE),
        (["--steps", "5000-"], "No recorded step is among", USAGE),
        (["--tensors", "nope"], "There is no tensor or node 'nope'.", USAGE),
        (["--samples", "first"], "is not understood", USAGE),
        (["--samples", "9-12"], "No recorded sample is among samples='9-12'. The samples at", USAGE),
        (["--precision", "float8"], "float16", USAGE),
        (["--preset", "email"], "There are: issue, mail, pages.", USAGE),
        (["--max-size", "3megs"], "is not understood", USAGE),
        (["--visualization", "nowhere.js"], "cannot be read", USAGE),
        (["--max-size", "1kB"], "more than the 1,000 bytes allowed", EXPORT),
    ],
)
def test_build_refuses_choices_that_cannot_be_in_words(run: Run, group: Path, options: list[str], words: str, code: int) -> None:
    done = run("build", group, "-o", "report.html", *options)
    assert done.returncode == code
    assert words in done.stderr


def test_visualizations_can_be_given_several_times(run: Run, group: Path, tmp_path: Path) -> None:
    (tmp_path / "own.js").write_text("1;", encoding="utf-8")
    (tmp_path / "own.py").write_text(
        "from comgra_export.visualization import visualization\n"
        "@visualization('Title')\n"
        "def draw(view):\n"
        "    print('printed')\n"
        "    return '<p>' if view.step else 1 / 0\n",
        encoding="utf-8",
    )
    done = run("build", group, "-o", "report.html", "--visualization", "own.js", "--visualization", "own.py")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Wrote report.html")
    assert "printed" not in done.stdout
    assert (
        "own.py: \u201cTitle\u201d could not be drawn for 2 of 6 selections. The first is first, step 0: ZeroDivisionError" in done.stderr
    )
    failed = run("build", group, "-o", "other.html", "--visualization", "missing.py")
    assert failed.returncode == EXPORT
    assert "missing.py" in failed.stderr


def test_more_samples_than_there_are_are_allowed_and_reported(run: Run, group: Path) -> None:
    done = run("build", group, "-o", "report.html", "--samples", "20")
    assert done.returncode == 0
    assert "Values of 20 samples were asked for, and no step has those of more than 2." in done.stdout
