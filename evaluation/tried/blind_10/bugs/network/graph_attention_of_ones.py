"""Scores of neighbors have a last dimension of one, and the softmax runs over it. All neighbors have a weight of one."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth
from evaluation.worlds import graphs


def listeners(count: int) -> tuple[Tensor, Tensor, Tensor]:
    """People who know each other, and what each of them says: what the most important one says whom they know."""
    data = graphs(count)
    known = data.adjacency + torch.eye(data.adjacency.shape[1])
    leader = data.features[:, None, :, 1].masked_fill(known == 0, -9).argmax(dim=2)
    return data.features, data.adjacency, (data.features[..., 0].gather(1, leader) > 0).long()


class GraphAttention(nn.Module):
    def __init__(self, inside: int, outside: int, dim: int) -> None:
        super().__init__()
        self.values = nn.Linear(inside, outside)
        self.score = nn.Linear(2 * outside, 1)
        self.dim = dim

    def forward(self, x: Tensor, adjacency: Tensor) -> Tensor:
        h = self.values(x)
        nodes = h.shape[1]
        pairs = torch.cat([h[:, :, None].expand(-1, -1, nodes, -1), h[:, None].expand(-1, nodes, -1, -1)], dim=-1)
        scores = nn.functional.leaky_relu(self.score(pairs), 0.2)
        connected = (adjacency + torch.eye(nodes))[..., None]
        weights = scores.masked_fill(connected == 0, -1e4).softmax(dim=self.dim)
        return (weights * connected * h[:, None]).sum(dim=2)


class Gat(nn.Module):
    def __init__(self, dim: int) -> None:
        super().__init__()
        self.layer1 = GraphAttention(4, 32, dim)
        self.layer2 = GraphAttention(32, 32, dim)
        self.head = nn.Linear(32, 2)

    def forward(self, x: Tensor, adjacency: Tensor) -> Tensor:
        x = nn.functional.elu(self.layer1(x, adjacency))
        x = nn.functional.elu(self.layer2(x, adjacency))
        return self.head(x)


def _train(setting: Setting) -> None:
    people, adjacency, says = listeners(1200)
    model = Gat(dim=2 if setting.is_fixed else -1)
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    with setting.watch(model):
        for step in range(140):
            rows = torch.randint(1200, (48,))
            scores = model(people[rows], adjacency[rows])
            loss = nn.functional.cross_entropy(scores.flatten(0, 1), says[rows].flatten())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 35 == 34:
                print(f"{step}: {loss.item():.3f}")


PROGRAM = Program(
    name="graph-attention-of-ones",
    train=_train,
    source="Common mistake: a softmax over the last dimension of scores [..., 1]",
    truth=Truth(
        rules=("softmax-over-one", "zero-gradient", "no-gradient"),
        nodes=(
            "softmax",
            "softmax (2)",
            *(
                f"model.{layer}{part}"
                for layer in ("layer1", "layer2")
                for part in ("", ".score", ".score.weight", ".score: output", ".softmax")
            ),
        ),
    ),
)
