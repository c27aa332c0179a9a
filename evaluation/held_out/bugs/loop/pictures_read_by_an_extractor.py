"""Pictures and their captions are brought together. An extractor takes the features of the picture out of its encoder."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import digits
from evaluation.program import Program, Setting, Truth


class Extractor(nn.Module):
    def __init__(self, vit: nn.Module, keeps_graph: bool) -> None:
        super().__init__()
        self.vit, self.keeps_graph = vit, keeps_graph

    def forward(self, image: Tensor) -> Tensor:
        latent = self.vit(image.flatten(1))
        return latent if self.keeps_graph else latent.detach().clone()


class CoCa(nn.Module):
    def __init__(self, keeps_graph: bool) -> None:
        super().__init__()
        vit = nn.Sequential(nn.Linear(144, 64), nn.GELU(), nn.Linear(64, 32))
        self.img_encoder = Extractor(vit, keeps_graph)
        self.img_norm = nn.LayerNorm(32)
        self.text_embed = nn.Embedding(6, 32)
        self.text_norm = nn.LayerNorm(32)

    def forward(self, image: Tensor, text: Tensor) -> Tensor:
        seen = nn.functional.normalize(self.img_norm(self.img_encoder(image)), dim=1)
        read = nn.functional.normalize(self.text_norm(self.text_embed(text)), dim=1)
        return 10 * seen @ read.T


def _train(setting: Setting) -> None:
    images, labels = digits(1500)
    model = CoCa(keeps_graph=setting.is_fixed)
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
    texts = torch.arange(6)
    with setting.watch(model):
        for epoch in range(5):
            for rows in torch.randperm(1500).split(50):
                loss = nn.functional.cross_entropy(model(images[rows] - 0.4, texts), labels[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print(f"epoch {epoch}: {loss.item():.4f}")


PROGRAM = Program(
    name="pictures-read-by-an-extractor",
    train=_train,
    source="https://github.com/lucidrains/CoCa-pytorch/issues/6",
    truth=Truth(
        rules=("cut-path", "no-gradient"),
        nodes=("model.img_encoder", "model.img_encoder.vit", "model.img_norm: input", "detach", "clone"),
    ),
)
