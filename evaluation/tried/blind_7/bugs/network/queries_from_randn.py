"""The matrices of an attention are made by `torch.randn` without a scale, so each query looks at a single key from the start."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth

WIDTH = 32


class SelfAttention(nn.Module):
    def __init__(self, scale: float) -> None:
        super().__init__()
        self.q = nn.Parameter(scale * torch.randn(WIDTH, WIDTH))
        self.k = nn.Parameter(scale * torch.randn(WIDTH, WIDTH))
        self.v = nn.Parameter(torch.randn(WIDTH, WIDTH) / WIDTH**0.5)
        self.softmax = nn.Softmax(dim=-1)

    def forward(self, x: Tensor) -> Tensor:
        scores = (x @ self.q) @ (x @ self.k).transpose(1, 2) / WIDTH**0.5
        return self.softmax(scores) @ (x @ self.v)


class Species(nn.Module):
    """Names the species of a flock from ten blurred pictures of birds."""

    def __init__(self, scale: float) -> None:
        super().__init__()
        self.embed = nn.Linear(12, WIDTH)
        self.attention = SelfAttention(scale)
        self.norm = nn.LayerNorm(WIDTH)
        self.mlp = nn.Sequential(nn.Linear(WIDTH, 64), nn.GELU(), nn.Linear(64, 5))

    def forward(self, birds: Tensor) -> Tensor:
        return self.mlp(self.norm(self.attention(self.embed(birds))).mean(dim=1))


def _train(setting: Setting) -> None:
    looks = torch.randn(5, 12)
    net = Species(WIDTH**-0.5 if setting.is_fixed else 1.0)
    optimizer = torch.optim.Adam(net.parameters(), lr=2e-3)
    with setting.watch(net):
        for _ in range(250):
            species = torch.randint(5, (32,))
            birds = looks[species][:, None] + 2.5 * torch.randn(32, 10, 12)
            loss = nn.functional.cross_entropy(net(birds), species)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="queries-from-randn",
    train=_train,
    source="PyTorch forum, own attention with torch.randn; Vaswani et al. 2017 on the scale of scores",
    truth=Truth(
        rules=("attention-collapse", "growing-with-depth", "exploding-gradient"),
        nodes=(
            "model.attention",
            "model.attention.q",
            "model.attention.k",
            "model.attention.softmax",
            "model.attention.softmax: input",
            "model.attention.softmax: output",
        ),
    ),
)
