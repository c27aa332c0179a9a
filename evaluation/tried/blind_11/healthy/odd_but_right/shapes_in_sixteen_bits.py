"""Pictures under autocast to bfloat16: convolutions and linear layers compute in 16 bits, weights stay in 32."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting
from evaluation.shapes_and_sentences import shapes


class AmpNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, 16, 3, padding=1),
            nn.BatchNorm2d(16),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Conv2d(16, 32, 3, padding=1),
            nn.BatchNorm2d(32),
            nn.ReLU(),
        )
        self.classifier = nn.Sequential(nn.AdaptiveMaxPool2d(4), nn.Flatten(), nn.Linear(32 * 16, 64), nn.ReLU(), nn.Linear(64, 4))

    def forward(self, x: Tensor) -> Tensor:
        return self.classifier(self.features(x))


def _train(setting: Setting) -> None:
    data = shapes(700)
    net = AmpNet()
    optimizer = torch.optim.AdamW(net.parameters(), lr=2e-3)
    with setting.watch(net):
        for epoch in range(5):
            net.train()
            for rows in torch.randperm(600).split(30):
                with torch.autocast("cpu", dtype=torch.bfloat16):
                    scores = net(data.images[rows])
                    loss = nn.functional.cross_entropy(scores.float(), data.classes[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            net.eval()
            with torch.no_grad(), torch.autocast("cpu", dtype=torch.bfloat16):
                right = (net(data.images[600:]).argmax(1) == data.classes[600:]).float().mean().item()
            print(f"epoch {epoch}: {loss.item():.4f}, accuracy {right:.3f}")


PROGRAM = Program(name="shapes-in-sixteen-bits", train=_train, source="PyTorch documentation, automatic mixed precision on CPUs")
