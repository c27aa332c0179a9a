"""The value of the next state, which is part of the target, is computed by the network that is trained, with gradients."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth
from evaluation.worlds import Room


class QNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(Room.features, 48), nn.ReLU(), nn.Linear(48, 48), nn.ReLU())
        self.q = nn.Linear(48, Room.actions)

    def forward(self, observation: Tensor) -> Tensor:
        return self.q(self.body(observation))


def _train(setting: Setting) -> None:
    net = QNet()
    optimizer = torch.optim.Adam(net.parameters(), lr=2e-3)
    room = Room(48)
    observation = room.observe()
    with setting.watch(net):
        for step in range(150):
            q = net(observation)
            explore = torch.rand(48) < 0.3
            action = torch.where(explore, torch.randint(Room.actions, (48,)), q.argmax(dim=1))
            following, reward = room.step(action)
            target = reward + 0.9 * net(following).max(dim=1).values
            if setting.is_fixed:
                target = target.detach()
            chosen = q.gather(1, action[:, None]).squeeze(1)
            loss = nn.functional.smooth_l1_loss(chosen, target)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            observation = following.clone()
            if step % 16 == 15:
                room = Room(48)
                observation = room.observe()
            if step % 30 == 29:
                print(f"{step}: {loss.item():.4f}, reward {reward.mean().item():.3f}")


PROGRAM = Program(
    name="bellman-target-with-gradient",
    train=_train,
    source="PyTorch forum, DQN without detach or no_grad around the target",
    truth=Truth(rules=("trained-target",), nodes=("smooth_l1_loss", "add", "mul", "max[0]")),
)
