"""While a CUDA graph is being captured, nothing is recorded and nothing is added to the graph. Simulated: `tests/gpu` captures one."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from torch import nn

from comgra_export import watch
from comgra_export.storage import find_recordings, open_recording


def train_once(model: nn.Module, optimizer: torch.optim.Optimizer) -> None:
    optimizer.zero_grad()
    model(torch.ones(2, 3)).sum().backward()
    optimizer.step()


def test_steps_that_are_captured_are_not_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = nn.Linear(3, 2)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    is_capturing = False
    monkeypatch.setattr(torch.cuda, "is_initialized", lambda: True)
    monkeypatch.setattr(torch.cuda, "is_current_stream_capturing", lambda: is_capturing)
    with watch(model, tmp_path, every=1, strict=True) as recorder:
        for number in range(4):
            is_capturing = number in (1, 2)
            train_once(model, optimizer)
            recorder.register_tensor("ignored", torch.ones(1))
    recording = open_recording(find_recordings(tmp_path)[0])
    assert recording.steps == (0, 1)
    assert recording.step(0).parameters is not None
    assert recording.step(1).parameters is not None
