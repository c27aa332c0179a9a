"""Support tickets are sorted by the mean of their tokens, with Adagrad."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting


class TicketNet(nn.Module):
    def __init__(self, tokens: int, queues: int) -> None:
        super().__init__()
        self.bag = nn.EmbeddingBag(tokens, 48, mode="mean")
        self.hidden = nn.Linear(48, 48)
        self.queue = nn.Linear(48, queues)

    def forward(self, tokens: Tensor) -> Tensor:
        return self.queue(torch.relu(self.hidden(self.bag(tokens))))


def _train(setting: Setting) -> None:
    queues = torch.randint(0, 5, (2000,))
    topic = torch.rand(2000, 16) < 0.4
    tokens = torch.where(topic, 20 * queues[:, None] + torch.randint(0, 20, (2000, 16)), torch.randint(0, 200, (2000, 16)))
    model = TicketNet(200, 5)
    optimizer = torch.optim.Adagrad(model.parameters(), lr=0.05)
    with setting.watch(model):
        for epoch in range(4):
            model.train()
            for rows in torch.randperm(1800).split(45):
                loss = nn.functional.cross_entropy(model(tokens[rows]), queues[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            model.eval()
            with torch.no_grad():
                right = (model(tokens[1800:]).argmax(dim=1) == queues[1800:]).float().mean()
            print(f"epoch {epoch}: {loss.item():.4f}, right {right.item():.3f}")


PROGRAM = Program(name="tickets-by-a-bag-of-tokens", train=_train, source="PyTorch tutorial, text classification with an embedding bag")
