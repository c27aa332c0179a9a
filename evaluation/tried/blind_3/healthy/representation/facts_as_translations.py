"""A knowledge graph is embedded so that a relation is a translation, with wrong facts that are drawn at random."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting


class Facts(nn.Module):
    def __init__(self, entities: int, relations: int, width: int = 16) -> None:
        super().__init__()
        self.entities = nn.Embedding(entities, width)
        self.relations = nn.Embedding(relations, width)
        nn.init.uniform_(self.entities.weight, -0.6, 0.6)
        nn.init.uniform_(self.relations.weight, -0.6, 0.6)

    def forward(self, heads: Tensor, relations: Tensor, tails: Tensor) -> Tensor:
        return (self.entities(heads) + self.relations(relations) - self.entities(tails)).norm(dim=1)


def _train(setting: Setting) -> None:
    # Houses in a grid of 10 by 10: the relations are the four neighbours.
    places = torch.cartesian_prod(torch.arange(10), torch.arange(10))
    moves = torch.tensor([[0, 1], [0, -1], [1, 0], [-1, 0]])
    ends = (places[:, None] + moves) % 10
    heads, relations = torch.arange(100).repeat_interleave(4), torch.arange(4).repeat(100)
    tails = (ends[..., 0] * 10 + ends[..., 1]).flatten()
    model = Facts(100, 4)
    optimizer = torch.optim.Adagrad(model.parameters(), lr=0.1)
    with setting.watch(model):
        for _ in range(20):
            for chosen in torch.randperm(400).split(32):
                wrong = torch.randint(100, (len(chosen),))
                right = model(heads[chosen], relations[chosen], tails[chosen])
                loss = (1 + right - model(heads[chosen], relations[chosen], wrong)).relu().mean()
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()


PROGRAM = Program(name="facts-as-translations", train=_train, source="Bordes et al. 2013 (TransE)")
