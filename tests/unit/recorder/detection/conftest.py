"""Watches strictly, and tests that no hook is left."""

from __future__ import annotations

import gc
import itertools
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

import comgra_export
from comgra_export import ComgraRecorder, DecisionMakerForRecordingsFrequencyPerType
from support.recorder.automatic_steps import Watch, any_hook


@pytest.fixture
def watch(tmp_path: Path) -> Watch:
    """Watches strictly, and records every step, each time as another trial."""
    numbers = itertools.count()

    def make(module: nn.Module, **arguments: Any) -> ComgraRecorder:  # noqa: ANN401
        schedule = DecisionMakerForRecordingsFrequencyPerType(1)
        defaults = {"trial_id": f"trial-{next(numbers)}", "decision_maker_for_recordings": schedule, "strict": True}
        return comgra_export.watch(module, tmp_path, **{**defaults, **arguments})

    return make


@pytest.fixture(autouse=True)
def nothing_is_left() -> Iterator[None]:
    yield
    gc.collect()
    assert not any_hook()
    assert not any("global hooks" in str(entry) for entry in warnings.filters)
    assert torch._C._len_torch_function_stack() == 0
