"""Topics of texts from counts of 300 words, most of which are 0."""

from __future__ import annotations

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from evaluation.program import Program, Setting


def make_texts(count: int) -> tuple[torch.Tensor, torch.Tensor]:
    topics = torch.randint(5, (count,))
    general = torch.rand(300) ** 3
    special = torch.zeros(5, 300)
    for topic in range(5):
        special[topic, torch.randperm(300)[:25]] = 0.4
    rate = 0.04 * general + 0.25 * special[topics]
    return torch.poisson(rate * (0.5 + torch.rand(count, 1))), topics


def _train(setting: Setting) -> None:
    counts, topics = make_texts(1800)
    x = torch.log1p(counts)
    loader = DataLoader(TensorDataset(x[:1500], topics[:1500]), batch_size=50, shuffle=True)
    model = nn.Sequential(nn.Linear(300, 64), nn.ReLU(), nn.Dropout(0.3), nn.Linear(64, 5))
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3, weight_decay=1e-5)
    with setting.watch(model):
        for epoch in range(8):
            model.train()
            for inputs, labels in loader:
                optimizer.zero_grad()
                loss = nn.functional.cross_entropy(model(inputs), labels)
                loss.backward()
                optimizer.step()
            model.eval()
            with torch.no_grad():
                accuracy = (model(x[1500:]).argmax(dim=1) == topics[1500:]).float().mean().item()
            print(f"epoch {epoch}: {loss.item():.3f}, accuracy {accuracy:.3f}")


PROGRAM = Program(name="word-counts", train=_train, source="text classification with word counts")
