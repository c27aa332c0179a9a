"""What is known of the tensors of a step and of their memory, none of which is kept alive."""

from __future__ import annotations

from collections import deque
from typing import Any
from weakref import ref

from torch import Tensor
from torch.autograd.graph import Node

from comgra_export.recorder.host.held_records import free_records, hold_record
from comgra_export.recorder.host.torch_internals import is_transform_wrapper, storage_key, unwrap_transformed
from comgra_export.recorder.tracing.values import Value

__all__ = ["Known", "KnownTensors", "Memory"]

_Storage = Any


class Memory:
    """A storage that is or was in use.

    As long as it lives, PyTorch gives the address that identifies the storage to no other one.

    Attributes:
        writes: What was written to it: the value, and which family of views it was written through.
        is_new: Whether it came into use in a call that was seen. What comes from elsewhere may be a large array of unrelated parts.
        last: The last value that was seen to be in it, if it is new.
    """

    __slots__ = ("__weakref__", "is_new", "last", "writes")

    def __init__(self, storage: _Storage, is_new: bool) -> None:
        hold_record(self, storage)
        self.writes: list[tuple[Value, int]] = []
        self.is_new = is_new
        self.last: Value | None = None


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

    What is known of a tensor goes when the next one comes: a step makes many thousands, and the garbage collector would look at what is
    left of each.

    Attributes:
        by_id: By the identity of the tensor. What is known of a tensor that has just gone may still be there.
    """

    def __init__(self) -> None:
        self.by_id: dict[int, Known] = {}
        # A tensor that goes, in any thread, runs no Python code: an interrupt in it would be swallowed.
        self._gone: deque[Known] = deque()
        self._memories: dict[int, Memory] = {}

    def keep(self, tensor: Tensor, value: Value, memory: Memory | None) -> None:
        """Takes note of what a tensor holds now."""
        while self._gone:
            gone = self._gone.pop()
            if self.by_id.get(gone.key) is gone:
                del self.by_id[gone.key]
        known = Known(tensor, self._gone.append)
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
        self._gone.clear()
        self._memories.clear()
        free_records()
