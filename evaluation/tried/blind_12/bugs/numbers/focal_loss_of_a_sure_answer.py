"""A focal loss takes the logarithm of probabilities that become exactly 0."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.hidden = nn.Linear(6, 64)
        self.out = nn.Linear(64, 1)

    def forward(self, x: Tensor) -> Tensor:
        return torch.sigmoid(self.out(torch.relu(self.hidden(x)))).squeeze(1)


def _train(setting: Setting) -> None:
    eps = 1e-6 if setting.is_fixed else 0.0
    x = torch.randn(9000, 6)
    y = (x[:, 0] - x[:, 1] + 0.5 * x[:, 2] * x[:, 3] + 0.3 * torch.randn(9000) > 0).float()
    x[2400:2420] *= -40
    model = Net()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    with setting.watch(model):
        for hour, (inputs, labels) in enumerate(zip(x.split(60), y.split(60), strict=True)):
            p = model(inputs)
            p_t = torch.where(labels == 1, p, 1 - p)
            loss = (-((1 - p_t) ** 2) * torch.log(p_t + eps)).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if hour % 20 == 0:
                print(f"hour {hour}: {loss.item():.4f}")


PROGRAM = Program(
    name="focal-loss-of-a-sure-answer",
    train=_train,
    source="https://github.com/mathiaszinnen/focal_loss_torch/issues/3",
    truth=Truth(
        rules=("nan-origin",),
        nodes=("log", "mul", "mean", "neg", "pow", "rsub", "rsub (2)", "where", "add", "model.out", "model: output"),
        step=40,
    ),
)
