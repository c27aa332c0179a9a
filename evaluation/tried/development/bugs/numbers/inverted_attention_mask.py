"""The padding mask is inverted: sentences without padding have nothing to attend to."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches, sentences
from evaluation.program import Program, Setting, Truth


class Classifier(nn.Module):
    def __init__(self, invert: bool) -> None:
        super().__init__()
        self.embedding = nn.Embedding(41, 16)
        self.queries, self.keys = nn.Linear(16, 16), nn.Linear(16, 16)
        self.attention = nn.Softmax(dim=2)
        self.head = nn.Linear(16, 2)
        self.invert = invert

    def forward(self, tokens: Tensor) -> Tensor:
        x = self.embedding(tokens)
        is_padding = tokens == 40
        masked = ~is_padding if self.invert else is_padding
        scores = (self.queries(x) @ self.keys(x).transpose(1, 2) / 4).masked_fill(masked[:, None], -torch.inf)
        x = x + self.attention(scores) @ x
        return self.head((x * ~is_padding[:, :, None]).sum(dim=1) / 12)


def _train(setting: Setting) -> None:
    tokens, labels = sentences()
    tokens[:600, 10:] = 40
    model = Classifier(invert=not setting.is_fixed)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    with setting.watch(model):
        for x, y in batches(600, 32, tokens, labels):
            loss = nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="inverted-attention-mask",
    train=_train,
    source="PyTorch forum, key_padding_mask",
    truth=Truth(rules=("nan-origin",), nodes=("model.attention: output",)),
)
