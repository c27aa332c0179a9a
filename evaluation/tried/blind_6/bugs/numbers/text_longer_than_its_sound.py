"""CTC: in one batch a text has more letters than its sound has frames. Its loss is infinite, and its gradient NaN."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting, Truth

TOO_LONG = 60


class Listener(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv1d(8, 32, 3, padding=1)
        self.norm = nn.BatchNorm1d(32)
        self.out = nn.Conv1d(32, 6, 1)

    def forward(self, sound: Tensor) -> Tensor:
        return self.out(torch.relu(self.norm(self.conv(sound))))


def _train(setting: Setting) -> None:
    voices = torch.randn(6, 8)
    model = Listener()
    criterion = nn.CTCLoss(zero_infinity=setting.is_fixed)
    optimizer = torch.optim.Adam(model.parameters(), lr=8e-3)
    with setting.watch(model):
        for step in range(130):
            texts = torch.randint(1, 6, (16, 4))
            sound = voices[texts].repeat_interleave(4, dim=1).transpose(1, 2) + 0.4 * torch.randn(16, 8, 16)
            frames = torch.full((16,), 16)
            if step == TOO_LONG:
                frames[5] = 3
            scores = model(sound).permute(2, 0, 1).log_softmax(dim=2)
            loss = criterion(scores, texts, frames, torch.full((16,), 4))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    print(f"loss {loss.item():.3f}")


PROGRAM = Program(
    name="text-longer-than-its-sound",
    train=_train,
    source="pytorch issue 14401 and forums, infinite CTC loss and NaN gradients",
    truth=Truth(
        rules=("nan-origin",),
        nodes=(
            "ctc_loss",
            "log_softmax",
        ),
        step=TOO_LONG,
    ),
)
