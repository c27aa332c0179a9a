"""A pointer network: attention over the elements of a set is the answer itself."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting


class Pointer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.element = nn.Linear(3, 48)
        self.context = nn.GRU(48, 48, batch_first=True)
        self.query, self.key, self.score = nn.Linear(48, 48), nn.Linear(48, 48), nn.Linear(48, 1)

    def forward(self, elements: Tensor) -> Tensor:
        states, last = self.context(torch.relu(self.element(elements)))
        return self.score(torch.tanh(self.key(states) + self.query(last[0])[:, None])).squeeze(2)


def _train(setting: Setting) -> None:
    weights = torch.randn(3)
    model = Pointer()
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for _ in range(200):
            elements = torch.randn(32, 7, 3)
            largest = (elements @ weights).argmax(dim=1)
            loss = nn.functional.cross_entropy(model(elements), largest)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 5.0)
            optimizer.step()


PROGRAM = Program(name="pointing-at-the-largest", train=_train, source="Vinyals et al. 2015")
