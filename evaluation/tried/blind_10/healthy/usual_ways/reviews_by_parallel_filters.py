"""Reviews are classified by convolutions of three widths over words, with the largest answer of each filter."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset

from evaluation.program import Program, Setting
from evaluation.worlds import babble


class TextCNN(nn.Module):
    def __init__(self, vocabulary: int, classes: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, 24)
        self.convs = nn.ModuleList([nn.Conv1d(24, 16, width) for width in (2, 3, 4)])
        self.dropout = nn.Dropout(0.3)
        self.fc = nn.Linear(48, classes)

    def forward(self, tokens: Tensor) -> Tensor:
        x = self.embedding(tokens).transpose(1, 2)
        pooled = [torch.relu(conv(x)).amax(dim=2) for conv in self.convs]
        return self.fc(self.dropout(torch.cat(pooled, dim=1)))


def reviews(count: int) -> tuple[Tensor, Tensor]:
    """Texts by three authors, each with own habits."""
    texts = torch.cat([babble(count // 3) for _ in range(3)])
    return texts, torch.arange(3).repeat_interleave(count // 3)


def _train(setting: Setting) -> None:
    texts, authors = reviews(1500)
    order = torch.randperm(1500)
    train = TensorDataset(texts[order[:1200]], authors[order[:1200]])
    loader = DataLoader(train, batch_size=40, shuffle=True)
    model = TextCNN(16, 3)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    with setting.watch(model):
        for epoch in range(4):
            model.train()
            for tokens, author in loader:
                loss = nn.functional.cross_entropy(model(tokens), author)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            model.eval()
            with torch.no_grad():
                right = (model(texts[order[1200:]]).argmax(1) == authors[order[1200:]]).float().mean()
            print(f"epoch {epoch}: {loss.item():.3f}, {right:.2f} right")


PROGRAM = Program(name="reviews-by-parallel-filters", train=_train, source="Kim 2014, convolutions for sentences")
