"""What benchmarks are made of: rows, pages and files of results, laps, and experiments in processes of their own."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.__main__ import main
from benchmarks.harness import own_process, timing
from benchmarks.harness.report import BEGIN, END, write_page
from benchmarks.harness.results import Results, compare, read_results, write_results
from benchmarks.harness.table import Row
from benchmarks.harness.workload import Workload
from benchmarks.recorder.long_chain import time_chains
from benchmarks.recorder.watched_step import time_first_step, time_watched
from benchmarks.tools import environments
from support.places import CHECKOUT


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
