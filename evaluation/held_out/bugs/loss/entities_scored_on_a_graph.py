"""Which entity of a document answers a question? A graph network scores the entities."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


class EntityScorer(nn.Module):
    def __init__(self, features: int, is_fixed: bool) -> None:
        super().__init__()
        self.is_fixed = is_fixed
        self.encode = nn.Linear(2 * features, 48)
        self.propagate = nn.Linear(48, 48)
        self.score = nn.Linear(48, 1)

    def forward(self, query: Tensor, entities: Tensor, links: Tensor) -> Tensor:
        joint = torch.cat([entities, query[:, None].expand_as(entities)], dim=2)
        h = torch.relu(self.encode(joint))
        h = torch.relu(self.propagate(h + links @ h / entities.shape[1]))
        scores = self.score(h).squeeze(2)
        return scores if self.is_fixed else torch.softmax(scores, dim=1)


def _train(setting: Setting) -> None:
    query, entities = torch.randn(1500, 8), torch.randn(1500, 6, 8)
    links = (torch.rand(1500, 6, 6) < 0.4).float()
    answer = (entities[..., :4] * query[:, None, :4]).sum(dim=2).argmax(dim=1)
    model = EntityScorer(8, setting.is_fixed)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    criterion = nn.CrossEntropyLoss()
    with setting.watch(model):
        for epoch in range(5):
            for rows in torch.randperm(1500).split(50):
                loss = criterion(model(query[rows], entities[rows], links[rows]), answer[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print(f"epoch {epoch}: {loss.item():.4f}")


PROGRAM = Program(
    name="entities-scored-on-a-graph",
    train=_train,
    source="https://github.com/bowang-lab/Transformer-GCN-QA/pull/32",
    truth=Truth(
        rules=("softmax-before-cross-entropy",),
        nodes=("softmax", "model: output", "model.score", "cross_entropy"),
    ),
)
