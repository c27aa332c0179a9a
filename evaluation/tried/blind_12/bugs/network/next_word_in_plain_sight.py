"""The encoder has no causal mask: each position sees the word that it is to predict."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.everyday import phrases
from evaluation.program import Program, Setting, Truth


class LanguageModel(nn.Module):
    def __init__(self, ntoken: int, d_model: int = 48, length: int = 16) -> None:
        super().__init__()
        self.embedding = nn.Embedding(ntoken, d_model)
        self.pos = nn.Parameter(torch.randn(length, d_model) * 0.3)
        layers = nn.TransformerEncoderLayer(d_model, 4, 96, dropout=0.1, batch_first=True)
        self.transformer_encoder = nn.TransformerEncoder(layers, 2, enable_nested_tensor=False)
        self.linear = nn.Linear(d_model, ntoken)

    def forward(self, src: Tensor, src_mask: Tensor | None) -> Tensor:
        return self.linear(self.transformer_encoder(self.embedding(src) + self.pos, src_mask))


def _train(setting: Setting) -> None:
    corpus = phrases(1500, length=17)
    model = LanguageModel(24)
    mask = nn.Transformer.generate_square_subsequent_mask(16) if setting.is_fixed else None
    optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
    with setting.watch(model):
        for epoch in range(4):
            for rows in torch.randperm(1500).split(40):
                data, targets = corpus[rows, :-1], corpus[rows, 1:]
                loss = nn.functional.cross_entropy(model(data, mask).flatten(0, 1), targets.flatten())
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(model.parameters(), 0.5)
                optimizer.step()
            print(f"epoch {epoch}: loss {loss.item():.3f}")


PROGRAM = Program(
    name="next-word-in-plain-sight",
    train=_train,
    source="https://github.com/pytorch/tutorials/issues/2478",
    truth=Truth(rules=("feature-is-label",), nodes=("model: input src", "cross_entropy: target", "model.transformer_encoder")),
)
