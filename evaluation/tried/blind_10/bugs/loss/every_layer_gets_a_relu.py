"""A helper builds layers in a loop and puts a ReLU behind each of them, so also behind the scores of the classes."""

from __future__ import annotations

from itertools import pairwise

import torch
from torch import Tensor, nn

from evaluation.datasets import sentences
from evaluation.program import Program, Setting, Truth


def make_mlp(sizes: list[int], last_too: bool) -> nn.Sequential:
    layers: list[nn.Module] = []
    for i, (inside, outside) in enumerate(pairwise(sizes)):
        layers.append(nn.Linear(inside, outside))
        if last_too or i < len(sizes) - 2:
            layers.append(nn.ReLU())
    return nn.Sequential(*layers)


class Mood(nn.Module):
    def __init__(self, last_too: bool) -> None:
        super().__init__()
        self.bag = nn.EmbeddingBag(40, 24, mode="mean")
        self.mlp = make_mlp([24, 48, 48, 2], last_too)

    def forward(self, tokens: Tensor) -> Tensor:
        return self.mlp(self.bag(tokens))


def _train(setting: Setting) -> None:
    tokens, moods = sentences(2000)
    model = Mood(last_too=not setting.is_fixed)
    optimizer = torch.optim.RMSprop(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for step in range(150):
            rows = torch.randint(2000, (40,))
            loss = nn.functional.cross_entropy(model(tokens[rows]), moods[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 30 == 29:
                print(f"{step}: {loss.item():.3f}")


PROGRAM = Program(
    name="every-layer-gets-a-relu",
    train=_train,
    source="Common mistake: a helper that puts a ReLU behind every layer; PyTorch forum, a loss that does not fall",
    truth=Truth(
        rules=("softmax-before-cross-entropy", "dead-relu"),
        nodes=("model", "model: output", "model.mlp", "model.mlp: output", "model.mlp.5", "model.mlp.5: output", "cross_entropy"),
    ),
)
