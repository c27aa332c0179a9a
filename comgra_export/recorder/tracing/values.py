"""What tensors held, and were computed from: the places of the graph that is traced."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torch import Tensor
from torch.autograd.graph import Node

from comgra_export.recorder.tracing.search import TracedValue
from comgra_export.storage.model.layout import SourceLine

__all__ = ["Inputs", "Value"]


class Value(TracedValue):
    """What a tensor holds between two changes in place.

    There is one for every result of every function, so they are small.

    Attributes:
        sources: What it was computed from.
        carrying: A bit for the position of each of those from which gradients flow.
        operation: Name of the function that made it, if one was seen.
        made_at: The line of the project that called this function, if lines are recorded.
        requires_grad: Whether the tensor required a gradient.
        is_changed_through_others: Whether the tensor was changed through others that share its memory.
        node: Where the graph of autograd goes on; None if all of it was seen.
        kind: The class of the operation of autograd that made it.
        version: The tensor's version when this was registered.
        hidden: What may come before it besides: `UNSEEN`, `OUTSIDE`, `ONLY_AUTOGRAD` or None. `UNSEEN` only counts if it is registered.
    """

    __slots__ = (
        *("carrying", "hidden", "is_changed_through_others", "kind", "made_at", "node", "operation", "requires_grad", "sources"),
        "version",
    )

    def __init__(
        self, sources: tuple[Value, ...], carrying: int, operation: str | None, requires_grad: bool, made_at: SourceLine | None = None
    ) -> None:
        self.number = self.kind = self.node = self.version = self.hidden = None
        self.is_used = self.is_changed_through_others = False
        self.sources = sources
        self.carrying = carrying
        self.operation = operation
        self.requires_grad = requires_grad
        self.made_at = made_at

    if TYPE_CHECKING:
        kind: type[Node] | None
        node: Node | None
        hidden: TracedValue | None
        version: int | None


class Inputs:
    """The tensors that a function was called with, as they were before the call.

    Attributes:
        values: What they held.
        carrying: A bit for the position of each to which gradients can flow.
        called_at: The line of the project that makes the call; None if it is not known.
    """

    __slots__ = ("called_at", "carrying", "tensors", "values")

    def __init__(self, tensors: list[Tensor], values: tuple[Value, ...], carrying: int) -> None:
        self.tensors = tensors
        self.values = values
        self.carrying = carrying
        self.called_at: SourceLine | None = None

    def require_gradients(self) -> bool:
        """Whether autograd follows what is computed from them."""
        return any(tensor.requires_grad for tensor in self.tensors)
