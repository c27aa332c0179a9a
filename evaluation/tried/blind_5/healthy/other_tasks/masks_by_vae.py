"""A variational autoencoder of small binary pictures, whose divergence gets its full weight after a warm-up."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting


class _Vae(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(64, 64), nn.ReLU())
        self.mean = nn.Linear(64, 4)
        self.log_variance = nn.Linear(64, 4)
        self.decoder = nn.Sequential(nn.Linear(4, 64), nn.ReLU(), nn.Linear(64, 64))

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        hidden = self.encoder(x)
        mean, log_variance = self.mean(hidden), self.log_variance(hidden)
        return self.decoder(mean + (log_variance / 2).exp() * torch.randn_like(mean)), mean, log_variance


def _train(setting: Setting) -> None:
    row, height = torch.randint(0, 5, (1500, 1)), torch.randint(2, 5, (1500, 1))
    column, width = torch.randint(0, 5, (1500, 1)), torch.randint(2, 5, (1500, 1))
    line = torch.arange(8)
    in_rows, in_columns = (line >= row) & (line < row + height), (line >= column) & (line < column + width)
    pictures = (in_rows[:, :, None] & in_columns[:, None, :]).float().flatten(1)
    model = _Vae()
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    step = 0
    with setting.watch(model):
        for _ in range(10):
            for chosen in torch.randperm(1500).split(50):
                again, mean, log_variance = model(pictures[chosen])
                error = nn.functional.binary_cross_entropy_with_logits(again, pictures[chosen], reduction="none").sum(1).mean()
                divergence = 0.5 * (mean.pow(2) + log_variance.exp() - 1 - log_variance).sum(1).mean()
                loss = error + min(1.0, step / 100) * divergence
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                step += 1
            print("error", error.item(), "divergence", divergence.item())


PROGRAM = Program(name="masks-by-vae", train=_train, source="Kingma and Welling 2014; Bowman et al. 2016 on the warm-up")
