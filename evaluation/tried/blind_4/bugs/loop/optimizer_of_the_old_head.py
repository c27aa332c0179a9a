"""A new head is put on a pretrained network after the optimizer was made, which holds the old head."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


class _Backbone(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv1d(2, 12, 3, padding=1)
        self.conv2 = nn.Conv1d(12, 12, 3, padding=1)
        self.fc = nn.Linear(12 * 6, 20)

    def forward(self, x: Tensor) -> Tensor:
        x = nn.functional.max_pool1d(self.conv1(x).relu(), 2)
        x = nn.functional.max_pool1d(self.conv2(x).relu(), 2)
        return self.fc(x.flatten(1))


def _train(setting: Setting) -> None:
    gestures = torch.randn(6, 2, 24)
    labels = torch.randint(0, 6, (1000,))
    tracks = gestures[labels] + torch.randn(1000, 2, 24)
    model = _Backbone()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    model.fc = nn.Linear(12 * 6, 6)
    if setting.is_fixed:
        optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    before = model.fc.weight.detach().clone()
    with setting.watch(model):
        for _ in range(10):
            for index in torch.randperm(1000).split(25):
                optimizer.zero_grad()
                loss = nn.functional.cross_entropy(model(tracks[index]), labels[index])
                loss.backward()
                optimizer.step()
    print("loss", loss.item(), "head moved", (model.fc.weight - before).abs().max().item())


PROGRAM = Program(
    name="optimizer-of-the-old-head",
    train=_train,
    source="PyTorch forum, fine-tuning: the optimizer was made before the layer was replaced",
    truth=Truth(rules=("not-in-optimizer", "never-updated", "gradients-left-over"), nodes=("model.fc",)),
)
