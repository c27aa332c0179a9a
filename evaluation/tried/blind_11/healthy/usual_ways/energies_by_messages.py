"""Energies of molecules by rounds of messages along bonds, added up over atoms."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from evaluation.program import Program, Setting
from evaluation.series_and_tables import molecules


class MessagePassing(nn.Module):
    def __init__(self, width: int = 32, rounds: int = 2) -> None:
        super().__init__()
        self.embed = nn.Linear(4, width)
        self.messages = nn.ModuleList(nn.Linear(width, width) for _ in range(rounds))
        self.updates = nn.ModuleList(nn.GRUCell(width, width) for _ in range(rounds))
        self.readout = nn.Sequential(nn.Linear(width, width), nn.SiLU(), nn.Linear(width, 1))

    def forward(self, kinds: Tensor, bonds: Tensor) -> Tensor:
        h = self.embed(kinds)
        for message, update in zip(self.messages, self.updates, strict=True):
            m = bonds @ message(h)
            h = update(m.flatten(0, 1), h.flatten(0, 1)).view_as(h)
        return self.readout(h).sum(dim=1)


def _train(setting: Setting) -> None:
    kinds, bonds, energy = molecules(1500)
    model = MessagePassing()
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, factor=0.5, patience=2)
    with setting.watch(model):
        for epoch in range(8):
            model.train()
            for rows in torch.randperm(1200).split(40):
                loss = nn.functional.mse_loss(model(kinds[rows], bonds[rows]), energy[rows])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            model.eval()
            with torch.no_grad():
                valid = nn.functional.mse_loss(model(kinds[1200:], bonds[1200:]), energy[1200:])
            scheduler.step(valid)
            print(f"epoch {epoch}: train {loss.item():.4f}, valid {valid.item():.4f}")


PROGRAM = Program(name="energies-by-messages", train=_train, source="Gilmer et al. 2017, message passing")
