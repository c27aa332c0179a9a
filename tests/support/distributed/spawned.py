"""What processes do that `torch.multiprocessing.spawn` has started, as PyTorch's own tutorials do it."""

from __future__ import annotations

import warnings
from pathlib import Path

import torch
from torch import distributed, nn

import comgra_export

__all__ = ["train_watched"]


def train_watched(rank: int, folder: Path, *, is_late: bool) -> None:
    """Trains a network in a process group of two, and watches it: after the group was made, or before if `is_late`.

    Writes what it was warned of, and its last weight, to `RANK.txt`.
    """
    torch.set_num_threads(1)
    torch.manual_seed(0)
    net = nn.Linear(3, 1)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        recorder = comgra_export.watch(net, folder / "recordings", every=1, check=False) if is_late else None
        distributed.init_process_group("gloo", init_method=f"file://{folder / 'store'}", rank=rank, world_size=2)
        model = nn.parallel.DistributedDataParallel(net)
        with recorder or comgra_export.watch(net, folder / "recordings", every=1, check=False):
            for _ in range(3):
                optimizer.zero_grad()
                model(torch.full((2, 3), 1.0 + rank)).sum().backward()
                optimizer.step()
        distributed.barrier()
    distributed.destroy_process_group()
    said = [str(each.message) for each in caught if issubclass(each.category, comgra_export.ComgraRecordingWarning)]
    (folder / f"{rank}.txt").write_text("\n".join([*said, repr(net.weight.tolist())]))
