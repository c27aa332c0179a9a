"""Whether a customer leaves is decided by a softmax over a single unit, so that every customer gets probability one."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


class _Churn(nn.Module):
    def __init__(self, is_fixed: bool) -> None:
        super().__init__()
        self.hidden = nn.Linear(12, 32)
        self.head = nn.Linear(32, 1)
        self.last = nn.Sigmoid() if is_fixed else nn.Softmax(dim=1)

    def forward(self, customers: Tensor) -> Tensor:
        return self.last(self.head(torch.relu(self.hidden(customers))))


def _train(setting: Setting) -> None:
    customers = torch.randn(1500, 12)
    leaves = (customers[:, :3].sum(1, keepdim=True) + 0.5 * torch.randn(1500, 1) > 0.3).float()
    model = _Churn(setting.is_fixed)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    criterion = nn.BCELoss()
    with setting.watch(model):
        for epoch in range(8):
            for chosen in torch.randperm(1500).split(32):
                optimizer.zero_grad()
                loss = criterion(model(customers[chosen]), leaves[chosen])
                loss.backward()
                optimizer.step()
            print("epoch", epoch, "loss", loss.item())
    print("accuracy", ((model(customers) > 0.5) == leaves.bool()).float().mean().item())


PROGRAM = Program(
    name="one-unit-for-churn",
    train=_train,
    source="Zhang et al. 2018 and DeepFD: softmax over one unit in a binary task (StackOverflow)",
    truth=Truth(
        rules=(
            "softmax-over-one",
            "same-for-all-samples",
            "predictions-ignore-input",
            "loss-does-not-fall",
            "zero-gradient",
            "never-updated",
            "vanishing-gradient",
            "target-out-of-range",
            "initial-loss",
            "frozen-as-initialized",
            "updates-too-small",
        ),
        nodes=("model.last", "model.head", "model: output"),
    ),
)
