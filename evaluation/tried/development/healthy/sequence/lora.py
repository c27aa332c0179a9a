"""Low-rank adapters on the frozen linear layers of a pretrained network."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting
from evaluation.shapes_and_sentences import WORDS, words


class _LoRA(nn.Module):
    def __init__(self, linear: nn.Module, rank: int = 4, alpha: float = 8.0) -> None:
        super().__init__()
        self.linear = linear
        self.scale = alpha / rank
        fan_out, fan_in = linear.get_parameter("weight").shape
        self.a = nn.Parameter(torch.randn(rank, fan_in) / fan_in**0.5)
        self.b = nn.Parameter(torch.zeros(fan_out, rank))

    def forward(self, x: Tensor) -> Tensor:
        return self.linear(x) + self.scale * (x @ self.a.T @ self.b.T)


class _Predictor(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(len(WORDS), 16)
        self.fc1: nn.Module = nn.Linear(64, 64)
        self.fc2: nn.Module = nn.Linear(64, 64)
        self.head = nn.Linear(64, len(WORDS))

    def forward(self, context: Tensor) -> Tensor:
        x = self.embedding(context).flatten(1)
        x = nn.functional.gelu(self.fc1(x))
        x = nn.functional.gelu(self.fc2(x))
        return self.head(x)


def _loss(model: nn.Module, text: Tensor) -> Tensor:
    index = torch.randint(len(text) - 5, (32,))
    context = torch.stack([text[i : i + 4] for i in index.tolist()])
    return nn.functional.cross_entropy(model(context), text[index + 4])


def _train(setting: Setting) -> None:
    model = _Predictor()
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    text = words(10_000)
    for _ in range(300):
        optimizer.zero_grad()
        _loss(model, text).backward()
        optimizer.step()

    for parameter in model.parameters():
        parameter.requires_grad_(False)
    model.fc1, model.fc2 = _LoRA(model.fc1), _LoRA(model.fc2)
    backwards = text.flip(0)
    optimizer = torch.optim.AdamW((p for p in model.parameters() if p.requires_grad), lr=2e-3)
    with setting.watch(model):
        for _ in range(800):
            loss = _loss(model, backwards)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(name="lora", train=_train, source="Hu et al. 2022")
