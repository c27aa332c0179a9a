"""A language model keeps its state from batch to batch, detached, and reads its text in order without shuffling."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from evaluation.program import Program, Setting


class Reader(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(16, 16)
        self.lstm = nn.LSTM(16, 48, batch_first=True)
        self.out = nn.Linear(48, 16)

    def forward(self, tokens: Tensor, state: tuple[Tensor, Tensor]) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        h, state = self.lstm(self.embedding(tokens), state)
        return self.out(h), state


def _train(setting: Setting) -> None:
    stream = torch.randint(16, (20, 2201))
    for t in range(1, 2201):
        stream[:, t] = torch.where(torch.rand(20) < 0.85, (3 * stream[:, t - 1] + 5) % 16, stream[:, t])
    model = Reader()
    optimizer = torch.optim.Adam(model.parameters(), lr=6e-3)
    state = (torch.zeros(1, 20, 48), torch.zeros(1, 20, 48))
    with setting.watch(model):
        for start in range(0, 2200, 11):
            tokens, following = stream[:, start : start + 11], stream[:, start + 1 : start + 12]
            logits, state = model(tokens, (state[0].detach(), state[1].detach()))
            loss = F.cross_entropy(logits.flatten(0, 1), following.flatten())
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
    print(f"loss {loss.item():.3f}")


PROGRAM = Program(name="state-from-batch-to-batch", train=_train, source="PyTorch word language model example")
