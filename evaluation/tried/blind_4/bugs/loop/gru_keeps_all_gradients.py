"""A GRU counts opening brackets, and nobody sets its gradients to zero between steps."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


class _Counter(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(4, 8)
        self.gru = nn.GRU(8, 24, batch_first=True)
        self.fc = nn.Linear(24, 1)

    def forward(self, x: Tensor) -> Tensor:
        out, _ = self.gru(self.embed(x))
        return self.fc(out[:, -1]).squeeze(-1)


def _train(setting: Setting) -> None:
    brackets = torch.randint(0, 4, (1500, 12))
    depth = ((brackets == 0).sum(1) - (brackets == 1).sum(1)).float() / 2.4
    model = _Counter()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with setting.watch(model):
        for epoch in range(8):
            for index in torch.randperm(1500).split(30):
                loss = nn.functional.mse_loss(model(brackets[index]), depth[index])
                if setting.is_fixed:
                    optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print(epoch, loss.item())


PROGRAM = Program(
    name="gru-keeps-all-gradients",
    train=_train,
    source="PyTorch forum and Karpathy's list of common mistakes: you forgot to zero_grad",
    truth=Truth(
        rules=("gradients-left-over", "oscillating-loss", "diverging-loss", "exploding-gradient", "saturated-units", "loss-does-not-fall")
    ),
)
