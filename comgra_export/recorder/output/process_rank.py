"""Which process of a distributed run this is."""

from __future__ import annotations

import os
from collections.abc import Iterator

from torch import distributed

from comgra_export.errors import MisuseError

__all__ = ["process_rank"]

_LAUNCHERS = (("SLURM_PROCID", ("SLURM_STEP_NUM_TASKS", "SLURM_NTASKS")), ("OMPI_COMM_WORLD_RANK", ("OMPI_COMM_WORLD_SIZE",)))


def process_rank(rank: int | None, world_size: int | None) -> tuple[int, int]:
    """Which process of a distributed run this is, and how many there are.

    As given; else as `torch.distributed` knows it, if a process group was initialized; else as RANK and WORLD_SIZE say, which `torchrun`
    sets; else as the variables of other launchers say: LOCAL_RANK with NODE_RANK, SLURM_PROCID, OMPI_COMM_WORLD_RANK. Else it is the only
    process.

    Returns:
        Rank and world size.

    Raises:
        MisuseError: They are no integers, or contradict each other.
    """
    try:
        known = next(_found(), (0, None)) if rank is None else (int(rank), None)
        rank, size = known
        if world_size is None and size is None:
            size = int(os.environ.get("WORLD_SIZE", str(rank + 1)))
        size = size if world_size is None else int(world_size)
    except ValueError as error:
        raise MisuseError(
            f"ComgraRecorder: rank and world_size, or the environment variables RANK and WORLD_SIZE, are not integers ({error})."
        ) from None
    assert size is not None
    if not 0 <= rank < size:
        raise MisuseError(f"ComgraRecorder: the rank {rank} is not below the world_size {size}. Give both, counting ranks from 0.")
    return rank, size


def _found() -> Iterator[tuple[int, int | None]]:
    """What is known without a word of the script, the most reliable first. The size is None if only WORLD_SIZE may know it."""
    if distributed.is_available() and distributed.is_initialized():
        yield distributed.get_rank(), distributed.get_world_size()
    if "RANK" in os.environ:
        yield int(os.environ["RANK"]), None
    local, node = _number("LOCAL_RANK"), _number("NODE_RANK") or 0
    per_node = _number("LOCAL_WORLD_SIZE")
    if local is not None and (node == 0 or per_node is not None):
        rank = node * (per_node or 0) + local
        yield rank, max(_number("WORLD_SIZE") or per_node or 0, rank + 1)
    for name, sizes in _LAUNCHERS:
        launched = _number(name)
        if launched is not None:
            size = next((size for each in sizes if (size := _number(each)) is not None), 0)
            yield launched, max(size, launched + 1)


def _number(name: str) -> int | None:
    """A variable of the environment that others set; None if it is not there, or is no number from 0 on."""
    text = os.environ.get(name, "")
    return int(text) if text.isdecimal() else None
