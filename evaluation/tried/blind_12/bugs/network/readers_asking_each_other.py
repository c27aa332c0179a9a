"""The softmax of the attention runs over the samples of the batch."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


class DotAttention(nn.Module):
    def __init__(self, dim: int) -> None:
        super().__init__()
        self.softmax = nn.Softmax(dim=dim)

    def forward(self, query: Tensor, context: Tensor) -> Tensor:
        scores = torch.bmm(query, context.transpose(1, 2)) / context.shape[2] ** 0.5
        return torch.bmm(self.softmax(scores), context)


class Reader(nn.Module):
    def __init__(self, dim: int, keys: int = 12, width: int = 32) -> None:
        super().__init__()
        self.key = nn.Embedding(keys, width)
        self.content = nn.Linear(4, width)
        self.attention = DotAttention(dim)
        self.out = nn.Linear(width, 4)

    def forward(self, asked: Tensor, keys: Tensor, contents: Tensor) -> Tensor:
        context = self.key(keys) + self.content(contents)
        return self.out(self.attention(self.key(asked)[:, None], context)[:, 0])


def _train(setting: Setting) -> None:
    keys = torch.stack([torch.randperm(12)[:6] for _ in range(1500)])
    contents = torch.randn(1500, 6, 4)
    place = torch.randint(0, 6, (1500,))
    asked, answers = keys[torch.arange(1500), place], contents[torch.arange(1500), place]
    model = Reader(dim=2 if setting.is_fixed else 0)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    with setting.watch(model):
        for epoch in range(6):
            for rows in torch.randperm(1500).split(50):
                loss = nn.functional.mse_loss(model(asked[rows], keys[rows], contents[rows]), answers[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print(f"epoch {epoch}: {loss.item():.4f}")


PROGRAM = Program(
    name="readers-asking-each-other",
    train=_train,
    source="https://github.com/PetrochukM/PyTorch-NLP/issues/2",
    truth=Truth(rules=("softmax-over-batch",), nodes=("model.attention", "model.attention.softmax")),
)
