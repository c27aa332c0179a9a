"""Patches of a picture are combined into a global query, which each patch then uses."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import digits
from evaluation.program import Program, Setting, Truth


class EfficientAdditiveAttention(nn.Module):
    def __init__(self, width: int, is_fixed: bool) -> None:
        super().__init__()
        self.is_fixed = is_fixed
        self.to_query = nn.Linear(width, width)
        self.to_key = nn.Linear(width, width)
        self.w_g = nn.Linear(width, 1, bias=False)
        self.final = nn.Linear(width, width)

    def forward(self, x: Tensor) -> Tensor:
        query, key = self.to_query(x), self.to_key(x)
        scores = self.w_g(query)
        share = scores.softmax(dim=1 if self.is_fixed else -1)
        global_query = (share * query).sum(dim=1, keepdim=True)
        return x + self.final(torch.relu(global_query * key))


class SwiftFormer(nn.Module):
    def __init__(self, is_fixed: bool) -> None:
        super().__init__()
        self.embed = nn.Conv2d(1, 32, 3, stride=3)
        self.attention = EfficientAdditiveAttention(32, is_fixed)
        self.norm = nn.LayerNorm(32)
        self.head = nn.Linear(16 * 32, 6)

    def forward(self, image: Tensor) -> Tensor:
        tokens = self.embed(image).flatten(2).transpose(1, 2)
        return self.head(self.norm(self.attention(tokens)).flatten(1))


def _train(setting: Setting) -> None:
    images, labels = digits(1500)
    model = SwiftFormer(setting.is_fixed)
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for epoch in range(4):
            for rows in torch.randperm(1500).split(50):
                loss = nn.functional.cross_entropy(model(images[rows]), labels[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print(f"epoch {epoch}: {loss.item():.4f}")


PROGRAM = Program(
    name="tokens-by-additive-attention",
    train=_train,
    source="https://github.com/Amshaker/SwiftFormer/issues/2",
    truth=Truth(
        rules=("softmax-over-one", "zero-gradient"),
        nodes=("softmax", "model.attention", "model.attention.w_g", "model.attention.w_g.weight", "model.attention.w_g: output"),
    ),
)
