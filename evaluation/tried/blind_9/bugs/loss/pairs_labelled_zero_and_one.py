"""`CosineEmbeddingLoss` wants 1 and -1. Pairs that differ have the label 0, cost nothing, and all pictures become alike."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import digits
from evaluation.program import Program, Setting, Truth


class Siamese(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Sequential(nn.Conv2d(1, 10, 3, stride=2), nn.ReLU(), nn.Conv2d(10, 20, 3, stride=2), nn.ReLU(), nn.Flatten())
        self.embed = nn.Linear(80, 16)

    def one(self, image: Tensor) -> Tensor:
        return self.embed(self.conv(image))

    def forward(self, left: Tensor, right: Tensor) -> tuple[Tensor, Tensor]:
        return self.one(left), self.one(right)


def _train(setting: Setting) -> None:
    images, labels = digits(1200)
    images = (images - images.mean()) / images.std()
    model = Siamese()
    criterion = nn.CosineEmbeddingLoss(margin=0.2)
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for step in range(150):
            left = torch.randint(1200, (48,))
            # About half of the pairs are of the same kind.
            partner = torch.randint(1200, (48, 12))
            same_kind = (labels[partner] == labels[left, None]).float().argmax(dim=1)
            right = torch.where(torch.rand(48) < 0.5, partner[torch.arange(48), same_kind], partner[:, 0])
            is_same = (labels[left] == labels[right]).float()
            wanted = 2 * is_same - 1 if setting.is_fixed else is_same
            a, b = model(images[left], images[right])
            loss = criterion(a, b, wanted)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 30 == 29:
                alike = nn.functional.cosine_similarity(a, b)
                same, others = alike[is_same == 1].mean(), alike[is_same == 0].mean()
                print(f"{step}: {loss.item():.3f}, same {same.item():.2f}, others {others.item():.2f}")


PROGRAM = Program(
    name="pairs-labelled-zero-and-one",
    train=_train,
    source="PyTorch forum, CosineEmbeddingLoss with labels 0 and 1 instead of -1 and 1",
    truth=Truth(
        rules=("target-out-of-range", "same-for-all-samples", "rank-collapse"),
        nodes=("cosine_embedding_loss", "cosine_embedding_loss: target", "model.embed", "model.embed (call 2): output"),
    ),
)
