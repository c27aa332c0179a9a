"""A graph convolution labels papers, with the labels of some of them, on the whole graph in every step."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from evaluation.program import Program, Setting


class Convolutions(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Linear(20, 32)
        self.dropout = nn.Dropout(0.3)
        self.second = nn.Linear(32, 5)

    def forward(self, papers: Tensor, links: Tensor) -> Tensor:
        h = torch.relu(links @ self.first(papers))
        return links @ self.second(self.dropout(h))


def _train(setting: Setting) -> None:
    field = torch.randint(5, (300,))
    papers = torch.randn(5, 20)[field] * 0.7 + torch.randn(300, 20)
    cites = torch.rand(300, 300) < torch.where(field[:, None] == field, 0.05, 0.005)
    links = (cites | cites.T | torch.eye(300, dtype=torch.bool)).float()
    scale = links.sum(dim=1).rsqrt()
    links = scale[:, None] * links * scale
    is_known = torch.rand(300) < 0.4
    model = Convolutions()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2, weight_decay=5e-4)
    with setting.watch(model):
        for _ in range(120):
            loss = F.cross_entropy(model(papers, links)[is_known], field[is_known])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        model.eval()
        with torch.no_grad():
            predicted = model(papers, links).argmax(1)
    print(f"accuracy of the others {(predicted == field)[~is_known].float().mean():.2f}")


PROGRAM = Program(name="papers-that-cite", train=_train, source="Kipf and Welling 2017")
