"""A bidirectional GRU says which of three motifs a melody holds. The norm of the gradient is clipped, which is rarely needed."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting


class _Melody(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.notes = nn.Embedding(20, 16)
        self.gru = nn.GRU(16, 24, batch_first=True, bidirectional=True)
        self.drop = nn.Dropout(0.1)
        self.motif = nn.Linear(48, 3)

    def forward(self, melody: Tensor) -> Tensor:
        states, _ = self.gru(self.notes(melody))
        return self.motif(self.drop(states.amax(1)))


def _train(setting: Setting) -> None:
    motifs = torch.tensor([[1, 5, 8], [8, 5, 1], [5, 1, 8]])
    labels = torch.randint(0, 3, (1400,))
    melodies = torch.randint(0, 20, (1400, 14))
    place = torch.randint(0, 12, (1400, 1)) + torch.arange(3)
    melodies.scatter_(1, place, motifs[labels])
    model = _Melody()
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    with setting.watch(model):
        for _ in range(9):
            model.train()
            for chosen in torch.randperm(1200).split(40):
                optimizer.zero_grad()
                loss = nn.functional.cross_entropy(model(melodies[chosen]), labels[chosen])
                loss.backward()
                nn.utils.clip_grad_norm_(model.parameters(), 2.0)
                optimizer.step()
            model.eval()
            with torch.no_grad():
                right = model(melodies[1200:]).argmax(1) == labels[1200:]
            print("loss", loss.item(), "accuracy", right.float().mean().item())


PROGRAM = Program(name="melodies-by-gru", train=_train, source="PyTorch tutorial on recurrent classification of sequences")
