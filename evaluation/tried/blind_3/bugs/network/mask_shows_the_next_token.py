"""The causal mask begins one diagonal too late: every token sees the one that it should predict."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth
from evaluation.worlds import babble


class LanguageModel(nn.Module):
    def __init__(self, diagonal: int) -> None:
        super().__init__()
        self.tokens = nn.Embedding(16, 32)
        self.places = nn.Parameter(0.1 * torch.randn(15, 32))
        self.block = nn.TransformerEncoderLayer(32, 2, 64, dropout=0.0, batch_first=True, norm_first=True)
        self.out = nn.Linear(32, 16)
        self.register_buffer("mask", torch.ones(15, 15, dtype=torch.bool).triu(diagonal))

    def forward(self, tokens: Tensor) -> Tensor:
        return self.out(self.block(self.tokens(tokens) + self.places, src_mask=self.mask))


def _train(setting: Setting) -> None:
    text = babble(900)
    net = LanguageModel(1 if setting.is_fixed else 2)
    optimizer = torch.optim.AdamW(net.parameters(), lr=3e-3)
    with setting.watch(net):
        for (tokens,) in batches(250, 20, text):
            logits = net(tokens[:, :-1])
            loss = nn.functional.cross_entropy(logits.transpose(1, 2), tokens[:, 1:])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="mask-shows-the-next-token",
    train=_train,
    source="PyTorch forum, transformers that cheat: triu(diagonal=...)",
    truth=Truth(rules=("feature-is-label",), nodes=("model: input", "model.tokens: input", "model.block: input", "model.block", "model")),
)
