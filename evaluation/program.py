"""What a program of the evaluation is: a short training script, and what is wrong in it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import nn

import comgra_export
from comgra_export import ComgraRecorder

__all__ = ["Program", "Setting", "Truth"]


@dataclass(frozen=True)
class Setting:
    """How a program is run.

    Attributes:
        recordings: The folder of the recording.
        seed: Seeds all random numbers.
        is_fixed: Whether the bug is left out. Healthy programs ignore it.
        every_step: Whether every step is recorded, instead of those of the default schedule.
    """

    recordings: Path
    seed: int = 0
    is_fixed: bool = False
    every_step: bool = False

    def watch(self, model: nn.Module, **arguments: Any) -> ComgraRecorder:  # noqa: ANN401
        """As a script calls `comgra_export.watch`, with the default settings."""
        if self.every_step:
            arguments["every"] = 1
        return comgra_export.watch(model, self.recordings, **arguments)


@dataclass(frozen=True)
class Truth:
    """What is wrong in a program.

    Attributes:
        rules: The rules that name it; any of them is right.
        nodes: Tensors, parameters or modules where it is, such as `model.0.weight` or `model.2: output`; any is right. A module stands for
            its outputs and parameters too. Empty: it is in no tensor, as a learning rate is.
        step: The first step in which it shows; None if it holds from the beginning. If an update makes a parameter NaN, it is the step of
            that update.
    """

    rules: tuple[str, ...]
    nodes: tuple[str, ...] = ()
    step: int | None = None


@dataclass(frozen=True)
class Program:
    """A training script.

    Attributes:
        name: Unique, in lower case with hyphens.
        train: Trains under `setting.watch`.
        source: Where the bug or the program is known from.
        truth: What is wrong unless it is fixed; None for a healthy program.
        chose_thresholds: Whether a limit of a rule was chosen with it. Its figures are reported apart.
    """

    name: str
    train: Callable[[Setting], None]
    source: str
    truth: Truth | None = None
    chose_thresholds: bool = False

    def run(self, setting: Setting) -> None:
        """Seeds PyTorch, and trains."""
        torch.manual_seed(setting.seed)
        self.train(setting)
