"""The benchmarks run, return every promised row, and write a page. No speed is tested."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from math import isfinite
from pathlib import Path
from socket import gethostname
from statistics import median
from typing import Any

import pytest

from benchmarks.__main__ import main
from benchmarks.harness import own_process, timing
from benchmarks.harness.report import BEGIN, END, KEY_ROWS, write_page
from benchmarks.harness.results import Results, compare, read_results, write_results
from benchmarks.harness.table import Row
from benchmarks.harness.workload import Workload
from benchmarks.recorder.long_chain import time_chains
from benchmarks.recorder.watched_step import time_first_step, time_watched
from benchmarks.tools import environments
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


def test_a_page_without_a_place_for_the_results_is_left_alone(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    for text in ("", f"{END}\n{BEGIN}\n", f"{BEGIN}\n"):
        page.write_text(text)
        with pytest.raises(ValueError, match="no place for the results"):
            write_page(page, Results(["A fact."], {"Heading": [Row("row", [1.0], "s")]}), "here")
        assert page.read_text() == text


def test_a_row_knows_its_median_its_quartiles_and_its_target() -> None:
    row = Row("row", [5.0, 1.0, 4.0, 2.0, 30.0], "ms", target=4.0)
    assert (row.value, row.middle_half, row.reached) == (4.0, (2.0, 5.0), True)
    assert Row("row", [4.5], "ms", target=4.0).reached is False
    nothing = Row("row", [], "ms", "why", target=4.0)
    assert (nothing.value, nothing.middle_half, nothing.reached) == (None, None, None)


def test_results_that_are_written_are_read(tmp_path: Path) -> None:
    rows = [
        Row("row", [5.0, 1.0, 4.0], "ms", "a remark", 4.0),
        Row("none", [], "s", "why"),
        Row("of old", [], "s", "", 2.0, (1.5, (1.0, 2.0))),
    ]
    results = Results(["A fact."], {"Heading": rows})
    write_results(tmp_path / "folder" / "rows.json", results)
    assert read_results(tmp_path / "folder" / "rows.json") == results
    assert (rows[2].value, rows[2].middle_half, rows[2].reached) == (1.5, (1.0, 2.0), True)


@pytest.mark.parametrize(
    ("before", "now", "unit", "verdict"),
    [
        ([10.0], [10.2], "ms", "10.00 -> 10.20 ms, +2.0 %"),
        ([10.0], [10.4], "ms", "10.00 -> 10.40 ms, +4.0 %: SLOWER"),
        ([10.0], [8.0], "ms", "10.00 -> 8.000 ms, -20.0 %"),
        # The quartiles of both are 0.5 from the median: together they are more than the difference, or less.
        ([9.0, 9.5, 10.0, 10.5, 11.0], [9.9, 10.4, 10.9, 11.4, 11.9], "ms", "10.00 -> 10.90 ms, +9.0 %"),
        ([9.0, 9.5, 10.0, 10.5, 11.0], [10.1, 10.6, 11.1, 11.6, 12.1], "ms", "10.00 -> 11.10 ms, +11.0 %: SLOWER"),
        ([100.0], [90.0], "1/s", "100.0 -> 90.00 1/s, -10.0 %: SLOWER"),
        ([100.0], [110.0], "1/s", "100.0 -> 110.0 1/s, +10.0 %"),
        ([-1.0], [5.0], "ms", "-1.000 -> 5.000 ms"),
        ([], [5.0], "ms", "not measured in both"),
    ],
)
def test_a_row_is_slower_beyond_three_per_cent_and_beyond_the_noise(before: list[float], now: list[float], unit: str, verdict: str) -> None:
    old, new = (Results([], {"Heading": [Row("row", samples, unit)]}) for samples in (before, now))
    lines, slower = compare(old, new)
    assert [" ".join(line.split()) for line in lines] == ["Heading", f"row {verdict}"]
    assert slower == ("SLOWER" in verdict)


def test_rows_that_only_one_run_has_are_named() -> None:
    old, new = (Results([], {"Heading": [Row(name, [1.0], "s")]}) for name in ("gone", "come"))
    lines, slower = compare(old, new)
    assert [" ".join(line.split()) for line in lines] == ["Heading", "come new", "missing: Heading: gone"]
    assert slower == 0


def test_two_files_are_compared_on_the_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    files = [tmp_path / "old.json", tmp_path / "new.json"]
    for file, duration in zip(files, (1.0, 2.0), strict=True):
        write_results(file, Results([], {"Heading": [Row("row", [duration], "s")]}))
    monkeypatch.setattr(sys, "argv", ["benchmarks", "--compare", *map(str, files)])
    assert main() == 1
    printed = capsys.readouterr().out
    assert "1.000 -> 2.000 s, +100.0 %: SLOWER" in printed
    assert printed.splitlines()[-1] == "1 rows are slower by more than 3 % and by more than the noise."


def test_without_kernels_the_recorder_loads_none() -> None:
    code = (
        "from benchmarks.harness import recorders_without_kernels; from comgra_export import native;"
        "from comgra_export.recorder.numbers import kernels; assert native.load_kernels() is None; assert not kernels.are_worthwhile(1)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=CHECKOUT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_lap_tells_waiting_from_working(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0

    def takes(duration: float) -> Callable[[], None]:
        def pass_time() -> None:
            nonlocal now
            now += duration

        return pass_time

    monkeypatch.setattr(timing, "perf_counter", lambda: now)
    calls = {"a": timing.stopwatch(takes(2), takes(3), repetitions=4), "b": timing.stopwatch(takes(1), takes(0))}
    laps = timing.laps_in_turn(calls, rounds=3)
    assert laps == {"a": [(2, 5)] * 3, "b": [(1, 1)] * 3}
    assert timing.ratios(laps["a"].total, laps["b"].held) == [5, 5, 5]


def test_an_experiment_runs_in_a_process_of_its_own() -> None:
    series = own_process.run_alone(Path(sys.executable), "our recorder", time_chains, 300, lengths=[2, 3], rounds=2, warm_up=False)
    assert {name: len(samples) for name, samples in series.items()} == {"2 held": 2, "2 total": 2, "3 held": 2, "3 total": 2}


def test_an_experiment_that_fails_or_takes_too_long_has_a_reason(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(own_process.Unavailable, match=r"^failed with TypeError$"):
        own_process.run_alone(Path(sys.executable), "our recorder", time_chains, 300, lengths=["two"], rounds=1, warm_up=False)  # type: ignore[list-item]
    assert "Traceback" in capsys.readouterr().err
    with pytest.raises(own_process.Unavailable, match=r"^not finished after 0 s$"):
        own_process.run_alone(Path(sys.executable), "our recorder", time_chains, 0.01, lengths=[2], rounds=1, warm_up=False)


@pytest.mark.parametrize("tool", [environments.COMGRA, environments.TORCHEXPLORER], ids=lambda tool: tool.name)
def test_where_another_tool_cannot_be_had_the_rows_say_so(
    tool: environments.OtherTool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "nothing"))
    environment = environments.OtherToolEnvironment(replace(tool, program=None), tmp_path / "environment")
    workload = Workload(tmp_path, "quick", True, True, environment, environment)
    if tool is environments.COMGRA:
        outcome = workload.run_comgra(time_chains, lengths=[2], rounds=1, warm_up=False)
    else:
        outcome = workload.run_torchexplorer(time_first_step, model="MLP")
    assert outcome == ({}, f"{tool.name} {tool.version} could not be installed")
    assert f"{tool.package}=={tool.version}" in capsys.readouterr().err, (
        "pip's own words are for the person at the terminal, not for the page"
    )


def test_without_graphviz_the_rows_of_torchexplorer_say_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    workload = Workload(tmp_path, "quick", False, True)
    assert workload.run_torchexplorer(time_first_step, model="MLP") == (
        {},
        "TorchExplorer 1.1.2 needs the program dot of graphviz, which is not installed",
    )


def test_the_same_experiments_run_with_comgra(tmp_path: Path) -> None:
    environment = environments.OtherToolEnvironment(environments.COMGRA)
    if not environment.is_installed:
        pytest.skip("comgra is not installed under build/: `python -m benchmarks --quick --comgra` does it")
    series, missing = Workload(tmp_path, "quick", True, False).run_comgra(time_chains, lengths=[2, 3], rounds=1, warm_up=False)
    assert missing == ""
    assert series.keys() == {"2 held", "2 total", "3 held", "3 total"}


def test_the_same_experiments_run_with_torchexplorer(tmp_path: Path) -> None:
    environment = environments.OtherToolEnvironment(environments.TORCHEXPLORER)
    if not environment.is_installed:
        pytest.skip("TorchExplorer is not installed under build/: `python -m benchmarks --quick --torchexplorer` does it")
    series, missing = Workload(tmp_path, "quick", False, True).run_torchexplorer(
        time_watched, model="MLP", how=["unrecorded", "recorded in memory", "recorded"], rounds=1, steps=1
    )
    assert missing == ""
    assert {name for name in series if name.endswith("held")} == {
        f"{way} held" for way in ("plain", "again", "unrecorded", "recorded in memory", "recorded")
    }


def rows_of_table(page: str) -> list[list[str]]:
    """The cells of every row between the marks, without the heading."""
    lines = [cells(line) for line in page.partition(BEGIN)[2].partition(END)[0].splitlines() if line.startswith("|")]
    assert {len(line) for line in lines} == {6}
    return [line for line in lines if line[0] not in ("what", "---")]


def cells(line: str) -> list[str]:
    """The cells of a line of a Markdown table."""
    return [cell.strip() for cell in line.strip().removeprefix("|").removesuffix("|").split("|")]
