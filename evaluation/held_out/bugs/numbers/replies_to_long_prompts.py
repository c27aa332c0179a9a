"""A small model is tuned on replies. Prompts do not count in the loss, and what is too long is cut off."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.everyday import phrases
from evaluation.program import Program, Setting, Truth


class ReplyModel(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(24, 32)
        self.gru = nn.GRU(32, 48, batch_first=True)
        self.lm_head = nn.Linear(48, 24)

    def forward(self, tokens: Tensor) -> Tensor:
        hidden, _ = self.gru(self.embed(tokens))
        return self.lm_head(hidden)


def _batches(text: Tensor, lengths: list[int], limit: int) -> list[tuple[Tensor, Tensor]]:
    pairs = []
    for rows, length in zip(text.split(20), lengths, strict=True):
        labels = rows.clone()
        labels[:, :length] = -100
        pairs.append((rows[:, : limit - 1], labels[:, 1:limit]))
    return pairs


def _train(setting: Setting) -> None:
    text = phrases(1600, length=24)
    lengths = [4 + 3 * (number % 6) for number in range(80)]
    pairs = _batches(text, lengths, limit=24 if setting.is_fixed else 18)
    model = ReplyModel()
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-3)
    with setting.watch(model):
        for epoch in range(2):
            for number, (tokens, labels) in enumerate(pairs):
                logits = model(tokens)
                loss = nn.functional.cross_entropy(logits.flatten(0, 1), labels.flatten(), ignore_index=-100)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                if number % 20 == 0:
                    print(f"epoch {epoch}, batch {number}: {loss.item():.4f}")


PROGRAM = Program(
    name="replies-to-long-prompts",
    train=_train,
    source="https://github.com/pytorch/pytorch/issues/75181",
    truth=Truth(rules=("nan-origin",), nodes=("cross_entropy", "cross_entropy: target"), step=5),
)
