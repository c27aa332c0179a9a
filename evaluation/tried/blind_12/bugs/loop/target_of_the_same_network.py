"""The network that gives the targets is the one that is trained, and gradients flow through them."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.everyday import maze_moves
from evaluation.program import Program, Setting, Truth


class Mlp(nn.Module):
    def __init__(self, states: int, actions: int) -> None:
        super().__init__()
        self.fc1 = nn.Linear(states, 64)
        self.fc2 = nn.Linear(64, 64)
        self.fc3 = nn.Linear(64, actions)

    def forward(self, x: Tensor) -> Tensor:
        return self.fc3(torch.relu(self.fc2(torch.relu(self.fc1(x)))))


def _train(setting: Setting) -> None:
    state, action, reward, after, done = maze_moves(4000)
    policy_net = Mlp(25, 4)
    optimizer = torch.optim.Adam(policy_net.parameters(), lr=2e-3)
    with setting.watch(policy_net):
        for update in range(200):
            rows = torch.randint(0, 4000, (64,))
            q_value = policy_net(state[rows]).gather(1, action[rows, None]).squeeze(1)
            next_q = policy_net(after[rows]).max(dim=1).values
            expected = reward[rows] + 0.95 * next_q * (1 - done[rows])
            if setting.is_fixed:
                expected = expected.detach()
            loss = nn.functional.mse_loss(q_value, expected)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if update % 40 == 0:
                print(f"{update}: loss {loss.item():.5f}, value of the first place {policy_net(state[:1]).max().item():.3f}")


PROGRAM = Program(
    name="target-of-the-same-network",
    train=_train,
    source="https://github.com/datawhalechina/easy-rl/pull/117",
    truth=Truth(
        rules=("trained-target",),
        nodes=("mse_loss", "mse_loss: target", "gather", "squeeze", "max", "max[0]", "add", "mul", "mul (2)", "model.fc3", "model: output"),
    ),
)
