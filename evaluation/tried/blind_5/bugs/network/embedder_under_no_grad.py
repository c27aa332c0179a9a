"""The embedding and the first layer run under no_grad, which was meant for a pretrained encoder."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


class _Headlines(nn.Module):
    def __init__(self, is_fixed: bool) -> None:
        super().__init__()
        self.is_fixed = is_fixed
        self.embed = nn.Embedding(80, 24)
        self.encode = nn.Linear(24, 24)
        self.decide = nn.Linear(24, 4)

    def forward(self, words: Tensor) -> Tensor:
        with torch.set_grad_enabled(self.is_fixed or not self.training):
            code = torch.tanh(self.encode(self.embed(words)).mean(1))
        return self.decide(code)


def _train(setting: Setting) -> None:
    words = torch.randint(0, 80, (1600, 8))
    topics = torch.nn.functional.one_hot(words % 4, 4).sum(1).argmax(1)
    model = _Headlines(setting.is_fixed)
    optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
    with setting.watch(model):
        for epoch in range(8):
            for chosen in torch.randperm(1600).split(40):
                loss = nn.functional.cross_entropy(model(words[chosen]), topics[chosen])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print(epoch, loss.item())


PROGRAM = Program(
    name="embedder-under-no-grad",
    train=_train,
    source="PyTorch forum: gradients are None since the encoder runs under torch.no_grad()",
    truth=Truth(
        rules=("cut-path", "no-gradient", "frozen-as-initialized", "never-updated", "loss-does-not-fall", "predictions-ignore-input"),
        nodes=("model.embed", "model.encode", "model.decide: input"),
    ),
)
