"""A softmax written by hand without subtracting the maximum overflows when logits grow."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches, class_blobs
from evaluation.program import Program, Setting, Truth


class Net(nn.Module):
    def __init__(self, stable: bool) -> None:
        super().__init__()
        last = nn.Linear(128, 5)
        # All classes are equally likely at first.
        nn.init.zeros_(last.weight)
        nn.init.zeros_(last.bias)
        self.body = nn.Sequential(nn.Linear(20, 128), nn.ReLU(), last)
        self.stable = stable

    def forward(self, x: Tensor) -> Tensor:
        scores = 30 * self.body(x)
        if self.stable:
            scores = scores - scores.amax(dim=1, keepdim=True)
        exponentials = torch.exp(scores)
        return exponentials / exponentials.sum(dim=1, keepdim=True)


def _train(setting: Setting) -> None:
    inputs, labels = class_blobs()
    model = Net(stable=setting.is_fixed)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    with setting.watch(model, sentinels=True):
        for x, y in batches(900, 32, inputs, labels):
            probabilities = model(x)
            loss = nn.functional.nll_loss(torch.log(probabilities.clamp(min=1e-8)), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


PROGRAM = Program(
    name="softmax-without-maximum",
    train=_train,
    source="DeepLocalize (numerical errors)",
    truth=Truth(
        rules=("nan-origin", "near-overflow", "runaway-growth", "logit-growth"),
        nodes=("model: output", "model.body: output", "model.body.2: output"),
    ),
)
