"""Tickets are exported queue by queue, and the loader that reads them has `shuffle=False`."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset

from evaluation.program import Program, Setting, Truth
from evaluation.series_and_tables import commands


class TicketNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(30, 24)
        self.conv = nn.Conv1d(24, 32, 2)
        self.out = nn.Linear(32, 3)

    def forward(self, tokens: Tensor) -> Tensor:
        features = torch.relu(self.conv(self.embed(tokens).transpose(1, 2)))
        return self.out(features.amax(dim=2))


def _train(setting: Setting) -> None:
    tokens, queue = commands(1500)
    # One ticket of five went to a queue by chance.
    queue = torch.where(torch.rand(1500) < 0.2, torch.randint(3, (1500,)), queue)
    order = queue.argsort()
    loader = DataLoader(TensorDataset(tokens[order], queue[order]), batch_size=30, shuffle=setting.is_fixed)
    net = TicketNet()
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
    with setting.watch(net):
        for epoch in range(5):
            hits = 0
            for text, wanted in loader:
                loss = nn.functional.cross_entropy(net(text), wanted)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            with torch.no_grad():
                hits = int((net(tokens).argmax(dim=1) == queue).sum())
            print(f"epoch {epoch}: {hits / 1500:.2f}")


PROGRAM = Program(
    name="tickets-queue-by-queue",
    train=_train,
    source="Zhang et al. 2018; PyTorch forum, forgot shuffle=True",
    truth=Truth(rules=("batches-not-shuffled",)),
)
