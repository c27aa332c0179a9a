"""A contrastive loss forgets the minus sign of the logarithm, so pairs that belong together are pushed apart."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


class Encoder(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(24, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 16))

    def forward(self, x: Tensor) -> Tensor:
        return self.layers(x)


def _train(setting: Setting) -> None:
    # Two noisy measurements of the same hidden state.
    mixing = torch.randn(6, 24)
    model = Encoder()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    with setting.watch(model):
        for step in range(250):
            hidden = torch.randn(48, 6)
            first = hidden @ mixing / 2.5 + 0.3 * torch.randn(48, 24)
            second = hidden @ mixing / 2.5 + 0.3 * torch.randn(48, 24)
            scores = model(first) @ model(second).T
            matching = nn.functional.log_softmax(scores, dim=1).diagonal()
            loss = -matching.mean() if setting.is_fixed else matching.mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 50 == 0:
                print(step, loss.item(), (scores.argmax(dim=1) == torch.arange(48)).float().mean().item())


PROGRAM = Program(
    name="contrastive-without-minus",
    train=_train,
    source="TheDeepChecker (flipped sign of the loss), van den Oord et al. 2018 (InfoNCE)",
    truth=Truth(rules=("negative-loss", "loss-does-not-fall", "predictions-ignore-input", "same-for-all-samples")),
)
