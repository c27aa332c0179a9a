"""The softmax of the attention runs over a dimension of one value: every weight is 1."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


class Question(nn.Module):
    def __init__(self, vocabulary: int, over: int) -> None:
        super().__init__()
        self.embed = nn.Embedding(vocabulary, 24)
        self.rnn = nn.GRU(24, 24, batch_first=True, bidirectional=True)
        self.attn = nn.Linear(48, 1)
        self.weight = nn.Softmax(dim=over)
        self.out = nn.Linear(48, 5)

    def forward(self, words: Tensor) -> Tensor:
        outputs, _ = self.rnn(self.embed(words))
        weights = self.weight(self.attn(outputs))
        return self.out((weights * outputs).sum(dim=1))


def _train(setting: Setting) -> None:
    words = torch.randint(5, 60, (1200, 14))
    topic = torch.randint(0, 5, (1200,))
    words[torch.arange(1200), torch.randint(0, 14, (1200,))] = topic
    model = Question(60, over=1 if setting.is_fixed else 2)
    optimizer = torch.optim.Adam(model.parameters(), lr=6e-3)
    with setting.watch(model):
        for epoch in range(6):
            for rows in torch.randperm(1200).split(40):
                loss = nn.functional.cross_entropy(model(words[rows]), topic[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print(f"epoch {epoch}: {loss.item():.4f}")


PROGRAM = Program(
    name="attention-over-single-scores",
    train=_train,
    source="https://github.com/DEEP-PolyU/KEQA_WSDM19/issues/2",
    truth=Truth(rules=("softmax-over-one", "zero-gradient"), nodes=("model.weight", "model.attn")),
)
