"""Results on their way to the CPU."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from comgra_export.recorder.numbers.transfer import Transfer


def test_what_is_on_the_cpu_stays_what_it_is() -> None:
    tensors = [torch.ones(2, 3), torch.zeros(4, dtype=torch.int64)]
    transfer = Transfer(tensors)
    assert transfer.size == 6 * 4 + 4 * 8
    assert all(arrived is tensor for arrived, tensor in zip(transfer.wait(), tensors, strict=True))


def test_everything_of_a_dtype_travels_together(monkeypatch: pytest.MonkeyPatch) -> None:
    copied = []

    def copy(_: torch.device, together: Tensor) -> Tensor:
        copied.append((together.dtype, together.numel()))
        return torch.arange(together.numel()).to(together.dtype)

    # Tensors without values stand for those of another device.
    monkeypatch.setattr(Transfer, "_copy", staticmethod(copy))
    shapes = [((2, 3), torch.float32), ((2,), torch.int64), ((0, 5), torch.float32), ((4, 1), torch.float32)]
    tensors = [torch.empty(shape, dtype=dtype, device="meta") for shape, dtype in shapes]
    transfer = Transfer([*tensors, torch.full((1,), 7.0)])
    assert copied == [(torch.float32, 10), (torch.int64, 2)]
    for _ in range(2):
        arrived = transfer.wait()
        assert [(tuple(tensor.shape), tensor.dtype) for tensor in arrived[:-1]] == shapes
        assert [tensor.tolist() for tensor in arrived] == [[[0, 1, 2], [3, 4, 5]], [0, 1], [], [[6], [7], [8], [9]], [7]]


@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no CUDA device here")
def test_a_copy_from_cuda_is_pinned_and_waits_for_nothing() -> None:
    tensors = [torch.arange(6.0, device="cuda").view(2, 3), torch.arange(4, device="cuda")]
    torch.cuda.set_sync_debug_mode("error")
    try:
        transfer = Transfer(tensors)
    finally:
        torch.cuda.set_sync_debug_mode("default")
    arrived = transfer.wait()
    assert [tensor.tolist() for tensor in arrived] == [[[0, 1, 2], [3, 4, 5]], [0, 1, 2, 3]]
    assert all(tensor.is_pinned() for tensor in arrived)
