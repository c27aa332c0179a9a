"""Documents of a query are ranked by pairs: the better document shall have the higher score."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting


class Scorer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.net = nn.Sequential(nn.Linear(10, 40), nn.LeakyReLU(0.1), nn.Linear(40, 1))

    def forward(self, documents: Tensor) -> Tensor:
        return self.net(documents).squeeze(-1)


def _train(setting: Setting) -> None:
    queries = torch.randn(300, 8, 10)
    relevance = torch.tanh(queries[:, :, 0]) + 0.5 * queries[:, :, 1] * queries[:, :, 2] + 0.1 * torch.randn(300, 8)
    model = Scorer()
    optimizer = torch.optim.Adagrad(model.parameters(), lr=0.05)
    criterion = nn.MarginRankingLoss(margin=0.5)
    with setting.watch(model):
        for step in range(300):
            chosen = torch.randint(300, (16,))
            scores = model(queries[chosen])
            order = relevance[chosen]
            left, right = torch.triu_indices(8, 8, offset=1)
            sign = torch.sign(order[:, left] - order[:, right])
            loss = criterion(scores[:, left].flatten(), scores[:, right].flatten(), sign.flatten())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 60 == 0:
                right_pairs = ((scores[:, left] - scores[:, right]) * sign > 0).float().mean()
                print(f"step {step}: loss {loss.item():.3f}, pairs in order {right_pairs.item():.3f}")


PROGRAM = Program(name="learning-to-rank", train=_train, source="Herbrich et al. 1999, pairwise ranking")
