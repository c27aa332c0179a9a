"""The gradients that come back through single calls of watched modules. They are parts of the gradients of the inputs."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import torch
from torch import Tensor
from torch.autograd.graph import GradientEdge, Node

from comgra_export.recorder.gradients.gradient_watch import GradientWatch
from comgra_export.recorder.gradients.sums import GradientSum
from comgra_export.recorder.host.autograd import Edge, edge_of
from comgra_export.recorder.host.gaps import GapKeeper
from comgra_export.recorder.host.hooks import NodeHook, TensorHooks
from comgra_export.recorder.host.torch_internals import next_sequence_number
from comgra_export.recorder.modules.ports import TensorAtPort
from comgra_export.recorder.modules.uses import InputUse, UsedTensor, find_uses
from comgra_export.recorder.tracing.other_threads import OtherThreads
from comgra_export.recorder.tracing.registered_tensors import RegisteredTensors
from comgra_export.recorder.tracing.registrations import Reference, Registration, TensorReference, Traits
from comgra_export.storage.model.calls import CallTree
from comgra_export.storage.model.layout import Kind
from comgra_export.storage.model.lines import Gap

__all__ = ["CallGradients"]


class CallGradients:
    """Watches the gradients that flow back through the calls of one step. It refers to no operation of autograd, and keeps no graph alive.

    Before a backward pass, it searches the graph once for the operations that use inputs of calls. The gradient that such an operation
    returns for the input is the part through the calls within which the operation was made. If all of the gradient comes that way, and no
    other can come, only the gradient itself is summed.
    """

    def __init__(
        self, registered: RegisteredTensors, gradients: GradientWatch, step: float, gap_keeper: GapKeeper, other_threads: OtherThreads
    ) -> None:
        self._registered = registered
        self._gradients = gradients
        self._step = step
        self._gap_keeper = gap_keeper
        self._tensors: list[UsedTensor] = []
        self._by_edge: dict[Edge, UsedTensor] = {}
        self._hooked: set[tuple[int, int]] = set()
        self._hooks = TensorHooks()
        self._may_be_misled = False
        self._is_misled = False
        self._other_threads = other_threads

    def enter(
        self, uses: list[InputUse], tensor: Tensor, registration: Registration, port: TensorAtPort, module: str, place: tuple[int, int]
    ) -> None:
        """Notes a tensor that goes into a call, which is about to begin, and adds it to the `uses` of this call.

        `place` is the iteration, counted from the first of the step, and the row of ports.
        """
        if next_sequence_number is None or not torch.is_grad_enabled() or hasattr(type(tensor), "placements"):
            return
        edges = self._gradients.edges(registration.number, tensor)
        if not edges or _may_be_cast_once(tensor, edges):
            return
        used = next((self._by_edge[edge] for edge in edges if edge in self._by_edge), None)
        if used is None:
            used = UsedTensor(registration)
            self._tensors.append(used)
        for edge in edges:
            self._by_edge[edge] = used
        use = next((known for known in uses if known.of is used), None)
        if use is None:
            use = InputUse(used, tensor, port, module, next_sequence_number())
            used.add(use)
            uses.append(use)
        use.places.append(place)

    def leave(self, uses: Sequence[InputUse]) -> None:
        """Notes that a call has ended, whether it has returned or raised."""
        if uses and next_sequence_number is not None:
            end = next_sequence_number()
            for use in uses:
                use.close(end)

    def note_returned(self, uses: Sequence[InputUse], tensor: Tensor) -> None:
        """Notes what a call has returned. If it returned an input itself, the gradient through the call cannot be separated from others."""
        if uses:
            used = self._by_edge.get(edge_of(tensor))
            for use in uses:
                use.is_void = use.is_void or use.of is used

    def before_backward(self, roots: Sequence[Tensor | GradientEdge], creates_graph: bool, frees_graph: bool) -> None:
        """Searches the graph of a backward pass that is about to run. `BeforeBackward` describes the arguments."""
        if not self._tensors or self._is_misled:
            return
        if self._may_be_misled:
            self._give_up(
                "a backward pass with create_graph=True came before another one, on a device whose operations are numbered apart from "
                "those of the calls"
            )
            return
        # For each device but the CPU, autograd has a thread with a numbering of its own.
        self._may_be_misled = creates_graph and not all(isinstance(root, Tensor) and root.device.type == "cpu" for root in roots)
        self._is_misled = True
        with self._gap_keeper.guard("gradients through calls", "gradients through single calls are not known", step=self._step):
            self._find_uses(roots, frees_graph)
            self._is_misled = False
        if self._other_threads.have_computed:
            self._give_up("parts of the network ran in other threads, whose operations are numbered apart")

    def _give_up(self, why: str) -> None:
        self._is_misled = True
        self._gap_keeper.note(Gap(f"gradients through single calls are not known: {why}", self._step))

    def partial_gradients(self) -> Iterator[tuple[Registration, list[GradientSum]]]:
        """The gradients through single calls, if they are only parts of a tensor's gradient: records, and the sums that make up each."""
        for used in self._tensors:
            if self._is_misled or not used.is_reached or self._gradients.why_absent(used.registration.number) is not None:
                continue
            for partial in used.partial_gradients():
                if any(part.has_unsummed for part in partial.parts):
                    self._explain_unsummed(partial.use)
                    continue
                registration = partial.use.registration
                if registration is None:
                    registration = partial.use.registration = self._register(used, partial.use)
                if registration is not None:
                    yield registration, [part.direct for part in partial.parts if part.direct is not None]

    def clear(self) -> None:
        """Forgets the gradients that have come so far."""
        for used in self._tensors:
            for use in used.uses:
                use.has_unsummed = False
                if use.direct is not None:
                    use.direct.clear()

    def complete(self, trees: Sequence[CallTree | None]) -> tuple[CallTree | None, ...]:
        """The calls of every iteration, whose inputs now name the record of the gradient through their call."""
        references: dict[int, dict[int, Reference]] = defaultdict(dict)
        for used in self._tensors:
            for use in used.uses:
                registration = (use.shared_with or use).registration
                if registration is not None:
                    for iteration, row in use.places:
                        references[iteration][row] = registration.first
        return tuple(
            tree if tree is None or number not in references else _complete(tree, references[number]) for number, tree in enumerate(trees)
        )

    def release(self) -> None:
        """Removes every hook, and lets go of all tensors. It still knows which calls have a record."""
        self._hooks.remove()
        self._by_edge.clear()
        self._hooked.clear()
        for used in self._tensors:
            for use in used.uses:
                use.direct = None

    def _find_uses(self, roots: Sequence[Tensor | GradientEdge], frees_graph: bool) -> None:
        uses = find_uses(roots, self._by_edge)
        alone: set[InputUse] = set()
        for used, is_last in uses.are_last.items():
            if frees_graph and is_last:
                alone |= _choose(used)
        times = Counter(operation.use for operation in uses.operations)
        sums: dict[Node, list[tuple[int, GradientSum]]] = {}
        for node, number, position, use in uses.operations:
            if use.has_unsummed or (number, position) in self._hooked:
                continue
            self._hooked.add((number, position))
            if use.direct is None and use in alone and times[use] == 1:
                use.direct = self._gradients.make_sum_of_last(use.of.registration.number, use.port.histogram_values)
            elif use.direct is None:
                use.direct = self._gradients.make_sum()
            sums.setdefault(node, []).append((position, use.direct))
        for node, of_node in sums.items():
            self._hooks.add_to_node(node, _hook(of_node))
        if uses.are_numbered_apart:
            self._other_threads.have_computed = True

    def _explain_unsummed(self, use: InputUse) -> None:
        reason = "the gradient through this call alone is not known: the tensor was used again after a gradient that had to be the last one"
        self._gap_keeper.note(Gap(reason, self._step, use.reference.iteration, None, use.reference.name))

    def _register(self, used: UsedTensor, use: InputUse) -> Registration | None:
        """Makes the record of the gradient through a call; None if a tensor of the user has its name."""
        reference = use.reference
        if self._registered.has(TensorReference(reference.name, reference.iteration)):
            reason = "the gradient through this call alone is not recorded, since another tensor has its name"
            self._gap_keeper.report("name of a gradient", Gap(reason, self._step, reference.iteration, None, reference.name))
            return None
        of = used.registration.replaced_by or used.registration
        assert of.entry is not None
        kind: Kind = "single_value" if of.traits.kind == "single_value" else "kpis"
        traits = Traits("calculated", kind, of.traits.batch_dimension, of.traits.per_sample)
        registration = self._registered.add_state(reference, traits)
        registration.numbers = of.numbers
        registration.histogram_values = use.port.histogram_values
        registration.entry = replace(
            of.entry,
            name=reference.name,
            iteration=reference.iteration,
            node=reference.node,
            role=reference.role,
            type=traits.type,
            kind=kind,
            operation=None,
            module=use.module,
            histogram=use.port.histogram_values > 0,
        )
        return registration


def _hook(sums: Sequence[tuple[int, GradientSum]]) -> NodeHook:
    def add(gradients_of_inputs: Sequence[Tensor | None], _: Sequence[Tensor | None]) -> None:
        for position, total in sums:
            total(gradients_of_inputs[position])

    return add


def _choose(used: UsedTensor) -> set[InputUse]:
    """Notes the calls through which the last gradient of a tensor is not summed, since it has no record there.

    Returns:
        The calls through which its gradient has a record that is the total of nothing else.
    """
    partials = used.partial_gradients()
    recorded = {part for partial in partials for part in partial.parts}
    for use in used.uses:
        use.has_unsummed = use.has_unsummed or (use.computes and use not in recorded)
    together = {part for partial in partials if len(partial.parts) > 1 for part in partial.parts}
    return recorded - together


def _may_be_cast_once(tensor: Tensor, edges: Sequence[Edge]) -> bool:
    """Whether autocast may convert a tensor in one call, and keep the result for another. It does so only with leaves."""
    is_leaf = any(node_type is None for node_type, _ in edges)
    return is_leaf and torch.is_autocast_cache_enabled() and torch.is_autocast_enabled(tensor.device.type)


def _complete(tree: CallTree, references: Mapping[int, Reference]) -> CallTree:
    ports = list(tree.ports)
    for row, reference in references.items():
        ports[row] = ports[row]._replace(gradient_record_name=reference.name, gradient_record_iteration=reference.iteration)
    return tree._replace(ports=tuple(ports))
