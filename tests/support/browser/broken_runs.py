"""Short training scripts with one bug each, recorded as their authors would record them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import torch
from torch import Tensor, nn

import comgra_export

__all__ = ["BROKEN", "write_broken_run"]

STEPS = 60
NAN_FROM = 37


def _net(*, behind: nn.Module | None = None) -> nn.Sequential:
    return nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 16), nn.Tanh(), nn.Linear(16, 1), *([behind] if behind else []))


def _mean_squared(output: Tensor, y: Tensor, step: int) -> Tensor:
    """The loss of every step."""
    return nn.functional.mse_loss(output, y)


def _train(
    folder: Path,
    net: nn.Sequential,
    *,
    trained: list[nn.Parameter] | None = None,
    forgets_zero_grad: bool = False,
    loss_of: Callable[[Tensor, Tensor, int], Tensor] = _mean_squared,
) -> None:
    optimizer = torch.optim.Adam(net.parameters() if trained is None else trained, lr=0.01)
    with comgra_export.watch(net, folder, trial_id="trial") as recorder:
        recorder.track_optimizers(optimizer)
        for step in range(STEPS):
            x = torch.randn(32, 8)
            loss = loss_of(net(x), torch.sigmoid(x.sum(1, keepdim=True)), step)
            if not forgets_zero_grad:
                optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            recorder.record_kpi_in_graph("loss", "mse", loss)


def _two_activations(folder: Path) -> None:
    _train(folder, _net(behind=nn.Sequential(nn.LeakyReLU(), nn.Sigmoid())))


def _nan_from_a_step(folder: Path) -> None:
    net = _net()

    def loss_of(output: Tensor, y: Tensor, step: int) -> Tensor:
        return _mean_squared(torch.log(output) if step >= NAN_FROM else output, y, step)

    _train(folder, net, loss_of=loss_of)


def _layer_without_optimizer(folder: Path) -> None:
    net = _net()
    _train(folder, net, trained=[*net[0].parameters(), *net[4].parameters()])


def _without_zero_grad(folder: Path) -> None:
    _train(folder, _net(), forgets_zero_grad=True)


# The scripts by their bugs.
BROKEN: dict[str, Callable[[Path], None]] = {
    "two activations": _two_activations,
    "nan": _nan_from_a_step,
    "no optimizer": _layer_without_optimizer,
    "no zero_grad": _without_zero_grad,
}


def write_broken_run(bug: str, folder: Path) -> Path:
    """Trains with a bug and records it. Returns the folder of the recording."""
    torch.manual_seed(0)
    BROKEN[bug](folder)
    return folder
