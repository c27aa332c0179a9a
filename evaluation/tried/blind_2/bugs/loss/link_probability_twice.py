"""Links of a graph are predicted with a sigmoid of dot products, and the loss applies a sigmoid again."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


class LinkPredictor(nn.Module):
    def __init__(self, nodes: int, is_fixed: bool) -> None:
        super().__init__()
        self.nodes = nn.Embedding(nodes, 16)
        self.project = nn.Linear(16, 16)
        self.squash: nn.Module = nn.Identity() if is_fixed else nn.Sigmoid()

    def forward(self, left: Tensor, right: Tensor) -> Tensor:
        a, b = self.project(self.nodes(left)), self.project(self.nodes(right))
        return self.squash((a * b).sum(dim=1))


def _train(setting: Setting) -> None:
    group = torch.randint(6, (120,))
    linked = torch.rand(120, 120) < torch.where(group[:, None] == group[None, :], 0.85, 0.03)
    model = LinkPredictor(120, setting.is_fixed)
    nn.init.normal_(model.nodes.weight, std=0.3)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    criterion = nn.BCEWithLogitsLoss()
    with setting.watch(model):
        for step in range(350):
            left, right = torch.randint(120, (2, 256))
            y = linked[left, right].float()
            score = model(left, right)
            loss = criterion(score, y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 70 == 0:
                print(f"step {step}: loss {loss:.3f}, links {score[y == 1].mean():.2f}, none {score[y == 0].mean():.2f}")


PROGRAM = Program(
    name="link-probability-twice",
    train=_train,
    source="PyTorch forum, sigmoid with BCEWithLogitsLoss",
    truth=Truth(rules=("softmax-before-cross-entropy",), nodes=("model.squash: output", "model: output", "model.squash")),
)
