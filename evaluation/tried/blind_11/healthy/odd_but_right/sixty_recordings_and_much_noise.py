"""Only sixty heartbeats, each shifted, scaled and made noisy anew whenever it is seen; validated on others."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting
from evaluation.series_and_tables import heartbeats


class TinyNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Sequential(nn.Conv1d(1, 12, 7, padding=3), nn.ReLU(), nn.MaxPool1d(2), nn.Conv1d(12, 16, 9, padding=4), nn.ReLU())
        self.drop = nn.Dropout(0.3)
        self.out = nn.Linear(32, 3)

    def forward(self, beats: Tensor) -> Tensor:
        x = self.conv(beats)
        pooled = torch.cat([x.amax(dim=2), x.mean(dim=2)], dim=1)
        return self.out(self.drop(pooled))


def augmented(beats: Tensor) -> Tensor:
    shift = int(torch.randint(-4, 5, (1,)))
    return beats.roll(shift, dims=2) * (0.85 + 0.3 * torch.rand(len(beats), 1, 1)) + 0.1 * torch.randn_like(beats)


def _train(setting: Setting) -> None:
    beats, kinds = heartbeats(60)
    others, other_kinds = heartbeats(300)
    net = TinyNet()
    optimizer = torch.optim.AdamW(net.parameters(), lr=4e-3, weight_decay=0.05)
    with setting.watch(net):
        for epoch in range(80):
            net.train()
            for rows in torch.randperm(60).split(20):
                loss = nn.functional.cross_entropy(net(augmented(beats[rows])), kinds[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            if epoch % 10 == 9:
                net.eval()
                with torch.no_grad():
                    scores = net(others)
                valid = nn.functional.cross_entropy(scores, other_kinds).item()
                accuracy = (scores.argmax(1) == other_kinds).float().mean().item()
                print(f"epoch {epoch + 1}: {loss.item():.4f}, validation {valid:.4f}, accuracy {accuracy:.3f}")


PROGRAM = Program(
    name="sixty-recordings-and-much-noise", train=_train, source="Iwana and Uchida 2021, augmentation of time series for small data"
)
