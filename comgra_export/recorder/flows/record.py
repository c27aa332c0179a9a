"""Recording gradient flows of a step: how much of each layer's gradient comes through which element of the next."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from comgra_export.errors import MisuseError
from comgra_export.recorder.flows.layers import CALL, INDEPENDENT, FlowLayers, GivenLayer
from comgra_export.recorder.flows.pairs import PairFlows, flows_between, targets_to_compute
from comgra_export.recorder.flows.progress import FlowProgress
from comgra_export.recorder.flows.request import FlowRequest, why_unsupported
from comgra_export.recorder.flows.vjp import LayerInGraph, as_numbers, of_samples
from comgra_export.recorder.gradients.gradient_watch import GradientWatch
from comgra_export.recorder.host.autograd import edges_before
from comgra_export.recorder.host.gaps import GapKeeper
from comgra_export.recorder.host.isolation import is_plain, undisturbed
from comgra_export.recorder.output.finished_step import RecordedFlow
from comgra_export.recorder.tracing.registered_tensors import RegisteredTensors
from comgra_export.recorder.tracing.search import Tracer
from comgra_export.storage.model.gradient_flows import MAX_FLOWS_OF_STEP, FlowLayer, FlowNumbers, FlowPair, GradientFlow
from comgra_export.storage.model.lines import Gap
from comgra_export.storage.text.steps import step_in_words

__all__ = ["GradientFlows"]

_GAP = "gradient flow"


class GradientFlows:
    """The gradient flows of one step."""

    def __init__(
        self, step: float, registered: RegisteredTensors, gradients: GradientWatch, tracer: Tracer[Any], gap_keeper: GapKeeper
    ) -> None:
        self.recorded: list[RecordedFlow] = []
        self._step = step
        self._gradients = gradients
        self._gap_keeper = gap_keeper
        self._layers = FlowLayers(step, registered, gradients, tracer)
        self._left_out: list[tuple[str, int]] = []

    def leave_out(self, name: str, iteration: int) -> None:
        """Notes a flow that is not recorded, since it is not known yet whether the step is."""
        self._left_out.append((name, iteration))

    def report_left_out(self) -> None:
        """Reports the flows that were left out as gaps: the step is recorded after all."""
        for name, iteration in self._left_out:
            reason = (
                f"the gradient flow {name!r} is missing, since it was decided to record this step only after {CALL}; it takes too long "
                "to be computed on steps that may be dropped"
            )
            self._gap_keeper.report(_GAP, Gap(reason, self._step, iteration))
        self._left_out.clear()

    def record(self, request: FlowRequest, iteration: int, samples: Sequence[int]) -> None:
        """Records a gradient flow. A flow that cannot be computed is a gap.

        Raises:
            MisuseError: The name is taken, a layer is not usable, or the backward pass has freed the graph.
        """
        if any(recorded.flow.name == request.name for recorded in self.recorded):
            raise MisuseError(
                f"{CALL}: the name {request.name!r} is taken in {step_in_words(self._step)}. Give every flow of a step a name of its own."
            )
        if len(self.recorded) >= MAX_FLOWS_OF_STEP:
            raise MisuseError(f"{CALL}: step {self._step} has {MAX_FLOWS_OF_STEP:,} gradient flows already. Record fewer in one step.")
        given = self._layers.take(request.layers, iteration)
        chosen = (0,) if request.batch_dimension is None else tuple(request.samples or samples[:1] or (0,))
        reason = f"the gradient flow {request.name!r} could not be computed"
        with self._gap_keeper.guard(_GAP, reason, step=self._step, iteration=iteration):
            assert request.loss.grad_fn is not None
            unsupported = why_unsupported(request.loss.grad_fn)
            if unsupported is not None:
                self._gap_keeper.report(_GAP, Gap(f"{reason}: {unsupported}", self._step, iteration))
                return
            tensors = [request.loss, *(layer.place for layer in given if isinstance(layer.place, Tensor))]
            devices = sorted({tensor.device.index for tensor in tensors if tensor.is_cuda})
            # Blocks that are computed again in the backward pass may draw random numbers.
            with undisturbed(), torch.random.fork_rng(devices), self._gradients.suspended():
                recorded = self._compute(request, given, iteration, chosen)
            if recorded is not None:
                self.recorded.append(recorded)

    def _compute(self, request: FlowRequest, given: Sequence[GivenLayer], iteration: int, samples: tuple[int, ...]) -> RecordedFlow | None:
        located = self._locate(request, given, iteration)
        layers = [item.layer for item in located]
        _check_batch(request, located, samples)
        pairs = [
            FlowPair(position - 1, position)
            for position in range(1, len(located))
            if located[position].position == located[position - 1].position + 1
            and self._is_connected(located[position - 1], located[position], iteration)
        ]
        if not pairs:
            return None
        numbers = []
        total = sum(len(targets_to_compute(layers[pair.target], samples)) for pair in pairs)
        with FlowProgress(request.name, request.progress, total) as progress:
            for pair in pairs:
                flows = flows_between(layers[pair.source], layers[pair.target], samples, request.limits, progress.advance)
                self._note_left_out(request, located[pair.source], located[pair.target], flows, iteration)
                numbers.append(flows.numbers)
        values = tuple(None if item.given.tensor is None else _numbers_of(item.given.tensor, item.layer, samples) for item in located)
        gradients = tuple(_numbers_of(layer.gradient, layer, samples) for layer in layers)
        described = tuple(item.described() for item in located)
        flow = GradientFlow(request.name, iteration, "exact", () if request.batch_dimension is None else samples, described, tuple(pairs))
        return RecordedFlow(flow, FlowNumbers(values, gradients, tuple(numbers)))

    def _locate(self, request: FlowRequest, given: Sequence[GivenLayer], iteration: int) -> list[_Located]:
        """Finds the layers and their gradients. A layer whose gradient is not known is left out, which is a gap."""
        edges = self._layers.edges(request.loss, given)
        there = [edge for edge in edges if not isinstance(edge, str)]
        gradients = iter(self._gradients_of(request.loss, there) if there else ())
        known = [(layer, edge) for layer, edge in zip(given, edges, strict=True) if not isinstance(edge, str)]
        self._layers.check_order([(layer.name, edge) for layer, edge in known if self._layers.is_there(layer)])
        located: list[_Located] = []
        for position, (layer, edge) in enumerate(zip(given, edges, strict=True)):
            gradient = None if isinstance(edge, str) else next(gradients)
            reason = layer.why_unknown
            if isinstance(edge, str):
                reason = reason or edge
            elif gradient is None or not self._layers.is_there(layer):
                reason = reason or INDEPENDENT
            elif gradient.layout != torch.strided or not is_plain(gradient) or gradient.is_complex():
                reason = reason or "its gradient is sparse, complex, or spread over several processes"
            elif reason is None:
                dimension = _from_the_front(request.batch_dimension, layer.name, gradient)
                located.append(_Located(position, layer, LayerInGraph(edge, gradient, dimension)))
            if reason is not None:
                self._report(f"there are no gradient flows through the layer {layer.name!r}: {reason}", layer.name, iteration)
        return located

    def _gradients_of(self, loss: Tensor, edges: Sequence[Any]) -> tuple[Tensor | None, ...]:
        try:
            return torch.autograd.grad(loss, edges, retain_graph=True, allow_unused=True)
        except RuntimeError as error:
            if "second time" not in str(error):
                raise
            raise MisuseError(f"{CALL}: the graph of the loss is gone. Call it before loss.backward(), which frees the graph.") from error

    def _is_connected(self, source: _Located, target: _Located, iteration: int) -> bool:
        """Whether gradients flow between two layers. If they do not, that is a gap."""
        edge = source.layer.edge
        is_connected = (edge.node, edge.output_nr) in edges_before(target.layer.edge.node)
        if not is_connected:
            first, second = source.given.name, target.given.name
            self._report(f"there are no gradient flows from {first!r} to {second!r}, which does not depend on it", second, iteration)
        return is_connected

    def _note_left_out(self, request: FlowRequest, source: _Located, target: _Located, flows: PairFlows, iteration: int) -> None:
        if flows.left_out:
            reason = (
                f"of the gradient flow {request.name!r} from {source.given.name!r} to {target.given.name!r}, "
                f"{len(flows.numbers.flows):,} flows were recorded, those into the elements with the largest gradients; with those into "
                f"{flows.left_out:,} others, there would be more than max_flows={request.limits.max_flows:,}"
            )
            # A note, not a warning: the user has set the limit.
            self._gap_keeper.note(Gap(reason, self._step, iteration))

    def _report(self, reason: str, layer: str, iteration: int) -> None:
        self._gap_keeper.report(_GAP, Gap(reason, self._step, iteration, None, layer))


class _Located(NamedTuple):
    """A layer whose gradient is known, and its position among those given."""

    position: int
    given: GivenLayer
    layer: LayerInGraph

    def described(self) -> FlowLayer:
        """The record of it, without numbers."""
        given, registration = self.given, self.given.registration
        if registration is None or registration.entry is None:
            return FlowLayer(given.name, self.layer.sample_shape, given.role)
        record = registration.first
        return FlowLayer(given.name, self.layer.sample_shape, given.role, record.name, record.iteration)


def _numbers_of(tensor: Tensor, layer: LayerInGraph, samples: Sequence[int]) -> NDArray[np.float32]:
    return as_numbers(of_samples(tensor, layer.batch_dimension, samples))


def _from_the_front(batch_dimension: int | None, name: str, tensor: Tensor) -> int | None:
    """The batch dimension of a layer, counted from the front."""
    if batch_dimension is None:
        return None
    if not -tensor.dim() <= batch_dimension < tensor.dim():
        raise MisuseError(
            f"{CALL}: the layer {name!r} has the shape {list(tensor.shape)}, and no dimension {batch_dimension}. Give the right "
            "batch_dimension, or None if the layers have no batch dimension."
        )
    return batch_dimension % tensor.dim()


def _check_batch(request: FlowRequest, located: Sequence[_Located], samples: Sequence[int]) -> None:
    sizes = {item.given.name: item.layer.batch_size for item in located}
    if len(set(sizes.values())) > 1:
        several = ", ".join(f"{name!r} {size}" for name, size in sizes.items())
        raise MisuseError(
            f"{CALL}: the layers have different sizes in the dimension {request.batch_dimension}, which is that of the batch: "
            f"{several}. Give the right batch_dimension, or None if they have no batch dimension."
        )
    size = next(iter(sizes.values()), None)
    if size is not None and max(samples) >= size:
        raise MisuseError(f"{CALL}: there is no sample {max(samples)} in a batch of {size}. Give positions from 0 to {size - 1}.")
