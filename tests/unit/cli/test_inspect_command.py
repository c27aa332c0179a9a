"""The command inspect: what it says of a recording, of its damage and of what is missing."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from pathlib import Path

import pytest

from comgra_export.exporter import export
from comgra_export.storage import Gap, Header, RecordingWriter, SessionEnd
from support.cli.run import Run
from support.cli.written_group import RECORDING
from support.storage.small_step import small_step


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
        "first_nan": {"step": 10, "group": "forward", "tensor": "w"}, "triggered": [], "folder": "", "gaps": [gap, gap], "missing_steps": 0,
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


def test_the_steps_of_a_page_are_listed_like_those_of_its_recording(run: Run, tmp_path: Path) -> None:
    writer = RecordingWriter(tmp_path / "runs" / "group" / "trial" / "rank-0", Header("group", "trial"))
    for step, gaps in ((3, ()), (10, (Gap("it was sparse", 10, 0, tensor="x"), Gap("it was empty", 10, 0, tensor="y")))):
        description, blobs = small_step(writer, step)
        writer.write_step(replace(description, gaps=gaps), blobs)
    writer.close()
    export(tmp_path / "runs", tmp_path / "report.html")
    tables = []
    for path in ("runs", "report.html"):
        lines = run("inspect", path, "--steps").stdout.splitlines()
        begin = next(place for place, line in enumerate(lines) if line.split()[:2] == ["step", "type"])
        tables.append([line.split() for line in lines[begin : begin + 3]])
    assert tables[0] == tables[1]
    assert [row[-1] for row in tables[1]] == ["gaps", "0", "2"]
    assert int(tables[1][1][-2]) > 0
    # A recording without values of samples still holds numbers: statistics.
    shown = run("inspect", "runs").stdout
    assert "bytes per number" in shown
    assert "values" not in shown


def test_inspect_reports_damage_with_its_exit_code_and_shows_the_rest(run: Run, group: Path) -> None:
    (group / "first" / "rank-0" / "steps" / "000000000007.json").write_text("{")
    done = run("inspect", group)
    assert done.returncode == RECORDING
    assert "000000000007.json" in done.stderr
    assert "group / second" in done.stdout


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
