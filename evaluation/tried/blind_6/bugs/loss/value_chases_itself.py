"""Q-learning of a slippery corridor: the target of the value is not detached, so gradients flow into it too."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from evaluation.program import Program, Setting, Truth


class Values(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.hidden = nn.Linear(8, 48)
        self.head = nn.Linear(48, 2)

    def forward(self, state: Tensor) -> Tensor:
        return self.head(torch.tanh(self.hidden(state)))


def _train(setting: Setting) -> None:
    model = Values()
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    with setting.watch(model):
        for _ in range(300):
            place = torch.randint(7, (64,))
            action = torch.randint(2, (64,))
            slips = torch.rand(64) < 0.3
            following = (place + torch.where(slips, 1 - 2 * action, 2 * action - 1)).clamp(0, 7)
            reward = (following == 7).float()
            values = model(F.one_hot(place, 8).float())
            later = model(F.one_hot(following, 8).float())
            target = reward + 0.9 * (following != 7) * later.max(dim=1).values
            if setting.is_fixed:
                target = target.detach()
            loss = F.mse_loss(values.gather(1, action[:, None]).squeeze(1), target)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    with torch.no_grad():
        best = model(torch.eye(8)[:7]).max(dim=1).values
    print(f"value at the far end {best[0]:.2f}, beside the goal {best[6]:.2f}")


PROGRAM = Program(
    name="value-chases-itself",
    train=_train,
    source="PyTorch forum, DQN without detach; Baird 1995 on residual gradients",
    truth=Truth(rules=("trained-target",), nodes=("mse_loss: target", "mse_loss")),
)
