"""The rate 0.1 of an example with plain descent is used with Adam, for a transformer."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth
from evaluation.worlds import babble


class Babbler(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.words, self.places = nn.Embedding(12, 32), nn.Embedding(15, 32)
        self.block = nn.TransformerEncoderLayer(32, 4, 64, dropout=0.0, batch_first=True)
        self.out = nn.Linear(32, 12)

    def forward(self, tokens: Tensor) -> Tensor:
        length = tokens.shape[1]
        hidden = torch.full((length, length), float("-inf")).triu(1)
        x = self.words(tokens) + self.places(torch.arange(length))
        return self.out(self.block(x, src_mask=hidden))


def _train(setting: Setting) -> None:
    text = babble(1500, vocabulary=12)
    model = Babbler()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.002 if setting.is_fixed else 0.1)
    with setting.watch(model):
        for step in range(220):
            rows = text[torch.randint(1500, (32,))]
            scores = model(rows[:, :-1])
            loss = nn.functional.cross_entropy(scores.transpose(1, 2), rows[:, 1:])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 55 == 54:
                print(f"step {step}: {loss.item():.3f}")


PROGRAM = Program(
    name="adam-takes-a-tenth",
    train=_train,
    source="Islam et al. 2019, parameters of APIs; PyTorch forum, a transformer does not learn with lr=0.1",
    truth=Truth(
        rules=("updates-too-large", "oscillating-loss", "dead-relu", "dormant-units"),
    ),
)
