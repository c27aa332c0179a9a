"""A trial that several ranks recorded is one trial."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest

from comgra_export.analysis.ranks.merge_plan import MergePlan
from comgra_export.analysis.ranks.numbers import merge_statistics
from comgra_export.exporter import export
from comgra_export.storage import Blob
from support.exporter.recordings import assert_same_arrays, expected_arrays, write_trial
from support.exporter.unpacker import Bundle


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    return tmp_path / "runs"


@pytest.fixture
def page(tmp_path: Path) -> Path:
    return tmp_path / "report.html"


def entries(bundle: Bundle) -> list[tuple[str, int | None]]:
    return [(trial["name"], trial["rank"]) for trial in bundle.index["trials"]]


def test_all_ranks_come_with_what_they_are_together_first(runs: Path, page: Path) -> None:
    recorded = {rank: write_trial(runs, "wide", rank=rank, world_size=11, seed=rank, steps=(5, 6)) for rank in (0, 2, 10)}
    write_trial(runs, "alone", steps=(1,))
    result = export(runs, page)
    assert (result.trials, result.steps) == (2, 7)
    bundle = Bundle(page)
    assert entries(bundle) == [("alone", 0), ("wide", None), ("wide", 0), ("wide", 2), ("wide", 10)]
    for rank, steps in recorded.items():
        for number, step in steps.items():
            assert_same_arrays(bundle.arrays(bundle.trial("wide", rank), number), expected_arrays(step))
    assert [(recording["trial"], recording["rank"], recording["world_size"]) for recording in bundle.index["about"]["recordings"]] == [
        ("alone", 0, 1),
        *(("wide", rank, 11) for rank in (0, 2, 10)),
    ]
    (problem,) = result.problems
    assert problem == "wide ran on 11 ranks, and some of them are not here: 1, 3, 4, 5, 6 and 3 more."


def test_together_they_are_one_batch(runs: Path, page: Path) -> None:
    for rank in (0, 1):
        write_trial(runs, "wide", rank=rank, world_size=2, seed=rank, steps=(5,))
    assert export(runs, page).problems == ()
    bundle = Bundle(page)
    merged = bundle.trial("wide", None)
    row = bundle.step_row(merged, 5)
    assert (row["batch_size"], bundle.index["sample_sets"][row["sample_set"]]) == (8, {"index": [], "label": []})
    layout = bundle.listed("layouts", row["layout"])["tensors"]
    assert (layout["name"][0], layout["shape"][0], layout["samples"][0]) == ("x", [8, 3], 0)
    counts = [{name: data for name, _, data in bundle.arrays(bundle.trial("wide", rank), 5)}["counts"] for rank in (None, 0, 1)]
    # NaN of x, which is the first record.
    assert counts[0][0] == np.int64(counts[1][0]) + counts[2][0]


def test_one_rank_of_several_is_a_trial_without_ranks(runs: Path, page: Path) -> None:
    write_trial(runs, "wide", rank=3, world_size=4, steps=(5,))
    assert export(runs / "group" / "wide" / "rank-3", page).problems == ()
    assert entries(Bundle(page)) == [("wide", 3)]


def test_what_a_rank_lacks_is_missing_together_only(runs: Path, page: Path) -> None:
    write_trial(runs, "wide", rank=0, world_size=2, steps=(5, 6, 7))
    write_trial(runs, "wide", rank=1, world_size=2, seed=1, steps=(5, 7, 9))
    result = export(runs, page)
    bundle = Bundle(page)
    assert [bundle.trial("wide", rank)["steps"]["step"] for rank in (None, 0, 1)] == [[5, 7], [5, 6, 7], [5, 7, 9]]
    assert (result.steps, result.steps_left_out) == (6, 0)
    reasons = " ".join(gap["reason"] for gap in bundle.document(bundle.trial("wide", None)["gaps"]))
    assert "step 6 which rank 1 lacks" in reasons
    assert "step 9 which rank 0 lacks" in reasons


def test_a_step_damaged_on_one_rank_is_counted_once(runs: Path, page: Path) -> None:
    for rank in (0, 1):
        write_trial(runs, "wide", rank=rank, world_size=2, steps=(5, 6))
    file = runs / "group" / "wide" / "rank-1" / "steps" / "000000000006.safetensors"
    file.write_bytes(file.read_bytes()[:100])
    result = export(runs, page)
    bundle = Bundle(page)
    assert [bundle.trial("wide", rank)["steps"]["step"] for rank in (None, 0, 1)] == [[5], [5, 6], [5]]
    assert (result.steps, result.steps_left_out) == (3, 1)
    assert [problem.split(". ")[0] for problem in result.problems] == [
        "Step 6 of wide (rank 1) could not be read and is left out",
        "Step 6 of wide (all ranks together) is not shown",
    ]


def test_ranks_that_share_no_step_are_shown_one_by_one(runs: Path, page: Path) -> None:
    write_trial(runs, "wide", rank=0, world_size=2, steps=(5,))
    write_trial(runs, "wide", rank=1, world_size=2, steps=(6,))
    export(runs, page)
    bundle = Bundle(page)
    assert [bundle.trial("wide", rank)["steps"]["step"] for rank in (None, 0, 1)] == [[], [5], [6]]


def test_a_copy_of_a_rank_is_a_trial_of_its_own(runs: Path, page: Path) -> None:
    write_trial(runs, "wide", rank=0, world_size=2, steps=(5,))
    shutil.copytree(runs / "group" / "wide" / "rank-0", runs / "group" / "wide" / "rank-1")
    export(runs, page)
    assert entries(Bundle(page)) == [("wide", 0), ("wide (2)", 0)]


def test_readers_without_javascript_see_the_ranks_separately(runs: Path, page: Path) -> None:
    for rank in (0, 1):
        write_trial(runs, "wide", rank=rank, world_size=2, steps=(5,))
    export(runs, page)
    bundle = Bundle(page)
    rows = [bundle.page.text_of(row).split("\n")[2] for row in bundle.page.all("tr") if "tbody" in row.parents]
    assert rows == ["wide (all ranks together)", "wide (rank 0)", "wide (rank 1)"]
    assert "rank 1 of 2," in " ".join(bundle.page.text_of(bundle.page.one("main")).split())


def test_the_statistics_of_all_ranks_are_merged_once(runs: Path, page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for rank in (0, 1):
        write_trial(runs, "wide", rank=rank, world_size=2, seed=rank, steps=(5, 6, 7))
    merged = []

    def merge(plan: MergePlan, arrays: Sequence[Mapping[str, Blob]]) -> dict[str, Blob]:
        merged.append(arrays)
        return merge_statistics(plan, arrays)

    monkeypatch.setattr("comgra_export.analysis.ranks.merged.merge_statistics", merge)
    export(runs, page)
    # Over time and step by step they are the same.
    assert len(merged) == 3
