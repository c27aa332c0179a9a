"""The softmax of attention pooling runs over the last axis of the scores, which has length one, so all weights are one."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


class _Pooling(nn.Module):
    def __init__(self, axis: int) -> None:
        super().__init__()
        self.kind = nn.Embedding(5, 16)
        self.mark = nn.Embedding(2, 16)
        self.score = nn.Linear(16, 1)
        self.softmax = nn.Softmax(dim=axis)
        self.out = nn.Linear(16, 5)

    def forward(self, kinds: Tensor, marks: Tensor) -> Tensor:
        x = self.kind(kinds) + self.mark(marks)
        weights = self.softmax(self.score(x))
        return self.out((weights * x).sum(1))


def _train(setting: Setting) -> None:
    kinds = torch.randint(0, 5, (1500, 8))
    marked = torch.randint(0, 8, (1500,))
    marks = nn.functional.one_hot(marked, 8)
    answer = kinds[torch.arange(1500), marked]
    # The scores have shape [samples, tokens, 1].
    model = _Pooling(1 if setting.is_fixed else -1)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    with setting.watch(model):
        for epoch in range(8):
            for index in torch.randperm(1500).split(30):
                loss = nn.functional.cross_entropy(model(kinds[index], marks[index]), answer[index])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print(epoch, loss.item())


PROGRAM = Program(
    name="attention-over-the-wrong-axis",
    train=_train,
    source="StackOverflow: dimension of softmax in attention; Humbatova et al. 2020, tensors and layer properties",
    truth=Truth(
        rules=("softmax-over-one", "zero-gradient", "never-updated", "branch-without-effect", "loss-does-not-fall"),
        nodes=("model.softmax", "model.score"),
    ),
)
