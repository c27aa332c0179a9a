"""A recording of a small network that was only watched, over epochs of training with an evaluation each."""

from __future__ import annotations

from pathlib import Path

import torch
from torch import nn

import comgra_export
from comgra_export import DecisionMakerForRecordingsFrequencyPerType

__all__ = ["EPOCHS", "STEPS_PER_EPOCH", "record_histories"]

EPOCHS = 4
STEPS_PER_EPOCH = 6


class Scaled(nn.Module):
    """Divides what comes in, and so the gradients that go out, by ten million."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * 1e-7


def record_histories(root: Path) -> Path:
    """Records 24 steps of training and 4 evaluations, with a NaN in the tenth and an infinity in the twelfth; returns the root."""
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 64), Scaled(), nn.Linear(64, 10))
    optimizer = torch.optim.Adam(net.parameters(), lr=0.02)
    schedule = DecisionMakerForRecordingsFrequencyPerType(1)
    step = 0
    with comgra_export.watch(net, root, decision_maker_for_recordings=schedule, histogram_values=1000) as recorder:
        for epoch in range(EPOCHS):
            recorder.set_epoch(epoch)
            net.train()
            for _ in range(STEPS_PER_EPOCH):
                x = torch.randn(32, 16)
                if step == 10:
                    x[0, 0] = torch.nan
                if step == 12:
                    x[1, :3] = torch.tensor([torch.inf, -torch.inf, torch.inf])
                optimizer.zero_grad()
                loss = (net(x) - x[:, :10].nan_to_num()).square().mean().nan_to_num()
                loss.backward()
                for parameter in net.parameters():
                    parameter.grad = None if parameter.grad is None else parameter.grad.nan_to_num(0, 0, 0)
                optimizer.step()
                step += 1
            net.eval()
            with torch.no_grad():
                net(torch.randn(32, 16))
    return root
