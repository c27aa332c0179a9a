"""The address and the size of the memory of tensors."""

from __future__ import annotations

import torch
from torch import Tensor

from comgra_export.recorder.host.torch_internals import local_tensor, values_of_sparse

__all__ = ["Memory", "bytes_of", "memory_of"]

Memory = tuple[int, int]
"""The address of the first byte, and how many bytes there are."""


def memory_of(tensor: Tensor) -> Memory | None:
    """The memory of a tensor, which it shares with its views; None if it has none.

    Raises:
        RuntimeError: It is a tensor that wraps others in a way that is not known.
    """
    if tensor.layout == torch.sparse_coo:
        tensor = values_of_sparse(tensor)
    # A `DTensor` has no memory of its own.
    tensor = local_tensor(tensor)
    if tensor.layout != torch.strided:
        return None
    storage = tensor.untyped_storage()
    address = storage.data_ptr()
    return (address, storage.nbytes()) if address else None


def bytes_of(tensor: Tensor) -> int:
    """How many bytes the values of a tensor take."""
    return tensor.numel() * tensor.element_size()
