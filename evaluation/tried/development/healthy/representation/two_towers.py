"""Pictures and their descriptions are brought together by InfoNCE with a learned temperature."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting
from evaluation.shapes_and_sentences import shapes


class _Clip(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.image = nn.Sequential(
            nn.Conv2d(1, 8, 3, stride=2, padding=1), nn.ReLU(), nn.Flatten(), nn.Linear(8 * 36, 64), nn.ReLU(), nn.Linear(64, 16)
        )
        self.text = nn.Sequential(nn.EmbeddingBag(12, 32), nn.Linear(32, 16))
        self.logit_scale = nn.Parameter(torch.tensor(math.log(1 / 0.07)))

    def forward(self, images: Tensor, texts: Tensor) -> Tensor:
        images = nn.functional.normalize(self.image(images), dim=1)
        texts = nn.functional.normalize(self.text(texts), dim=1)
        return self.logit_scale.exp() * images @ texts.T


def _train(setting: Setting) -> None:
    data = shapes(2048, size=12)
    places = ((data.centers + 0.56) / 1.12 * 4).long().clamp(0, 3)
    texts = torch.stack([data.classes, 4 + places[:, 0], 8 + places[:, 1]], dim=1)
    model = _Clip()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=0.01)
    target = torch.arange(32)
    with setting.watch(model):
        for _ in range(10):
            for index in torch.randperm(2048).split(32):
                logits = model(data.images[index], texts[index])
                loss = (nn.functional.cross_entropy(logits, target) + nn.functional.cross_entropy(logits.T, target)) / 2
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                with torch.no_grad():
                    model.logit_scale.clamp_(0, math.log(100))


PROGRAM = Program(name="two-towers", train=_train, source="Radford et al. 2021 (CLIP); van den Oord et al. 2018 (InfoNCE)")
