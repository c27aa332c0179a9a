"""The new head is put on the pretrained network before the loop that freezes all but batch norm: the head is frozen too."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth
from evaluation.worlds import gratings


class Backbone(nn.Module):
    def __init__(self, n_classes: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(3, 16, 3, padding=1, stride=2)
        self.bn1 = nn.BatchNorm2d(16)
        self.conv2 = nn.Conv2d(16, 32, 3, padding=1, stride=2)
        self.bn2 = nn.BatchNorm2d(32)
        self.fc = nn.Linear(32 * 16, n_classes)

    def forward(self, x: Tensor) -> Tensor:
        x = torch.relu(self.bn1(self.conv1(x)))
        x = torch.relu(self.bn2(self.conv2(x)))
        return self.fc(x.flatten(1))


def pretrain(net: Backbone) -> None:
    images, angles = gratings(800, angles=8)
    optimizer = torch.optim.Adam(net.parameters(), lr=2e-3)
    for _ in range(3):
        for rows in torch.randperm(800).split(40):
            optimizer.zero_grad()
            nn.functional.cross_entropy(net(images[rows]), angles[rows]).backward()
            optimizer.step()


def freeze(net: Backbone) -> None:
    for name, param in net.named_parameters():
        param.requires_grad = "bn" in name


def _train(setting: Setting) -> None:
    model_ft = Backbone(8)
    pretrain(model_ft)
    if setting.is_fixed:
        freeze(model_ft)
        model_ft.fc = nn.Linear(32 * 16, 4)
    else:
        model_ft.fc = nn.Linear(32 * 16, 4)
        freeze(model_ft)
    images, labels = gratings(1000)
    params_to_update = [p for p in model_ft.parameters() if p.requires_grad]
    optimizer_ft = torch.optim.Adam(params_to_update, lr=2e-3)
    with setting.watch(model_ft):
        for epoch in range(6):
            running_corrects = 0
            for rows in torch.randperm(1000).split(40):
                optimizer_ft.zero_grad()
                outputs = model_ft(images[rows])
                loss = nn.functional.cross_entropy(outputs, labels[rows])
                loss.backward()
                optimizer_ft.step()
                running_corrects += int((outputs.argmax(dim=1) == labels[rows]).sum())
            print(f"Epoch {epoch}/5 Loss: {loss.item():.4f} Acc: {running_corrects / 1000:.4f}")


PROGRAM = Program(
    name="head-replaced-and-then-frozen",
    train=_train,
    source="GitHub thuiar/Cross-Modal-BERT#3 (the classifier is not unfrozen) and PyTorch forum, fine tuning with a frozen head",
    truth=Truth(rules=("frozen-as-initialized", "never-updated"), nodes=("model.fc", "model.fc.weight", "model.fc.bias")),
)
