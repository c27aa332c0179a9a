"""DQN on a grid: a buffer of what happened, a target network that is updated now and then, and less and less chance."""

from __future__ import annotations

import copy

import torch
from torch import Tensor, nn

from evaluation.environments import Grid
from evaluation.program import Program, Setting


class QNetwork(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(Grid.features, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, Grid.actions))

    def forward(self, state: Tensor) -> Tensor:
        return self.layers(state)


def _train(setting: Setting) -> None:
    online = QNetwork()
    target = copy.deepcopy(online).requires_grad_(False)
    optimizer = torch.optim.Adam(online.parameters(), lr=2e-3)
    memory: list[tuple[Tensor, Tensor, Tensor, Tensor, Tensor]] = []
    env = Grid(16, size=4)
    state = env.reset()
    seen: list[float] = []
    with setting.watch(online):
        for step in range(300):
            epsilon = max(0.05, 1 - step / 150)
            with torch.no_grad():
                greedy = online(state).argmax(dim=1)
            action = torch.where(torch.rand(16) < epsilon, torch.randint(Grid.actions, (16,)), greedy)
            following, reward, over = env.step(action)
            memory.append((state, action, reward, following, over))
            memory = memory[-150:]
            state = following
            seen.append(reward.mean().item())
            chosen = torch.randint(len(memory), (6,)).tolist()
            s, a, r, s2, d = (torch.cat(part) for part in zip(*[memory[i] for i in chosen], strict=True))
            with torch.no_grad():
                wanted = r + 0.95 * target(s2).amax(dim=1) * (~d)
            q = online(s).gather(1, a[:, None]).squeeze(1)
            loss = nn.functional.smooth_l1_loss(q, wanted)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 10 == 9:
                target.load_state_dict(online.state_dict())
            if step % 50 == 49:
                print(f"{step + 1}: loss {loss.item():.4f}, reward {sum(seen[-50:]) / 50:.3f}")


PROGRAM = Program(name="walker-with-a-memory-and-a-target", train=_train, source="Mnih et al. 2015, DQN")
