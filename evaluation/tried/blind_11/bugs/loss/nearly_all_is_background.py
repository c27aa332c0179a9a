"""Two of a hundred pixels belong to an object, and every pixel counts the same: the network says background everywhere."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


def cells(count: int, size: int = 20) -> tuple[Tensor, Tensor]:
    """Dim spots of 2 x 2 pixels in noise, and where they are."""
    masks = torch.zeros(count, 1, size, size)
    for image in range(count):
        for top, left in torch.randint(0, size - 1, (2, 2)).tolist():
            masks[image, 0, top : top + 2, left : left + 2] = 1
    return 1.2 * masks + 0.8 * torch.randn(count, 1, size, size), masks


class SegNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.enc1 = nn.Conv2d(1, 12, 3, padding=1)
        self.enc2 = nn.Conv2d(12, 12, 3, padding=1)
        self.head = nn.Conv2d(12, 1, 1)

    def forward(self, image: Tensor) -> Tensor:
        x = torch.relu(self.enc1(image))
        x = torch.relu(self.enc2(x))
        return self.head(x)


def _train(setting: Setting) -> None:
    images, masks = cells(320)
    share = masks.mean()
    pos_weight = (1 - share) / share if setting.is_fixed else torch.tensor(1.0)
    net = SegNet()
    criterion = nn.BCEWithLogitsLoss(pos_weight=pos_weight)
    optimizer = torch.optim.Adam(net.parameters(), lr=2e-3)
    with setting.watch(net):
        for epoch in range(6):
            epoch_loss, recall = 0.0, 0.0
            for rows in torch.randperm(320).split(16):
                logits = net(images[rows])
                loss = criterion(logits, masks[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                epoch_loss += loss.item() / 20
                recall += ((logits > 0) & masks[rows].bool()).sum().item() / masks[rows].sum().item() / 20
            print(f"epoch {epoch}: loss {epoch_loss:.4f}, pixels of objects found {recall:.2f}")


PROGRAM = Program(
    name="nearly-all-is-background",
    train=_train,
    source="PyTorch forum and Stack Overflow, U-Net predicts only background or black masks when objects are small",
    truth=Truth(
        rules=("predictions-ignore-input", "same-for-all-samples"),
        nodes=("model.head: output", "binary_cross_entropy_with_logits", "binary_cross_entropy_with_logits: target"),
    ),
)
