"""Every five steps, slow weights are to follow fast ones. The fast ones are set back first, so there is nothing to follow."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth
from evaluation.series_and_tables import heartbeats


class Lookahead:
    """Slow weights that go half of the way of five fast steps."""

    def __init__(self, model: nn.Module, k: int, alpha: float, set_back_first: bool) -> None:
        self.model, self.k, self.alpha, self.set_back_first = model, k, alpha, set_back_first
        self.slow = [p.detach().clone() for p in model.parameters()]
        self.count = 0

    @torch.no_grad()
    def after_step(self) -> None:
        self.count += 1
        if self.count % self.k:
            return
        for slow, fast in zip(self.slow, self.model.parameters(), strict=True):
            if self.set_back_first:
                fast.copy_(slow)
            slow += self.alpha * (fast - slow)
            fast.copy_(slow)


def _train(setting: Setting) -> None:
    beats, kinds = heartbeats(1200)
    model = nn.Sequential(nn.Flatten(), nn.Linear(48, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 3))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    lookahead = Lookahead(model, k=5, alpha=0.5, set_back_first=not setting.is_fixed)
    with setting.watch(model):
        for step, (beat, kind) in enumerate(batches(200, 32, beats, kinds)):
            loss = nn.functional.cross_entropy(model(beat), kind)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            lookahead.after_step()
            if step % 40 == 39:
                print(f"{step}: {loss.item():.3f}")


PROGRAM = Program(
    name="looks-ahead-and-goes-back",
    train=_train,
    source="Zhang et al. 2019, Lookahead, with two lines exchanged",
    truth=Truth(rules=("updates-too-small", "loss-does-not-fall")),
)
