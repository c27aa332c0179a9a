"""`ctc_loss` gets the lengths of inputs and targets exchanged, and `zero_infinity` hides that nothing fits."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.datasets import batches
from evaluation.program import Program, Setting, Truth

FRAMES, SPOKEN = 20, 6


class Listener(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.rnn = nn.GRU(4, 32, batch_first=True, bidirectional=True)
        self.out = nn.Linear(64, 5)

    def forward(self, frames: Tensor) -> Tensor:
        states, _ = self.rnn(frames)
        return self.out(states).log_softmax(dim=2).transpose(0, 1)


def _train(setting: Setting) -> None:
    words = torch.randint(1, 5, (600, SPOKEN))
    starts = torch.arange(SPOKEN) * 3 + torch.randint(2, (600, SPOKEN))
    frames = 0.3 * torch.randn(600, FRAMES, 4)
    frames[torch.arange(600)[:, None], starts, words - 1] += 2
    net = Listener()
    optimizer = torch.optim.Adam(net.parameters(), lr=5e-3)
    lengths = torch.full((20,), FRAMES), torch.full((20,), SPOKEN)
    if not setting.is_fixed:
        lengths = lengths[::-1]
    with setting.watch(net):
        for sounds, spoken in batches(200, 20, frames, words):
            # With the lengths exchanged, targets seem to be longer than what is written here: they are filled up.
            filled = nn.functional.pad(spoken, (0, FRAMES - SPOKEN), value=1)
            optimizer.zero_grad()
            nn.functional.ctc_loss(net(sounds), filled, *lengths, zero_infinity=True).backward()
            optimizer.step()


PROGRAM = Program(
    name="lengths-exchanged-in-ctc",
    train=_train,
    source="PyTorch forum, ctc_loss is 0 with zero_infinity; order of input_lengths and target_lengths",
    truth=Truth(
        rules=("zero-gradient", "loss-does-not-fall", "no-gradient", "never-updated"),
        nodes=(
            "model",
            "model: output",
            "model.out",
            "model.out: output",
            "model.out.weight",
            "model.rnn",
            "model.rnn: output",
            *(f"model.rnn.weight_{kind}_l0{side}" for kind in ("ih", "hh") for side in ("", "_reverse")),
        ),
    ),
)
