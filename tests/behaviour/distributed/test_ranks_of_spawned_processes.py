"""The rank of a process that nobody has told us: from the process group, or a folder of its own if it is learnt too late."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from torch.multiprocessing.spawn import start_processes

from comgra_export.storage import find_recordings, open_recording
from support.distributed.ranks import START_METHOD
from support.distributed.spawned import train_watched

pytestmark = pytest.mark.slow


def _spawned(folder: Path, *, is_late: bool) -> None:
    # As `torch.multiprocessing.spawn`, but from a process that has imported torch.
    start_processes(_train, (folder, is_late), nprocs=2, start_method=START_METHOD)


def _train(rank: int, folder: Path, is_late: bool) -> None:
    # No launcher has started it.
    for name in ("RANK", "WORLD_SIZE", "LOCAL_RANK", "NODE_RANK", "SLURM_PROCID", "OMPI_COMM_WORLD_RANK"):
        os.environ.pop(name, None)
    train_watched(rank, folder, is_late=is_late)


def test_the_process_group_says_the_rank(tmp_path: Path) -> None:
    _spawned(tmp_path, is_late=False)
    recordings = [open_recording(folder) for folder in find_recordings(tmp_path / "recordings")]
    assert [(each.header.trial, each.header.rank, each.header.world_size) for each in recordings] == [("trial", 0, 2), ("trial", 1, 2)]
    assert [each.steps for each in recordings] == [(0, 1, 2)] * 2
    # No warning, and both have the same weights.
    assert (tmp_path / "0.txt").read_text() == (tmp_path / "1.txt").read_text()


def test_a_process_that_learns_its_rank_late_has_a_folder_of_its_own(tmp_path: Path) -> None:
    _spawned(tmp_path, is_late=True)
    recordings = [open_recording(folder) for folder in find_recordings(tmp_path / "recordings")]
    assert sorted(each.header.trial for each in recordings) == ["trial", "trial-2"]
    assert [each.steps for each in recordings] == [(0, 1, 2)] * 2
    said = sorted((tmp_path / f"{rank}.txt").read_text().splitlines() for rank in (0, 1))
    assert sorted(map(len, said)) == [1, 2]
    (warning,) = [lines[0] for lines in said if len(lines) == 2]
    assert "This process records as 'trial-2' instead." in warning
    assert said[0][-1] == said[1][-1]
