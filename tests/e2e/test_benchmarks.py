"""The benchmarks run, return every promised row, and write a page. No speed is tested."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from socket import gethostname
from statistics import median
from typing import Any

import pytest

from benchmarks.harness.report import BEGIN, END, KEY_ROWS, write_page
from benchmarks.harness.results import read_results
from support.places import CHECKOUT

COMGRA = "comgra 0.11.5"
TORCHEXPLORER = "TorchExplorer 1.1.2"
WATCHING_ROWS = [
    f"{model}: {row}"
    for model in ("MLP", "small ResNet", "ResNet-18")
    for row in (
        "not watched",
        "not watched, again: ratio",
        "step not recorded: ratio",
        "hooks that do nothing: ratio",
        "every number of it read once: ratio",
        "step recorded",
        "step recorded: ratio, training waits",
        "step recorded: ratio, until it is on disk",
        "first recorded step, until it is on disk",
        f"{TORCHEXPLORER}, step not logged: ratio",
        f"{TORCHEXPLORER}, step logged, nothing written: ratio",
        f"{TORCHEXPLORER}, step logged and written: ratio",
        f"{TORCHEXPLORER}, first step, until it is on disk",
    )
] + [
    "300 layers: first recorded step, until it is on disk",
    f"300 layers: {TORCHEXPLORER}, first step, until it is on disk",
]
NEED_WORKERS = [
    "alone: processor time",
    "one worker: processor time",
    "two workers: processor time of the exporting process",
    "two workers: processor time of both",
    "two workers: share of the time with one",
]
SIZE_ROWS = [
    f"{size} million: {row}"
    for size in (10, 28, 98, 306)
    for row in (
        "not watched",
        "ratio, training waits",
        "ratio, until it is on disk",
        "ratio of processor time",
        "memory added at the peak",
        "held by the recorder",
        "bytes on disk per step",
        "parameters whose norms are estimated",
    )
]
EXPECTED_ROWS = [
    "start_batch + finish_batch",
    "start_iteration + finish_iteration",
    "register_tensor",
    "add_tensor_connection",
    "record_current_gradients",
    "record_kpi_in_graph",
    "record_kpi_in_graph, recorded on every step",
    "without a recorder",
    "without a recorder, again: ratio",
    "with a recorder, step not recorded: ratio",
    "with sentinels: ratio",
    "with dynamic recording, decided as not due: ratio",
    "without a recorder",
    "with a recorder, step not recorded",
    "with a recorder, step not recorded: ratio",
    "with a recorder, step recorded",
    "with a recorder, step recorded: ratio",
    "added by recording, while training waits",
    "added by recording, until it is on disk",
    f"{COMGRA}, step recorded",
    f"{COMGRA}, step recorded: ratio",
    "added by recording, until it is on disk: share of what comgra adds",
    "without a recorder",
    "values recorded",
    "values recorded: ratio, training waits",
    "values recorded: ratio, until it is on disk",
    "statistics recorded",
    "statistics recorded: ratio, training waits",
    "statistics recorded: ratio, until it is on disk",
    "values recorded: memory added at the peak",
    "values recorded: bytes on disk per step",
    "a plain write of as many bytes: ratio",
    f"{COMGRA}, values recorded",
    f"{COMGRA}, values recorded: ratio",
    f"{COMGRA}, values recorded: memory added at the peak",
    f"{COMGRA}, values recorded: bytes on disk per step",
    f"{COMGRA}, statistics recorded: ratio",
    *(
        f"{network} without kernels: {row}"
        for network in ("tutorial network", "transformer")
        for row in ("step recorded", "ratio, training waits", "ratio, until it is on disk", "share of the time with kernels")
    ),
    "20 tensors, training waits",
    "20 tensors, until it is on disk",
    "100 tensors, training waits",
    "100 tensors, until it is on disk",
    "time per tensor, 100 to 20 tensors",
    f"{COMGRA}, 10 tensors",
    f"{COMGRA}, 20 tensors",
    f"{COMGRA}, time per tensor, 20 to 10 tensors",
    f"{COMGRA}, 100 tensors",
    *WATCHING_ROWS,
    *SIZE_ROWS,
    "dense layers: backward pass alone",
    "dense layers: gradient flow",
    "dense layers: gradient flow: ratio",
    "dense layers: products per second",
    "convolution: backward pass alone",
    "convolution: gradient flow",
    "convolution: gradient flow: ratio",
    "large convolution: backward pass alone",
    "large convolution: gradient flow",
    "large convolution: gradient flow: ratio",
    "float32 network",
    "bfloat16 network",
    f"{COMGRA}, float32 network",
    "all rules and associations: processor time",
    "memory added at the peak",
    "to one file",
    "to folder",
    "to zip",
    "to one file",
    "to a folder",
    "to one file of a third of the size",
    "1 GB to a folder",
    "1 GB to a folder: memory added at the peak",
    "1 GB to a folder: longest time without a word of progress",
    *NEED_WORKERS,
    "per rank and step: processor time",
    "per rank and step: memory added at the peak",
    "estimates: time of a processor",
    "estimates: bytes per flow",
    "estimates: memory added at the peak",
    "statistics of a recording: processor time",
    "statistics of a page: processor time",
    "one file",
    "folder",
    "folder with 10 MB of values, 20 steps",
    "folder with 1 GB of values, 2,000 steps",
    "folder with 1 GB of values, 2,000 steps: ratio to 10 MB",
    "one file of 100 MB",
    "one file of 100 MB: first paint",
    "sample, chunk loaded",
    "iteration, chunk loaded",
    "step, chunk perhaps read ahead",
    "step, chunk of 1 MB not loaded",
    "memory of the page at most",
    "from one step to the next",
    "pointing at a time",
    "zooming in by a tenth",
    "resetting the zoom",
    "hiding one of 100 curves, and showing it again",
    "a logarithmic axis for 100 curves, and back",
    "opening them for the first time",
    "opening them again",
    "from its arrival until the panels show it",
    "1,048,576 flows, 32 x 32 to 32 x 32: selecting",
    "4,000,000 flows, 64 x 56 x 56 to 64 x 56 x 56: selecting",
    "4,000,000 flows, 64 x 56 x 56 to 64 x 56 x 56: selecting, chunks loaded",
    "4,000,000 flows, 64 x 56 x 56 to 64 x 56 x 56: selecting, chunks there are",
    "open it, collapsed",
    "expand a group of 800 nodes",
    "find a node by name",
    "select the next node",
    "trace ancestors and descendants",
]
NEED_A_BROWSER = set(EXPECTED_ROWS[EXPECTED_ROWS.index("one file") :])
MAY_BE_NEGATIVE_OR_ZERO = {
    *(row for row in SIZE_ROWS if row.endswith(("memory added at the peak", "norms are estimated"))),
    "added by recording, while training waits",
    "added by recording, until it is on disk",
    "values recorded: memory added at the peak",
    "estimates: time of a processor",
    "estimates: memory added at the peak",
    "per rank and step: processor time",
    "per rank and step: memory added at the peak",
    # A small flow is loaded at once.
    "4,000,000 flows, 64 x 56 x 56 to 64 x 56 x 56: selecting, chunks loaded",
}


@dataclass(frozen=True)
class Run:
    """What a quick run printed and wrote."""

    printed: list[str]
    facts: list[str]
    results: dict[str, list[dict[str, Any]]]
    page: str

    @property
    def rows(self) -> list[dict[str, Any]]:
        return [row for rows in self.results.values() for row in rows]

    def table(self, heading: str) -> dict[str, dict[str, Any]]:
        """The rows by name, under the heading that begins like this."""
        (rows,) = (rows for name, rows in self.results.items() if name.startswith(heading))
        return {row["name"]: row for row in rows}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    file, page = tmp_path_factory.mktemp("benchmarks") / "rows.json", tmp_path_factory.mktemp("benchmarks") / "page.md"
    page.write_text(f"# Ours\n\n{BEGIN}\nwhat was measured before\n{END}\n\nHow to read it.\n")
    command = [sys.executable, "-m", "benchmarks", "--quick", "--json", str(file), "--write", str(page)]
    done = subprocess.run(command, cwd=CHECKOUT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    written = json.loads(file.read_bytes())
    return Run([line.strip() for line in done.stdout.splitlines()], written["facts"], written["results"], page.read_text())


def test_a_quick_run_gives_and_prints_every_row(run: Run) -> None:
    assert [row["name"] for row in run.rows] == EXPECTED_ROWS
    for row in run.rows:
        assert any(line.startswith(row["name"]) and f" {row['unit']}" in line for line in run.printed), row["name"]
        assert all(map(isfinite, row["samples"]))
        if row["name"] not in MAY_BE_NEGATIVE_OR_ZERO:
            assert min(row["samples"], default=1) > 0, row["name"]


def test_only_a_missing_browser_and_other_tools_are_excuses_and_said(run: Run) -> None:
    missing = {row["name"]: row["remark"] for row in run.rows if not row["samples"]}
    excused = {*NEED_A_BROWSER, *NEED_WORKERS}
    for tool in ("comgra", "TorchExplorer"):
        of_tool = {name for name in missing if tool in name}
        assert of_tool == {name for name in EXPECTED_ROWS if tool in name}
        assert all(f"{tool} was left out" in missing[name] for name in of_tool)
        excused |= of_tool
    assert set(missing) <= excused
    assert all(missing.values())


def test_medians_ratios_and_targets_follow_from_the_samples(run: Run) -> None:
    for row in run.rows:
        assert row["value"] == (median(row["samples"]) if row["samples"] else None)
        assert row["reached"] == (None if row["target"] is None or row["value"] is None else row["value"] <= row["target"])
    small = run.table("A training step of the tutorial network")
    plain, recorded = (small[name]["samples"] for name in ("without a recorder", "with a recorder, step recorded"))
    assert small["with a recorder, step recorded: ratio"]["samples"] == pytest.approx([b / a for a, b in zip(plain, recorded, strict=True)])
    assert small["added by recording, while training waits"]["samples"] == pytest.approx(
        [b - a for a, b in zip(plain, recorded, strict=True)]
    )
    large = run.table("A recorded step of that transformer")
    plain, recorded = (large[name]["samples"] for name in ("without a recorder", "values recorded"))
    assert large["values recorded: ratio, training waits"]["samples"] == pytest.approx(
        [b / a for a, b in zip(plain, recorded, strict=True)]
    )
    chain = run.table("One recorded iteration")
    short, long = (chain[f"{length} tensors, until it is on disk"]["samples"] for length in (20, 100))
    assert chain["time per tensor, 100 to 20 tensors"]["samples"] == pytest.approx(
        [(b / 100) / (a / 20) for a, b in zip(short, long, strict=True)]
    )


def test_being_on_disk_takes_no_less_than_returning(run: Run) -> None:
    for rows in run.results.values():
        by_name: dict[str, list[float]] = {row["name"]: row["samples"] for row in rows}
        for name, samples in by_name.items():
            total = name.replace("while training waits", "until it is on disk").replace("training waits", "until it is on disk")
            assert all(held <= until_written for held, until_written in zip(samples, by_name[total], strict=True))


def test_every_promise_has_a_target(run: Run) -> None:
    targets: dict[str, dict[str, float]] = {
        "Calls": {"register_tensor": 1},
        "A step of a transformer": {"with a recorder, step not recorded: ratio": 1.01, "with sentinels: ratio": 1.03},
        "A training step": {
            "added by recording, while training waits": 16,
            "added by recording, until it is on disk: share of what comgra adds": 0.01,
        },
        "A recorded step": {
            "values recorded: ratio, training waits": 1.5,
            "statistics recorded: ratio, training waits": 1.2,
            "values recorded: memory added at the peak": 300,
            "values recorded: bytes on disk per step": 20,
        },
        "Watching": {
            "small ResNet: step not recorded: ratio": 1.01,
            "small ResNet: step recorded: ratio, training waits": 1.6,
            "small ResNet: step recorded: ratio, until it is on disk": 1.6,
            "small ResNet: first recorded step, until it is on disk": 0.3,
        },
        "Size": {"float32 network": 4.3, "bfloat16 network": 2.3},
    }
    for heading, expected in targets.items():
        assert {name: run.table(heading)[name]["target"] for name in expected} == expected


def test_the_page_holds_the_rows_that_matter_and_keeps_the_text_around_them(run: Run) -> None:
    assert run.page.startswith(f"# Ours\n\n{BEGIN}\n")
    assert run.page.endswith(f"{END}\n\nHow to read it.\n")
    assert "what was measured before" not in run.page
    assert "All rows: `benchmarks/results/rows.json`." in run.page
    lines = rows_of_table(run.page)
    assert [line[0] for line in lines] == [key.title for key in KEY_ROWS]
    for line, key in zip(lines, KEY_ROWS, strict=True):
        row = run.table(key.heading).get(key.name)
        # In a quick run, chains are shorter, so their rows have other names.
        if row is None or row["value"] is None:
            assert line[1] == "not measured"
        else:
            assert line[1].endswith(f" {row['unit']}")
        assert line[4] == {None: "", True: "yes", False: "**no**"}[None if row is None else row["reached"]]
        assert line[5].startswith(key.anchor)


def test_the_machine_is_named_by_its_cores_and_memory_alone(run: Run) -> None:
    assert " cores with " in run.facts[0]
    assert run.facts[0] in run.page
    assert all(secret not in run.page for secret in (gethostname(), str(CHECKOUT), str(Path.home()), "/tmp"))


def test_the_page_of_the_documentation_shows_the_newest_results(tmp_path: Path) -> None:
    page = CHECKOUT / "docs" / "performance.md"
    newest = max((CHECKOUT / "benchmarks" / "results").glob("*.json"))
    again = tmp_path / "page.md"
    again.write_text(page.read_text(encoding="utf-8"), encoding="utf-8")
    write_page(again, read_results(newest), f"`benchmarks/results/{newest.name}`")
    assert again.read_text(encoding="utf-8") == page.read_text(encoding="utf-8")
    lines = rows_of_table(page.read_text(encoding="utf-8"))
    assert len(lines) == 10
    assert not any("not measured" in cell for line in lines for cell in line)


def rows_of_table(page: str) -> list[list[str]]:
    """The cells of every row between the marks, without the heading."""
    lines = [cells(line) for line in page.partition(BEGIN)[2].partition(END)[0].splitlines() if line.startswith("|")]
    assert {len(line) for line in lines} == {6}
    return [line for line in lines if line[0] not in ("what", "---")]


def cells(line: str) -> list[str]:
    """The cells of a line of a Markdown table."""
    return [cell.strip() for cell in line.strip().removeprefix("|").removesuffix("|").split("|")]
