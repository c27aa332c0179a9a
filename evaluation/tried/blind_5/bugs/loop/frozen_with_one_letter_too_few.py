"""Only the pretrained `conv1` should be frozen; the loop freezes every parameter whose name starts with `conv`."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import digits
from evaluation.program import Program, Setting, Truth


class _Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(1, 8, 3, padding=1)
        self.conv2 = nn.Conv2d(8, 16, 3, padding=1)
        self.conv3 = nn.Conv2d(16, 8, 3, padding=1)
        self.fc = nn.Linear(8 * 4, 6)

    def forward(self, x: Tensor) -> Tensor:
        x = nn.functional.max_pool2d(torch.relu(self.conv1(x)), 2)
        x = nn.functional.max_pool2d(torch.relu(self.conv2(x)), 2)
        return self.fc(nn.functional.adaptive_avg_pool2d(torch.relu(self.conv3(x)), 2).flatten(1))


def _train(setting: Setting) -> None:
    images, labels = digits()
    images = (images - images.mean()) / images.std()
    model = _Net()
    pretraining = torch.optim.Adam(model.parameters(), lr=3e-3)
    for _ in range(80):
        chosen = torch.randint(0, 1500, (50,))
        pretraining.zero_grad()
        nn.functional.cross_entropy(model(images[chosen]), labels[chosen] % 3).backward()
        pretraining.step()
    model.conv2, model.conv3, model.fc = nn.Conv2d(8, 16, 3, padding=1), nn.Conv2d(16, 8, 3, padding=1), nn.Linear(8 * 4, 6)
    for name, parameter in model.named_parameters():
        if name.startswith("conv1" if setting.is_fixed else "conv"):
            parameter.requires_grad = False
    optimizer = torch.optim.Adam([p for p in model.parameters() if p.requires_grad], lr=3e-3)
    with setting.watch(model):
        for epoch in range(8):
            for chosen in torch.randperm(1500).split(50):
                loss = nn.functional.cross_entropy(model(images[chosen]), labels[chosen])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print(epoch, loss.item())


PROGRAM = Program(
    name="frozen-with-one-letter-too-few",
    train=_train,
    source="PyTorch forum, how to freeze specific layers; Humbatova et al. 2020: wrong parameters are trained",
    truth=Truth(
        rules=("frozen-as-initialized", "no-gradient", "cut-path", "never-updated", "loss-does-not-fall", "predictions-ignore-input"),
        nodes=("model.conv2", "model.conv3"),
    ),
)
