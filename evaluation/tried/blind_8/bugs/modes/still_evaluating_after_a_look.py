"""After the first epoch the network is tested in evaluation mode, and nothing sets it back: dropout is off from then on."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset

from evaluation.program import Program, Setting, Truth

PER_EPOCH = 20


class Reader(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.lower = nn.Linear(40, 128)
        self.norm = nn.BatchNorm1d(128)
        self.drop = nn.Dropout(0.6)
        self.upper = nn.Linear(128, 2)

    def forward(self, x: Tensor) -> Tensor:
        return self.upper(self.drop(torch.relu(self.norm(self.lower(x)))))


def _train(setting: Setting) -> None:
    genes = torch.randn(1000, 40)
    ill = ((genes[:, 0] + genes[:, 1] - genes[:, 2] > 0) ^ (torch.rand(1000) < 0.15)).long()
    loader = DataLoader(TensorDataset(genes[:400], ill[:400]), batch_size=400 // PER_EPOCH, shuffle=True)
    net = Reader()
    optimizer = torch.optim.Adam(net.parameters(), lr=2e-3)
    back = setting.is_fixed
    with setting.watch(net):
        for epoch in range(12):
            for x, y in loader:
                loss = nn.functional.cross_entropy(net(x), y)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            net.eval()
            with torch.no_grad():
                test = nn.functional.cross_entropy(net(genes[400:]), ill[400:])
            print(f"epoch {epoch}: training {loss.item():.3f}, test {test.item():.3f}")
            if back:
                net.train()


PROGRAM = Program(
    name="still-evaluating-after-a-look",
    train=_train,
    source="PyTorch forum, model.train() after validation; TrainCheck",
    truth=Truth(
        rules=("training-in-evaluation-mode", "overfitting"),
        nodes=("model", "model.norm", "model.drop", "model.drop: output"),
        step=PER_EPOCH,
    ),
)
