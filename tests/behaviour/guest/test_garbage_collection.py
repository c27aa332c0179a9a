"""How many objects a step keeps per tensor. Python's garbage collector visits all of them while the training waits."""

from __future__ import annotations

import gc
from pathlib import Path

import torch
from torch import nn

from comgra_export import ComgraRecorder


def test_a_step_keeps_few_objects_of_each_tensor(tmp_path: Path) -> None:
    tensors = 2_000
    layer = nn.Linear(8, 8)
    with ComgraRecorder(tmp_path) as recorder:
        kept = []
        for step in (0, 1):
            with recorder.batch(step, 4, override__recording_is_active=True), recorder.iteration():
                tensor = layer(torch.ones(4, 8))
                gc.collect()
                before = len(gc.get_objects())
                for link in range(tensors):
                    tensor = tensor * 0.999
                    recorder.register_tensor(f"link_{link}", tensor)
                gc.collect()
                kept.append(len(gc.get_objects()) - before)
    # Objects known by their name are kept from step to step, so the first step makes more. For each tensor, PyTorch itself needs the
    # operation, a dictionary of hooks, a weak reference to it, and the hook.
    assert kept[1] < 9 * tensors
