"""`nn.TransformerEncoderLayer` is made without `batch_first=True`, so sentences attend to each other."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth

LENGTH = 8


class Tagger(nn.Module):
    """Says of each token whether the same token occurs a second time in its sentence."""

    def __init__(self, batch_first: bool) -> None:
        super().__init__()
        self.token, self.place = nn.Embedding(12, 32), nn.Embedding(LENGTH, 32)
        layer = nn.TransformerEncoderLayer(32, 4, 64, dropout=0.0, batch_first=batch_first)
        self.encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.tag = nn.Linear(32, 2)

    def forward(self, tokens: Tensor) -> Tensor:
        x = self.token(tokens) + self.place.weight
        return self.tag(self.encoder(x))


def _train(setting: Setting) -> None:
    texts = torch.randint(12, (1500, LENGTH))
    twice = ((texts[:, :, None] == texts[:, None, :]).sum(dim=2) > 1).long()
    model = Tagger(batch_first=setting.is_fixed)
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for tokens, tags in batches(220, 32, texts, twice):
            loss = nn.functional.cross_entropy(model(tokens).flatten(0, 1), tags.flatten())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="batch-is-not-first",
    train=_train,
    source="PyTorch forum, batch_first of nn.TransformerEncoderLayer is False",
    truth=Truth(
        rules=("batch-as-sequence",),
        nodes=(
            "model.encoder",
            *(f"model.encoder.layers.{i}{part}" for i in (0, 1) for part in ("", ".self_attn", ": output", ".self_attn: output[0]")),
        ),
    ),
)
