"""Cross-entropy has no `ignore_index`, and most of what the network learns to write is padding."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth
from evaluation.worlds import babble

PAD = 0


class Writer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(17, 24, padding_idx=PAD)
        self.rnn = nn.GRU(24, 32, batch_first=True)
        self.out = nn.Linear(32, 17)

    def forward(self, tokens: Tensor) -> Tensor:
        return self.out(self.rnn(self.embedding(tokens))[0])


def _train(setting: Setting) -> None:
    text = babble(700, length=7) + 1
    text = nn.functional.pad(text, (0, 33), value=PAD)
    net = Writer()
    criterion = nn.CrossEntropyLoss(ignore_index=PAD if setting.is_fixed else -100)
    optimizer = torch.optim.Adam(net.parameters(), lr=2e-3)
    with setting.watch(net):
        for (tokens,) in batches(150, 20, text):
            logits = net(tokens[:, :-1])
            loss = criterion(logits.transpose(1, 2), tokens[:, 1:])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="padding-counts",
    train=_train,
    source="PyTorch forum, ignore_index and padding in sequence models that only write padding",
    truth=Truth(rules=("predictions-ignore-input", "same-for-all-samples", "same-for-all-tokens")),
)
