"""A gate lets the words of a question act on the features of a picture. It is made to begin closed."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import digits
from evaluation.program import Program, Setting, Truth


class GatedNet(nn.Module):
    def __init__(self, is_fixed: bool) -> None:
        super().__init__()
        self.vision = nn.Sequential(nn.Linear(144, 48), nn.ReLU())
        self.words = nn.Embedding(6, 48)
        first, second = nn.Linear(48, 48, bias=False), nn.Linear(48, 48, bias=False)
        nn.init.zeros_(second.weight)
        if not is_fixed:
            nn.init.zeros_(first.weight)
        self.gate = nn.Sequential(first, nn.ReLU(), second, nn.Tanh())
        self.head = nn.Sequential(nn.Linear(48, 32), nn.ReLU(), nn.Linear(32, 2))

    def forward(self, image: Tensor, question: Tensor) -> Tensor:
        seen = self.vision(image.flatten(1))
        asked = seen * self.words(question)
        return self.head(seen + self.gate(asked) * asked)


def _train(setting: Setting) -> None:
    images, labels = digits(1800)
    question = torch.randint(6, (1800,))
    question = torch.where(torch.rand(1800) < 0.5, labels, question)
    answer = (question == labels).long()
    model = GatedNet(setting.is_fixed)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    with setting.watch(model):
        for epoch in range(5):
            hits = 0
            for rows in torch.randperm(1800).split(45):
                output = model(images[rows] - 0.4, question[rows])
                loss = nn.functional.cross_entropy(output, answer[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                hits += int((output.argmax(dim=1) == answer[rows]).sum())
            print(f"epoch {epoch}: {loss.item():.4f}, right {hits / 1800:.3f}")


PROGRAM = Program(
    name="language-gate-of-a-backbone",
    train=_train,
    source="https://github.com/yz93/LAVT-RIS/issues/25",
    truth=Truth(
        rules=("zero-gradient", "equal-weights", "branch-without-effect", "never-updated", "updates-too-small"),
        nodes=(
            "model.gate",
            "model.gate.0",
            "model.gate.2",
            "model.gate.0.weight",
            "model.gate.2.weight",
            "model.words",
            "model.words.weight",
        ),
    ),
)
