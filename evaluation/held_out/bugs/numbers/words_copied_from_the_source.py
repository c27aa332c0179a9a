"""A pointer network copies a word of its source or takes a word of its vocabulary. A gate mixes the two distributions."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


class PointerNet(nn.Module):
    def __init__(self, words: int, frequent: int) -> None:
        super().__init__()
        self.frequent = frequent
        self.embed = nn.Embedding(words, 32)
        self.gru = nn.GRU(32, 32, batch_first=True)
        self.point = nn.Linear(32, 1)
        self.generate = nn.Linear(32, frequent)
        self.gate = nn.Linear(32, 1)
        self.words = words

    def forward(self, source: Tensor) -> Tensor:
        hidden, last = self.gru(self.embed(source))
        state = last[0]
        copy = torch.softmax(self.point(torch.tanh(hidden)).squeeze(2), dim=1)
        made = torch.softmax(self.generate(state), dim=1)
        gate = torch.sigmoid(self.gate(state))
        mixed = nn.functional.pad(gate * made, (0, self.words - self.frequent))
        return mixed.scatter_add(1, source, (1 - gate) * copy)


def _train(setting: Setting) -> None:
    source = torch.randint(0, 39, (1200, 8))
    summary = source[:, 0].clone()
    summary[::40] = 39
    model = PointerNet(40, 20)
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    with setting.watch(model):
        for epoch in range(5):
            for rows in torch.randperm(1200).split(80):
                share = model(source[rows])
                log_share = torch.log(share + 1e-6 if setting.is_fixed else share)
                loss = nn.functional.nll_loss(log_share, summary[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print(f"epoch {epoch}: {loss.item():.4f}")


PROGRAM = Program(
    name="words-copied-from-the-source",
    train=_train,
    source="https://github.com/yym6472/ms_pointer_network/issues/1",
    truth=Truth(rules=("nan-origin",), nodes=("log", "nll_loss", "model: output", "nll_loss: target"), step=0),
)
