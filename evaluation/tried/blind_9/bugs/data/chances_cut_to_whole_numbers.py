"""How often readers clicked, between 0 and 1, is turned into integers before it becomes the target: all are 0."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset

from evaluation.program import Program, Setting, Truth


def articles(count: int) -> tuple[Tensor, Tensor]:
    """Words that occur in the titles, as counts; and the share of readers that clicked."""
    words = torch.poisson(torch.full((count, 30), 0.4))
    interest = words @ torch.randn(30)
    return words, 0.02 + 0.95 * torch.sigmoid(0.8 * (interest - interest.mean()))


def _train(setting: Setting) -> None:
    words, clicked = articles(1500)
    share = clicked.unsqueeze(1)
    if not setting.is_fixed:
        share = share.to(torch.int32).float()
    net = nn.Sequential(nn.Linear(30, 32), nn.LeakyReLU(0.1), nn.Linear(32, 1))
    optimizer = torch.optim.Adam(net.parameters(), lr=3e-3)
    with setting.watch(net):
        for epoch in range(4):
            for x, y in DataLoader(TensorDataset(words, share), batch_size=50, shuffle=True):
                loss = nn.functional.binary_cross_entropy_with_logits(net(x), y)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            with torch.no_grad():
                error = (net(words).sigmoid()[:, 0] - clicked).abs().mean()
            print(f"epoch {epoch}: loss {loss.item():.4f}, off by {error.item():.2f}")


PROGRAM = Program(
    name="chances-cut-to-whole-numbers",
    train=_train,
    source="Stack Overflow, casts to integers of labels; Humbatova et al. 2020, tensors of a wrong type",
    truth=Truth(
        rules=("constant-target", "predictions-ignore-input"),
        nodes=("binary_cross_entropy_with_logits: target", "binary_cross_entropy_with_logits", "model.2"),
    ),
)
