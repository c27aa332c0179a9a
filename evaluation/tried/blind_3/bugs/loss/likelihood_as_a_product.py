"""The likelihood of a sentence is the product of its tokens' probabilities, not the sum of their logarithms: it is almost 0."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth
from evaluation.worlds import babble


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(16, 24)
        self.rnn = nn.RNN(24, 32, batch_first=True)
        self.out = nn.Linear(32, 16)

    def forward(self, tokens: Tensor) -> Tensor:
        states, _ = self.rnn(self.embedding(tokens))
        return self.out(states)


def _train(setting: Setting) -> None:
    text = babble(600, length=21)
    net = Model()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.5, momentum=0.9)
    with setting.watch(net):
        for (tokens,) in batches(200, 20, text):
            log_probabilities = net(tokens[:, :-1]).log_softmax(dim=2).gather(2, tokens[:, 1:, None]).squeeze(2)
            loss = -log_probabilities.mean(dim=1).mean() if setting.is_fixed else -log_probabilities.exp().prod(dim=1).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="likelihood-as-a-product",
    train=_train,
    source="Humbatova et al. 2020 (wrong loss); questions about products of probabilities",
    truth=Truth(rules=("vanishing-gradient", "zero-gradient", "loss-does-not-fall", "updates-too-small", "never-updated", "negative-loss")),
)
