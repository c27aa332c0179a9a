"""`model.eval()` is called when the model is made, as in an example for inference, and never taken back."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth
from evaluation.series_and_tables import heartbeats


class HeartNet(nn.Module):
    def __init__(self, kinds: int) -> None:
        super().__init__()
        self.block1 = nn.Sequential(nn.Conv1d(1, 16, 5, padding=2), nn.BatchNorm1d(16), nn.ReLU(), nn.MaxPool1d(2))
        self.block2 = nn.Sequential(nn.Conv1d(16, 32, 5, padding=2), nn.BatchNorm1d(32), nn.ReLU(), nn.MaxPool1d(2))
        self.dropout = nn.Dropout(0.4)
        self.linear = nn.Linear(32 * 12, kinds)

    def forward(self, beats: Tensor) -> Tensor:
        x = self.block2(self.block1(beats))
        return self.linear(self.dropout(x.flatten(1)))


def _train(setting: Setting) -> None:
    beats, kinds = heartbeats(1000)
    test_beats, test_kinds = heartbeats(300)
    model = HeartNet(3)
    model.train(setting.is_fixed)
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    with setting.watch(model):
        for epoch in range(6):
            losses = []
            for rows in torch.randperm(1000).split(50):
                outputs = model(beats[rows])
                loss = criterion(outputs, kinds[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                losses.append(loss.item())
            print(f"[{epoch + 1}] loss: {sum(losses) / len(losses):.3f}")
    model.eval()
    with torch.no_grad():
        print(f"test accuracy {(model(test_beats).argmax(1) == test_kinds).float().mean().item():.3f}")


PROGRAM = Program(
    name="eval-before-the-training-loop",
    train=_train,
    source="PyTorch forum, thread 184454 calls model.eval() before its loop; Stack Overflow on batch norm that is never updated",
    truth=Truth(rules=("training-in-evaluation-mode",), nodes=("model", "model.dropout", "model.block1.1", "model.block2.1")),
)
