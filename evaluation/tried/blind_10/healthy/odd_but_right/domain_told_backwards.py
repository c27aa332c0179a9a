"""A network tells shapes apart in pictures of two cameras, and its gradients of telling the cameras apart are reversed."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting
from evaluation.shapes_and_sentences import shapes


class Reverse(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, factor: float) -> Tensor:  # noqa: ANN401
        ctx.factor = factor
        return x.view_as(x)

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any) -> Any:  # noqa: ANN401
        return -ctx.factor * grad_outputs[0], None


class Adapted(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, 12, 3, stride=2), nn.ReLU(), nn.Conv2d(12, 16, 3, stride=2), nn.ReLU(), nn.Flatten(), nn.Linear(144, 32), nn.ReLU()
        )
        self.shape = nn.Linear(32, 4)
        self.camera = nn.Sequential(nn.Linear(32, 16), nn.ReLU(), nn.Linear(16, 1))

    def forward(self, image: Tensor, factor: float) -> tuple[Tensor, Tensor]:
        x = self.features(image)
        return self.shape(x), self.camera(Reverse.apply(x, factor))[:, 0]  # type: ignore[no-untyped-call]


def _train(setting: Setting) -> None:
    first, second = shapes(900), shapes(900)
    of_second = 0.8 * second.images - 0.2
    model = Adapted()
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for step in range(160):
            rows = torch.randint(900, (24,))
            shape, camera = model(torch.cat([first.images[rows], of_second[rows]]), 0.05 * min(1.0, step / 80))
            loss = nn.functional.cross_entropy(shape[:24], first.classes[rows])
            confusion = nn.functional.binary_cross_entropy_with_logits(camera, torch.arange(48).ge(24).float())
            optimizer.zero_grad()
            (loss + confusion).backward()
            optimizer.step()
            if step % 40 == 39:
                print(f"{step}: {loss.item():.3f}, cameras {confusion.item():.3f}")


PROGRAM = Program(name="domain-told-backwards", train=_train, source="Ganin and Lempitsky 2015, domain-adversarial training")
