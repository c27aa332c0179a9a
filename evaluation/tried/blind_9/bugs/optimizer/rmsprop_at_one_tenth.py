"""RMSprop gets the rate that worked with plain gradient descent, 0.1."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth
from evaluation.worlds import babble


class Babbler(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(16, 24)
        self.gru = nn.GRU(24, 48, batch_first=True)
        self.out = nn.Linear(48, 16)

    def forward(self, tokens: Tensor) -> Tensor:
        return self.out(self.gru(self.embedding(tokens))[0])


def _train(setting: Setting) -> None:
    text = babble(1200)
    model = Babbler()
    optimizer = torch.optim.RMSprop(model.parameters(), lr=0.003 if setting.is_fixed else 0.1)
    with setting.watch(model):
        for step in range(140):
            batch = text[torch.randint(1200, (32,))]
            scores = model(batch[:, :-1])
            loss = nn.functional.cross_entropy(scores.transpose(1, 2), batch[:, 1:])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 28 == 27:
                print(f"step {step}: {loss.item():.3f}")


PROGRAM = Program(
    name="rmsprop-at-one-tenth",
    train=_train,
    source="Humbatova et al. 2020, suboptimal learning rate; DeepFD (Cao et al. 2022), improper learning rate",
    truth=Truth(
        rules=(
            "updates-too-large",
            "diverging-loss",
            "oscillating-loss",
            "loss-does-not-fall",
            "saturated-units",
            "logit-growth",
            "runaway-growth",
        )
    ),
)
