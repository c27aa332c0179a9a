"""Small scripts that are recorded with `watch`, and read as runs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

import comgra_export
from comgra_export.analysis.history.run import Run, read_runs

__all__ = ["recorded", "train"]


def train(
    model: nn.Module,
    steps: int,
    step: Callable[[int], Tensor],
    *,
    optimizer: torch.optim.Optimizer | None = None,
    evaluate: Callable[[int], object] | None = None,
    clear: bool = True,
) -> None:
    """Trains a model.

    Args:
        model: The model.
        steps: How many steps.
        step: Computes the loss of a step.
        optimizer: Updates it; stochastic gradient descent if left out.
        evaluate: Is called after each step.
        clear: Whether gradients are cleared before a backward pass.
    """
    if optimizer is None:
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for number in range(steps):
        if clear:
            optimizer.zero_grad()
        step(number).backward()
        optimizer.step()
        if evaluate is not None:
            evaluate(number)


def recorded(folder: Path, model: nn.Module, script: Callable[[comgra_export.ComgraRecorder], object], **options: Any) -> Run:  # noqa: ANN401
    """Runs a script while a model is watched, and every step is recorded.

    Args:
        folder: Where the recording is written.
        model: The model.
        script: What is run, with the recorder.
        options: Further arguments of `watch`.
    """
    torch.manual_seed(0)
    always = comgra_export.DecisionMakerForRecordingsFrequencyPerType(1)
    with comgra_export.watch(model, folder, decision_maker_for_recordings=always, **options) as recorder:
        script(recorder)
    (run,) = read_runs(folder)
    return run
