"""The tracer that follows PyTorch's autograd graph."""

from __future__ import annotations

from torch import Tensor
from torch.autograd.graph import Node

from comgra_export.recorder.host.autograd import is_leaf_node, keeper_of, variable_of
from comgra_export.recorder.host.torch_internals import version_of
from comgra_export.recorder.tracing.search import ONLY_AUTOGRAD, Dependencies, Place, Search, TracedValue, Tracer
from comgra_export.storage.model.layout import SourceLine

__all__ = ["AutogradTracer"]


class AutogradValue(TracedValue):
    """A certain output of an operation of autograd, or a leaf."""

    __slots__ = ("node", "sources", "tensor", "version")

    def __init__(self, node: Node | None, tensor: Tensor | None) -> None:
        super().__init__()
        # Python hands out the addresses of dead objects again, so a value keeps alive what identifies it.
        self.node = node
        self.tensor = tensor
        self.version = None if tensor is None else version_of(tensor)
        self.sources: list[AutogradValue] = []


class AutogradTracer(Tracer[AutogradValue]):
    """Reads the dependencies from autograd's graph. It costs nothing while the network runs, and sees only what carries gradients."""

    def __init__(self) -> None:
        self._outputs: dict[tuple[Node, int], AutogradValue] = {}
        self._leaves: dict[int, AutogradValue] = {}
        self._unknown_leaves: set[int] = set()
        # Registered leaves that required no gradient: a graph that they have by now was made later.
        self._may_get_graph: list[Tensor] = []
        self._has_new = False
        self._keepers: list[Node] = []
        self._search = Search(self._predecessors)

    def forget(self) -> None:
        """As `Tracer.forget`. The search refers back to this tracer, so what it knows must not wait for the garbage collector."""
        self._outputs.clear()
        self._leaves.clear()
        self._may_get_graph.clear()
        self._keepers.clear()
        self._search.forget()

    def value_of(self, tensor: Tensor) -> AutogradValue:
        """As `Tracer.value_of`."""
        if tensor.grad_fn is not None:
            key = (tensor.grad_fn, tensor.output_nr)
            if key not in self._outputs:
                self._outputs[key] = self._with_graph(tensor) or AutogradValue(tensor.grad_fn, None)
                if (keeper := keeper_of(tensor)) is not None:
                    self._keepers.append(keeper)
            return self._outputs[key]
        if id(tensor) not in self._leaves:
            self._leaves[id(tensor)] = AutogradValue(None, tensor)
            if id(tensor) in self._unknown_leaves:
                self._start_anew()
        return self._leaves[id(tensor)]

    def _with_graph(self, tensor: Tensor) -> AutogradValue | None:
        """The value of a tensor that was registered as a leaf, and got a graph without a change of its values.

        That is what a `torch.autograd.Function`, such as a reentrant checkpoint, does with the tensors that it returns.
        """
        value = self._leaves.get(id(tensor))
        if value is None or value.number is None or value.version is None or value.version != version_of(tensor):
            return None
        value.node = tensor.grad_fn
        self._start_anew()
        return value

    def value_to_register(self, tensor: Tensor) -> AutogradValue:
        """As `Tracer.value_to_register`."""
        value = self.value_of(tensor)
        if value.tensor is None or value.number is None or (value.version is not None and value.version == version_of(tensor)):
            return value
        self._leaves[id(tensor)] = changed = AutogradValue(None, tensor)
        self._start_anew()
        return changed

    def register(self, value: AutogradValue, number: int) -> None:
        """As `Tracer.register`."""
        if value in self._search or value.node in self._search:
            self._start_anew()
        value.number = number
        self._search.stop_at(value, number)
        self._has_new = True
        if value.tensor is not None and not value.tensor.requires_grad:
            self._may_get_graph.append(value.tensor)

    def connect(self, source: AutogradValue, sink: AutogradValue) -> None:
        """As `Tracer.connect`."""
        if source not in sink.sources:
            sink.sources.append(source)
            self._start_anew()

    def direct_dependencies(self, value: AutogradValue, name: str) -> Dependencies:
        """As `Tracer.direct_dependencies`."""
        # Nothing is computed while an iteration ends, so that looking once is enough.
        if self._has_new:
            self._has_new = False
            for tensor in self._may_get_graph:
                if tensor.grad_fn is not None:
                    self.value_of(tensor)
        return self._search.direct_dependencies(value, name)

    def tensor_of(self, value: AutogradValue) -> Tensor | None:
        """As `Tracer.tensor_of`. Results are not known."""
        return value.tensor if value.tensor is not None and value.version == version_of(value.tensor) else None

    def operation(self, tensor: Tensor) -> str | None:
        """As `Tracer.operation`."""
        return None if tensor.grad_fn is None else tensor.grad_fn.name()

    def made_at(self, tensor: Tensor) -> SourceLine | None:  # noqa: ARG002
        """As `Tracer.made_at`. Calls are not seen."""
        return None

    def _start_anew(self) -> None:
        self._search.start_anew()
        self._unknown_leaves.clear()

    def _predecessors(self, place: Place) -> list[tuple[Place, bool]]:
        if isinstance(place, AutogradValue):
            before: list[tuple[Place, bool]] = [(source, False) for source in place.sources]
            if place.node is not None:
                return [(place.node, True), *before]
            # What the user has connected is known, and nothing comes before a parameter.
            is_beginning = before or (place.tensor is not None and place.tensor.requires_grad)
            return before if is_beginning else [(ONLY_AUTOGRAD, True)]
        assert not isinstance(place, TracedValue)
        return [(ONLY_AUTOGRAD if node is None else self._before(node, output), True) for node, output in place.next_functions]

    def _before(self, node: Node, output: int) -> Place:
        if not is_leaf_node(node):
            return self._outputs.get((node, output), node)
        leaf = variable_of(node)
        known = self._leaves.get(id(leaf))
        if known is None:
            self._unknown_leaves.add(id(leaf))
        return known or node
