"""The network returns the sigmoid of its mask and is trained with `BCEWithLogitsLoss`. On background it stays at ln 2."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth
from evaluation.shapes_and_sentences import shapes


def double_conv(channels_in: int, channels_out: int) -> nn.Sequential:
    return nn.Sequential(nn.Conv2d(channels_in, channels_out, 3, padding=1), nn.BatchNorm2d(channels_out), nn.ReLU())


class SmallUNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.down = double_conv(1, 12)
        self.pool = nn.MaxPool2d(2)
        self.middle = double_conv(12, 24)
        self.up = nn.ConvTranspose2d(24, 12, 2, stride=2)
        self.join = double_conv(24, 12)
        self.outc = nn.Conv2d(12, 1, 1)

    def forward(self, image: Tensor) -> Tensor:
        x1 = self.down(image)
        x2 = self.up(self.middle(self.pool(x1)))
        return self.outc(self.join(torch.cat([x1, x2], dim=1)))


class Probabilities(nn.Module):
    def __init__(self, unet: nn.Module) -> None:
        super().__init__()
        self.unet = unet

    def forward(self, image: Tensor) -> Tensor:
        return torch.sigmoid(self.unet(image))


def _train(setting: Setting) -> None:
    data = shapes(480)
    unet = SmallUNet()
    net = unet if setting.is_fixed else Probabilities(unet)
    criterion = nn.BCEWithLogitsLoss()
    optimizer = torch.optim.Adam(net.parameters(), lr=3e-3)
    with setting.watch(net):
        for epoch in range(5):
            epoch_loss = 0.0
            for idx in torch.randperm(480).split(24):
                masks_pred = net(data.images[idx])
                loss = criterion(masks_pred, data.masks[idx])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                epoch_loss += loss.item() / 20
            print(f"Epoch {epoch + 1} finished! Loss: {epoch_loss:.4f}")


PROGRAM = Program(
    name="sigmoid-twice-for-a-mask",
    train=_train,
    source="PyTorch forum and GitHub milesial/Pytorch-UNet, black or grey masks: a sigmoid in the network before BCEWithLogitsLoss",
    truth=Truth(
        rules=("softmax-before-cross-entropy", "activation-after-activation"),
        nodes=("model: output", "model.unet.outc: output", "binary_cross_entropy_with_logits"),
    ),
)
