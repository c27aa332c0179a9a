"""Names are sorted by their language, as in the tutorial, but LogSoftmax was left out before NLLLoss."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


class _Names(nn.Module):
    def __init__(self, letters: int, hidden: int, languages: int, *, normalizes: bool) -> None:
        super().__init__()
        self.embedding = nn.Embedding(letters, 12)
        self.gru = nn.GRU(12, hidden, batch_first=True)
        self.out = nn.Linear(hidden, languages)
        self.normalizes = normalizes

    def forward(self, names: Tensor) -> Tensor:
        _, last = self.gru(self.embedding(names))
        scores = self.out(last[0])
        return scores.log_softmax(1) if self.normalizes else scores


def _train(setting: Setting) -> None:
    habits = torch.softmax(1.5 * torch.randn(5, 26), dim=1)
    language = torch.randint(0, 5, (1500,))
    names = torch.multinomial(habits[language], 8, replacement=True)
    model = _Names(26, 32, 5, normalizes=setting.is_fixed)
    criterion = nn.NLLLoss()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    with setting.watch(model):
        for _ in range(8):
            for chosen in torch.randperm(1200).split(30):
                loss = criterion(model(names[chosen]), language[chosen])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
    with torch.no_grad():
        print("accuracy", (model(names[1200:]).argmax(1) == language[1200:]).float().mean().item())


PROGRAM = Program(
    name="nll-of-raw-letters",
    train=_train,
    source="PyTorch forum: NLLLoss is negative, LogSoftmax is missing",
    truth=Truth(
        rules=("nll-without-log-softmax", "negative-loss", "diverging-loss", "logit-growth", "runaway-growth", "initial-loss"),
    ),
)
