"""A small field of a scene is fitted while frames come in. Every new frame is fitted by a function of its own."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


class SceneField(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.frequencies = nn.Parameter(torch.randn(2, 24), requires_grad=False)
        self.decoder = nn.Sequential(nn.Linear(48, 48), nn.ReLU(), nn.Linear(48, 48), nn.ReLU(), nn.Linear(48, 1))

    def forward(self, places: Tensor) -> Tensor:
        waves = places @ self.frequencies
        return self.decoder(torch.cat([waves.sin(), waves.cos()], dim=1))


def _map_frame(field: SceneField, optimizer: torch.optim.Optimizer | None, places: Tensor, depths: Tensor) -> float:
    if optimizer is None:
        optimizer = torch.optim.Adam(field.decoder.parameters(), lr=5e-3)
    loss = nn.functional.mse_loss(field(places), depths)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()


def _train(setting: Setting) -> None:
    field = SceneField()
    shared = torch.optim.Adam(field.decoder.parameters(), lr=5e-3)
    with setting.watch(field):
        for frame in range(180):
            places = 2 * torch.rand(128, 2) - 1
            depths = (3 * places[:, :1]).sin() * (2 * places[:, 1:]).cos() + 0.02 * torch.randn(128, 1)
            loss = _map_frame(field, shared if setting.is_fixed else None, places, depths)
            if frame % 30 == 29:
                print(f"frame {frame}: {loss:.5f}")


PROGRAM = Program(
    name="poses-refined-frame-by-frame",
    train=_train,
    source="https://github.com/zju3dv/Vox-Fusion/issues/31",
    truth=Truth(rules=("optimizer-made-anew",)),
)
