"""Processes that train together, each started as `torchrun` would start it."""

from __future__ import annotations

import os
import time
import traceback
from collections.abc import Callable
from datetime import timedelta
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Final

__all__ = ["START_METHOD", "run_ranks"]

START_METHOD: Final = "forkserver"
"""How processes start: a server that has imported torch makes each of them in a few milliseconds."""

_PROCESSES = get_context(START_METHOD)
# The server does not find modules of the tests.
_PROCESSES.set_forkserver_preload(
    ["torch.distributed.fsdp", "torch.distributed.tensor.debug", "torch.nn.parallel", "torch._dynamo", "comgra_export.recorder"]
)


def run_ranks(world_size: int, worker: Callable[..., object], folder: Path, *arguments: object, may_die: int | None = None) -> list[Any]:
    """Runs a worker in as many processes, connected by gloo, and returns what each of them returned.

    The processes end without finalizing Python: threads of gloo that still hold tensors would abort them now and then
    (https://github.com/pytorch/pytorch/pull/179291).

    Args:
        world_size: How many.
        worker: A function of `distributed.workers`, called with `folder` and `arguments`.
        folder: Where they write.
        arguments: For the worker.
        may_die: A rank that may end without a word; it returns None.

    Raises:
        AssertionError: One of them raised, ended otherwise, or they are not done in time.
    """
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    store = folder / f"store-{time.monotonic_ns()}"
    processes, receivers = [], []
    for rank in range(world_size):
        receiver, sender = _PROCESSES.Pipe(duplex=False)
        process = _PROCESSES.Process(target=_run, args=(rank, world_size, store, sender, worker, folder, arguments), daemon=True)
        process.start()
        sender.close()
        processes.append(process)
        receivers.append(receiver)
    deadline = time.monotonic() + 120
    results, troubles = [], []
    try:
        for rank, (process, receiver) in enumerate(zip(processes, receivers, strict=True)):
            result, trouble = None, f"rank {rank} ended without a word"
            try:
                if receiver.poll(max(0.0, deadline - time.monotonic())):
                    result, trouble = receiver.recv()
                else:
                    trouble = f"rank {rank} was not done in time"
            except EOFError:
                process.join(10)
                trouble = "" if rank == may_die else f"{trouble}, with the exit code {process.exitcode}"
            results.append(result)
            troubles.append(trouble)
    finally:
        for process in processes:
            process.join(max(0.0, min(10.0, deadline - time.monotonic())))
            process.kill()
            process.join()
    assert not any(troubles), "\n".join(troubles)
    return results


def _run(
    rank: int, world_size: int, store: Path, sender: Connection, worker: Callable[..., object], folder: Path, arguments: tuple[object, ...]
) -> None:
    import torch
    import torch.distributed as dist

    torch.set_num_threads(1)
    os.environ.update(RANK=str(rank), WORLD_SIZE=str(world_size))
    try:
        dist.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=world_size, timeout=timedelta(seconds=60))
        result = worker(folder, *arguments)
        # Whoever is done first must not take the connection away from the others; a rank that died cannot be waited for.
        sender.send((result, ""))
        if not arguments or arguments[-1] != "without waiting":
            dist.barrier()
        dist.destroy_process_group()
    except Exception:
        sender.send((None, f"rank {rank}: {traceback.format_exc()}"))
