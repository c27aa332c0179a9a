"""Adapters are trained in frozen blocks that save memory by checkpoints. Nothing that goes in wants a gradient, so none comes out."""

from __future__ import annotations

import warnings

import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from evaluation.program import Program, Setting, Truth
from evaluation.worlds import babble


class LowRank(nn.Module):
    """A frozen linear layer and a small change to it."""

    def __init__(self, linear: nn.Linear, rank: int = 4) -> None:
        super().__init__()
        self.linear = linear
        self.down = nn.Parameter(torch.randn(rank, linear.in_features) / linear.in_features**0.5)
        self.up = nn.Parameter(torch.zeros(linear.out_features, rank))

    def forward(self, x: Tensor) -> Tensor:
        return self.linear(x) + x @ self.down.T @ self.up.T


class Block(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.inner: nn.Module = nn.Linear(width, 2 * width)
        self.outer: nn.Module = nn.Linear(2 * width, width)

    def forward(self, x: Tensor) -> Tensor:
        before = nn.functional.pad(x, (0, 0, 1, 0))[:, :-1]
        return x + self.outer(nn.functional.gelu(self.inner(self.norm(x + 0.5 * before))))


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(16, 32)
        self.blocks = nn.ModuleList([Block(32) for _ in range(2)])
        self.head = nn.Linear(32, 16)
        self.reentrant: bool | None = None

    def forward(self, tokens: Tensor) -> Tensor:
        x = self.embed(tokens)
        for block in self.blocks:
            x = block(x) if self.reentrant is None else checkpoint(block, x, use_reentrant=self.reentrant)
        return self.head(x)


def fit(model: Model, texts: Tensor, steps: int) -> None:
    optimizer = torch.optim.Adam([p for p in model.parameters() if p.requires_grad], lr=5e-3)
    for step in range(steps):
        text = texts[torch.randint(len(texts), (24,))]
        loss = nn.functional.cross_entropy(model(text[:, :-1]).flatten(0, 1), text[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 30 == 29:
            print(f"{step}: {loss.item():.3f}")


def _train(setting: Setting) -> None:
    warnings.filterwarnings("ignore", category=UserWarning)
    model = Model()
    fit(model, babble(600), 60)
    model.requires_grad_(False)
    for block in model.blocks:
        assert isinstance(block, Block)
        assert isinstance(block.inner, nn.Linear)
        assert isinstance(block.outer, nn.Linear)
        block.inner, block.outer = LowRank(block.inner), LowRank(block.outer)
    model.head.requires_grad_(True)
    model.reentrant = not setting.is_fixed
    with setting.watch(model):
        fit(model, babble(600), 120)


PROGRAM = Program(
    name="adapters-inside-checkpoints",
    train=_train,
    source="GitHub issues on LoRA with gradient checkpointing: adapters stay zero",
    truth=Truth(
        rules=("cut-path", "no-gradient", "never-updated", "zero-gradient"),
        nodes=(
            "model.blocks",
            *(
                f"model.blocks.{n}{part}"
                for n in (0, 1)
                for part in ("", ": output", ".inner", ".outer", ".inner: output", ".outer: output")
            ),
            *(f"model.blocks.{n}.{side}.{weight}" for n in (0, 1) for side in ("inner", "outer") for weight in ("down", "up")),
            "model.head: input",
        ),
    ),
)
