"""The tagger ends with a softmax, and `nll_loss` gets the probabilities without a logarithm."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth


class Tagger(nn.Module):
    def __init__(self, is_fixed: bool) -> None:
        super().__init__()
        self.embedding = nn.Embedding(20, 16)
        self.context = nn.Conv1d(16, 32, 3, padding=1)
        self.tag = nn.Linear(32, 5)
        self.last: nn.Module = nn.LogSoftmax(dim=2) if is_fixed else nn.Softmax(dim=2)

    def forward(self, tokens: Tensor) -> Tensor:
        h = torch.relu(self.context(self.embedding(tokens).transpose(1, 2)))
        return self.last(self.tag(h.transpose(1, 2)))


def _train(setting: Setting) -> None:
    tokens = torch.randint(20, (1500, 9))
    tags = (tokens + tokens.roll(1, dims=1)) % 5
    model = Tagger(setting.is_fixed)
    optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
    criterion = nn.NLLLoss()
    with setting.watch(model):
        for step, (x, y) in enumerate(batches(300, 32, tokens, tags)):
            optimizer.zero_grad()
            scores = model(x)
            loss = criterion(scores.flatten(0, 1), y.flatten())
            loss.backward()
            optimizer.step()
            if step % 100 == 99:
                print(step, (scores.argmax(dim=2) == y).float().mean().item())


PROGRAM = Program(
    name="nll-of-probabilities",
    train=_train,
    source="PyTorch forum, NLLLoss is negative",
    truth=Truth(rules=("nll-without-log-softmax", "negative-loss"), nodes=("model.last: output", "model: output", "model.last")),
)
