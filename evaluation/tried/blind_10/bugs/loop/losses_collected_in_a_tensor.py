"""The losses of several days are put into a new tensor that asks for gradients, so none reaches the network."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth
from evaluation.worlds import pendulums


class Rollout(nn.Module):
    """What a state becomes."""

    def __init__(self) -> None:
        super().__init__()
        self.net = nn.Sequential(nn.Linear(2, 48), nn.Tanh(), nn.Linear(48, 48), nn.Tanh(), nn.Linear(48, 2))

    def forward(self, state: Tensor) -> Tensor:
        return state + self.net(state)


def _train(setting: Setting) -> None:
    swings = pendulums(900, 6)
    model = Rollout()
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    with setting.watch(model):
        for step in range(150):
            batch = swings[torch.randint(900, (40,))]
            state = batch[:, 0]
            losses = []
            for t in range(1, batch.shape[1]):
                state = model(state)
                losses.append(nn.functional.mse_loss(state, batch[:, t]))
            every = torch.stack(losses) if setting.is_fixed else torch.tensor([loss.item() for loss in losses], requires_grad=True)
            loss = every.mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 30 == 29:
                print(f"{step}: {loss.item():.4f}")


PROGRAM = Program(
    name="losses-collected-in-a-tensor",
    train=_train,
    source="GitHub issues on torch.tensor(list of losses), which has no graph",
    truth=Truth(
        rules=("no-gradient", "cut-path", "loss-does-not-fall", "gradients-cleared-early", "never-updated", "optimizer-never-steps"),
        nodes=("model", "model.net", "model: output", *(f"model.net.{n}{part}" for n in (0, 2, 4) for part in ("", ".weight", ".bias"))),
    ),
)
