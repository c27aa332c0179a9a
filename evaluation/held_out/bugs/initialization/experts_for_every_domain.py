"""Several experts judge a client, and a gate weighs them by the domain that the client comes from."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


class HiNet(nn.Module):
    def __init__(self, features: int, domains: int, experts: int, is_fixed: bool) -> None:
        super().__init__()
        self.domain = nn.Embedding(domains, 8)
        nn.init.zeros_(self.domain.weight)
        self.gate = nn.Linear(8, experts)
        nn.init.zeros_(self.gate.bias)
        self.activation = nn.Identity() if is_fixed else nn.ReLU()
        self.experts = nn.ModuleList(nn.Sequential(nn.Linear(features, 16), nn.ReLU(), nn.Linear(16, 1)) for _ in range(experts))

    def forward(self, client: Tensor, domain: Tensor) -> Tensor:
        weights = torch.softmax(self.activation(self.gate(self.domain(domain))), dim=1)
        votes = torch.cat([expert(client) for expert in self.experts], dim=1)
        return (weights * votes).sum(dim=1)


def _train(setting: Setting) -> None:
    client = torch.randn(2400, 12)
    domain = torch.randint(0, 3, (2400,))
    scores = torch.tanh(client @ torch.randn(12, 3)) + 0.3 * client[:, :3]
    stays = (scores.gather(1, domain[:, None])[:, 0] > 0).float()
    model = HiNet(12, 3, 4, setting.is_fixed)
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    with setting.watch(model):
        for epoch in range(4):
            for rows in torch.randperm(2400).split(48):
                logits = model(client[rows], domain[rows])
                loss = nn.functional.binary_cross_entropy_with_logits(logits, stays[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print(f"epoch {epoch}: {loss.item():.4f}")


PROGRAM = Program(
    name="experts-for-every-domain",
    train=_train,
    source="https://github.com/mrchor/HiNet/issues/1",
    truth=Truth(
        rules=("zero-gradient", "dead-relu", "never-updated", "equal-weights", "same-for-all-samples"),
        nodes=(
            "model.domain",
            "model.domain.weight",
            "model.gate",
            "model.gate.weight",
            "model.gate.bias",
            "model.gate: input",
            "model.activation",
            "model.activation: input",
            "softmax",
        ),
    ),
)
