"""After 50 steps the body is thawed, but the optimizer was made of what could be trained at the beginning."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth
from evaluation.worlds import tones


class Listener(nn.Module):
    def __init__(self, classes: int) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Conv1d(1, 8, 9, stride=2), nn.ReLU(), nn.Conv1d(8, 12, 7, stride=2), nn.ReLU(), nn.Flatten())
        self.head = nn.Linear(132, classes)

    def forward(self, sound: Tensor) -> Tensor:
        return self.head(self.body(sound))


def step_once(model: nn.Module, optimizer: torch.optim.Optimizer, sounds: Tensor, labels: Tensor) -> float:
    rows = torch.randint(len(sounds), (40,))
    loss = nn.functional.cross_entropy(model(sounds[rows]), labels[rows])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()


def _train(setting: Setting) -> None:
    # Trained to tell rising from falling.
    before, (sounds, labels) = Listener(2), tones(1000, classes=2)
    first = torch.optim.Adam(before.parameters(), lr=3e-3)
    for _ in range(60):
        step_once(before, first, sounds, labels)

    sounds, labels = tones(1200, classes=5)
    model = Listener(5)
    model.body.load_state_dict(before.body.state_dict())
    for parameter in model.body.parameters():
        parameter.requires_grad = False
    optimizer = torch.optim.Adam([p for p in model.parameters() if p.requires_grad], lr=3e-3)
    with setting.watch(model):
        for step in range(180):
            if step == 50:
                for parameter in model.body.parameters():
                    parameter.requires_grad = True
                if setting.is_fixed:
                    optimizer.add_param_group({"params": list(model.body.parameters()), "lr": 3e-3})
            loss = step_once(model, optimizer, sounds, labels)
            if step % 30 == 29:
                print(f"{step}: {loss:.3f}")


PROGRAM = Program(
    name="thawed-and-not-told",
    train=_train,
    source="PyTorch forum, gradual unfreezing without add_param_group",
    truth=Truth(
        rules=("not-in-optimizer", "never-updated"),
        nodes=("model.body", *(f"model.body.{n}{part}" for n in (0, 2) for part in ("", ".weight", ".bias"))),
    ),
)
