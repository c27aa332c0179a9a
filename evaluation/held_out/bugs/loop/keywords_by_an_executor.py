"""Words are spotted in short sounds. A class runs the batches of an epoch."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth
from evaluation.worlds import tones


class Executor:
    def __init__(self, clears: bool) -> None:
        self.clears = clears

    def train(self, model: nn.Module, optimizer: torch.optim.Optimizer, data: list[tuple[Tensor, Tensor]]) -> float:
        model.train()
        for feats, target in data:
            if self.clears:
                optimizer.zero_grad()
            logits = model(feats)
            loss = nn.functional.cross_entropy(logits, target)
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 5.0)
            optimizer.step()
        return loss.item()


class KWSModel(nn.Module):
    def __init__(self, classes: int) -> None:
        super().__init__()
        self.preprocessing = nn.Conv1d(1, 24, 8, stride=4)
        self.backbone = nn.GRU(24, 32, batch_first=True)
        self.classifier = nn.Linear(32, classes)

    def forward(self, feats: Tensor) -> Tensor:
        out, _ = self.backbone(torch.relu(self.preprocessing(feats)).transpose(1, 2))
        return self.classifier(out.mean(dim=1))


def _train(setting: Setting) -> None:
    sounds, words = tones(1200)
    model = KWSModel(4)
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    executor = Executor(clears=setting.is_fixed)
    with setting.watch(model):
        for epoch in range(5):
            data = [(sounds[rows], words[rows]) for rows in torch.randperm(1200).split(40)]
            print(f"epoch {epoch}: {executor.train(model, optimizer, data):.4f}")


PROGRAM = Program(
    name="keywords-by-an-executor",
    train=_train,
    source="https://github.com/wenet-e2e/wekws/pull/73",
    truth=Truth(rules=("gradients-left-over",), step=1),
)
