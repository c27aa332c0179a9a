"""MultiheadAttention expects the sequence first, and gets the batch first: samples attend to each other, words do not."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


class _Matcher(nn.Module):
    def __init__(self, batch_first: bool) -> None:
        super().__init__()
        self.embed = nn.Embedding(12, 24)
        self.attention = nn.MultiheadAttention(24, 3, batch_first=batch_first)
        self.norm = nn.LayerNorm(24)
        self.ff = nn.Sequential(nn.Linear(24, 48), nn.ReLU(), nn.Linear(48, 2))

    def forward(self, words: Tensor) -> Tensor:
        x = self.embed(words)
        mixed, _ = self.attention(x, x, x, need_weights=False)
        return self.ff(self.norm(x + mixed)[:, 0])


def _train(setting: Setting) -> None:
    words = torch.randint(0, 12, (2000, 6))
    words[::2, 1] = words[::2, 0]
    # Whether the first word comes again in its sentence.
    repeats = (words[:, 1:] == words[:, :1]).any(1).long()
    model = _Matcher(batch_first=setting.is_fixed)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    with setting.watch(model):
        for _ in range(10):
            for index in torch.randperm(1600).split(32):
                optimizer.zero_grad()
                loss = nn.functional.cross_entropy(model(words[index]), repeats[index])
                loss.backward()
                optimizer.step()
    with torch.no_grad():
        print("accuracy", (model(words[1600:]).argmax(1) == repeats[1600:]).float().mean().item())


PROGRAM = Program(
    name="batch-taken-for-the-sequence",
    train=_train,
    source="PyTorch forum: batch_first of recurrent layers and attention; Humbatova et al. 2020, tensors: wrong shape",
    truth=Truth(
        rules=("batch-as-sequence", "loss-does-not-fall", "predictions-ignore-input", "softmax-over-batch"),
        nodes=("model.attention",),
    ),
)
