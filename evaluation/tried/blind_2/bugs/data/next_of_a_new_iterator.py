"""`next(iter(loader))` in every step begins anew, and without shuffling it is always the first batch."""

from __future__ import annotations

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from evaluation.datasets import sentences
from evaluation.program import Program, Setting, Truth


class Bag(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.EmbeddingBag(40, 32, mode="mean")
        self.classify = nn.Sequential(nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 2))

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        return self.classify(self.embed(tokens))


def _train(setting: Setting) -> None:
    tokens, labels = sentences(2400)
    loader = DataLoader(TensorDataset(tokens[:2000], labels[:2000]), batch_size=32, shuffle=setting.is_fixed)
    model = Bag()
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    with setting.watch(model):
        for step in range(300):
            x, y = next(iter(loader))
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(x), y)
            loss.backward()
            optimizer.step()
            if step % 100 == 99:
                model.eval()
                with torch.no_grad():
                    accuracy = (model(tokens[2000:]).argmax(dim=1) == labels[2000:]).float().mean().item()
                model.train()
                print(f"step {step}, test accuracy {accuracy:.3f}")


PROGRAM = Program(
    name="next-of-a-new-iterator",
    train=_train,
    source="PyTorch forum, next(iter(dataloader)) returns the same batch",
    truth=Truth(rules=("repeated-batch", "overfitting"), nodes=("model: input", "model: input tokens"), step=1),
)
