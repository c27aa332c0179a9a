"""Sound and picture each have an encoder, and `torch.cat` joins the features of the sound with themselves."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth
from evaluation.shapes_and_sentences import shapes


class Fusion(nn.Module):
    def __init__(self, use_both: bool) -> None:
        super().__init__()
        self.use_both = use_both
        self.sound = nn.Sequential(nn.Linear(10, 24), nn.ReLU())
        self.picture = nn.Sequential(nn.Conv2d(1, 10, 3, 2, 1), nn.ReLU(), nn.Conv2d(10, 16, 3, 2, 1), nn.ReLU(), nn.Flatten())
        self.shrink = nn.Linear(256, 24)
        self.head = nn.Sequential(nn.Linear(48, 32), nn.ReLU(), nn.Linear(32, 4))

    def forward(self, sound: Tensor, picture: Tensor) -> Tensor:
        heard = self.sound(sound)
        seen = torch.relu(self.shrink(self.picture(picture)))
        return self.head(torch.cat([heard, seen if self.use_both else heard], dim=1))


def _train(setting: Setting) -> None:
    data = shapes(1000)
    # The sound tells two pairs of shapes apart, the picture the rest.
    sound = torch.randn(1000, 10) + 1.5 * (data.classes // 2)[:, None]
    model = Fusion(use_both=setting.is_fixed)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    with setting.watch(model):
        for epoch in range(9):
            for rows in torch.randperm(1000).split(40):
                optimizer.zero_grad()
                loss = nn.functional.cross_entropy(model(sound[rows], data.images[rows]), data.classes[rows])
                loss.backward()
                optimizer.step()
            print(f"epoch {epoch}: {loss.item():.3f}")


PROGRAM = Program(
    name="one-branch-joined-twice",
    train=_train,
    source="Humbatova et al. 2020, wrong architecture: a layer that is not connected; copied variables",
    truth=Truth(
        rules=("no-gradient", "cut-path", "branch-without-effect", "never-updated", "zero-gradient"),
        nodes=("model.picture", "model.shrink", "model.shrink.weight", "model.picture.0", "model.picture.2", "model.shrink: output"),
    ),
)
