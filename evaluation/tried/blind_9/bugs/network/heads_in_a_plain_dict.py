"""A shared trunk has a head per task, kept in a plain dictionary. The heads are no part of the model, and stay random."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth
from evaluation.series_and_tables import orchards


class ManyTasks(nn.Module):
    def __init__(self, tasks: dict[str, int], registered: bool) -> None:
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(8, 40), nn.ReLU(), nn.Linear(40, 40), nn.ReLU())
        heads: dict[str, nn.Module] = {task: nn.Linear(40, size) for task, size in tasks.items()}
        self.heads = nn.ModuleDict(heads) if registered else heads

    def forward(self, tree: Tensor) -> dict[str, Tensor]:
        features = self.trunk(tree)
        return {task: head(features) for task, head in self.heads.items()}


def _train(setting: Setting) -> None:
    trees, harvest = orchards(1500)
    sort = (trees[:, :3] @ torch.randn(3, 4)).argmax(dim=1)
    model = ManyTasks({"harvest": 1, "sort": 4}, registered=setting.is_fixed)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    with setting.watch(model):
        for step in range(160):
            rows = torch.randint(1500, (50,))
            answers = model(trees[rows])
            loss = nn.functional.mse_loss(answers["harvest"], harvest[rows]) + nn.functional.cross_entropy(answers["sort"], sort[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 40 == 39:
                print(f"{step}: {loss.item():.3f}")


PROGRAM = Program(
    name="heads-in-a-plain-dict",
    train=_train,
    source="PyTorch forum and documentation, ModuleDict: layers in a dictionary are not registered",
    truth=Truth(
        rules=("unregistered-modules", "not-in-optimizer", "never-updated"), nodes=("model", "model: output.harvest", "model: output.sort")
    ),
)
