"""The factor of the learning rate is the step by the steps of warming up, without an upper limit. It rises for ever."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth
from evaluation.worlds import additions


class Adder(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(12, 24)
        self.mlp = nn.Sequential(nn.Linear(6 * 24, 128), nn.ReLU(), nn.Linear(128, 64), nn.ReLU(), nn.Linear(64, 20))

    def forward(self, question: Tensor) -> Tensor:
        return self.mlp(self.embed(question).flatten(1))


def _train(setting: Setting) -> None:
    sums = additions(3000)
    question = sums[:, :6]
    units = sums[:, 6]
    model = Adder()
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    highest = 1.0 if setting.is_fixed else float("inf")
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min((step + 1) / 10, highest))
    with setting.watch(model):
        for step in range(250):
            rows = torch.randint(3000, (64,))
            loss = nn.functional.cross_entropy(model(question[rows]), units[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            scheduler.step()
            if step % 50 == 49:
                print(f"{step}: {loss.item():.3f}, rate {scheduler.get_last_lr()[0]:.3f}")


PROGRAM = Program(
    name="warm-up-that-goes-on",
    train=_train,
    source="Common mistake: LambdaLR with step / warmup and no min",
    truth=Truth(
        rules=(
            "updates-too-large",
            "diverging-loss",
            "oscillating-loss",
            "dead-relu",
            "loss-does-not-fall",
            "predictions-ignore-input",
            "runaway-growth",
            "same-for-all-samples",
            "dormant-units",
        ),
        nodes=(
            "model",
            "model: output",
            "model.embed",
            "model.embed: output",
            "model.embed.weight",
            "model.mlp",
            *(f"model.mlp.{n}{part}" for n in range(5) for part in ("", ": output", ".weight", ".bias")),
        ),
    ),
)
