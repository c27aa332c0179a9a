"""The last layer has one unit, and a softmax over this one unit: every answer is 1."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import sentences
from evaluation.program import Program, Setting, Truth


class Spam(nn.Module):
    def __init__(self, activation: nn.Module) -> None:
        super().__init__()
        self.embedding = nn.EmbeddingBag(40, 32, mode="mean")
        self.fc1 = nn.Linear(32, 32)
        self.relu = nn.ReLU()
        self.fc2 = nn.Linear(32, 1)
        self.activation = activation

    def forward(self, text: Tensor) -> Tensor:
        x = self.relu(self.fc1(self.embedding(text)))
        return self.activation(self.fc2(x))


def _train(setting: Setting) -> None:
    texts, labels = sentences(1600)
    targets = labels.float().unsqueeze(1)
    model = Spam(nn.Sigmoid() if setting.is_fixed else nn.Softmax(dim=1))
    loss_fn = nn.BCELoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    with setting.watch(model):
        for epoch in range(5):
            correct, epoch_loss = 0, 0.0
            for rows in torch.randperm(1600).split(40):
                output = model(texts[rows])
                loss = loss_fn(output, targets[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                epoch_loss += loss.item() / 40
                correct += int(((output > 0.5) == targets[rows].bool()).sum())
            print(f"Epoch {epoch}: loss {epoch_loss:.3f}, accuracy {correct / 1600:.3f}")


PROGRAM = Program(
    name="softmax-of-one-unit",
    train=_train,
    source="Stack Overflow, binary classifier whose output is always 1: softmax over a single unit instead of a sigmoid",
    truth=Truth(rules=("softmax-over-one",), nodes=("model.activation", "model.activation: output")),
)
