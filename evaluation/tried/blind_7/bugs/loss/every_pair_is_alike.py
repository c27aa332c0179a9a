"""A comparison is the wrong way round when pairs are drawn: all pairs are alike, and all embeddings become the same."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import digits
from evaluation.program import Program, Setting, Truth


class Siamese(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(1, 12, 3, stride=2), nn.ReLU(), nn.Conv2d(12, 16, 3), nn.ReLU(), nn.Flatten())
        self.embed = nn.Linear(144, 8)

    def forward(self, image: Tensor) -> Tensor:
        return self.embed(self.features(image))


def partner(label: Tensor, labels: Tensor, is_alike: bool) -> Tensor:
    """For each label the index of a random sample that has it, or one that has not."""
    fits = (labels == label[:, None]) if is_alike else (labels != label[:, None])
    return fits.float().multinomial(1).squeeze(1)


def _train(setting: Setting) -> None:
    images, labels = digits(600)
    net = Siamese()
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
    unlike = not setting.is_fixed
    with setting.watch(net):
        for _ in range(200):
            anchor = torch.randint(600, (24,))
            both = torch.cat([partner(labels[anchor[:12]], labels, True), partner(labels[anchor[12:]], labels, unlike)])
            target = torch.where(labels[anchor] == labels[both], 1.0, -1.0)
            loss = nn.functional.cosine_embedding_loss(net(images[anchor]), net(images[both]), target, margin=0.2)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="every-pair-is-alike",
    train=_train,
    source="GitHub issues of metric learning code: embeddings collapse without negative pairs",
    truth=Truth(
        rules=("constant-target", "same-for-all-samples", "rank-collapse"),
        nodes=(
            "cosine_embedding_loss: target",
            "cosine_embedding_loss",
            "model: output",
            "model.embed: output",
            "model.embed",
            "model.embed.weight",
        ),
    ),
)
