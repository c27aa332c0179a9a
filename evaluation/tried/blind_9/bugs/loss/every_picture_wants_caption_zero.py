"""Pictures and captions are compared within the batch, and the targets are zeros, as with a queue, instead of 0, 1, 2, ..."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth
from evaluation.shapes_and_sentences import shapes


class TwoTowers(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.picture = nn.Sequential(
            nn.Conv2d(1, 12, 3, 2, 1), nn.ReLU(), nn.Conv2d(12, 24, 3, 2, 1), nn.ReLU(), nn.Flatten(), nn.Linear(384, 24)
        )
        self.words = nn.Embedding(4 + 8 + 8, 24)
        self.caption = nn.Sequential(nn.Linear(72, 48), nn.ReLU(), nn.Linear(48, 24))

    def forward(self, picture: Tensor, caption: Tensor) -> Tensor:
        seen = nn.functional.normalize(self.picture(picture), dim=1)
        read = nn.functional.normalize(self.caption(self.words(caption).flatten(1)), dim=1)
        return seen @ read.T / 0.1


def _train(setting: Setting) -> None:
    data = shapes(1200)
    place = ((data.centers + 0.56) * 7).long().clamp(0, 7)
    captions = torch.stack([data.classes, 4 + place[:, 0], 12 + place[:, 1]], dim=1)
    model = TwoTowers()
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    with setting.watch(model):
        for step in range(130):
            rows = torch.randperm(1200)[:32]
            scores = model(data.images[rows], captions[rows])
            targets = torch.arange(32) if setting.is_fixed else torch.zeros(32, dtype=torch.long)
            loss = (nn.functional.cross_entropy(scores, targets) + nn.functional.cross_entropy(scores.T, targets)) / 2
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 26 == 25:
                matched = (scores.argmax(1) == torch.arange(32)).float().mean()
                print(f"{step}: {loss.item():.3f}, matched {matched.item():.2f}")


PROGRAM = Program(
    name="every-picture-wants-caption-zero",
    train=_train,
    source="GitHub issues on contrastive losses: the labels of MoCo in a loss within the batch",
    truth=Truth(
        rules=("constant-target", "same-for-all-samples", "rank-collapse", "loss-does-not-fall"),
        nodes=("cross_entropy: target", "cross_entropy", "model.picture", "model.caption", "model: output"),
    ),
)
