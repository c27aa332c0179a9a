"""After the first validation the model stays in evaluation mode, because train() is called once, before all epochs."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset

from evaluation.program import Program, Setting, Truth


def _accuracy(model: nn.Module, x: Tensor, y: Tensor) -> float:
    model.eval()
    with torch.no_grad():
        return (model(x).argmax(1) == y).float().mean().item()


def _train(setting: Setting) -> None:
    means = torch.randn(5, 20)
    labels = torch.randint(0, 5, (1500,))
    samples = means[labels] + 2.5 * torch.randn(1500, 20)
    loader = DataLoader(TensorDataset(samples[:600], labels[:600]), batch_size=30, shuffle=True)
    model = nn.Sequential(
        nn.Linear(20, 64), nn.BatchNorm1d(64), nn.ReLU(), nn.Dropout(0.5), nn.Linear(64, 64), nn.BatchNorm1d(64), nn.ReLU(),
        nn.Dropout(0.5), nn.Linear(64, 5),
    )  # fmt: skip
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    trains_every_epoch = setting.is_fixed
    model.train()
    with setting.watch(model):
        for _ in range(20):
            if trains_every_epoch:
                model.train()
            for x, y in loader:
                loss = nn.functional.cross_entropy(model(x), y)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print("mode", model.training, "accuracy", _accuracy(model, samples[600:], labels[600:]))


PROGRAM = Program(
    name="never-back-to-training-mode",
    train=_train,
    source="PyTorch forum and Karpathy's list of common mistakes: you forgot to toggle train and eval mode",
    truth=Truth(rules=("training-in-evaluation-mode", "overfitting"), step=21),
)
