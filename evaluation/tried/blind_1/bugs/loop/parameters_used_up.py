"""The encoder's parameters are a generator, which counting them has used up, so its group in the optimizer is empty."""

from __future__ import annotations

from collections.abc import Iterable

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth


class Tagger(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(20, 16)
        self.encoder = nn.Sequential(nn.Conv1d(16, 32, 3, padding=1), nn.ReLU(), nn.Conv1d(32, 32, 3, padding=1), nn.ReLU())
        self.head = nn.Linear(32, 3)

    def forward(self, tokens: Tensor) -> Tensor:
        x = self.encoder(self.embedding(tokens).transpose(1, 2))
        return self.head(x.transpose(1, 2))


def _train(setting: Setting) -> None:
    tokens = torch.randint(0, 20, (1500, 12))
    # The tag depends on a token and both neighbours.
    tags = (tokens + tokens.roll(1, dims=1) + tokens.roll(-1, dims=1)) // 20
    model = Tagger()
    encoder = filter(lambda parameter: parameter.requires_grad, model.encoder.parameters())
    trained: Iterable[nn.Parameter] = list(encoder) if setting.is_fixed else encoder
    print(f"training {sum(parameter.numel() for parameter in trained)} parameters of the encoder")
    rest = [*model.embedding.parameters(), *model.head.parameters()]
    optimizer = torch.optim.Adam([{"params": rest, "lr": 3e-3}, {"params": trained, "lr": 1e-3}])
    with setting.watch(model):
        for x, y in batches(500, 32, tokens, tags):
            loss = nn.functional.cross_entropy(model(x).flatten(0, 1), y.flatten())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="parameters-used-up",
    train=_train,
    source="PyTorch forum, a generator of parameters that is iterated before the optimizer gets it",
    truth=Truth(
        rules=("not-in-optimizer", "never-updated"),
        nodes=("model.encoder", *(f"model.encoder.{k}{what}" for k in (0, 2) for what in ("", ".weight", ".bias"))),
    ),
)
