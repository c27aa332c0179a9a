"""The optimizer steps between `zero_grad` and `backward`, when there are no gradients."""

from __future__ import annotations

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from evaluation.program import Program, Setting, Truth
from evaluation.worlds import pendulums


def _train(setting: Setting) -> None:
    states = pendulums(800, 9)
    data = TensorDataset(states[:, :8].flatten(1), states[:, 8])
    net = nn.Sequential(nn.Linear(16, 48), nn.SiLU(), nn.Linear(48, 48), nn.SiLU(), nn.Linear(48, 2))
    optimizer = torch.optim.AdamW(net.parameters(), lr=2e-3)
    with setting.watch(net):
        for epoch in range(8):
            total = 0.0
            for history, after in DataLoader(data, batch_size=32, shuffle=True):
                optimizer.zero_grad()
                loss = nn.functional.mse_loss(net(history), after)
                if setting.is_fixed:
                    loss.backward()
                    optimizer.step()
                else:
                    optimizer.step()
                    loss.backward()
                total += loss.item()
            print(f"epoch {epoch}: {total:.3f}")


PROGRAM = Program(
    name="step-before-backward",
    train=_train,
    source="PyTorch forum, the order of zero_grad, backward and step",
    truth=Truth(
        rules=("never-updated",),
        nodes=tuple(f"model.{i}{name}" for i in (0, 2, 4) for name in ("", ".weight", ".bias")),
    ),
)
