"""The network ends with a sigmoid, and `BCEWithLogitsLoss` applies another: no chance is below a half."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset

from evaluation.program import Program, Setting, Truth
from evaluation.worlds import clients


class BinaryClassification(nn.Module):
    def __init__(self, final: nn.Module) -> None:
        super().__init__()
        self.layer_1 = nn.Linear(12, 64)
        self.layer_2 = nn.Linear(64, 64)
        self.layer_out = nn.Linear(64, 1)
        self.relu = nn.ReLU()
        self.final = final

    def forward(self, inputs: Tensor) -> Tensor:
        x = self.relu(self.layer_1(inputs))
        x = self.relu(self.layer_2(x))
        return self.final(self.layer_out(x))


def binary_acc(y_pred: Tensor, y_test: Tensor) -> float:
    return (torch.round(torch.sigmoid(y_pred)) == y_test).float().mean().item() * 100


def _train(setting: Setting) -> None:
    table, stays = clients(2000)
    loader = DataLoader(TensorDataset(table, stays.float()[:, None]), batch_size=64, shuffle=True)
    model = BinaryClassification(nn.Identity() if setting.is_fixed else nn.Sigmoid())
    criterion = nn.BCEWithLogitsLoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    with setting.watch(model):
        for e in range(5):
            epoch_loss, epoch_acc = 0.0, 0.0
            for x_batch, y_batch in loader:
                optimizer.zero_grad()
                y_pred = model(x_batch)
                loss = criterion(y_pred, y_batch)
                loss.backward()
                optimizer.step()
                epoch_loss += loss.item()
                epoch_acc += binary_acc(y_pred, y_batch)
            print(f"Epoch {e + 1:03}: | Loss: {epoch_loss / len(loader):.5f} | Acc: {epoch_acc / len(loader):.3f}")


PROGRAM = Program(
    name="sigmoid-twice-for-churn",
    train=_train,
    source="Stack Overflow, binary classification with accuracy stuck at 50 %: a sigmoid before BCEWithLogitsLoss",
    truth=Truth(
        rules=("softmax-before-cross-entropy", "activation-after-activation"),
        nodes=("model.final", "model.final: output", "binary_cross_entropy_with_logits"),
    ),
)
