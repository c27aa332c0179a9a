"""Features are divided by their length. From step 60 on, one scan of a batch is blank, and its features are all zero."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth

BLANK_SINCE = 60


class ScanNet(nn.Module):
    def __init__(self, least_length: float) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(1, 8, 3, bias=False)
        self.conv2 = nn.Conv2d(8, 16, 3, stride=2, bias=False)
        self.head = nn.Linear(16, 3)
        self.least_length = least_length

    def forward(self, scan: Tensor) -> Tensor:
        h = torch.relu(self.conv1(scan))
        h = torch.relu(self.conv2(h)).mean(dim=(2, 3))
        h = h / h.norm(dim=1, keepdim=True).clamp(min=self.least_length)
        return self.head(4 * h)


def _train(setting: Setting) -> None:
    patterns = torch.rand(3, 14, 14).round()
    model = ScanNet(1e-6 if setting.is_fixed else 0.0)
    opt = torch.optim.Adam(model.parameters(), lr=0.01)
    with setting.watch(model):
        for step in range(160):
            organ = torch.randint(3, (32,))
            scans = patterns[organ] + 0.3 * torch.rand(32, 14, 14)
            if step >= BLANK_SINCE:
                scans[step % 32] = 0
            loss = nn.functional.cross_entropy(model(scans[:, None]), organ)
            opt.zero_grad()
            loss.backward()
            opt.step()


PROGRAM = Program(
    name="blank-scan",
    train=_train,
    source="github.com/lukasruff/Deep-SVDD-PyTorch/issues/10: a length of zero after removing the mean",
    truth=Truth(rules=("nan-origin",), nodes=("model.head: input", "model.head"), step=BLANK_SINCE),
)
