"""Which registered tensors depend directly on which, traced while the functions are called that make them."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from torch import Tensor
from torch.autograd.graph import Node

from comgra_export.recorder.host.autograd import is_leaf_node, keeper_of, variable_of
from comgra_export.recorder.host.torch_internals import base_of, is_transform_wrapper, is_view, result_key, unwrap_transformed, version_of
from comgra_export.recorder.tracing.known_tensors import Known, KnownTensors
from comgra_export.recorder.tracing.other_threads import OtherThreads, sources_of
from comgra_export.recorder.tracing.search import ONLY_AUTOGRAD, OUTSIDE, UNSEEN, Dependencies, Place, Search, TracedValue, Tracer
from comgra_export.recorder.tracing.values import Inputs, Value
from comgra_export.storage.model.layout import SourceLine

__all__ = ["DataFlowTracer"]

# They make tensors of plain values.
_OF_PLAIN_VALUES = frozenset({"tensor", "as_tensor", "asarray", "new_tensor"})


class DataFlowTracer(Tracer[Value]):
    """The dependency graph of one training step, as the functions that were called made it.

    The code that watches the calls hands over what went into each and what came out: `inputs`, then the call, then `record_result` and
    `record_write`. The tracer follows a tensor that comes from elsewhere back through autograd's graph, as far as it has one. It keeps no
    tensor alive.

    Attributes:
        have_values_left: Whether an array or a list has been made of a tensor, so that what is made of such may depend on it.
    """

    def __init__(self, other_threads: OtherThreads) -> None:
        self.have_values_left = False
        self._other_threads = other_threads
        self._known = KnownTensors()
        self._results: dict[int, Value] = {}
        self._keepers: list[Node] = []
        self._search = Search(self._predecessors)

    def value_of(self, tensor: Tensor) -> Value:
        """As `Tracer.value_of`."""
        known = self._known.by_id.get(id(tensor))
        if known is None or known() is not tensor:
            return self._meet(tensor)
        value = known.value
        if known.memory is not None and known.seen != len(known.memory.writes):
            value = self._catch_up(tensor, known)
        if not value.requires_grad and tensor.requires_grad:
            value = self._follow_graph(tensor, value)
        return value

    def value_to_register(self, tensor: Tensor) -> Value:
        """As `Tracer.value_to_register`."""
        value = self.value_of(tensor)
        version = version_of(tensor)
        if value.number is None:
            value.version = version
            return value
        if value.version == version:
            return value
        # A change that was not seen, such as one by a compiled function.
        changed = Value((value,), int(_leads_to_leaf(tensor)), None, tensor.requires_grad)
        changed.version = version
        changed.hidden = UNSEEN
        self._keep(tensor, changed)
        return changed

    def register(self, value: Value, number: int) -> None:
        """As `Tracer.register`."""
        if value in self._search:
            self._search.start_anew()
        value.number = number
        self._search.stop_at(value, number)

    def connect(self, source: Value, sink: Value) -> None:
        """As `Tracer.connect`."""
        if not any(before is source for before in sink.sources):
            sink.sources += (source,)
            if sink.hidden is not ONLY_AUTOGRAD:
                # The user knows what it was made of.
                sink.hidden = None
            self._search.start_anew()

    def direct_dependencies(self, value: Value, name: str) -> Dependencies:
        """As `Tracer.direct_dependencies`."""
        return self._search.direct_dependencies(value, name)

    def tensor_of(self, value: Value) -> Tensor | None:
        """As `Tracer.tensor_of`."""
        holders = (known() for known in list(self._known.by_id.values()) if known.value is value)
        return next((tensor for tensor in holders if tensor is not None and self.value_of(tensor) is value), None)

    def operation(self, tensor: Tensor) -> str | None:
        """As `Tracer.operation`."""
        return self.value_of(tensor).operation if tensor.grad_fn is None else tensor.grad_fn.name()

    def made_at(self, tensor: Tensor) -> SourceLine | None:
        """As `Tracer.made_at`."""
        return self.value_of(tensor).made_at

    def inputs(self, tensors: list[Tensor], are_shared: bool = False) -> Inputs:
        """What a function is about to be called with. With `are_shared`, it gives their memory to something that cannot be seen."""
        values, carrying, bit, everything = [], 0, 1, self._known.by_id
        for tensor in tensors:
            known = everything.get(id(tensor))
            # The usual case, without a call: what is known of it has not changed.
            if known is not None and known() is tensor and known.memory is None and (known.value.requires_grad or not tensor.requires_grad):
                value = known.value
            else:
                value = self.value_of(tensor)
            value.is_used = True
            values.append(value)
            if value.requires_grad:
                carrying |= bit
            bit <<= 1
            if are_shared:
                self._share(tensor)
        return Inputs(tensors, tuple(values), carrying)

    def record_result(self, operation: str, inputs: Inputs, result: Tensor, has_twin: bool, may_share: bool) -> None:
        """Takes note of what a function returned. A tensor that it was called with, and returned as it was, is nothing new.

        With `has_twin`, gradients flow to the result although it requires none. With `may_share`, it may share memory with the arguments
        although it is no view of them.
        """
        for tensor in inputs.tensors:
            if tensor is result:
                return
        requires_grad = result.requires_grad
        value = Value(inputs.values, inputs.carrying if requires_grad or has_twin else 0, operation, requires_grad, inputs.called_at)
        if self.have_values_left and operation in _OF_PLAIN_VALUES:
            value.hidden = OUTSIDE
        if may_share or is_view(result):
            for tensor in inputs.tensors:
                self._share(tensor)
            self._keep(result, value)
        else:
            # Nothing else has its memory yet.
            self._known.keep(result, value, None)
        if requires_grad:
            self._note_node(result, value)

    def record_inner(self, result: Tensor, others: Sequence[Tensor], inputs: Inputs, reached: Collection[int]) -> None:
        """Takes note that a function has computed a result from others of its results, and directly only from some of its inputs.

        `reached` has their positions. Inputs through which no gradient flows are kept, since nothing is known of these.
        """
        value = self.value_of(result)
        kept = [position for position in range(len(inputs.values)) if position in reached or not inputs.carrying >> position & 1]
        value.sources = (*map(self.value_of, others), *(inputs.values[position] for position in kept))
        value.carrying = (1 << len(others)) - 1
        for place, position in enumerate(kept, len(others)):
            value.carrying |= (position in reached) << place

    def record_write(self, operation: str, inputs: Inputs, tensor: Tensor, is_kept: bool, carries: bool) -> None:
        """Takes note that a function has changed a tensor in place.

        `is_kept` says whether the new values depend on those before, and `carries` whether gradients flow through it.
        """
        requires_grad = tensor.requires_grad
        to_itself = _leads_to_leaf(tensor)
        sources: list[Value] = []
        carrying = 0
        for position, (source, value) in enumerate(zip(inputs.tensors, inputs.values, strict=True)):
            if source is not tensor:
                flows = carries and not to_itself and inputs.carrying >> position & 1
            elif is_kept or to_itself:
                flows = to_itself or (carries and inputs.carrying >> position & 1)
            else:
                continue
            carrying |= bool(flows) << len(sources)
            sources.append(value)
        value = Value(tuple(sources), carrying, operation, requires_grad, inputs.called_at)
        memory = self._known.memory_of(tensor, is_new=False)
        if memory is not None:
            memory.writes.append((value, _family(tensor)))
        self._keep(tensor, value)
        if requires_grad and not to_itself:
            self._note_node(tensor, value)

    def record_untraced(self, operation: str | None, sources: tuple[Value, ...], tensor: Tensor, made_at: SourceLine | None) -> None:
        """Takes note that a tensor was computed while functions were not watched. If its origin is known, that is nothing new.

        Gradients flow from the sources only if autograd knows of it.
        """
        value = self.value_of(tensor)
        if value.sources or any(value is source for source in sources):
            return
        value.sources = sources
        value.operation = operation
        value.made_at = made_at
        value.hidden = None
        if tensor.requires_grad:
            self._note_node(tensor, value)
        self._search.start_anew()

    def record_rebinding(self, operation: str, inputs: Inputs) -> None:
        """Takes note that the first of some tensors has been given other memory: `x.data = y`, `x.set_(y)`."""
        tensor = inputs.tensors[0]
        self._known.by_id.pop(id(tensor), None)
        self._keep(tensor, Value(inputs.values, int(_leads_to_leaf(tensor)), operation, tensor.requires_grad, inputs.called_at))

    def forget(self) -> None:
        """Lets go of everything: the step is over."""
        self._known.forget_all()
        self._results.clear()
        self._keepers.clear()
        self.have_values_left = False
        self._search.forget()

    def _keep(self, tensor: Tensor, value: Value) -> None:
        memory = self._known.memory_of(tensor, is_new=True)
        if memory is not None and memory.is_new:
            memory.last = value
        self._known.keep(tensor, value, memory)

    def _keep_node(self, tensor: Tensor) -> None:
        if (keeper := keeper_of(tensor)) is not None:
            self._keepers.append(keeper)

    def _share(self, tensor: Tensor) -> None:
        """Others are about to have this tensor's memory."""
        known = self._known.by_id.get(id(tensor))
        if known is None or known() is not tensor or known.memory is not None:
            return
        known.memory = self._known.memory_of(tensor, is_new=True)
        if known.memory is not None and known.memory.is_new and known.memory.last is None:
            known.memory.last = known.value

    def _note_node(self, tensor: Tensor, value: Value) -> None:
        node = tensor.grad_fn
        if node is not None:
            value.kind = type(node)
            self._results[result_key(node, tensor.output_nr)] = value

    def _meet(self, tensor: Tensor) -> Value:
        """A tensor that comes from elsewhere: a leaf, or the result of something that was not seen."""
        sources: tuple[Value, ...] = ()
        carrying, memory = 0, self._known.memory_of(tensor, is_new=False)
        requires_grad = tensor.requires_grad
        if is_transform_wrapper(tensor):
            inner = self.value_of(unwrap_transformed(tensor))
            sources, carrying = (inner,), int(requires_grad and inner.requires_grad)
        elif memory is not None and memory.last is not None:
            # Memory that a known tensor has, by a way that was not seen, such as the end of a transformation.
            sources = (memory.last,)
        node = tensor.grad_fn
        if node is not None and self._other_threads.may_have_made(node, self._results):
            # Its number does not identify an operation here. What is known of tensors that are still there is all that can be used.
            sources = sources_of(node, self._known.results(), self.value_of)
            carrying, node = (1 << len(sources)) - 1, None
        value = Value(sources, carrying, None, requires_grad)
        value.node = node
        value.hidden = self._hidden_before(tensor, value)
        self._keep_node(tensor)
        self._known.keep(tensor, value, memory)
        return value

    def _hidden_before(self, tensor: Tensor, met: Value) -> TracedValue | None:
        if tensor.grad_fn is not None:
            return ONLY_AUTOGRAD
        if met.sources or _leads_to_leaf(tensor):
            return None
        return OUTSIDE if self.have_values_left and _has_foreign_memory(tensor) else UNSEEN

    def _catch_up(self, tensor: Tensor, known: Known) -> Value:
        """The tensor's memory was written to through others that share it."""
        assert known.memory is not None
        before, requires_grad, family = known.value, tensor.requires_grad, _family(tensor)
        sources, carrying = [before], int(requires_grad and before.requires_grad)
        for written, written_through in known.memory.writes[known.seen :]:
            carrying |= (requires_grad and written.requires_grad and written_through == family) << len(sources)
            sources.append(written)
        value = Value(tuple(sources), carrying, before.operation, requires_grad, before.made_at)
        value.is_changed_through_others = True
        # Its `grad_fn` is not read: PyTorch would bring that of a view up to date, which is not ours to cause.
        self._keep(tensor, value)
        return value

    def _follow_graph(self, tensor: Tensor, before: Value) -> Value:
        """The tensor requires a gradient now. If it has a graph, that was made unseen, as by `torch.autograd.Function`."""
        if tensor.grad_fn is None or before.number is not None:
            # The same values as before, even if they were registered already; only how gradients come to them is new.
            before.requires_grad = True
            before.node = tensor.grad_fn
            self._keep_node(tensor)
            # What is computed from it leads back here, and not past it.
            self._note_node(tensor, before)
            self._search.start_anew()
            return before
        value = Value((before,), 0, before.operation, requires_grad=True, made_at=before.made_at)
        value.node = tensor.grad_fn
        self._keep_node(tensor)
        self._keep(tensor, value)
        self._note_node(tensor, value)
        return value

    def _predecessors(self, place: Place) -> list[tuple[Place, bool]]:
        if not isinstance(place, Value):
            assert not isinstance(place, TracedValue)
            return self._before(place)
        carrying = place.carrying
        before: list[tuple[Place, bool]] = [(source, bool(carrying >> position & 1)) for position, source in enumerate(place.sources)]
        if place.node is not None:
            before += self._before(place.node)
        # Data that is not registered is there before the step, as a rule.
        if place.hidden is not None and (place.hidden is not UNSEEN or place.number is not None):
            before.append((place.hidden, True))
        return before

    def _before(self, node: Node) -> list[tuple[Place, bool]]:
        before: list[tuple[Place, bool]] = []
        for source, output in node.next_functions:
            if source is None:
                continue
            if is_leaf_node(source):
                before.append((self.value_of(variable_of(source)), True))
                continue
            value = self._results.get(result_key(source, output))
            # Threads count on their own, so that the number alone could be that of another operation.
            before.append((value if value is not None and value.kind is type(source) else source, True))
        return before


def _has_foreign_memory(tensor: Tensor) -> bool:
    """Whether another library has the memory of a tensor, as numpy does after `from_numpy`."""
    try:
        return not tensor.untyped_storage().resizable()
    except (RuntimeError, NotImplementedError, AttributeError):  # As in `KnownTensors.memory_of`.
        return False


def _leads_to_leaf(tensor: Tensor) -> bool:
    """Whether gradients for these values are added up in the tensor itself, whatever was done to it in place: a parameter."""
    return tensor.requires_grad and tensor.grad_fn is None


def _family(tensor: Tensor) -> int:
    """Identifies a tensor with its views, between which autograd sees changes in place; not those that are only detached from it."""
    base = base_of(tensor)
    return id(tensor if base is None else base)
