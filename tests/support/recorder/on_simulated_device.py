"""Trains a network on a simulated device, alone and watched, and on the CPU, and prints what differs and what waited, as JSON.

`python -m support.recorder.on_simulated_device FOLDER`. The zoo copies what it trains with `deepcopy`, which reads memory directly.
"""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from comgra_export import watch
from comgra_export.recorder.numbers.transfer import Transfer
from comgra_export.recorder.step import registrar
from comgra_export.storage import find_recordings, iterate_records, open_recording
from support.recorder import simulated_device

__all__ = ["in_transfer", "train"]

in_transfer: list[int] = []
"""How many waits each transfer of the numbers of a step took. On CUDA, that does not wait."""


class _Network(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first, self.norm, self.last = nn.Linear(6, 300), nn.LayerNorm(300), nn.Linear(300, 4)

    def forward(self, x: Tensor) -> Tensor:
        output: Tensor = self.last(self.norm(torch.relu(self.first(x))))
        return output


def train(
    device: str, folder: Path | None, *, sentinels: bool = False, singular_values: bool = False
) -> tuple[list[float], list[list[float]], int]:
    """Trains for two steps. Returns the losses, the parameters, and how often it waited within the steps."""
    torch.manual_seed(3)
    model, x = _Network(), torch.randn(8, 6)
    target = torch.randint(4, (8,))
    model, x, target = model.to(device), x.to(device), target.to(device)
    optimizer = torch.optim.SGD(model.parameters(), 0.1, momentum=0.9)
    losses: list[Tensor] = []
    simulated_device.waits.clear()
    with (
        nullcontext()
        if folder is None
        else watch(
            model,
            folder,
            every=1,
            strict=True,
            sentinels=sentinels,
            calculate_svd_and_other_expensive_operations_of_parameters=singular_values,
        )
    ):
        for _ in range(2):
            optimizer.zero_grad()
            loss = functional.cross_entropy(model(x), target)
            loss.backward()
            optimizer.step()
            losses.append(loss.detach())
    waited = len(simulated_device.waits)
    return [loss.item() for loss in losses], [parameter.detach().cpu().reshape(-1).tolist() for parameter in model.parameters()], waited


def _statistics(folder: Path) -> dict[str, list[float]]:
    """All statistics of the last step, by group, tensor and iteration."""
    recording = open_recording(find_recordings(folder)[0])
    number = recording.steps[-1]
    step, arrays = recording.step(number), recording.blobs(number)
    numbers: dict[str, list[float]] = {}
    for place in iterate_records(recording.layout(step.layout)):
        entry = place.entry
        rows = arrays[f"statistics.{entry.precision}"].data[place.statistics : place.statistics + entry.statistics_count]
        numbers[f"{place.group} {entry.name} {entry.iteration}"] = rows.tolist()
    assert step.parameters is not None
    numbers["norms of updates"] = list(step.parameters.update_norm)
    return numbers


def _count_waits_of_transfers() -> None:
    copy: Callable[[torch.device, Tensor], Tensor] = Transfer._copy

    def copy_and_count(device: torch.device, together: Tensor) -> Tensor:
        before = len(simulated_device.waits)
        arrived = copy(device, together)
        in_transfer.append(len(simulated_device.waits) - before)
        return arrived

    Transfer._copy = staticmethod(copy_and_count)  # type: ignore[method-assign]


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    root = Path(sys.argv[1])
    simulated_device.set_up()
    _count_waits_of_transfers()
    of_cpu = train("cpu", root / "cpu")
    alone = train(simulated_device.DEVICE, None)
    outcome: dict[str, Any] = {"waits alone": alone[2]}
    for name, has_sentinels in (("watched", False), ("with sentinels", True)):
        in_transfer.clear()
        losses, parameters, waited = train(simulated_device.DEVICE, root / name, sentinels=has_sentinels)
        recording = open_recording(find_recordings(root / name)[0])
        outcome[name] = {
            "is the same": (losses, parameters) == alone[:2],
            "waits": waited - sum(in_transfer),
            "transfers": len(in_transfer),
            "steps": len(recording.steps),
            "devices": sorted({str(entry.device) for entry in recording.layout(recording.step(0).layout).tensors}),
            "statistics": _statistics(root / name),
        }
    outcome["statistics of the CPU"] = _statistics(root / "cpu")
    # The smaller of the two matrices takes 4 * 4 * 300 products, and the other one 6 * 6 * 300.
    registrar.MOST_PRODUCTS_ON_DEVICE = 5000  # type: ignore[attr-defined]
    train(simulated_device.DEVICE, root / "singular values", singular_values=True)
    step = (recording := open_recording(find_recordings(root / "singular values")[0])).step(0)
    outcome["kinds"] = {entry.name: entry.kind for entry in recording.layout(step.layout).tensors if entry.type == "parameter"}
    outcome["gaps"] = {gap.tensor: gap.reason for gap in step.gaps}
    print(json.dumps(outcome))
