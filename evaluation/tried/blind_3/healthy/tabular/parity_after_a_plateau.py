"""The parity of four of twenty bits: the loss stays on a plateau, and then falls."""

from __future__ import annotations

import torch
from torch import nn

from evaluation.program import Program, Setting


def _train(setting: Setting) -> None:
    model = nn.Sequential(nn.Linear(20, 128), nn.ReLU(), nn.Linear(128, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    with setting.watch(model):
        for step in range(700):
            bits = torch.randint(2, (128, 20)).float() * 2 - 1
            parity = bits[:, :4].prod(dim=1, keepdim=True)
            loss = nn.functional.soft_margin_loss(model(bits), parity)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 100 == 0:
                print(step, loss.item())


PROGRAM = Program(name="parity-after-a-plateau", train=_train, source="Barak et al. 2022 (hidden progress in parities)")
