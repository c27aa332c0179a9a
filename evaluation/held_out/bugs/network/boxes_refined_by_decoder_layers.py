"""A decoder refines a box layer after layer. Every layer has a head that corrects the box."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth
from evaluation.shapes_and_sentences import shapes


class BoxDecoder(nn.Module):
    def __init__(self, layers: int, is_fixed: bool) -> None:
        super().__init__()
        self.backbone = nn.Sequential(nn.Linear(256, 96), nn.ReLU())
        self.decoder = nn.ModuleList(nn.Sequential(nn.Linear(98, 96), nn.ReLU()) for _ in range(layers))
        bbox_embed = nn.Linear(96, 2)
        heads = [nn.Linear(96, 2) for _ in range(layers)] if is_fixed else [bbox_embed for _ in range(layers)]
        self.bbox_embed = nn.ModuleList(heads)

    def forward(self, image: Tensor) -> list[Tensor]:
        memory = self.backbone(image.flatten(1))
        center = image.new_zeros(len(image), 2)
        centers = []
        for layer, head in zip(self.decoder, self.bbox_embed, strict=True):
            center = center.detach() + head(layer(torch.cat([memory, center.detach()], dim=1)))
            centers.append(center)
        return centers


def _train(setting: Setting) -> None:
    data = shapes(1200)
    model = BoxDecoder(4, setting.is_fixed)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    with setting.watch(model):
        for epoch in range(5):
            for rows in torch.randperm(1200).split(40):
                centers = model(data.images[rows])
                losses = [nn.functional.l1_loss(center, data.centers[rows]) for center in centers]
                loss = torch.stack(losses).sum() / len(losses)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print(f"epoch {epoch}: {losses[-1].item():.4f}")


PROGRAM = Program(
    name="boxes-refined-by-decoder-layers",
    train=_train,
    source="https://github.com/IDEA-Research/DAB-DETR/pull/17",
    truth=Truth(
        rules=("tied-parameters",),
        nodes=(
            "model.bbox_embed",
            *(f"model.bbox_embed.{place}{part}" for place in range(4) for part in ("", ".weight", ".bias")),
        ),
    ),
)
