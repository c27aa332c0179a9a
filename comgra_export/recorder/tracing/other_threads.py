"""Whether parts of a step ran in other threads than its own, in which neither calls nor functions are watched."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from typing import TypeVar

from torch import Tensor
from torch.autograd.graph import Node

from comgra_export.recorder.host.autograd import Edge, edge_to, is_leaf_node, variable_of
from comgra_export.recorder.host.torch_internals import sequence_number_of
from comgra_export.recorder.tracing.search import TracedValue

__all__ = ["OtherThreads", "is_numbered_apart", "sources_of"]

_AnyValue = TypeVar("_AnyValue", bound=TracedValue)

# If the memory of a view was changed, PyTorch makes its operation anew when something takes the view.
_MADE_LATE = ("AsStridedBackward0", "ViewAsRealBackward0", "ViewAsComplexBackward0", "ConjBackward0", "NegViewBackward0")

_MAX_NAMES = 5


class OtherThreads:
    """What is known of other threads in one step. It may be used from any of them.

    Attributes:
        have_computed: Whether operations of autograd were made in them. Every thread numbers its own, so that the number of an operation
            does not identify it any more.
    """

    def __init__(self) -> None:
        self.have_computed = False
        self._called: dict[str, None] = {}
        self._named: set[str] = set()
        self._looked_at: set[Edge] = set()

    def note_call(self, module: str, is_grad_enabled: bool) -> None:
        """Takes note of a call of a watched module, and whether gradients are turned on in that thread."""
        self._called[module] = None
        self.have_computed = self.have_computed or is_grad_enabled

    def take_called(self) -> str:
        """The names of the modules that were called, in words and without those that it has returned before; empty if there are none."""
        names = [name for name in list(self._called) if name not in self._named]
        self._named.update(names)
        more = f" and {len(names) - _MAX_NAMES} more" if len(names) > _MAX_NAMES else ""
        return ", ".join(names[:_MAX_NAMES]) + more

    def may_have_made(self, node: Node, seen: Container[int]) -> bool:
        """Whether an operation that was not seen may be one of another thread. It may, once any other thread is known to have made one.

        `seen` has the `result_key` of everything that was seen.
        """
        waiting = [node]
        while waiting and not self.have_computed:
            after = waiting.pop()
            for before, output in after.next_functions:
                if before is None or is_leaf_node(before):
                    continue
                edge = edge_to(before, output)
                if is_numbered_apart(after, before):
                    self.have_computed = True
                elif edge not in self._looked_at and edge[1] not in seen:
                    self._looked_at.add(edge)
                    waiting.append(before)
        return self.have_computed


def sources_of(node: Node, results: Mapping[tuple[Node, int], _AnyValue], leaf: Callable[[Tensor], _AnyValue]) -> tuple[_AnyValue, ...]:
    """What an operation was computed from, in any thread."""
    sources: dict[_AnyValue, None] = {}
    waiting, seen = [node], {node}
    while waiting:
        for before, output in waiting.pop().next_functions:
            if before is None:
                continue
            value = leaf(variable_of(before)) if is_leaf_node(before) else results.get((before, output))
            if value is not None:
                sources[value] = None
            elif before not in seen:
                seen.add(before)
                waiting.append(before)
    return tuple(sources)


def is_numbered_apart(node: Node, before: Node) -> bool:
    """Whether an operation shows that another thread than its own has made what it takes.

    Within a thread, an operation has a greater number than those that made what it takes. That of another thread may have one too. `before`
    is an operation that made what it takes.
    """
    return sequence_number_of(before) >= sequence_number_of(node) and not is_leaf_node(before) and type(before).__name__ not in _MADE_LATE
