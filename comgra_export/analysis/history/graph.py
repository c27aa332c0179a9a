"""What was computed from what in one step, over all of its iterations."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from comgra_export.analysis.history.series import TensorKey
from comgra_export.storage import ShownTensor, Structure
from comgra_export.storage.text.json_codec import damaged

__all__ = ["StepGraph", "graph_of"]


@dataclass(frozen=True)
class StepGraph:
    """A directed graph of tensors without circles. Names that share a record are one node.

    Attributes:
        shown: How the structure shows each node.
        parents: What each was computed from directly, in the order of the structure.
        cut: Edges (from, to) through which values flow and no gradient.
    """

    shown: Mapping[TensorKey, ShownTensor] = field(default_factory=dict)
    parents: Mapping[TensorKey, tuple[TensorKey, ...]] = field(default_factory=dict)
    cut: frozenset[tuple[TensorKey, TensorKey]] = frozenset()

    @cached_property
    def children(self) -> Mapping[TensorKey, tuple[TensorKey, ...]]:
        """What was computed directly from each."""
        children: dict[TensorKey, list[TensorKey]] = {key: [] for key in self.shown}
        for key, parents in self.parents.items():
            for parent in parents:
                children[parent].append(key)
        return {key: tuple(others) for key, others in children.items()}

    @cached_property
    def depth(self) -> Mapping[TensorKey, int]:
        """How many edges the longest way to each node has: what a node was computed from has a smaller depth."""
        depth: dict[TensorKey, int] = {}
        waiting = {key: len(self.parents.get(key, ())) for key in self.shown}
        ready = deque(key for key, count in waiting.items() if not count)
        while ready:
            key = ready.popleft()
            depth[key] = max((depth[parent] + 1 for parent in self.parents.get(key, ())), default=0)
            for child in self.children[key]:
                waiting[child] -= 1
                if not waiting[child]:
                    ready.append(child)
        return depth

    def ancestors(self, key: TensorKey) -> frozenset[TensorKey]:
        """All that a tensor was computed from, at any distance, without itself."""
        return self.reached(self.parents.get(key, ()), self.parents)

    def descendants(self, key: TensorKey) -> frozenset[TensorKey]:
        """All that was computed from a tensor, at any distance, without itself."""
        return self.reached(self.children.get(key, ()), self.children)

    def with_gradient(self, roots: Iterable[TensorKey]) -> frozenset[TensorKey]:
        """All tensors from which a gradient can flow back from the roots, which belong to it."""
        return self.reached(self.shown.keys() & set(roots), self._parents_with_gradient)

    @cached_property
    def _parents_with_gradient(self) -> Mapping[TensorKey, tuple[TensorKey, ...]]:
        return {key: tuple(other for other in others if (other, key) not in self.cut) for key, others in self.parents.items()}

    @staticmethod
    def reached(starts: Iterable[TensorKey], neighbours: Mapping[TensorKey, tuple[TensorKey, ...]]) -> frozenset[TensorKey]:
        """The starts, and all that can be reached from them."""
        reached: set[TensorKey] = set()
        waiting = list(starts)
        while waiting:
            key = waiting.pop()
            if key not in reached:
                reached.add(key)
                waiting.extend(neighbours.get(key, ()))
        return frozenset(reached)


def graph_of(structures: Sequence[Structure]) -> StepGraph:
    """Puts the graphs of the iterations of a step together. Tensors of earlier iterations are the same nodes in later ones.

    Raises:
        DamagedRecordingError: Tensors are computed from one another in a circle.
    """
    shown: dict[TensorKey, ShownTensor] = {}
    parents: dict[TensorKey, dict[TensorKey, None]] = {}
    cut: set[tuple[TensorKey, TensorKey]] = set()
    for structure in structures:
        keys = [TensorKey(tensor.record_name, tensor.record_iteration) for tensor in structure.tensors]
        for key, tensor in zip(keys, structure.tensors, strict=True):
            shown.setdefault(key, tensor)
        without_gradient = set(structure.without_gradient)
        for position, (source, target) in enumerate(structure.dependencies):
            if keys[source] == keys[target]:
                continue
            parents.setdefault(keys[target], {})[keys[source]] = None
            if position in without_gradient:
                cut.add((keys[source], keys[target]))
    graph = StepGraph(shown, {key: tuple(others) for key, others in parents.items()}, frozenset(cut))
    stuck = next((key for key in shown if key not in graph.depth), None)
    if stuck is not None:
        what = f"its tensors are computed from one another in a circle, and {stuck.name!r} is in it or behind it"
        raise damaged("A dependency graph", what)
    return graph
