"""The validation of a recurrent network with dropout runs under no_grad but in training mode."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import sentences
from evaluation.program import Program, Setting, Truth


class _Review(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(40, 16)
        self.gru = nn.GRU(16, 24, batch_first=True)
        self.drop = nn.Dropout(0.4)
        self.out = nn.Linear(24, 2)

    def forward(self, tokens: Tensor) -> Tensor:
        return self.out(self.drop(self.gru(self.words(tokens))[0].mean(1)))


def _train(setting: Setting) -> None:
    tokens, labels = sentences()
    model = _Review()
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    criterion = nn.CrossEntropyLoss()
    with setting.watch(model):
        for epoch in range(8):
            model.train()
            for chosen in torch.randperm(1600).split(40):
                optimizer.zero_grad()
                loss = criterion(model(tokens[chosen]), labels[chosen])
                loss.backward()
                optimizer.step()
            if setting.is_fixed:
                model.eval()
            right = 0
            with torch.no_grad():
                for part in torch.arange(1600, 2000).split(100):
                    right += int((model(tokens[part]).argmax(1) == labels[part]).sum())
            print("epoch", epoch, "validation", right / 400)


PROGRAM = Program(
    name="test-set-with-dropout",
    train=_train,
    source="PyTorch forum, model.eval() and torch.no_grad() are confused; Humbatova et al. 2020: missing mode of evaluation",
    truth=Truth(rules=("evaluation-in-training-mode",), nodes=("model.drop", "model")),
)
