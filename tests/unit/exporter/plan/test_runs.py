"""How runs went, in the index of a bundle."""

from __future__ import annotations

import math
import time
from pathlib import Path
from typing import Any

from comgra_export.exporter import export
from comgra_export.storage import (
    Header,
    ModuleEntry,
    Network,
    OptimizerEntry,
    OptimizerGroup,
    ParameterEntry,
    RecordingWriter,
    SessionEnd,
)
from support.exporter.recordings import write_trial
from support.exporter.unpacker import Bundle, parse_page
from support.storage.small_step import small_step

NETWORK = Network(
    (ModuleEntry("net", "Net", -1),),
    (ParameterEntry("net.weight", 0, (3, 2), "BF16", True, device="cuda"), ParameterEntry("net.bias", 0, (3,), "F32", False)),
    (OptimizerEntry("Adam", "Adam", (OptimizerGroup((0,), {"lr": 0.5, "eps": math.nan, "name": "a"}), OptimizerGroup((1,)))),),
)


def begin(root: Path, rank: int = 0, world_size: int = 1, config: dict[str, Any] | None = None) -> RecordingWriter:
    header = Header("group", "trial", rank, world_size, started=f"2025-01-02T03:04:0{rank}Z")
    writer = RecordingWriter(root / "group" / "trial" / f"rank-{rank}", header)
    writer.write_network(NETWORK)
    for step in (0, 10 + rank):
        writer.write_step(*small_step(writer, step))
    writer.write_config(config or {})
    return writer


def runs_of(page: Path) -> list[dict[str, Any]]:
    runs: list[dict[str, Any]] = Bundle(page).index["runs"]
    return runs


def test_the_index_says_how_a_run_went(tmp_path: Path) -> None:
    config = {"lr": 0.5, "clip": math.inf, "amp": True, "name": "<b>", "none": None, "seed": 7}
    begun = time.monotonic()
    begin(tmp_path / "runs", config=config).close(end=SessionEnd(40, "RuntimeError: boom", 39, between_steps=True))
    elapsed = time.monotonic() - begun
    export(tmp_path / "runs", tmp_path / "page.html", steps="first")
    (run,) = runs_of(tmp_path / "page.html")
    # A short run may take less than the unit in which it is written.
    assert 0 <= run.pop("seconds") <= elapsed + 0.1
    assert run == {
        "started": "2025-01-02T03:04:00Z", "ending": "exception", "error": "RuntimeError: boom", "error_step": 39,
        "between_steps": True,
        "trained": 40, "recorded": 2, "parameters": 9, "trainable": 6, "devices": ["cuda"], "dtypes": ["BF16", "F32"],
        "optimizers": [{"name": "Adam", "groups": 2, "options": {"lr": 0.5, "eps": "NaN", "name": "a"}}],
        "config": [["lr", 0.5], ["clip", "Infinity"], ["amp", True], ["name", "<b>"], ["none", None], ["seed", 7]],
    }  # fmt: skip
    seed = run["config"][-1][1]
    assert type(seed) is int


def test_a_run_that_goes_on_and_one_that_was_killed(tmp_path: Path) -> None:
    writer = begin(tmp_path / "runs")
    export(tmp_path / "runs", tmp_path / "running.html")
    writer.close(ended=False)
    export(tmp_path / "runs", tmp_path / "killed.html")
    export(tmp_path / "runs", tmp_path / "folder", live=True)
    assert [runs_of(tmp_path / name)[0]["ending"] for name in ("running.html", "killed.html", "folder")] == ["running", "killed", "running"]


def test_there_is_an_entry_for_each_rank_and_for_all_together(tmp_path: Path) -> None:
    begin(tmp_path / "runs", 0, 2, {"lr": 1, "rank": 0}).close(end=SessionEnd(40))
    begin(tmp_path / "runs", 1, 2, {"lr": 1, "rank": 1}).close(end=SessionEnd(38, "ValueError: x", 37))
    write_trial(tmp_path / "runs", "another", steps=(7, 20))
    export(tmp_path / "runs", tmp_path / "page.html")
    trials = [(trial["name"], trial["rank"]) for trial in Bundle(tmp_path / "page.html").index["trials"]]
    assert trials == [("another", 0), ("trial", None), ("trial", 0), ("trial", 1)]
    runs = runs_of(tmp_path / "page.html")
    assert [run["ending"] for run in runs] == ["finished", "exception", "finished", "exception"]
    assert [run["trained"] for run in runs] == [None, 40, 40, 38]
    assert [run["recorded"] for run in runs] == [2, 1, 2, 2]
    assert [run["parameters"] for run in runs[1:]] == [9, 9, 9]
    assert [run["config"] for run in runs] == [[], [["lr", 1]], [["lr", 1], ["rank", 0]], [["lr", 1], ["rank", 1]]]
    assert (runs[1]["started"], runs[1]["error_step"]) == ("2025-01-02T03:04:00Z", 37)
    export(tmp_path / "runs", tmp_path / "chosen.html", trials="another")
    assert runs_of(tmp_path / "chosen.html") == runs[:1]


def test_damaged_hyperparameters_are_a_problem_of_the_page(tmp_path: Path) -> None:
    begin(tmp_path / "runs", config={"a": 1}).close()
    (tmp_path / "runs" / "group" / "trial" / "rank-0" / "config.json").write_text('{"values": {"a": []}}')
    bundle = export(tmp_path / "runs", tmp_path / "page.html")
    assert runs_of(tmp_path / "page.html")[0]["config"] == []
    (problem,) = bundle.problems
    assert "group/trial/rank-0/config.json" in problem


def test_lines_of_a_description_stay(tmp_path: Path) -> None:
    begin(tmp_path / "runs").close()
    description = "First line.\nSecond line.\n\n<b>Third</b> line.\n"
    export(tmp_path / "runs", tmp_path / "page.html", description=description)
    assert Bundle(tmp_path / "page.html").index["description"] == description
    page = parse_page((tmp_path / "page.html").read_text("utf-8"))
    assert page.text_of(page.one("p", **{"class": "description"})) == description
