"""The groups of parameters are put together by hand, and the last one is never appended to the list."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.everyday import phrases
from evaluation.program import Program, Setting, Truth


class Ner(nn.Module):
    def __init__(self, vocabulary: int, tags: int) -> None:
        super().__init__()
        self.bert = nn.Sequential(nn.Embedding(vocabulary, 32), nn.Linear(32, 32), nn.GELU())
        self.rnn = nn.GRU(32, 32, batch_first=True)
        self.fc = nn.Linear(32, tags)

    def forward(self, words: Tensor) -> Tensor:
        return self.fc(self.rnn(self.bert(words))[0])


def _train(setting: Setting) -> None:
    words = phrases(1000)
    tags = (words + words.roll(1, dims=1)) % 5
    model = Ner(24, 5)
    parameters = [{"params": list(model.bert.parameters()), "lr": 2e-3}]
    rest = {"params": list(model.rnn.parameters()), "lr": 5e-3}
    parameters.append(rest)
    head = {"params": list(model.fc.parameters()), "lr": 5e-3}
    if setting.is_fixed:
        parameters.append(head)
    optimizer = torch.optim.AdamW(parameters)
    with setting.watch(model):
        for epoch in range(5):
            for rows in torch.randperm(1000).split(40):
                logits = model(words[rows])
                loss = nn.functional.cross_entropy(logits[:, 1:].flatten(0, 1), tags[rows, 1:].flatten())
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print(f"epoch {epoch}: {loss.item():.4f}")


PROGRAM = Program(
    name="crf-layer-left-out",
    train=_train,
    source="https://github.com/zjunlp/HVPNeT/issues/5",
    truth=Truth(rules=("not-in-optimizer", "never-updated"), nodes=("model.fc.weight", "model.fc.bias", "model.fc")),
)
