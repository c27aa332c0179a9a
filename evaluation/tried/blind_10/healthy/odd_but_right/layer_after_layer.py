"""A stack of autoencoders is trained one after another, each on the codes of the one before, which is frozen by then."""

from __future__ import annotations

from itertools import pairwise

import torch
from torch import Tensor, nn

from evaluation.datasets import digits
from evaluation.program import Program, Setting


class Layer(nn.Module):
    def __init__(self, inside: int, outside: int) -> None:
        super().__init__()
        self.encode: nn.Module = nn.Sequential(nn.Linear(inside, outside), nn.Sigmoid())
        self.decode = nn.Linear(outside, inside)

    def forward(self, x: Tensor) -> Tensor:
        return self.encode(x)


class Stack(nn.Module):
    def __init__(self, sizes: list[int]) -> None:
        super().__init__()
        self.layers = nn.ModuleList([Layer(inside, outside) for inside, outside in pairwise(sizes)])

    def forward(self, x: Tensor, depth: int) -> tuple[Tensor, Tensor]:
        """The code that layer `depth` gets, and how it restores it."""
        with torch.no_grad():
            for layer in self.layers[:depth]:
                x = layer(x)
        last = self.layers[depth]
        assert isinstance(last, Layer)
        noisy = x * (torch.rand_like(x) > 0.1)
        return x, last.decode(last(noisy))


def _train(setting: Setting) -> None:
    images, _ = digits(1500)
    flat = images.flatten(1)
    stack = Stack([144, 72, 36])
    with setting.watch(stack):
        for depth, layer in enumerate(stack.layers):
            optimizer = torch.optim.Adam(layer.parameters(), lr=5e-3)
            for step in range(100):
                code, restored = stack(flat[torch.randint(1500, (48,))], depth)
                loss = nn.functional.mse_loss(restored, code)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                if step % 33 == 32:
                    print(f"layer {depth}, {step}: {loss.item():.4f}")
            layer.requires_grad_(False)


PROGRAM = Program(name="layer-after-layer", train=_train, source="Vincent et al. 2010, stacked denoising autoencoders, greedy training")
