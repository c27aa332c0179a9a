"""A small transformer is trained by SGD with a learning rate of 3."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


class _Sorter(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.value = nn.Linear(2, 24)
        self.block = nn.TransformerEncoderLayer(24, 2, 48, dropout=0.0, batch_first=True, norm_first=True)
        self.head = nn.Linear(24, 1)

    def forward(self, items: Tensor) -> Tensor:
        return self.head(self.block(self.value(items)))[..., 0]


def _train(setting: Setting) -> None:
    items = torch.randn(1200, 8, 2)
    # Each item carries a value, and the task is to see how far it lies above the mean of its row.
    above = items[..., 0] - items[..., 0].mean(1, keepdim=True) + 0.5 * items[..., 1]
    model = _Sorter()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05 if setting.is_fixed else 3.0, momentum=0.9)
    with setting.watch(model):
        for epoch in range(7):
            for rows in torch.randperm(1200).split(30):
                loss = nn.functional.mse_loss(model(items[rows]), above[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print(epoch, loss.item())


PROGRAM = Program(
    name="sgd-rate-of-three-for-attention",
    train=_train,
    source="Zhang et al. 2021, AUTOTRAINER: oscillating loss and exploding gradients by a high learning rate",
    truth=Truth(
        rules=(
            "updates-too-large", "diverging-loss", "nan-origin", "exploding-gradient", "runaway-growth", "oscillating-loss",
            "gradient-spike", "loss-does-not-fall", "near-overflow", "predictions-ignore-input", "same-for-all-samples",
        )
    ),
)  # fmt: skip
