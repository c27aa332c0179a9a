"""Several workers write the same bytes as one process, and a killed one costs what it was computing."""

from __future__ import annotations

import os
import signal
from functools import partial
from pathlib import Path

import pytest

from comgra_export import export, findings
from comgra_export.analysis.findings.as_json import reports_as_json
from comgra_export.errors import ExportError, WrongChoiceError
from comgra_export.exporter.plan.reading import batches
from comgra_export.storage import without_limits
from comgra_export.storage.text.limits import Limit, check_limit
from comgra_export.workers import Workers
from support.cli.run import Run, run
from support.exporter.recordings import write_trial
from support.reading.small_run import write_small_run

__all__ = ["run"]

joblib = pytest.importorskip("joblib", reason="joblib is not installed: pip install 'comgra-export[dev]'")


def test_two_workers_write_the_same_bytes(tmp_path: Path, run: Run) -> None:
    for rank in (0, 1):
        write_trial(tmp_path / "runs", rank=rank, world_size=2, seed=rank)
    write_small_run(tmp_path / "runs", "with histograms")
    damaged = sorted((tmp_path / "runs/group/trial/rank-1/steps").glob("*.safetensors"))[1]
    damaged.write_bytes(damaged.read_bytes()[:-8])
    sentinels = tmp_path / "runs/group/trial/rank-0/sentinels.jsonl"
    sentinels.write_text("{}\n")
    alone = export(tmp_path / "runs", tmp_path / "alone.html")
    assert "sentinels" in "".join(alone.problems)
    printed = run("build", "runs", "-o", "two.html", "--jobs", 2)
    assert (printed.returncode, printed.stdout[:14]) == (0, "Wrote two.html"), printed.stderr
    assert (tmp_path / "two.html").read_bytes() == alone.path.read_bytes()
    assert run("findings", "runs", "--jobs", 2, "--json").stdout.strip() == reports_as_json(findings(tmp_path / "runs")).strip()


def test_workers_know_whether_limits_are_lifted() -> None:
    with pytest.raises(Exception, match="is not read"):
        list(Workers(2).map(_read_what_is_too_large, [1]))
    with without_limits():
        assert list(Workers(2).map(_read_what_is_too_large, [1])) == [1]


def test_what_is_not_understood_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for arguments, message in (((0,), "1 or more"), ((2, "slurm"), "loky, dask, ray"), ((2, None, "tcp://x"), "Give its backend")):
        with pytest.raises(WrongChoiceError, match=message):
            Workers(*arguments)
    monkeypatch.setitem(__import__("sys").modules, "joblib", None)
    with pytest.raises(WrongChoiceError, match=r"comgra-export\[parallel\]"):
        list(Workers(2).map(abs, [1]))


def test_batches_are_cut_by_size() -> None:
    assert list(batches([3, 1, 1, 9, 2], 4, int)) == [[3, 1], [1, 9], [2]]


@pytest.mark.slow
def test_a_killed_worker_costs_what_it_was_computing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inputs = list(range(20))
    assert list(Workers(2).map(partial(_killed_once, tmp_path), inputs)) == [number**2 for number in inputs]
    # Each computed input leaves a line: those of the first round that were not lost are not computed again.
    assert len((tmp_path / "computed").read_text().split()) < 2 * len(inputs)
    monkeypatch.setattr("comgra_export.workers._MOST_LOSSES", 0)
    with pytest.raises(ExportError, match="so were their replacements"):
        list(Workers(2).map(_always_killed, [1]))


def _killed_once(folder: Path, number: int) -> int:
    if number == 7 and not (folder / "killed").exists():
        (folder / "killed").touch()
        os.kill(os.getpid(), signal.SIGKILL)
    with (folder / "computed").open("a") as lines:
        lines.write(f"{number}\n")
    return number**2


def _always_killed(_: int) -> int:
    os.kill(os.getpid(), signal.SIGKILL)
    return 0


def _read_what_is_too_large(number: int) -> int:
    check_limit(Limit.LINES, 10**9, "a file")
    return number
