"""Double Q-learning in a maze: one call of the network chooses the next move, and another judges it."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.everyday import maze_moves
from evaluation.program import Program, Setting, Truth


class DoubleDQN(nn.Module):
    def __init__(self, states: int, actions: int) -> None:
        super().__init__()
        self.policy_net = nn.Sequential(nn.Linear(states, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, actions))

    def forward(self, state: Tensor) -> Tensor:
        return self.policy_net(state)


def _train(setting: Setting) -> None:
    state, action, reward, next_state, done = maze_moves(5000)
    agent = DoubleDQN(25, 4)
    optimizer = torch.optim.Adam(agent.parameters(), lr=2e-3)
    with setting.watch(agent):
        for step in range(200):
            rows = torch.randint(0, 5000, (64,))
            q_value = agent(state[rows]).gather(1, action[rows, None])
            next_action = agent(next_state[rows]).argmax(dim=1, keepdim=True)
            next_q = agent(next_state[rows]).gather(1, next_action)
            expected = reward[rows, None] + 0.95 * next_q * (1 - done[rows, None])
            if setting.is_fixed:
                expected = expected.detach()
            loss = nn.functional.smooth_l1_loss(q_value, expected)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 25 == 24:
                print(f"{step}: {loss.item():.5f}, values up to {q_value.max().item():.3f}")


PROGRAM = Program(
    name="cart-by-a-double-q-network",
    train=_train,
    source="https://github.com/datawhalechina/easy-rl/pull/117",
    truth=Truth(
        rules=("trained-target",),
        nodes=(
            "smooth_l1_loss: target",
            "smooth_l1_loss",
            "add",
            "mul",
            "mul (2)",
            "model: output",
            "model.policy_net",
            "model.policy_net.4",
        ),
    ),
)
