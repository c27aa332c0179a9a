"""One graph of 240 papers, of which 60 have a label. Each step sees the whole graph, as is usual for such networks."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting


class Layer(nn.Module):
    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.linear = nn.Linear(inputs, outputs)

    def forward(self, x: Tensor, edges: Tensor, degree: Tensor) -> Tensor:
        source, goal = edges
        message = self.linear(x)[source] / (degree[source] * degree[goal]).sqrt()[:, None]
        return torch.zeros(len(x), message.shape[1]).index_add(0, goal, message)


class Gcn(nn.Module):
    def __init__(self, features: int, classes: int) -> None:
        super().__init__()
        self.first = Layer(features, 16)
        self.second = Layer(16, classes)
        self.dropout = nn.Dropout(0.3)

    def forward(self, x: Tensor, edges: Tensor, degree: Tensor) -> Tensor:
        x = torch.relu(self.first(x, edges, degree))
        return self.second(self.dropout(x), edges, degree)


def _train(setting: Setting) -> None:
    count, classes = 240, 4
    field = torch.randint(classes, (count,))
    same = field[:, None] == field[None, :]
    linked = torch.rand(count, count) < torch.where(same, 0.06, 0.006)
    linked = linked | linked.T | torch.eye(count, dtype=torch.bool)
    edges = linked.nonzero().T
    degree = linked.sum(dim=1).float()
    words = 0.5 * nn.functional.one_hot(field, classes).float() @ torch.randn(classes, 24) + torch.randn(count, 24)
    is_known = torch.arange(count) < 60

    model = Gcn(24, classes)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2, weight_decay=5e-4)
    with setting.watch(model):
        for epoch in range(100):
            model.train()
            scores = model(words, edges, degree)
            loss = nn.functional.cross_entropy(scores[is_known], field[is_known])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if epoch % 20 == 19:
                model.eval()
                with torch.no_grad():
                    right = (model(words, edges, degree).argmax(dim=1) == field)[~is_known].float().mean()
                print(f"epoch {epoch}: {loss.item():.3f}, others {right.item():.2f}")


PROGRAM = Program(name="papers-cite-papers", train=_train, source="Kipf and Welling 2017, semi-supervised classification of nodes")
