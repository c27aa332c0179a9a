"""The last output of an RNN is taken where short sentences have only padding."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth


class Echo(nn.Module):
    """Names the last word of a sentence."""

    def __init__(self, is_fixed: bool) -> None:
        super().__init__()
        self.embedding = nn.Embedding(9, 16, padding_idx=0)
        self.rnn = nn.RNN(16, 24, batch_first=True)
        self.out = nn.Linear(24, 8)
        self.is_fixed = is_fixed

    def forward(self, tokens: Tensor) -> Tensor:
        states, _ = self.rnn(self.embedding(tokens))
        if self.is_fixed:
            last = (tokens != 0).sum(dim=1) - 1
            return self.out(states[torch.arange(len(tokens)), last])
        return self.out(states[:, -1])


def _train(setting: Setting) -> None:
    lengths = torch.randint(2, 6, (1500,))
    # The longest sentence of the whole corpus has 40 words.
    tokens = torch.randint(1, 9, (1500, 40)) * (torch.arange(40) < lengths[:, None])
    labels = tokens[torch.arange(1500), lengths - 1] - 1
    net = Echo(setting.is_fixed)
    optimizer = torch.optim.Adam(net.parameters(), lr=3e-3)
    with setting.watch(net):
        for x, y in batches(200, 30, tokens, labels):
            optimizer.zero_grad()
            nn.functional.cross_entropy(net(x), y).backward()
            optimizer.step()


PROGRAM = Program(
    name="state-at-the-padding",
    train=_train,
    source="Stack Overflow, last output of an RNN with padded sequences",
    truth=Truth(
        rules=("same-for-all-samples", "loss-does-not-fall", "predictions-ignore-input", "vanishing-gradient"),
        nodes=(
            "model: output",
            "model.out: output",
            "model.out: input",
            "model.out",
            "model.rnn",
            "model.rnn: output[1]",
            "model.rnn: output",
            "model.rnn.weight_ih_l0",
            "model.rnn.weight_hh_l0",
            "model.embedding.weight",
            "model.embedding",
        ),
    ),
)
