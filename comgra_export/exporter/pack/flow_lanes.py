"""The gradient flows of a trial: each in a lane of its own, by source and by target, so that one element costs what its own flows cost."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comgra_export.analysis.gradient_flow import flow_columns
from comgra_export.errors import DamagedRecordingError
from comgra_export.exporter.format.constants import FLOW_CHUNK_BYTES, NO_FLOWS
from comgra_export.exporter.format.stored_flows import FlowRows, StoredFlow, StoredFlowLayer, StoredFlowPair, StrongestFlows
from comgra_export.exporter.pack.lanes import LARGEST_INT32, cut, little_endian_bytes
from comgra_export.exporter.pack.stream import ChunkStream
from comgra_export.exporter.plan.estimated_flows import EstimateReader, FlowArrays
from comgra_export.exporter.plan.plan import PlannedStep, PlannedTrial
from comgra_export.exporter.reporting.problems import Problems
from comgra_export.storage import FlowLayer, GradientFlow, PairNumbers, Recording, dumps, encode_number

__all__ = ["add_flows", "pairs_of_flows"]

_STRONGEST = 256
"""How many flows of each sign and sample are also listed by strength: more than a page draws at once."""

_WIDTH = 4
_NOT_THERE = -1

_Arrays = Iterator[NDArray[np.uint8]]


def add_flows(stream: ChunkStream, planned: PlannedTrial, problems: Problems, done: Callable[[], None]) -> int:
    """Adds the lanes and the list of a trial. One flow is in memory at a time; of an estimate, one pair of layers.

    Damaged flows are left out, and `problems` gets them. `done` is called after every pair of layers, `pairs_of_flows` times in all.

    Returns:
        The number of the list's chunk; `NO_FLOWS` if there are none.
    """
    recording = planned.source.recording
    # What is merged has none.
    if not isinstance(recording, Recording):
        return NO_FLOWS
    reader = FlowReader(recording)
    flows: list[StoredFlow] = []
    for step in planned.steps:
        number = step.description.step
        for position in step.flows:
            flow, numbers = step.description.flows[position], reader.read(step, position)
            if isinstance(numbers, FlowArrays):
                flows.append(add_flow(stream, number, flow, numbers._replace(pairs=_counted(numbers.pairs, done))))
            else:
                problems.left_out("flow", planned.source.label, number, numbers)
                for _ in flow.pairs:
                    done()
    return stream.add_json(dumps(flows)) if flows else NO_FLOWS


def add_flow(stream: ChunkStream, step: float, flow: GradientFlow, numbers: FlowArrays) -> StoredFlow:
    """Adds the lane of a flow, and returns what the list says about it."""
    stored: StoredFlow = {
        "step": step,
        "iteration": flow.iteration,
        "name": flow.name,
        "method": flow.method,
        "samples": list(flow.samples),
        "lane4": NO_FLOWS,
        "layers": [_layer(layer) for layer in flow.layers],
        "pairs": [],
    }
    chunks = [stream.add_numbers(piece, _WIDTH) for piece in cut(_Lane(flow, numbers, stored).arrays(), FLOW_CHUNK_BYTES)]
    stored["lane4"] = chunks[0] if chunks else NO_FLOWS
    return stored


def _layer(layer: FlowLayer) -> StoredFlowLayer:
    return {
        "name": layer.name,
        "shape": list(layer.shape),
        "role": layer.role,
        "record_name": layer.record_name,
        "record_iteration": layer.record_iteration,
        "values": _NOT_THERE,
        "gradients": _NOT_THERE,
    }


def _counted(pairs: Iterable[PairNumbers], done: Callable[[], None]) -> Iterator[PairNumbers]:
    for pair in pairs:
        yield pair
        done()


class _Lane:
    """Gives the arrays of a flow one after another, and writes down where each begins."""

    def __init__(self, flow: GradientFlow, numbers: FlowArrays, stored: StoredFlow) -> None:
        self._flow = flow
        self._numbers = numbers
        self._stored = stored
        self._used = 0

    def arrays(self) -> _Arrays:
        """The bytes of all arrays. The list is complete once they have all been taken."""
        for layer, values, gradients in zip(self._stored["layers"], self._numbers.values, self._numbers.gradients, strict=True):
            yield from self._put(layer, {"values": values, "gradients": gradients})
        for pair, own in zip(self._flow.pairs, self._numbers.pairs, strict=True):
            sizes = self._flow.layers[pair.source].size, self._flow.layers[pair.target].size
            yield from self._pair(pair.source, pair.target, sizes, own)

    def _pair(self, source: int, target: int, sizes: tuple[int, int], own: PairNumbers) -> _Arrays:
        samples = self._flow.sample_count
        starts = own.starts[:: sizes[0]] if sizes[0] else np.zeros(samples + 1, np.int64)
        by_source: FlowRows = {"starts": 0, "others": 0, "flows": 0}
        by_target: FlowRows = {"starts": 0, "others": 0, "flows": 0}
        strongest: StrongestFlows = {"sources": 0, "targets": 0, "flows": 0, "count": []}
        stored: StoredFlowPair = {
            "from": source,
            "to": target,
            **_sums(own.flows, starts),  # type: ignore[typeddict-item]
            "computed": _NOT_THERE,
            "residuals": _NOT_THERE,
            "by_source": by_source,
            "by_target": by_target,
            "strongest": strongest,
        }
        self._stored["pairs"].append(stored)
        # In one lane all elements have four bytes.
        computed = None if own.computed is None else own.computed.astype(np.int32)
        yield from self._put(stored, {"computed": computed, "residuals": own.residuals})
        yield from self._put(by_source, {"starts": own.starts.astype(np.int32), "others": own.targets, "flows": own.flows})
        columns = flow_columns(own, samples, sizes[1])
        yield from self._put(by_target, {"starts": columns.starts.astype(np.int32), "others": columns.sources, "flows": columns.flows})
        places = [start + _strongest(own.flows[start:end]) for start, end in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True)]
        strongest["count"] = [len(of_sample) for of_sample in places]
        chosen = np.concatenate(places)
        rows = np.searchsorted(own.starts, chosen, side="right") - 1
        within = (rows % max(1, sizes[0])).astype(np.int32)
        yield from self._put(strongest, {"sources": within, "targets": own.targets[chosen], "flows": own.flows[chosen]})

    def _put(self, entry: Any, arrays: Mapping[str, NDArray[Any] | None]) -> _Arrays:  # noqa: ANN401 - several kinds of entries
        for key, array in arrays.items():
            if array is not None:
                entry[key] = self._used
                self._used += array.size
                yield little_endian_bytes(array)


def _sums(flows: NDArray[np.float32], starts: NDArray[np.int64]) -> dict[str, list[Any]]:
    """What there is of each sample, given where its flows begin and where the last ones end."""
    columns: dict[str, list[Any]] = {"count": [], "positive": [], "negative": [], "largest": [], "non_finite": []}
    for start, end in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True):
        own = flows[start:end]
        finite = own[np.isfinite(own)].astype(np.float64)
        columns["count"].append(len(own))
        columns["positive"].append(encode_number(float(finite[finite > 0].sum())))
        columns["negative"].append(encode_number(float(finite[finite < 0].sum())))
        columns["largest"].append(encode_number(float(np.abs(finite).max(initial=0))))
        columns["non_finite"].append(len(own) - len(finite))
    return columns


def _strongest(flows: NDArray[np.float32]) -> NDArray[np.int64]:
    """Places of the strongest finite flows of each sign, by descending magnitude; of equal ones, the first come first."""
    finite = np.where(np.isfinite(flows), flows, 0)
    chosen = [_largest(finite), _largest(-finite)]
    places = np.sort(np.concatenate(chosen))
    return places[np.argsort(-np.abs(finite[places]), kind="stable")]


def _largest(numbers: NDArray[np.float32]) -> NDArray[np.int64]:
    places = np.flatnonzero(numbers > 0)
    if len(places) > _STRONGEST:
        # Sorting millions of them would take seconds.
        least = np.partition(numbers[places], -_STRONGEST)[-_STRONGEST]
        places = places[numbers[places] >= least]
        places = places[np.argsort(-numbers[places], kind="stable")[:_STRONGEST]]
    return places


_TOO_MANY = "It has more elements or flows than a page can address."


class FlowReader:
    """Reads the flows of a recording, and estimates those that are not in it."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self._estimates = EstimateReader(recording)

    def read(self, step: PlannedStep, position: int) -> FlowArrays | str:
        """The numbers of one of the flows that a step describes, or why they cannot be used, as a sentence."""
        number, flow = step.description.step, step.description.flows[position]
        if not _fit(layer.size * flow.sample_count + 1 for layer in flow.layers):
            return _TOO_MANY
        recorded = len(step.description.flows) - len(step.estimates)
        try:
            if position >= recorded:
                return self._estimates.read(number, flow, step.estimates[position - recorded])
            numbers = self._recording.flow_numbers(number, position)
        except DamagedRecordingError as error:
            return str(error)
        if not _fit(len(pair.flows) for pair in numbers.pairs):
            return _TOO_MANY
        return FlowArrays(numbers.values, numbers.gradients, numbers.pairs)


def pairs_of_flows(planned: PlannedTrial) -> int:
    """How many pairs of layers there are in the flows that are kept of a trial."""
    return sum(len(step.description.flows[position].pairs) for step in planned.steps for position in step.flows)


def _fit(counts: Iterable[int]) -> bool:
    return max(counts, default=0) < LARGEST_INT32
