"""The gate over four views of an object is normalized over the objects of the batch instead of over the views."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


class _Views(nn.Module):
    def __init__(self, is_fixed: bool) -> None:
        super().__init__()
        self.view = nn.Linear(16, 24)
        self.score = nn.Linear(24, 1)
        self.normalize = nn.Softmax(dim=1 if is_fixed else 0)
        self.out = nn.Linear(24, 5)

    def forward(self, views: Tensor) -> Tensor:
        codes = torch.tanh(self.view(views))
        shares = self.normalize(self.score(codes))
        return self.out((shares * codes).sum(1))


def _train(setting: Setting) -> None:
    objects = torch.randint(0, 5, (1500,))
    views = torch.randn(1500, 4, 16)
    views[torch.arange(1500), torch.randint(0, 4, (1500,))] += 2 * torch.randn(5, 16)[objects]
    model = _Views(setting.is_fixed)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    with setting.watch(model):
        for epoch in range(8):
            for chosen in torch.randperm(1500).split(50):
                loss = nn.functional.cross_entropy(model(views[chosen]), objects[chosen])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print(epoch, loss.item())


PROGRAM = Program(
    name="scores-are-a-softmax-over-images",
    train=_train,
    source="Zhang et al. 2018: confusion of axes; StackOverflow, which dim should softmax have in attention",
    truth=Truth(
        rules=("softmax-over-batch", "same-for-all-samples", "loss-does-not-fall", "vanishing-gradient", "predictions-ignore-input"),
        nodes=("model.normalize", "model.score: output", "model.score"),
    ),
)
