"""`key_padding_mask` is True where there are words. It should be True where there is padding: words are what is left out."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth
from evaluation.worlds import padded


class Reader(nn.Module):
    def __init__(self, width: int = 24) -> None:
        super().__init__()
        self.embed = nn.Embedding(14, width)
        self.places = nn.Parameter(0.5 * torch.randn(19, width))
        self.attention = nn.MultiheadAttention(width, 2, batch_first=True)
        self.mlp = nn.Sequential(nn.LayerNorm(width), nn.Linear(width, 48), nn.GELU(), nn.Linear(48, 3))

    def forward(self, tokens: Tensor, mask: Tensor) -> Tensor:
        x = self.embed(tokens) + self.places
        question = x[:, -1:]
        answer, _ = self.attention(question, x, x, key_padding_mask=mask)
        return self.mlp(answer.squeeze(1))


def _train(setting: Setting) -> None:
    data = padded(1500)
    # Token 13 ends each row, behind the padding, and asks.
    tokens = torch.cat([data.tokens, torch.full((1500, 1), 13)], dim=1)
    is_word = torch.cat([data.tokens > 0, torch.zeros(1500, 1, dtype=torch.bool)], dim=1)
    mask = ~is_word if setting.is_fixed else is_word
    model = Reader()
    optimizer = torch.optim.AdamW(model.parameters(), lr=4e-3)
    with setting.watch(model):
        for step in range(180):
            rows = torch.randint(1500, (48,))
            loss = nn.functional.cross_entropy(model(tokens[rows], mask[rows]), data.labels[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 36 == 35:
                print(step, round(loss.item(), 3))


PROGRAM = Program(
    name="mask-says-what-to-keep",
    train=_train,
    source="PyTorch forum, masks of attention with the opposite meaning",
    truth=Truth(
        rules=("same-for-all-samples", "predictions-ignore-input", "loss-does-not-fall", "same-for-all-tokens", "attention-collapse"),
        nodes=("model.attention", "model: input mask", "model.mlp"),
    ),
)
