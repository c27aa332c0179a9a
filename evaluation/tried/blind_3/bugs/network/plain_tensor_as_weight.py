"""A projection is a plain tensor with `requires_grad=True` instead of a parameter: no optimizer learns of it."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches, regression_table
from evaluation.program import Program, Setting, Truth


class Bilinear(nn.Module):
    """A score of two halves of a row."""

    def __init__(self, is_parameter: bool) -> None:
        super().__init__()
        self.left = nn.Linear(5, 24, bias=False)
        form = 0.1 * torch.randn(24, 5)
        self.form = nn.Parameter(form) if is_parameter else form.requires_grad_()
        self.shift = nn.Parameter(torch.zeros(1))
        for parameter in self.left.parameters():
            parameter.requires_grad = False

    def forward(self, x: Tensor) -> Tensor:
        hidden = self.left(x[:, :5]).tanh() @ self.form
        return (hidden * x[:, 5:]).sum(dim=1, keepdim=True) + self.shift


def _train(setting: Setting) -> None:
    x, _ = regression_table(1500)
    y = (x[:, :5] @ torch.randn(5, 5) * x[:, 5:]).sum(dim=1, keepdim=True) / 5
    net = Bilinear(setting.is_fixed)
    optimizer = torch.optim.Adam(net.parameters(), lr=5e-3)
    with setting.watch(net):
        for inputs, targets in batches(300, 32, x, y):
            optimizer.zero_grad()
            nn.functional.mse_loss(net(inputs), targets).backward()
            optimizer.step()


PROGRAM = Program(
    name="plain-tensor-as-weight",
    train=_train,
    source="PyTorch forum, tensors with requires_grad that are not in model.parameters()",
    truth=Truth(rules=("not-in-optimizer", "loss-does-not-fall", "predictions-ignore-input", "gradients-left-over")),
)
