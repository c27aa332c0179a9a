"""The penalty that should make a code sparse is added as `.item()`: it is in the loss, and has no gradient."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth
from evaluation.shapes_and_sentences import shapes


class SparseCoder(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.encode = nn.Linear(256, 96)
        self.decode = nn.Linear(96, 256)

    def forward(self, picture: Tensor) -> tuple[Tensor, Tensor]:
        code = torch.relu(self.encode(picture))
        return self.decode(code), code


def _train(setting: Setting) -> None:
    pictures = shapes(1000).images.flatten(1)
    model = SparseCoder()
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    with setting.watch(model):
        for step in range(150):
            batch = pictures[torch.randint(1000, (40,))]
            rebuilt, code = model(batch)
            error = nn.functional.mse_loss(rebuilt, batch)
            sparsity = code.abs().sum(dim=1).mean()
            penalty = sparsity if setting.is_fixed else sparsity.item()
            loss = error + 0.02 * penalty
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 30 == 29:
                print(f"{step}: {error.item():.3f}, penalty {float(penalty):.2f}, used {(code > 0).float().mean().item():.2f}")


PROGRAM = Program(
    name="penalty-as-a-plain-number",
    train=_train,
    source="PyTorch forum, .item() on a part of the loss; Humbatova et al. 2020, missing regularization",
    truth=Truth(rules=("cut-path", "no-gradient", "branch-without-effect")),
)
