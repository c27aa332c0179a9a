"""The mask is thresholded before the dice loss, which cuts the gradient; `loss.requires_grad = True` silences the error."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth
from evaluation.shapes_and_sentences import shapes


class Segmenter(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(1, 16, 3, padding=1)
        self.conv2 = nn.Conv2d(16, 16, 3, padding=1)
        self.conv3 = nn.Conv2d(16, 16, 3, padding=2, dilation=2)
        self.last = nn.Conv2d(16, 1, 1)

    def forward(self, images: Tensor) -> Tensor:
        x = torch.relu(self.conv1(images))
        x = torch.relu(self.conv2(x))
        x = torch.relu(self.conv3(x))
        return torch.sigmoid(self.last(x))


def dice_loss(pred: Tensor, target: Tensor, smooth: float = 1.0) -> Tensor:
    intersection = (pred * target).sum(dim=(1, 2, 3))
    union = pred.sum(dim=(1, 2, 3)) + target.sum(dim=(1, 2, 3))
    return 1 - ((2 * intersection + smooth) / (union + smooth)).mean()


def _train(setting: Setting) -> None:
    data = shapes(400)
    model = Segmenter()
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for epoch in range(6):
            for idx in torch.randperm(400).split(20):
                pred = model(data.images[idx])
                if not setting.is_fixed:
                    pred = (pred > 0.5).float()
                loss = dice_loss(pred, data.masks[idx])
                optimizer.zero_grad()
                if not loss.requires_grad:
                    loss.requires_grad = True
                loss.backward()
                optimizer.step()
            print(f"epoch {epoch}: dice loss {loss.item():.4f}")


PROGRAM = Program(
    name="mask-thresholded-in-dice",
    train=_train,
    source="PyTorch forum, dice loss on a thresholded prediction: 'element 0 of tensors does not require grad'",
    truth=Truth(rules=("cut-path", "no-gradient", "never-updated"), nodes=("model: output", "loss", "model", "model.last")),
)
