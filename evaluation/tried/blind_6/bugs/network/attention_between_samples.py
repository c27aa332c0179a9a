"""`nn.TransformerEncoderLayer` expects the time first, and gets the batch first: samples attend to each other."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth


class Longest(nn.Module):
    def __init__(self, *, batch_first: bool) -> None:
        super().__init__()
        self.embedding = nn.Embedding(12, 24)
        self.positions = nn.Parameter(0.1 * torch.randn(10, 24))
        self.encoder = nn.TransformerEncoderLayer(24, 4, 48, dropout=0.0, batch_first=batch_first)
        self.out = nn.Linear(24, 12)

    def forward(self, tokens: Tensor) -> Tensor:
        h = self.encoder(self.embedding(tokens) + self.positions)
        return self.out(h[:, 0])


def _train(setting: Setting) -> None:
    # The first token is the place of the answer.
    tokens = torch.randint(12, (3000, 10))
    tokens[:, 0] = torch.randint(1, 4, (3000,))
    labels = tokens.gather(1, tokens[:, :1]).squeeze(1)
    model = Longest(batch_first=setting.is_fixed)
    optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
    hits = 0.0
    with setting.watch(model):
        for x, y in batches(300, 64, tokens, labels):
            logits = model(x)
            loss = F.cross_entropy(logits, y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            hits = 0.95 * hits + 0.05 * (logits.argmax(1) == y).float().mean().item()
    print(f"accuracy {hits:.2f}")


PROGRAM = Program(
    name="attention-between-samples",
    train=_train,
    source="PyTorch forum, batch_first of a transformer",
    truth=Truth(
        rules=("batch-as-sequence", "predictions-ignore-input", "loss-does-not-fall"),
        nodes=("model.encoder", "model.encoder.self_attn", "model.encoder: input src"),
    ),
)
