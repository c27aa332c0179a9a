"""The optimizer is given `model.decoder.parameters()`. The encoder, which nobody froze, stays random."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth

SIGNS, LENGTH = 10, 5


class Reverser(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.encoder = nn.ModuleDict({"embed": nn.Embedding(SIGNS, 12), "rnn": nn.GRU(12, 48, batch_first=True)})
        self.decoder = nn.ModuleDict({"embed": nn.Embedding(SIGNS + 1, 12), "rnn": nn.GRU(12, 48, batch_first=True)})
        self.decoder["out"] = nn.Linear(48, SIGNS)

    def forward(self, source: Tensor, given: Tensor) -> Tensor:
        state = self.encoder["rnn"](self.encoder["embed"](source))[1]
        return self.decoder["out"](self.decoder["rnn"](self.decoder["embed"](given), state)[0])


def _train(setting: Setting) -> None:
    model = Reverser()
    trained = model if setting.is_fixed else model.decoder
    optimizer = torch.optim.Adam(trained.parameters(), lr=8e-3)
    with setting.watch(model):
        for step in range(250):
            source = torch.randint(SIGNS, (48, LENGTH))
            wanted = source.flip(1)
            given = torch.cat([torch.full((48, 1), SIGNS), wanted[:, :-1]], dim=1)
            loss = nn.functional.cross_entropy(model(source, given).flatten(0, 1), wanted.flatten())
            model.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 50 == 49:
                print(f"step {step}: {loss.item():.3f}")


PROGRAM = Program(
    name="optimizer-of-the-decoder",
    train=_train,
    source="Humbatova et al. 2020, training: optimizer over the wrong parameters",
    truth=Truth(
        rules=("not-in-optimizer", "never-updated"),
        nodes=(
            "model.encoder",
            "model.encoder.embed",
            "model.encoder.embed.weight",
            "model.encoder.rnn",
            *(f"model.encoder.rnn.{kind}_{side}_l0" for kind in ("weight", "bias") for side in ("ih", "hh")),
        ),
    ),
)
