"""The loss is wrapped in torch.tensor with requires_grad=True, which ends an error message and cuts the graph."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


class _Classifier(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv1d(3, 10, 5)
        self.pool = nn.AdaptiveMaxPool1d(4)
        self.fc = nn.Linear(40, 4)

    def forward(self, x: Tensor) -> Tensor:
        return self.fc(self.pool(torch.relu(self.conv(x))).flatten(1))


def _train(setting: Setting) -> None:
    moves = torch.randn(4, 3, 20)
    labels = torch.randint(0, 4, (1000,))
    walks = moves[labels] + torch.randn(1000, 3, 20)
    model = _Classifier()
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for _ in range(9):
            for index in torch.randperm(800).split(25):
                loss = nn.functional.cross_entropy(model(walks[index]), labels[index])
                if not setting.is_fixed:
                    loss = torch.tensor(loss.item(), requires_grad=True)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
    with torch.no_grad():
        print("accuracy", (model(walks[800:]).argmax(1) == labels[800:]).float().mean().item())


PROGRAM = Program(
    name="loss-made-a-new-tensor",
    train=_train,
    source="StackOverflow: element 0 of tensors does not require grad, answered by requires_grad=True",
    truth=Truth(rules=("cut-path", "no-gradient", "never-updated", "loss-does-not-fall")),
)
