"""A policy heats rooms. It is improved several times on the same moves, and each change is limited."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting
from evaluation.worlds import Room


class ActorCritic(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.actor = nn.Sequential(nn.Linear(2, 32), nn.Tanh(), nn.Linear(32, 3))
        self.critic = nn.Sequential(nn.Linear(2, 32), nn.Tanh(), nn.Linear(32, 1))


def _log_chance(model: ActorCritic, seen: Tensor, moves: Tensor) -> Tensor:
    return model.actor(seen).log_softmax(dim=1).gather(1, moves[:, None])[:, 0]


def _play(model: ActorCritic) -> tuple[Tensor, Tensor, Tensor]:
    room = Room(64)
    seen: list[Tensor] = []
    moves: list[Tensor] = []
    gains: list[Tensor] = []
    for _ in range(16):
        view = room.observe()
        with torch.no_grad():
            move = torch.distributions.Categorical(logits=model.actor(view)).sample()
        _, gain = room.step(move)
        for store, value in ((seen, view), (moves, move), (gains, gain)):
            store.append(value)
    returns, ahead = [], torch.zeros(64)
    for gain in reversed(gains):
        ahead = gain + 0.9 * ahead
        returns.append(ahead)
    return torch.cat(seen), torch.cat(moves), torch.cat(returns[::-1])


def _train(setting: Setting) -> None:
    model = ActorCritic()
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    with setting.watch(model):
        for day in range(14):
            seen, moves, returns = _play(model)
            with torch.no_grad():
                before = _log_chance(model, seen, moves)
                advantage = returns - model.critic(seen)[:, 0]
                advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-6)
            for rows in torch.randperm(1024).repeat(3).split(256):
                ratio = (_log_chance(model, seen[rows], moves[rows]) - before[rows]).exp()
                limited = torch.minimum(ratio * advantage[rows], ratio.clamp(0.8, 1.2) * advantage[rows]).mean()
                value_loss = nn.functional.smooth_l1_loss(model.critic(seen[rows])[:, 0], returns[rows])
                loss = value_loss - limited
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(model.parameters(), 1.0)
                optimizer.step()
            if day % 3 == 1:
                print(f"day {day}: value loss {value_loss.item():.3f}, mean return {returns.mean().item():.3f}")


PROGRAM = Program(name="rooms-heated-by-a-careful-policy", train=_train, source="Schulman et al. 2017, proximal policy optimization")
