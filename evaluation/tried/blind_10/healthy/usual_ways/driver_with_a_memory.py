"""A recurrent policy imitates a driver who keeps to a moving line: it sees where it is, not how fast."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting


class Policy(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.see = nn.Sequential(nn.Linear(2, 24), nn.Tanh())
        self.memory = nn.LSTM(24, 32, batch_first=True)
        self.steer = nn.Linear(32, 1)

    def forward(self, seen: Tensor) -> Tensor:
        states, _ = self.memory(self.see(seen))
        return torch.tanh(self.steer(states))


def drives(count: int, length: int = 24) -> tuple[Tensor, Tensor]:
    """What drivers saw `[N, T, 2]`, their place and the line, and how they steered `[N, T, 1]`, within -1 and 1."""
    place, speed = torch.randn(count), torch.zeros(count)
    phase = 6.28 * torch.rand(count)
    seen, steering = [], []
    for t in range(length):
        line = torch.sin(0.3 * t + phase)
        steer = torch.tanh(1.5 * (line - place) - 1.2 * speed)
        seen.append(torch.stack([place, line], dim=1))
        steering.append(steer)
        speed = 0.8 * speed + 0.3 * steer + 0.02 * torch.randn(count)
        place = place + speed
    return torch.stack(seen, dim=1), torch.stack(steering, dim=1)[..., None]


def _train(setting: Setting) -> None:
    seen, steering = drives(800)
    policy = Policy()
    optimizer = torch.optim.Adam(policy.parameters(), lr=5e-3)
    with setting.watch(policy):
        for step in range(140):
            rows = torch.randint(800, (24,))
            loss = nn.functional.mse_loss(policy(seen[rows]), steering[rows])
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(policy.parameters(), 1.0)
            optimizer.step()
            if step % 35 == 34:
                print(f"{step}: {loss.item():.4f}")


PROGRAM = Program(
    name="driver-with-a-memory", train=_train, source="Pomerleau 1989 and Hausknecht and Stone 2015, behavior cloning with memory"
)
