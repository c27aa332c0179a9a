"""Half of the papers of a network of citations are labelled, and two graph convolutions classify the others."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting


class _GCN(nn.Module):
    def __init__(self, features: int, hidden: int, classes: int) -> None:
        super().__init__()
        self.lin1 = nn.Linear(features, hidden)
        self.lin2 = nn.Linear(hidden, classes)
        self.dropout = nn.Dropout(0.5)

    def forward(self, x: Tensor, adjacency: Tensor) -> Tensor:
        x = torch.relu(adjacency @ self.lin1(x))
        return adjacency @ self.lin2(self.dropout(x))


def _train(setting: Setting) -> None:
    field = torch.randint(0, 4, (200,))
    cites = (torch.rand(200, 200) < torch.where(field[:, None] == field, 0.06, 0.006)).float()
    adjacency = ((cites + cites.T + torch.eye(200)) > 0).float()
    degree = adjacency.sum(1)
    adjacency = adjacency / (degree[:, None] * degree).sqrt()
    words = (torch.rand(200, 40) < 0.1 + 0.3 * (torch.rand(4, 40) < 0.2)[field]).float()
    words = words / words.sum(1, keepdim=True).clamp(min=1)
    is_labelled = torch.rand(200) < 0.5
    model = _GCN(40, 16, 4)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01, weight_decay=5e-4)
    with setting.watch(model):
        for epoch in range(200):
            model.train()
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(words, adjacency)[is_labelled], field[is_labelled])
            loss.backward()
            optimizer.step()
            if epoch % 10 == 9:
                model.eval()
                with torch.no_grad():
                    right = model(words, adjacency).argmax(1) == field
                print("accuracy", right[~is_labelled].float().mean().item())


PROGRAM = Program(name="papers-by-graph-convolution", train=_train, source="Kipf and Welling 2017, graph convolutional networks")
