"""What docs/reading.md, docs/for-agents.md, docs/json.md and docs/llms.txt show is so."""

from __future__ import annotations

import json
import math
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

import comgra_export
from comgra_export.exporter import export
from support.analysis.runs import RunByHand
from support.cli.run import Run, run
from support.places import CHECKOUT
from support.processes import ReadyProcesses
from support.reading.small_run import TENSORS, numbers, write_small_run

__all__ = ["run"]

DOCS = CHECKOUT / "docs"
AGENTS = (DOCS / "for-agents.md").read_text(encoding="utf-8")
FINITE = r"-?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?"


def blocks(page: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", (DOCS / page).read_text(encoding="utf-8"), re.DOTALL)


def test_the_examples_of_reading_run_one_after_another(processes: ReadyProcesses, tmp_path: Path) -> None:
    script = "\n".join(blocks("reading.md", "python") + blocks("reading.md", "py"))
    done = processes.run(script, tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert "['default/trial'] ()" in lines
    # The samples of values, their positions, those of the gradient, and what the histogram counts.
    assert "(5, 16) (0, 1, 2, 3, 4) (5, 16) 1024" in lines
    assert (tmp_path / "statistics.csv").read_text(encoding="utf-8").startswith("step,iteration,tensor,role,group,item,mean,")


def test_columns_of_tables_are_those_on_the_page(tmp_path: Path) -> None:
    trial = comgra_export.read(write_small_run(tmp_path / "runs")).trial
    rows = re.findall(r"^\| `trial\.([\w().]+)` \| [^|]+ \| (.*) \|$", (DOCS / "reading.md").read_text(encoding="utf-8"), re.MULTILINE)
    tables = {"graph(step).nodes": trial.graph().nodes, "graph(step).edges": trial.graph().edges}
    assert len(rows) == 8
    for name, columns in rows:
        table = tables[name] if name in tables else getattr(trial, name)
        assert re.findall(r"`(\w+)`", columns) == list(table), name


def test_transcripts_are_what_the_commands_print(run: Run, processes: ReadyProcesses, tmp_path: Path) -> None:
    (script,) = blocks("for-agents.md", "python")
    done = processes.run(script, tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    mended = script.replace('"recordings", ', '"recordings", trial_id="mended", ').replace("if step == 6", "if False")
    assert processes.run(mended, tmp_path).returncode == 0
    transcripts = re.findall(r"<!-- transcript -->\n```text\n(.*?)```", AGENTS, re.DOTALL)
    commands = [each for transcript in transcripts for each in re.split(r"^\$ comgra-export ", transcript, flags=re.MULTILINE)[1:]]
    assert len(commands) == 4
    for each in commands:
        command, _, expected = each.partition("\n")
        if "diff" not in command:
            # The page compares with a second trial later.
            command = command.replace(" recordings", " recordings/default/trial")
        printed = run(*shlex.split(command))
        assert printed.returncode == (6 if "diff" in command else 0), printed.stderr
        # NumPy pads numbers to columns.
        words = [re.escape(word).replace(r"\#", rf"\s*{FINITE}\s*") for word in expected.split()]
        assert re.fullmatch(r"\s*".join(words), printed.stdout.strip()), printed.stdout


def test_links_of_llms_txt_resolve() -> None:
    links = re.findall(r"\]\(([^)#]+)", (DOCS / "llms.txt").read_text(encoding="utf-8"))
    assert len(links) > 5
    assert [link for link in links if not (DOCS / link).is_file()] == []


def described() -> dict[str, dict[str, dict[str, str]]]:
    """By command and object, the type of each key that docs/json.md describes."""
    commands: dict[str, dict[str, dict[str, str]]] = {}
    command = objects = ""
    for line in (DOCS / "json.md").read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            command = line[3:]
        elif match := re.match(r"\| key(?: of an? (\w+))? \| type \|", line):
            objects = match[1] or ""
        elif match := re.match(r"\| ((?:`\w+`(?:, )?)+) \| ([^|]+) \| ", line):
            commands.setdefault(command, {}).setdefault(objects, {}).update(dict.fromkeys(re.findall(r"`(\w+)`", match[1]), match[2]))
    return commands


def is_type(value: Any, described_as: str) -> bool:  # noqa: ANN401
    if " or " in described_as:
        return any(is_type(value, part) for part in described_as.split(" or "))
    if described_as.startswith("list of "):
        kind = described_as.removeprefix("list of ").removesuffix("s")
        return isinstance(value, list) and all(is_type(each, kind) for each in value)
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
    return {
        "string": isinstance(value, str),
        "integer": is_number and isinstance(value, int),
        "number": is_number or value in ("NaN", "Infinity", "-Infinity"),
        "step": is_number,
        "boolean": isinstance(value, bool),
        "object": isinstance(value, dict),
        "list": isinstance(value, list),
        "null": value is None,
    }[described_as]


def check(value: dict[str, Any], keys: dict[str, str]) -> None:
    assert set(value) == set(keys)
    assert [(key, each) for key, each in value.items() if not is_type(each, keys[key])] == []


@pytest.fixture(params=["recording", "page"])
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    root = write_small_run(tmp_path / "runs")
    write_small_run(tmp_path / "runs", "other")
    if request.param == "page":
        export(root, tmp_path / "report.html")
        return tmp_path / "report.html"
    return root


COMMANDS = {
    "inspect": "",
    "verify": "",
    "findings": "",
    "values": "--trial trial --tensor h --step 20",
    "curves": "",
    "graph": "--trial trial",
    "diff": "--trial trial --trial trial",
}


@pytest.mark.parametrize("command", COMMANDS)
def test_json_is_as_described(command: str, run: Run, path: Path) -> None:
    keys = described()[command]
    paths = [path, path] if command == "diff" else [path]
    document = json.loads(run(command, *paths, *COMMANDS[command].split(), "--json").stdout)
    name = re.search(rf"## {command}\n\n`format` is `([\w-]+)`", (DOCS / "json.md").read_text(encoding="utf-8"))
    assert name is not None
    assert (document.pop("format"), document.pop("version")) == (name[1], 1)
    check(document, keys[""])
    if command == "inspect":
        for trial in document["trials"]:
            check(trial, keys["trial"])
    if command == "verify":
        for recording in document["recordings"]:
            check(recording, keys["recording"])
    if command == "curves":
        for trial in document["trials"]:
            for curve in trial["curves"]:
                check(curve, keys["curve"])
    if command == "graph":
        for kind in ("node", "edge"):
            for each in document[f"{kind}s"]:
                check(each, keys[kind])


def test_the_first_difference_is_as_described(run: Run, tmp_path: Path) -> None:
    other = RunByHand(tmp_path / "other", TENSORS[:1])
    other.step(0, {"x": numbers(10)["x"]})
    other.read()
    document = json.loads(run("diff", write_small_run(tmp_path / "runs"), tmp_path / "other", "--json").stdout)
    check(document["first"], described()["diff"]["difference"])
