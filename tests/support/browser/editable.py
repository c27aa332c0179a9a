"""A recording of a small network whose inputs can be edited, and what its inputs hold."""

from __future__ import annotations

from pathlib import Path

import torch

from comgra_export import ComgraRecorder

__all__ = ["BATCH", "SAMPLES", "image", "numbers", "planes", "record_inputs"]

BATCH = 4
SAMPLES = 2


def image() -> torch.Tensor:
    """An input of vnittest's own test: 1 at [2, 5] and [2, 6], and 0 elsewhere."""
    made = torch.zeros(8, 12)
    made[2, 5:7] = 1
    return made


def planes() -> torch.Tensor:
    """Nine channels of 8 x 8, for each sample of a batch."""
    return torch.arange(BATCH * 9 * 8 * 8, dtype=torch.float32).reshape(BATCH, 9, 8, 8) / 1000


def numbers() -> torch.Tensor:
    """Whole numbers that no float64 holds."""
    return torch.tensor([2**62 + 1, 0, -3])


def record_inputs(root: Path, trial: str = "first", factor: float = 1.0) -> Path:
    """Record one step with inputs of several shapes and dtypes; return the group's folder."""
    recorder = ComgraRecorder(root, group="inputs", trial_id=trial, max_num_batch_size_to_record=SAMPLES)
    with recorder, recorder.batch(0, BATCH), recorder.iteration():
        given, channels = image(), planes()
        recorder.register_tensor("image", given, index_of_batch_dimension=None, is_input=True)
        recorder.register_tensor("planes", channels, is_input=True)
        whole, half = numbers(), torch.tensor([[0.5, -2.0]]).bfloat16()
        recorder.register_tensor("numbers", whole, index_of_batch_dimension=None, is_input=True)
        recorder.register_tensor("half", half, index_of_batch_dimension=None, is_input=True)
        recorder.register_tensor("product", given * factor, index_of_batch_dimension=None)
        recorder.register_tensor("sums", channels.sum(dim=(2, 3)))
        recorder.register_tensor("used", whole.sum() + half.sum())
    return root / "inputs"
