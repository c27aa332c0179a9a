"""The rate of fine-tuning, 2e-6, is left in the script that trains a network from nothing."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches, sentences
from evaluation.program import Program, Setting, Truth


class TinyBert(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(40, 24)
        layer = nn.TransformerEncoderLayer(24, 2, 48, dropout=0.0, batch_first=True, norm_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.head = nn.Linear(24, 2)

    def forward(self, tokens: Tensor) -> Tensor:
        return self.head(self.encoder(self.words(tokens)).mean(dim=1))


def _train(setting: Setting) -> None:
    tokens, labels = sentences(1500, length=10)
    net = TinyBert()
    optimizer = torch.optim.AdamW(net.parameters(), lr=2e-3 if setting.is_fixed else 2e-6, weight_decay=0.01)
    with setting.watch(net):
        for step, (x, y) in enumerate(batches(200, 32, tokens, labels)):
            loss = nn.functional.cross_entropy(net(x), y)
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
            if step % 50 == 49:
                print(f"step {step}: {loss.item():.3f}")


PROGRAM = Program(
    name="rate-for-pretrained-weights",
    train=_train,
    source="Hugging Face forum, training from scratch with the rate of fine-tuning",
    truth=Truth(rules=("updates-too-small", "loss-does-not-fall", "predictions-ignore-input")),
)
