"""`q_target = rewards + gamma * q_next` without `no_grad`: the loss trains the target as well as the value."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.environments import Grid
from evaluation.program import Program, Setting, Truth


class DeepQNetwork(nn.Module):
    def __init__(self, n_actions: int) -> None:
        super().__init__()
        self.fc1 = nn.Linear(Grid.features, 64)
        self.fc2 = nn.Linear(64, 64)
        self.out = nn.Linear(64, n_actions)

    def forward(self, state: Tensor) -> Tensor:
        x = torch.relu(self.fc1(state))
        x = torch.relu(self.fc2(x))
        return self.out(x)


def _train(setting: Setting) -> None:
    q_eval = DeepQNetwork(Grid.actions)
    optimizer = torch.optim.Adam(q_eval.parameters(), lr=3e-3)
    loss_fn = nn.MSELoss()
    gamma, epsilon = 0.95, 1.0
    env = Grid(64, size=4)
    states = env.reset()
    rewards_seen = []
    with setting.watch(q_eval):
        for step in range(240):
            q = q_eval(states)
            random = torch.randint(Grid.actions, (64,))
            actions = torch.where(torch.rand(64) < epsilon, random, q.argmax(dim=1))
            states_, rewards, dones = env.step(actions)
            q_pred = q.gather(1, actions.unsqueeze(1)).squeeze(1)
            with torch.set_grad_enabled(not setting.is_fixed):
                q_next = q_eval(states_).max(dim=1)[0]
                q_target = rewards + gamma * q_next * (~dones)
            loss = loss_fn(q_pred, q_target)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            states = states_
            epsilon = max(0.1, epsilon - 0.01)
            rewards_seen.append(rewards.mean().item())
            if step % 40 == 39:
                print(f"step {step + 1}: loss {loss.item():.4f}, mean reward {sum(rewards_seen[-40:]) / 40:.3f}")


PROGRAM = Program(
    name="bellman-target-keeps-its-graph",
    train=_train,
    source="GitHub philtabor/Deep-Q-Learning-Paper-To-Code#16, 'No gradient required for q_target calculation'",
    truth=Truth(rules=("trained-target",), nodes=("mse_loss", "add", "mul", "max[0]")),
)
