"""A network says where to look, from 0 to 1. `.long()` makes an index of it, which has no gradient."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth

PLACES = 16


class Glimpse(nn.Module):
    def __init__(self, is_soft: bool) -> None:
        super().__init__()
        self.is_soft = is_soft
        self.locate = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 1), nn.Sigmoid())
        self.read = nn.Sequential(nn.Linear(3, 32), nn.ReLU(), nn.Linear(32, 1))

    def forward(self, shelf: Tensor, hint: Tensor) -> Tensor:
        place = self.locate(hint) * (PLACES - 1)
        if self.is_soft:
            nearness = torch.softmax(-((place - torch.arange(PLACES)) ** 2) / 4, dim=1)
            seen = (nearness[:, :, None] * shelf).sum(dim=1)
        else:
            seen = shelf[torch.arange(len(shelf)), place.squeeze(1).long()]
        return self.read(seen)


def _train(setting: Setting) -> None:
    model = Glimpse(setting.is_fixed)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    directions = torch.randn(4, 2)
    with setting.watch(model):
        for step in range(250):
            # Neighbours on a shelf are similar. The hint says, in a way to be learned, where the wanted thing is.
            shelf = torch.randn(48, PLACES, 3).cumsum(dim=1) / 2
            place = torch.rand(48)
            hint = torch.tanh(torch.stack([place, place**2], dim=1) @ directions.T)
            wanted = shelf[torch.arange(48), (place * (PLACES - 1)).long()].sum(dim=1, keepdim=True) / 2
            loss = nn.functional.mse_loss(model(shelf, hint), wanted)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 50 == 49:
                print(f"{step + 1}: {loss.item():.3f}")


PROGRAM = Program(
    name="place-cut-to-an-integer",
    train=_train,
    source="PyTorch forum, the gradient of an index; hard attention without a score function",
    truth=Truth(
        rules=("cut-path", "no-gradient"),
        nodes=(
            "model.locate",
            "model.locate: output",
            *(f"model.locate.{i}{part}" for i in (0, 2) for part in ("", ".weight", ".bias", ": output")),
            "model.locate.1: output",
            "model.locate.3",
            "model.locate.3: output",
            "model.read: input",
            "model.read.0: input",
        ),
    ),
)
