"""Which process of a run this is, from the environment of each launcher."""

from __future__ import annotations

import pytest

from comgra_export.errors import MisuseError
from comgra_export.recorder.output.process_rank import process_rank

NAMES = (
    "RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE", "NODE_RANK", "SLURM_PROCID", "SLURM_NTASKS", "SLURM_STEP_NUM_TASKS",
    "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE",
)  # fmt: skip


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ("", (0, 1)),
        ("RANK=3 WORLD_SIZE=8 LOCAL_RANK=1 SLURM_PROCID=5 SLURM_NTASKS=6", (3, 8)),
        ("RANK=3", (3, 4)),
        # Lightning starts the processes of a node so.
        ("LOCAL_RANK=1 NODE_RANK=0 WORLD_SIZE=2", (1, 2)),
        ("LOCAL_RANK=1 NODE_RANK=2 LOCAL_WORLD_SIZE=4 WORLD_SIZE=16", (9, 16)),
        ("LOCAL_RANK=1", (1, 2)),
        # Without the size of a node, that says nothing.
        ("LOCAL_RANK=1 NODE_RANK=2 SLURM_PROCID=5 SLURM_NTASKS=8", (5, 8)),
        ("SLURM_PROCID=2 SLURM_NTASKS=4", (2, 4)),
        ("SLURM_PROCID=1 SLURM_NTASKS=8 SLURM_STEP_NUM_TASKS=2", (1, 2)),
        ("OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=3", (1, 3)),
        ("SLURM_PROCID= OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=3", (1, 3)),
        ("LOCAL_RANK=-1", (0, 1)),
    ],
)
def test_the_environment_says_it(monkeypatch: pytest.MonkeyPatch, environment: str, expected: tuple[int, int]) -> None:
    _set(monkeypatch, environment)
    assert process_rank(None, None) == expected


def test_what_is_given_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    _set(monkeypatch, "RANK=3 WORLD_SIZE=8")
    assert process_rank(1, None) == (1, 8)
    assert process_rank(1, 2) == (1, 2)
    assert process_rank(None, 4) == (3, 4)


@pytest.mark.parametrize("environment", ["RANK=x", "RANK=8 WORLD_SIZE=8", "RANK=-1"])
def test_contradictions_are_refused(monkeypatch: pytest.MonkeyPatch, environment: str) -> None:
    _set(monkeypatch, environment)
    with pytest.raises(MisuseError):
        process_rank(None, None)


def _set(monkeypatch: pytest.MonkeyPatch, environment: str) -> None:
    for name in NAMES:
        monkeypatch.delenv(name, raising=False)
    for pair in environment.split():
        monkeypatch.setenv(*pair.split("=", 1))
