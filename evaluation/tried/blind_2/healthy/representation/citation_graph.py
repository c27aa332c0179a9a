"""Two graph convolutions on a graph with communities; sparse one-hot features, full batch, few labels."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting


class GraphNet(nn.Module):
    def __init__(self, inputs: int, classes: int) -> None:
        super().__init__()
        self.first = nn.Linear(inputs, 16, bias=False)
        self.second = nn.Linear(16, classes, bias=False)
        self.dropout = nn.Dropout(0.4)

    def forward(self, x: Tensor, propagate: Tensor) -> Tensor:
        h = torch.relu(propagate @ self.first(self.dropout(x)))
        return propagate @ self.second(self.dropout(h))


def _train(setting: Setting) -> None:
    count = 240
    fields = torch.randint(5, (count,))
    chance = torch.where(fields[:, None] == fields[None, :], 0.07, 0.008)
    adjacency = torch.bernoulli(chance).triu(1)
    adjacency = adjacency + adjacency.T + torch.eye(count)
    scale = adjacency.sum(dim=1).rsqrt()
    propagate = scale[:, None] * adjacency * scale
    words = (torch.rand(count, 100) < 0.03).float()
    words[torch.arange(count), fields * 20 + torch.randint(20, (count,))] = 1
    known = torch.rand(count) < 0.4
    model = GraphNet(100, 5)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2, weight_decay=5e-4)
    with setting.watch(model):
        for epoch in range(150):
            model.train()
            optimizer.zero_grad()
            logits = model(words, propagate)
            loss = nn.functional.cross_entropy(logits[known], fields[known])
            loss.backward()
            optimizer.step()
            if epoch % 25 == 24:
                model.eval()
                with torch.no_grad():
                    right = (model(words, propagate).argmax(dim=1) == fields)[~known].float().mean().item()
                print(f"epoch {epoch}: loss {loss.item():.3f}, accuracy of the others {right:.3f}")


PROGRAM = Program(name="citation-graph", train=_train, source="Kipf and Welling 2017 (GCN)")
