"""An empty comment is padding only. Its row of the padding mask is all true, and attention over nothing is NaN."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth
from evaluation.worlds import padded


class Commenter(nn.Module):
    def __init__(self, vocab: int, width: int = 24) -> None:
        super().__init__()
        self.embed = nn.Embedding(vocab, width, padding_idx=0)
        self.position = nn.Parameter(0.1 * torch.randn(18, width))
        self.attention = nn.MultiheadAttention(width, 2, batch_first=True)
        self.norm = nn.LayerNorm(width)
        self.classify = nn.Linear(width, 3)

    def forward(self, tokens: Tensor, key_padding_mask: Tensor) -> Tensor:
        x = self.embed(tokens) + self.position
        attended, _ = self.attention(x, x, x, key_padding_mask=key_padding_mask)
        x = self.norm(x + attended)
        return self.classify(x[:, 0])


def _train(setting: Setting) -> None:
    data = padded(1200)
    tokens, labels = data.tokens.clone(), data.labels
    tokens[25 * 24 + 5] = 0
    model = Commenter(13)
    optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
    with setting.watch(model):
        for epoch in range(3):
            for start in range(0, 1200, 24):
                batch = tokens[start : start + 24]
                mask = batch == 0
                if setting.is_fixed:
                    mask[:, 0] = False
                loss = nn.functional.cross_entropy(model(batch, mask), labels[start : start + 24])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                if start % 240 == 216:
                    print(f"epoch {epoch}, comment {start}: {loss.item():.4f}")


PROGRAM = Program(
    name="sentence-of-nothing-but-padding",
    train=_train,
    source="GitHub pytorch/pytorch#40932, 'MultiheadAttention set(-inf) cause Nan in loss computing': an example is all padding",
    truth=Truth(
        rules=("nan-origin",),
        nodes=("model.attention", "model.attention: output[0]", "model.attention: output[1]", "model: input key_padding_mask"),
        step=25,
    ),
)
