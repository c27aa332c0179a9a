"""The forward pass calls the second convolution twice, and the third not at all."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth


class _Beats(nn.Module):
    def __init__(self, is_fixed: bool) -> None:
        super().__init__()
        self.is_fixed = is_fixed
        self.conv1 = nn.Conv1d(1, 12, 5, padding=2)
        self.conv2 = nn.Conv1d(12, 12, 5, padding=2)
        self.conv3 = nn.Conv1d(12, 12, 5, padding=2)
        self.fc = nn.Linear(12, 3)

    def forward(self, x: Tensor) -> Tensor:
        x = torch.relu(self.conv1(x))
        x = torch.relu(self.conv2(nn.functional.max_pool1d(x, 2)))
        x = torch.relu((self.conv3 if self.is_fixed else self.conv2)(nn.functional.max_pool1d(x, 2)))
        return self.fc(x.amax(2))


def _train(setting: Setting) -> None:
    time = torch.arange(32) / 32
    rate = torch.randint(1, 4, (900,))
    beats = torch.sin(6.28 * (2 * rate[:, None] * time + torch.rand(900, 1))) + 0.6 * torch.randn(900, 32)
    model = _Beats(setting.is_fixed)
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-3)
    with setting.watch(model):
        for _ in range(8):
            for chosen in torch.randperm(900).split(30):
                optimizer.zero_grad()
                loss = nn.functional.cross_entropy(model(beats[chosen, None]), rate[chosen] - 1)
                loss.backward()
                optimizer.step()
    print("loss", loss.item(), "gradient of conv3", model.conv3.weight.grad is not None)


PROGRAM = Program(
    name="third-convolution-is-never-called",
    train=_train,
    source="PyTorch forum, find unused parameters; Islam et al. 2019: a layer that is defined and never used",
    truth=Truth(rules=("no-gradient", "frozen-as-initialized", "tied-parameters", "never-updated"), nodes=("model.conv3", "model.conv2")),
)
