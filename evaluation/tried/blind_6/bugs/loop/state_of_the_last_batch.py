"""The hidden state goes from batch to batch and is not detached: the second backward pass goes through a graph that is gone."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from evaluation.program import Program, Setting, Truth


class Words(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(12, 16)
        self.lstm = nn.LSTM(16, 32, batch_first=True)
        self.out = nn.Linear(32, 12)

    def forward(self, tokens: Tensor, state: tuple[Tensor, Tensor] | None) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        h, state = self.lstm(self.embedding(tokens), state)
        return self.out(h), state


def _train(setting: Setting) -> None:
    # A word follows from the two before it, with some noise.
    stream = torch.randint(12, (16, 2002))
    for t in range(2, 2002):
        follows = (stream[:, t - 1] + 2 * stream[:, t - 2] + 1) % 12
        stream[:, t] = torch.where(torch.rand(16) < 0.9, follows, stream[:, t])
    model = Words()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    state: tuple[Tensor, Tensor] | None = None
    try:
        with setting.watch(model):
            for start in range(0, 2000, 10):
                tokens, following = stream[:, start : start + 10], stream[:, start + 1 : start + 11]
                if setting.is_fixed and state is not None:
                    state = (state[0].detach(), state[1].detach())
                logits, state = model(tokens, state)
                loss = F.cross_entropy(logits.flatten(0, 1), following.flatten())
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
    except RuntimeError as error:
        print(f"stopped: {error}"[:60])
    print(f"loss {loss.item():.2f}")


PROGRAM = Program(
    name="state-of-the-last-batch",
    train=_train,
    source="StackOverflow, trying to backward through the graph a second time",
    truth=Truth(rules=("exception-in-step",), step=1),
)
