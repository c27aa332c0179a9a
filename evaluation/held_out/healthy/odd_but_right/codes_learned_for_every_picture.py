"""Each picture has a code of its own, which is learned together with the network that draws it. There is no encoder."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import digits
from evaluation.program import Program, Setting


class Glo(nn.Module):
    def __init__(self, pictures: int) -> None:
        super().__init__()
        self.codes = nn.Embedding(pictures, 12)
        self.draw = nn.Sequential(nn.Linear(12, 96), nn.LeakyReLU(0.2), nn.Linear(96, 144), nn.Sigmoid())

    def forward(self, number: Tensor) -> Tensor:
        return self.draw(nn.functional.normalize(self.codes(number), dim=1) * 3)


def _train(setting: Setting) -> None:
    images, _ = digits(300)
    flat = images.flatten(1)
    model = Glo(300)
    optimizer = torch.optim.Adam([{"params": model.codes.parameters(), "lr": 5e-2}, {"params": model.draw.parameters(), "lr": 5e-3}])
    with setting.watch(model):
        for epoch in range(20):
            for rows in torch.randperm(300).split(30):
                loss = nn.functional.mse_loss(model(rows), flat[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            if epoch % 5 == 4:
                print(f"epoch {epoch}: {loss.item():.5f}")


PROGRAM = Program(name="codes-learned-for-every-picture", train=_train, source="Bojanowski et al. 2018, generative latent optimization")
