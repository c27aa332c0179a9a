"""Tensors without values in memory become gaps, and the process goes on."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor
from torch._subclasses import FakeTensorMode

from comgra_export import ComgraRecorder, ComgraRecordingWarning
from support.recorder.fixtures import MakeRecorder
from support.recorder.reading import read_gaps, read_records

SHAPE = (4, 50_000)


def freed(recorder: ComgraRecorder) -> None:
    tensor = torch.rand(SHAPE)
    tensor.untyped_storage().resize_(0)
    register(recorder, tensor)


def freed_before_it_was_decided(recorder: ComgraRecorder) -> None:
    tensor = torch.rand(SHAPE)
    register(recorder, tensor)
    tensor.untyped_storage().resize_(0)


def fake(recorder: ComgraRecorder) -> None:
    with FakeTensorMode():
        register(recorder, torch.rand(SHAPE))


def fake_outside_of_its_mode(recorder: ComgraRecorder) -> None:
    with FakeTensorMode():
        tensor = torch.rand(SHAPE)
    register(recorder, tensor)


def real_within_a_mode_that_makes_fake_ones(recorder: ComgraRecorder) -> None:
    tensor = torch.rand(SHAPE)
    with FakeTensorMode(allow_non_fake_inputs=True):
        register(recorder, tensor)


def zeros_of_forward_mode(recorder: ComgraRecorder) -> None:
    register(recorder, torch._efficientzerotensor(SHAPE))


def register(recorder: ComgraRecorder, tensor: Tensor) -> None:
    recorder.register_tensor("x", tensor, recording_type="kpis")


@pytest.mark.parametrize(
    "case",
    [freed, freed_before_it_was_decided, fake, fake_outside_of_its_mode, real_within_a_mode_that_makes_fake_ones, zeros_of_forward_mode],
    ids=lambda case: case.__name__,
)
def test_it_is_a_gap(case: Callable[[ComgraRecorder], None], make_recorder: MakeRecorder) -> None:
    recorder = make_recorder(strict=False)
    with pytest.warns(ComgraRecordingWarning, match="the tensor 'x'"):
        record(recorder, case)
    assert [gap.tensor for gap in read_gaps(recorder)] == ["x"]
    assert not read_records(recorder)


def record(recorder: ComgraRecorder, case: Callable[[ComgraRecorder], None]) -> None:
    is_decided_later = case is freed_before_it_was_decided
    with recorder.batch(0, 4, type_of_execution=None if is_decided_later else "training"), recorder.iteration():
        case(recorder)
        if is_decided_later:
            recorder.decide_recording_of_batch("training")
    recorder.finalize()


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.int64], ids=str)
@pytest.mark.parametrize("shape", [(4, 5), SHAPE], ids=str)
@pytest.mark.parametrize("recording_type", ["kpis", "neuron"])
def test_no_operation_of_torch_reads_memory_that_was_freed(
    make_recorder: MakeRecorder, dtype: torch.dtype, shape: tuple[int, ...], recording_type: str
) -> None:
    # torch does, and the process ends.
    recorder = make_recorder(strict=False, sentinels=True)
    whole = torch.ones(5, *shape[1:], dtype=dtype)
    tensors = {"first rows": whole[:-1], "from the second row on": whole[1:], "columns": whole[1:, 1:3]}
    whole.untyped_storage().resize_(0)
    with pytest.warns(ComgraRecordingWarning, match="its memory was freed"):
        register_all(recorder, tensors, recording_type)
    recorder.finalize()
    assert {gap.tensor: gap.reason for gap in read_gaps(recorder)} == dict.fromkeys(tensors, "its memory was freed")
    assert not read_records(recorder)


def register_all(recorder: ComgraRecorder, tensors: dict[str, Tensor], recording_type: str) -> None:
    with recorder.batch(0, 4), recorder.iteration():
        for name, tensor in tensors.items():
            recorder.register_tensor(name, tensor, recording_type=recording_type)
