"""A transformer that tells the type of a log line returns probabilities, and CrossEntropyLoss normalizes them again."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


class _LogReader(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.token = nn.Embedding(50, 24)
        self.place = nn.Parameter(0.02 * torch.randn(12, 24))
        layer = nn.TransformerEncoderLayer(24, 4, 48, dropout=0.0, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.head = nn.Linear(24, 4)

    def forward(self, lines: Tensor) -> Tensor:
        return self.head(self.encoder(self.token(lines) + self.place).mean(1))


def _train(setting: Setting) -> None:
    lines = torch.randint(4, 50, (1200, 12))
    kind = torch.randint(0, 4, (1200,))
    lines[torch.arange(1200), torch.randint(0, 12, (1200,))] = kind
    model = _LogReader() if setting.is_fixed else nn.Sequential(_LogReader(), nn.Softmax(dim=-1))
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for _ in range(10):
            for index in torch.randperm(1000).split(32):
                loss = criterion(model(lines[index]), kind[index])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
    with torch.no_grad():
        print("accuracy", (model(lines[1000:]).argmax(1) == kind[1000:]).float().mean().item(), "loss", loss.item())


PROGRAM = Program(
    name="softmax-ends-the-transformer",
    train=_train,
    source="Schoop et al. 2021, UMLAUT: softmax before a loss that expects logits",
    truth=Truth(rules=("softmax-before-cross-entropy", "loss-does-not-fall"), nodes=("model.1",)),
)
