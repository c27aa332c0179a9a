"""The share that attention drops is handed to a function, which does not know the mode. So it is dropped in evaluations too."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth
from evaluation.series_and_tables import commands


class Attention(nn.Module):
    def __init__(self, width: int, heads: int, dropout: float, only_in_training: bool) -> None:
        super().__init__()
        self.heads = heads
        self.dropout = dropout
        self.only_in_training = only_in_training
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)

    def forward(self, x: Tensor) -> Tensor:
        batch, time, width = x.shape
        q, k, v = self.qkv(x).view(batch, time, 3, self.heads, width // self.heads).permute(2, 0, 3, 1, 4)
        p = self.dropout if self.training or not self.only_in_training else 0.0
        mixed = nn.functional.scaled_dot_product_attention(q, k, v, dropout_p=p)
        return self.out(mixed.transpose(1, 2).reshape(batch, time, width))


class CommandNet(nn.Module):
    def __init__(self, only_in_training: bool) -> None:
        super().__init__()
        self.tokens = nn.Embedding(30, 32)
        self.places = nn.Parameter(0.1 * torch.randn(10, 32))
        self.attention = Attention(32, 4, 0.3, only_in_training)
        self.norm = nn.LayerNorm(32)
        self.head = nn.Sequential(nn.Linear(32, 48), nn.GELU(), nn.Linear(48, 3))

    def forward(self, tokens: Tensor) -> Tensor:
        x = self.tokens(tokens) + self.places
        x = self.norm(x + self.attention(x))
        return self.head(x).amax(dim=1)


def _train(setting: Setting) -> None:
    tokens, labels = commands(1500)
    others, other_labels = commands(300)
    model = CommandNet(only_in_training=setting.is_fixed)
    optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
    with setting.watch(model):
        for epoch in range(5):
            model.train()
            for rows in torch.randperm(1500).split(50):
                loss = nn.functional.cross_entropy(model(tokens[rows]), labels[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            model.eval()
            with torch.no_grad():
                right = torch.cat([model(x).argmax(1) == y for x, y in zip(others.split(60), other_labels.split(60), strict=True)])
            print(f"epoch {epoch}: {loss.item():.3f}, {right.float().mean():.2f} right")


PROGRAM = Program(
    name="attention-drops-in-every-mode",
    train=_train,
    source="GitHub issues on attention with dropout_p that ignores self.training",
    truth=Truth(
        rules=("evaluation-in-training-mode",),
        nodes=(
            "model",
            "model.attention",
            "model.attention: output",
            "model.attention.out",
            "model.attention.out: input",
            "model.attention.qkv",
            "model.attention.qkv: output",
        ),
    ),
)
