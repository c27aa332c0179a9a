"""A head for each property of a picture is appended to `self.heads = []`: the heads stay as they were made."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth
from evaluation.shapes_and_sentences import shapes


class MultiTask(nn.Module):
    def __init__(self, sizes: tuple[int, ...], as_module_list: bool) -> None:
        super().__init__()
        self.trunk = nn.Sequential(
            nn.Conv2d(1, 16, 3, padding=1, stride=2),
            nn.ReLU(),
            nn.Conv2d(16, 32, 3, padding=1, stride=2),
            nn.ReLU(),
            nn.Flatten(),
            nn.Linear(32 * 16, 48),
            nn.ReLU(),
        )
        self.heads: nn.ModuleList | list[nn.Module] = nn.ModuleList() if as_module_list else []
        for size in sizes:
            self.heads.append(nn.Linear(48, size))

    def forward(self, images: Tensor) -> list[Tensor]:
        features = self.trunk(images)
        return [head(features) for head in self.heads]


def _train(setting: Setting) -> None:
    data = shapes(1000)
    model = MultiTask((4, 2), as_module_list=setting.is_fixed)
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for epoch in range(6):
            right = 0
            for rows in torch.randperm(1000).split(40):
                kind, place = model(data.images[rows])
                loss_kind = nn.functional.cross_entropy(kind, data.classes[rows])
                loss_place = nn.functional.mse_loss(place, data.centers[rows])
                loss = loss_kind + 2 * loss_place
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                right += int((kind.argmax(1) == data.classes[rows]).sum())
            print(f"epoch {epoch}: kind {loss_kind.item():.3f}, place {loss_place.item():.4f}, right {right / 1000:.3f}")


PROGRAM = Program(
    name="heads-appended-to-a-list",
    train=_train,
    source="PyTorch forum, 'list of layers' whose weights are missing in model.parameters(): use nn.ModuleList",
    truth=Truth(rules=("unregistered-modules",), nodes=("model", "model.heads", "model: output[0]", "model: output[1]")),
)
