"""One field of the table is empty, which is read as NaN. The batch of step 40 has it, and no loss is a number after that."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset

from evaluation.program import Program, Setting, Truth
from evaluation.worlds import clients


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer_1 = nn.Linear(12, 64)
        self.layer_2 = nn.Linear(64, 64)
        self.layer_out = nn.Linear(64, 1)
        self.batchnorm1 = nn.BatchNorm1d(64)

    def forward(self, inputs: Tensor) -> Tensor:
        x = self.batchnorm1(torch.relu(self.layer_1(inputs)))
        x = torch.relu(self.layer_2(x))
        return self.layer_out(x)


def _train(setting: Setting) -> None:
    table, stays = clients(2000)
    table[40 * 32 + 7, 3] = float("nan")
    if setting.is_fixed:
        table = table.nan_to_num(0.0)
    train_loader = DataLoader(TensorDataset(table, stays.float()), batch_size=32)
    model = Model()
    criterion = nn.BCEWithLogitsLoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    with setting.watch(model):
        for e in range(3):
            epoch_loss = 0.0
            for x_batch, y_batch in train_loader:
                optimizer.zero_grad()
                y_pred = model(x_batch)
                loss = criterion(y_pred, y_batch.unsqueeze(1))
                loss.backward()
                optimizer.step()
                epoch_loss += loss.item()
            print(f"Epoch {e:03}: | Loss: {epoch_loss / len(train_loader):.5f}")


PROGRAM = Program(
    name="row-with-an-empty-field",
    train=_train,
    source="Stack Overflow and PyTorch forum, loss is nan because the data of a CSV file contain NaN",
    truth=Truth(rules=("nan-origin",), nodes=("model: input inputs",), step=40),
)
