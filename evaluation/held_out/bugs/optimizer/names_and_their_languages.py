"""From which language is a name? A notebook defines a recurrent network, tries it on a name, and trains it further below."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.everyday import phrases
from evaluation.program import Program, Setting, Truth


class NameRNN(nn.Module):
    def __init__(self, letters: int, languages: int) -> None:
        super().__init__()
        self.embed = nn.Embedding(letters, 24)
        self.rnn = nn.GRU(24, 48, batch_first=True)
        self.out = nn.Linear(48, languages)

    def forward(self, names: Tensor) -> Tensor:
        _, hidden = self.rnn(self.embed(names))
        return self.out(hidden[0])


def _train(setting: Setting) -> None:
    languages = [phrases(400, length=8) for _ in range(4)]
    names = torch.cat(languages)
    labels = torch.arange(4).repeat_interleave(400)
    rnn = NameRNN(24, 4)
    optimizer = torch.optim.Adam(rnn.parameters(), lr=4e-3)
    print(rnn(names[:1]).softmax(dim=1))
    if not setting.is_fixed:
        rnn = NameRNN(24, 4)
    with setting.watch(rnn):
        for epoch in range(5):
            for rows in torch.randperm(1600).split(40):
                rnn.zero_grad()
                loss = nn.functional.cross_entropy(rnn(names[rows]), labels[rows])
                loss.backward()
                optimizer.step()
            print(f"epoch {epoch}: {loss.item():.4f}")


PROGRAM = Program(
    name="names-and-their-languages",
    train=_train,
    source="https://github.com/spro/practical-pytorch/issues/9",
    truth=Truth(rules=("not-in-optimizer", "never-updated", "optimizer-never-steps", "loss-does-not-fall")),
)
