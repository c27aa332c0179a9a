"""A line is fitted with an optimizer that is never told to clear gradients. The loss swings up and down."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


class LinearRegression(nn.Module):
    def __init__(self, inputs: int) -> None:
        super().__init__()
        self.linear = nn.Linear(inputs, 1)

    def forward(self, x: Tensor) -> Tensor:
        return self.linear(x)


def _train(setting: Setting) -> None:
    x = torch.randn(500, 3)
    weights = torch.tensor([[2.0], [-1.0], [0.5]])
    y = x @ weights + 4 + 0.1 * torch.randn(500, 1)
    model = LinearRegression(3)
    mse_loss = nn.MSELoss()
    opt = torch.optim.SGD(model.parameters(), lr=0.05)
    with setting.watch(model):
        for epoch in range(120):
            pred = model(x)
            loss = mse_loss(pred, y)
            loss.backward()
            opt.step()
            if setting.is_fixed:
                opt.zero_grad()
            if epoch % 10 == 9:
                print(f"pred: {pred[0].item():.4f} loss: {loss.item():.4f} weights: {model.linear.weight.tolist()}")


PROGRAM = Program(
    name="line-fitted-without-zeroing",
    train=_train,
    source="GitHub IBM/aihwkit#404 (its loop has backward and step only) and Stack Overflow, regression without zero_grad",
    truth=Truth(rules=("gradients-left-over", "oscillating-loss")),
)
