"""Keeps the values that large tensors have now. They are copied only when somebody is about to overwrite them."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Generic, TypeVar

from torch import Tensor

from comgra_export.recorder.host.memory import Memory, bytes_of, memory_of
from comgra_export.recorder.host.torch_internals import version_of

__all__ = ["HELD_BYTES", "LARGE_TENSOR", "Held", "HeldValues"]

_Key = TypeVar("_Key", bound=Hashable)

LARGE_TENSOR = 65_536
"""Number of values above which a tensor is not copied when it is added."""

HELD_BYTES = 200_000_000
"""How much may be held. So much fits beside a training that fills a machine with little memory."""

_NOWHERE: Memory = (0, 0)


class Held:
    """A tensor whose values are kept.

    Attributes:
        tensor: The memory of the user's tensor, or a copy of it.
        bytes: How much memory it takes.
    """

    __slots__ = ("_memory", "_version", "bytes", "tensor")

    def __init__(self, tensor: Tensor) -> None:
        self.tensor = tensor
        self.bytes = bytes_of(tensor)
        # A storage that was freed temporarily has no address. Still, it is not a copy.
        self._memory: Memory | None = memory_of(tensor) or _NOWHERE
        self._version = version_of(tensor)

    @property
    def address(self) -> int | None:
        """Where the user's memory begins that the tensor refers to; None for a copy."""
        return None if self._memory is None else self._memory[0]

    def copy(self) -> None:
        """Copies the values, if they are still there."""
        if self._memory is not None and self.is_unchanged():
            self.tensor = self.tensor.clone()
            self._memory = None

    def is_unchanged(self) -> bool:
        """Whether these are still the values that were to be kept."""
        if self._memory is None:
            return True
        # A storage that was freed or resized has no values, and no new version either.
        return self._version == version_of(self.tensor) and self._memory == (memory_of(self.tensor) or _NOWHERE)


class HeldValues(Generic[_Key]):
    """The tensors that are held, in the order in which they came.

    Attributes:
        bytes: How much memory they take.
        peak: The most memory that they took.
    """

    def __init__(self) -> None:
        self.bytes = self.peak = 0
        self._by_key: dict[_Key, Held] = {}
        self._by_address: dict[int, list[Held]] = {}

    def hold(self, key: _Key, tensor: Tensor) -> None:
        """Keeps the values of a tensor."""
        held = self._by_key[key] = Held(tensor)
        if version_of(tensor) is None:
            held.copy()
        elif held.address is not None:
            self._by_address.setdefault(held.address, []).append(held)
        self.count(held.bytes)

    def count(self, size: int) -> None:
        """Counts memory that is held elsewhere. A negative size means that it was released."""
        self.bytes += size
        if self.bytes > self.peak:  # Called for every tensor: `max` takes three times as long.
            self.peak = self.bytes

    def before_overwrite(self, tensors: Iterable[Tensor]) -> None:
        """Copies the tensors that are held in the memory of these tensors."""
        if self._by_address:
            for tensor in tensors:
                try:
                    memory = memory_of(tensor)
                except RuntimeError:  # A tensor whose memory is unknown is not held either.
                    continue
                for held in () if memory is None else self._by_address.pop(memory[0], ()):
                    held.copy()

    def oldest(self) -> _Key | None:
        """The key of the tensor that came first."""
        return next(iter(self._by_key), None)

    def take(self, key: _Key) -> Tensor:
        """Returns a tensor and no longer holds it.

        Raises:
            RuntimeError: Its values have changed.
        """
        held = self._by_key.pop(key)
        self.count(-held.bytes)
        if held.address is not None and held in (others := self._by_address.get(held.address, [])):
            others.remove(held)
        if not held.is_unchanged():
            raise RuntimeError("its memory was overwritten before the decision to record this step")
        return held.tensor

    def held(self) -> list[_Key]:
        """The keys of all tensors that are held."""
        return list(self._by_key)
