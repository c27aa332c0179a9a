"""Five members of an ensemble are each built right after the seed was set. They are one network five times."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import regression_table
from evaluation.program import Program, Setting, Truth


def build_member(seed: int | None) -> nn.Sequential:
    if seed is not None:
        torch.manual_seed(seed)
    return nn.Sequential(nn.Linear(10, 32), nn.Tanh(), nn.Linear(32, 32), nn.Tanh(), nn.Linear(32, 1))


class Ensemble(nn.Module):
    """Their mean is the prediction, and their deviation says how sure it is."""

    def __init__(self, seed: int | None) -> None:
        super().__init__()
        self.members = nn.ModuleList([build_member(seed) for _ in range(5)])

    def forward(self, x: Tensor) -> Tensor:
        return torch.stack([member(x) for member in self.members])


def _train(setting: Setting) -> None:
    x, y = regression_table(1600)
    ensemble = Ensemble(None if setting.is_fixed else 42)
    optimizer = torch.optim.Adam(ensemble.parameters(), lr=3e-3)
    with setting.watch(ensemble):
        for step in range(120):
            rows = torch.randint(1600, (50,))
            predictions = ensemble(x[rows])
            loss = nn.functional.mse_loss(predictions, y[rows].expand(5, 50, 1))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 30 == 29:
                print(f"{step}: {loss.item():.3f}, doubt {predictions.std(dim=0).mean().item():.3f}")


PROGRAM = Program(
    name="ensemble-of-one-seed",
    train=_train,
    source="Lakshminarayanan et al. 2017, deep ensembles, with one seed for all members",
    truth=Truth(
        rules=("tied-parameters",),
        nodes=(
            "model.members",
            *(f"model.members.{n}" for n in range(5)),
            *(f"model.members.{n}.{layer}{part}" for n in range(5) for layer in (0, 2, 4) for part in ("", ".weight", ".bias")),
        ),
    ),
)
