"""What is known of the tensors of a step and of their memory, none of which is kept alive."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from weakref import ref

from torch import Tensor
from torch.autograd.graph import Node

from comgra_export.recorder.host.torch_internals import (
    free_weak_storage,
    is_transform_wrapper,
    storage_key,
    unwrap_transformed,
    weak_storage,
)
from comgra_export.recorder.tracing.values import Value

__all__ = ["Known", "KnownTensors", "Memory"]

_Storage = Any


class Memory:
    """A storage that is or was in use.

    The weak reference keeps PyTorch from giving the address that identifies the storage to another one.

    Attributes:
        writes: What was written to it: the value, and which family of views it was written through.
        is_new: Whether it came into use in a call that was seen. What comes from elsewhere may be a large array of unrelated parts.
        last: The last value that was seen to be in it, if it is new.
    """

    __slots__ = ("_reference", "is_new", "last", "writes")

    def __init__(self, storage: _Storage, is_new: bool) -> None:
        self._reference = weak_storage(storage)
        self.writes: list[tuple[Value, int]] = []
        self.is_new = is_new
        self.last: Value | None = None

    def __del__(self) -> None:
        free_weak_storage(self._reference)


class Known(ref[Tensor]):
    """What is known of a tensor: its value, and how much that was written to its memory it accounts for.

    `memory` is None as long as nothing else can have it. `key` is the tensor's identity.
    """

    __slots__ = ("key", "memory", "seen", "value")

    key: int
    memory: Memory | None
    seen: int
    value: Value


class KnownTensors:
    """What is known of the tensors that are there.

    What is known of a tensor goes with it: a step makes many thousands, and the garbage collector would look at what is left of each.

    Attributes:
        by_id: By the identity of the tensor.
    """

    def __init__(self) -> None:
        self.by_id: dict[int, Known] = {}
        self._forget = _forgetting(self.by_id)
        self._memories: dict[int, Memory] = {}

    def keep(self, tensor: Tensor, value: Value, memory: Memory | None) -> None:
        """Takes note of what a tensor holds now."""
        known = Known(tensor, self._forget)
        known.key = key = id(tensor)
        known.value = value
        known.memory = memory
        known.seen = 0 if memory is None else len(memory.writes)
        self.by_id[key] = known

    def results(self) -> dict[tuple[Node, int], Value]:
        """What the tensors hold that autograd has made and that are up to date, by the operation and which of its outputs they are."""
        results: dict[tuple[Node, int], Value] = {}
        for known in list(self.by_id.values()):
            tensor = known()
            # PyTorch would bring the operation of others up to date, which is not ours to cause.
            if tensor is not None and known.value.requires_grad and (known.memory is None or known.seen == len(known.memory.writes)):
                node = tensor.grad_fn
                if node is not None:
                    results[node, tensor.output_nr] = known.value
        return results

    def memory_of(self, tensor: Tensor, is_new: bool) -> Memory | None:
        """The memory of a tensor; None if it has none of its own.

        With `is_new`, memory that was not known before came into use in a call that was seen.
        """
        while is_transform_wrapper(tensor):
            tensor = unwrap_transformed(tensor)
        try:
            storage = tensor.untyped_storage()
            address = storage_key(storage)
        except (RuntimeError, NotImplementedError, AttributeError):  # Sparse tensors, and those that wrap others.
            return None
        memory = self._memories.get(address)
        if memory is None:
            memory = self._memories[address] = Memory(storage, is_new)
        return memory

    def forget_all(self) -> None:
        """Lets go of everything: the step is over."""
        self.by_id.clear()
        self._memories.clear()


def _forgetting(by_id: dict[int, Known]) -> Callable[[Known], None]:
    """What is called when a tensor goes, in any thread. It refers to nothing but the dictionary."""

    def forget(gone: Known) -> None:
        if by_id.get(gone.key) is gone:
            by_id.pop(gone.key, None)

    return forget
