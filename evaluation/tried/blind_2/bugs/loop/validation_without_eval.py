"""Nobody calls `eval()`, so validations run with dropout and change the running statistics of BatchNorm."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth


class Tabular(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(10, 48), nn.BatchNorm1d(48), nn.ReLU(), nn.Dropout(0.2))
        self.out = nn.Linear(48, 3)

    def forward(self, x: Tensor) -> Tensor:
        return self.out(self.body(x))


@torch.no_grad()
def validate(model: nn.Module, x: Tensor, y: Tensor, is_fixed: bool) -> float:
    if is_fixed:
        model.eval()
    loss = sum(nn.functional.cross_entropy(model(part), label).item() for part, label in zip(x.split(50), y.split(50), strict=True))
    model.train()
    return loss / 4


def _train(setting: Setting) -> None:
    x = torch.randn(1700, 10)
    y = (x[:, :3] + 0.4 * x[:, 3:6] ** 2).argmax(dim=1)
    # Patients of another hospital are measured with another device.
    x[1500:] = 1.8 * x[1500:] + 0.5
    model = Tabular()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, nesterov=True)
    with setting.watch(model):
        for epoch in range(6):
            for inputs, labels in batches(46, 32, x[:1500], y[:1500]):
                optimizer.zero_grad()
                loss = nn.functional.cross_entropy(model(inputs), labels)
                loss.backward()
                optimizer.step()
            print(f"epoch {epoch}: {loss.item():.3f}, validation {validate(model, x[1500:], y[1500:], setting.is_fixed):.3f}")


PROGRAM = Program(
    name="validation-without-eval",
    train=_train,
    source="PyTorch forum, model.eval() and BatchNorm; TrainCheck",
    truth=Truth(
        rules=("evaluation-in-training-mode", "evaluation-changes-buffers"),
        nodes=("model", "model.body", "model.body.1", "model.body.3", "model.body.1.running_mean", "model.body.1.running_var"),
    ),
)
