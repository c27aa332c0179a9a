"""Four modules of a small network that are pinned in the page: training it under a watch, and what of their panels is in sight."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import torch
from torch import nn

from comgra_export import ComgraRecorder, DecisionMakerForRecordingsFrequencyPerType, watch

__all__ = ["CLOSED", "IN_SIGHT", "OPEN", "PICTURES", "TENSORS", "PinnedTraining", "watched"]

_PINNED = ("model.0", "model.2", "model.4", "model.6")

PICTURES = len(_PINNED) * 8
"""The input, the output, the weight and the bias of each, with their gradients."""

TENSORS = "#v=1&tab=tensors&type=train"
CLOSED = "#v=1&tab=modules&type=train"
OPEN = f"{CLOSED}&panels={','.join(_PINNED)}"
"""Addresses of a view without the tab of the modules, of that tab without panels, and with them."""

IN_SIGHT = """
() => {
  const plots = [...document.querySelectorAll(".panels .history")];
  const seen = plots.filter((plot) => { const { top, bottom } = plot.getBoundingClientRect(); return top < innerHeight && bottom > 0; });
  const drawn = seen.filter((plot) => plot.querySelector("canvas") !== null);
  const steps = drawn.map((plot) => Number(plot.querySelector("[data-columns]").dataset.columns));
  return { plots: plots.length, seen: seen.length, drawn: drawn.length, steps: Math.min(...steps) };
}
"""
"""A function of the page: how many places of pictures there are, how many of them are in sight, how many of these are drawn, and the
least number of steps that one of them shows."""


class PinnedTraining:
    """The network in training: the same weights and data every time it is made."""

    def __init__(self) -> None:
        torch.manual_seed(0)
        layers: list[nn.Module] = []
        for _ in range(4):
            layers += [nn.Linear(128, 128), nn.ReLU()]
        self.network = nn.Sequential(*layers)
        self._optimizer = torch.optim.SGD(self.network.parameters(), lr=0.01)

    def train(self, steps: int) -> None:
        """Train on some batches."""
        for _ in range(steps):
            self._optimizer.zero_grad()
            self.network(torch.randn(64, 128)).square().mean().backward()
            self._optimizer.step()


@contextmanager
def watched(training: PinnedTraining, root: Path) -> Iterator[ComgraRecorder]:
    """Record every step of a training as long as the block lasts."""
    every_step = DecisionMakerForRecordingsFrequencyPerType(1)
    with watch(training.network, root, existing_trial="replace", decision_maker_for_recordings=every_step) as recorder:
        yield recorder
