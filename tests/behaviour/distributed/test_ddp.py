"""Data-parallel runs: every rank records for itself, and all ranks together hold what one process would have recorded."""

from __future__ import annotations

import sys
from pathlib import Path
from subprocess import run

import numpy as np
import pytest

from comgra_export.analysis.ranks import FLAG_RANKS_DIFFER, merge_ranks
from support.analysis.rank_recordings import read_numbers
from support.distributed.ranks import run_ranks
from support.distributed.trials import PARAMETERS, assert_equal_forward, of_group, open_trial, record_whole_batch
from support.distributed.workers import (
    FEATURES,
    STEPS,
    die_in_the_second_step,
    open_again,
    train_with_ddp,
    train_with_one_recorder,
)


@pytest.mark.parametrize("world_size", [2, 4])
def test_all_ranks_together_are_the_whole_batch(tmp_path: Path, world_size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    losses = run_ranks(world_size, train_with_ddp, tmp_path, "parts", 8)
    whole = record_whole_batch(tmp_path, 8, monkeypatch)
    ranks = open_trial(tmp_path, "parts")
    assert [(rank.header.rank, rank.header.world_size, rank.steps) for rank in ranks] == [
        (rank, world_size, tuple(range(STEPS))) for rank in range(world_size)
    ]
    merged = merge_ranks(ranks)
    assert merged.steps == whole.steps
    for step in merged.steps:
        assert merged.step(step).batch_size == 8
        merged_numbers, expected = read_numbers(merged, step), read_numbers(whole, step)
        assert set(merged_numbers) == set(expected)
        for name, (entry, numbers) in merged_numbers.items():
            assert entry.shape == expected[name][0].shape
            assert_equal_forward(name, numbers, expected[name][1])
        # Parameters are the same everywhere; losses are not.
        assert [merged_numbers[name][1].counts[4] for name in PARAMETERS] == [0] * 4
        assert merged_numbers["loss"][1].counts[4] == FLAG_RANKS_DIFFER
    points = [point.v for point in merged.curve_points]
    np.testing.assert_allclose(points, np.mean(losses, axis=0), rtol=1e-6)


def test_gradients_are_local_for_activations_and_averaged_for_parameters(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run_ranks(2, train_with_ddp, tmp_path, "parts", 8)
    whole = of_group(record_whole_batch(tmp_path, 8, monkeypatch), 1, "gradients")
    ranks = [of_group(rank, 1, "gradients") for rank in open_trial(tmp_path, "parts")]
    merged = of_group(merge_ranks(open_trial(tmp_path, "parts")), 1, "gradients")
    for name in PARAMETERS:
        np.testing.assert_array_equal(ranks[0][name][1], ranks[1][name][1])
        np.testing.assert_allclose(merged[name][1], whole[name][1], rtol=1e-4, atol=1e-7)
        assert merged[name][2][4] == 0
    for name in ("hidden", "output"):
        assert not np.array_equal(ranks[0][name][1], ranks[1][name][1])
        # The loss of a rank is the mean over half of the samples.
        np.testing.assert_allclose(merged[name][1], 2 * whole[name][1], rtol=1e-4, atol=1e-7)


def test_ranks_may_have_batches_of_different_sizes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run_ranks(2, train_with_ddp, tmp_path, "parts", 7)
    merged = merge_ranks(open_trial(tmp_path, "parts"))
    assert [rank.step(0).batch_size for rank in open_trial(tmp_path, "parts")] == [3, 4]
    expected = read_numbers(record_whole_batch(tmp_path, 7, monkeypatch))
    for name in ("x", "hidden", "output", "target", *PARAMETERS):
        assert_equal_forward(name, read_numbers(merged)[name][1], expected[name][1])


def test_the_recorder_needs_no_other_rank(tmp_path: Path) -> None:
    (recorded, first), (unrecorded, second) = run_ranks(2, train_with_one_recorder, tmp_path, "alone")
    assert first == second
    (recording,) = open_trial(tmp_path, "alone")
    assert recording.steps == (0, 1, 2)
    assert recorded != unrecorded


def test_a_rank_that_dies_takes_nothing_from_the_others(tmp_path: Path) -> None:
    run_ranks(3, die_in_the_second_step, tmp_path, "dying", "without waiting", may_die=2)
    ranks = open_trial(tmp_path, "dying")
    assert [rank.steps for rank in ranks] == [(0, 1, 2), (0, 1, 2), (0,)]
    assert all(rank.check_step(step) for rank in ranks for step in rank.steps)
    merged = merge_ranks(ranks)
    assert merged.steps == (0,)
    assert read_numbers(merged)["x"][0].shape == (8, FEATURES)
    assert any("without 2 steps, from 1 to 2, which rank 2 lacks" in gap.reason for gap in merged.gaps)


def test_all_ranks_meet_the_same_answer_where_there_is_a_trial_already(tmp_path: Path) -> None:
    assert run_ranks(4, open_again, tmp_path, "trial", "error") == ["trial"] * 4
    refused = run_ranks(4, open_again, tmp_path, "trial", "error")
    assert all("there is a recording in" in answer and "trial" in answer for answer in refused)
    assert run_ranks(4, open_again, tmp_path, "trial", "rename") == ["trial-2"] * 4
    for trial in ("trial", "trial-2"):
        _, numbers = read_numbers(merge_ranks(open_trial(tmp_path, trial)))["x"]
        assert numbers.extrema.tolist() == [0, 3]


def test_torchrun_says_which_rank_it_is(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import sys, torch\n"
        "from comgra_export import ComgraRecorder\n"
        "with ComgraRecorder(sys.argv[1], trial_id='trial', strict=True) as recorder:\n"
        "    with recorder.batch(0, 1), recorder.iteration():\n"
        "        recorder.register_tensor('x', torch.ones(1, 1), is_input=True)\n"
    )
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2", str(script), str(tmp_path)]
    finished = run(command, capture_output=True, text=True, timeout=120, check=False, cwd=tmp_path)
    assert finished.returncode == 0, finished.stderr
    assert [(rank.header.rank, rank.header.world_size, rank.steps) for rank in open_trial(tmp_path, "trial")] == [
        (0, 2, (0,)),
        (1, 2, (0,)),
    ]
