"""One picture, in step 73, has an empty caption: its mask leaves nothing to attend to, and the softmax is over minus infinities."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


class Captions(nn.Module):
    def __init__(self, start: bool) -> None:
        super().__init__()
        self.start = start
        self.embed = nn.Embedding(41, 16)
        self.attention = nn.MultiheadAttention(16, 2, batch_first=True)
        self.query = nn.Parameter(torch.randn(1, 1, 16))
        self.out = nn.Linear(16, 3)

    def forward(self, tokens: Tensor) -> Tensor:
        if self.start:
            tokens = torch.cat([torch.full_like(tokens[:, :1], 40), tokens], dim=1)
        words = self.embed(tokens)
        summary, _ = self.attention(self.query.expand(len(tokens), -1, -1), words, words, key_padding_mask=tokens == 0)
        return self.out(summary[:, 0])


def captions(count: int) -> tuple[Tensor, Tensor]:
    lengths = torch.randint(1, 9, (count, 1))
    tokens = torch.randint(1, 40, (count, 8)) * (torch.arange(8) < lengths)
    return tokens, (tokens == 0).logical_not().sum(dim=1) % 3


def _train(setting: Setting) -> None:
    tokens, _ = captions(2800)
    topic = torch.randint(3, (41,))
    labels = nn.functional.one_hot(topic[tokens], 3).mul((tokens > 0)[:, :, None]).sum(dim=1).argmax(dim=1)
    tokens[73 * 28 + 20] = 0
    model = Captions(start=setting.is_fixed)
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    with setting.watch(model):
        for step, (token, label) in enumerate(zip(tokens.split(28), labels.split(28), strict=True)):
            loss = nn.functional.cross_entropy(model(token), label)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 25 == 24:
                print(f"{step}: {loss.item():.3f}")


PROGRAM = Program(
    name="empty-caption-masks-everything",
    train=_train,
    source="GitHub issues of PyTorch, attention gives NaN where a whole row is masked",
    truth=Truth(rules=("nan-origin",), nodes=("model.attention", "model.attention: output[0]", "model.attention: output[1]"), step=73),
)
