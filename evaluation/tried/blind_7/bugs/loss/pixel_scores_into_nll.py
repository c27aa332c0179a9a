"""A network for segmentation returns scores, and they go into `NLLLoss` as they are."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


class Fields(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.down = nn.Sequential(nn.Conv2d(3, 12, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(12, 12, 3, padding=1), nn.ReLU())
        self.up = nn.Upsample(scale_factor=2)
        self.classify = nn.Conv2d(15, 3, 3, padding=1)

    def forward(self, x: Tensor) -> Tensor:
        return self.classify(torch.cat([x, self.up(self.down(x))], dim=1))


def landscape(count: int) -> tuple[Tensor, Tensor]:
    coarse = torch.randint(3, (count, 4, 4))
    crop = coarse.repeat_interleave(4, 1).repeat_interleave(4, 2)
    colors = torch.tensor([[0.8, 0.1, 0.1], [0.1, 0.8, 0.2], [0.3, 0.3, 0.9]])
    return (colors[crop] + 0.5 * torch.randn(count, 16, 16, 3)).permute(0, 3, 1, 2).contiguous(), crop


def _train(setting: Setting) -> None:
    net = Fields()
    opt = torch.optim.Adam(net.parameters(), lr=2e-3)
    criterion: nn.Module = nn.CrossEntropyLoss() if setting.is_fixed else nn.NLLLoss()
    with setting.watch(net):
        for it in range(150):
            image, crop = landscape(16)
            opt.zero_grad()
            loss = criterion(net(image), crop)
            loss.backward()
            opt.step()
            if it % 30 == 0:
                print(it, loss.item())


PROGRAM = Program(
    name="pixel-scores-into-nll",
    train=_train,
    source="Stack Overflow, NLLLoss is negative; Humbatova et al. 2020, loss: wrong selection of the loss function",
    truth=Truth(
        rules=("nll-without-log-softmax", "negative-loss", "runaway-growth", "logit-growth"),
        nodes=("nll_loss", "model: output", "model.classify", "model.classify: output"),
    ),
)
