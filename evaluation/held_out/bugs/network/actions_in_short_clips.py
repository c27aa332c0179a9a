"""Short clips show an action. A network with filters over space and time was carried over from another framework."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


class I3D(nn.Module):
    def __init__(self, actions: int, dropout_prob: float) -> None:
        super().__init__()
        self.conv1 = nn.Conv3d(1, 12, 3, padding=1)
        self.conv2 = nn.Conv3d(12, 24, 3, stride=2, padding=1)
        self.dropout = nn.Dropout(dropout_prob)
        self.logits = nn.Linear(24, actions)

    def forward(self, clip: Tensor) -> Tensor:
        x = torch.relu(self.conv2(torch.relu(self.conv1(clip))))
        return self.logits(self.dropout(x.amax(dim=(2, 3, 4))))


def _clips(count: int) -> tuple[Tensor, Tensor]:
    actions = torch.randint(0, 4, (count,))
    clips = 0.3 * torch.randn(count, 1, 6, 10, 10)
    moves = torch.tensor([[1, 0], [-1, 0], [0, 1], [0, -1]])
    start = torch.randint(0, 10, (count, 2))
    for time in range(6):
        place = (start + time * moves[actions]) % 10
        clips[torch.arange(count), 0, time, place[:, 0], place[:, 1]] += 2.5
    return clips, actions


def _train(setting: Setting) -> None:
    clips, actions = _clips(800)
    model = I3D(4, 0.05 if setting.is_fixed else 0.95)
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    with setting.watch(model):
        for epoch in range(8):
            for rows in torch.randperm(800).split(40):
                loss = nn.functional.cross_entropy(model(clips[rows]), actions[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print(f"epoch {epoch}: {loss.item():.4f}")


PROGRAM = Program(
    name="actions-in-short-clips",
    train=_train,
    source="https://github.com/piergiaj/pytorch-i3d/issues/58",
    truth=Truth(
        rules=("heavy-dropout",),
        nodes=("model.dropout", "model.dropout: output", "model.logits: input"),
    ),
)
