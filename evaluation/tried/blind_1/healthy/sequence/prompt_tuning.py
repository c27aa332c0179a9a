"""Everything of a pretrained network is frozen, and four vectors in front of its input are trained for a new task."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches, sentences
from evaluation.program import Program, Setting


class Reader(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(40, 32)
        self.layer = nn.TransformerEncoderLayer(32, 4, 64, dropout=0.0, batch_first=True, norm_first=True)
        self.head = nn.Linear(32, 2)
        self.prompt = nn.Parameter(0.1 * torch.randn(4, 32))

    def forward(self, tokens: Tensor) -> Tensor:
        x = torch.cat([self.prompt.expand(len(tokens), -1, -1), self.embedding(tokens)], dim=1)
        return self.head(self.layer(x)[:, :4].mean(dim=1))


def _train(setting: Setting) -> None:
    tokens, labels = sentences(1600)
    model = Reader()
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    for x, y in batches(200, 32, tokens, labels):
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(x), y).backward()
        optimizer.step()

    for name, parameter in model.named_parameters():
        parameter.requires_grad = name == "prompt"
    # In the new task, more of the words have to be of the first kind.
    harder = ((tokens < 20).sum(dim=1) > 8).long()
    optimizer = torch.optim.Adam([model.prompt], lr=0.05)
    with setting.watch(model):
        for x, y in batches(350, 32, tokens, harder):
            loss = nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(name="prompt-tuning", train=_train, source="Lester et al. 2021", chose_thresholds=True)
