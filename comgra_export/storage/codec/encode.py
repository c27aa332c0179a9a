"""From the classes of the model to the objects that the JSON files hold."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict

from comgra_export.storage.codec.flow_codec import encode_flow
from comgra_export.storage.model.calls import CallTree
from comgra_export.storage.model.layout import Layout, NotKnown, SourceLine, Structure, TensorEntry
from comgra_export.storage.model.lines import CurvePoint, Gap, JournalEntry, NonFiniteOrigin, Note, SentinelPoint
from comgra_export.storage.model.network import ModuleEntry, Network, OptimizerEntry
from comgra_export.storage.model.recording import FORMAT, Header
from comgra_export.storage.model.step_description import GradientFacts, LossCall, ModuleRuns, ParameterFacts, StepDescription, TargetFact
from comgra_export.storage.text.json_codec import encode_number

__all__ = [
    "encode_calls",
    "encode_curve_point",
    "encode_gap",
    "encode_gap_line",
    "encode_header",
    "encode_journal_entry",
    "encode_layout",
    "encode_network",
    "encode_note",
    "encode_scalar",
    "encode_sentinel_point",
    "encode_sentinel_tensors",
    "encode_step",
    "encode_structure",
]

JsonMapping = Mapping[str, object]


def encode_header(header: Header) -> JsonMapping:
    """The content of `recording.json`: what tells readers whether they know the format comes first."""
    return {"format": FORMAT, "version": header.version, "writer": header.writer, **asdict(header)}


def encode_network(network: Network) -> JsonMapping:
    """The content of `network.json`."""
    return {
        "modules": [_module(module) for module in network.modules],
        "parameters": [asdict(parameter) for parameter in network.parameters],
        "optimizers": None if network.optimizers is None else [_optimizer(optimizer) for optimizer in network.optimizers],
        "session": network.session,
        **({"unregistered": [asdict(entry) for entry in network.unregistered]} if network.unregistered else {}),
    }


def _module(module: ModuleEntry) -> JsonMapping:
    return {key: value for key, value in asdict(module).items() if (key, value) != ("description", "")}


def _optimizer(optimizer: OptimizerEntry) -> JsonMapping:
    groups = [
        {"parameters": list(group.parameters), "options": {name: encode_scalar(value) for name, value in group.options.items()}}
        for group in optimizer.groups
    ]
    return {"name": optimizer.name, "type": optimizer.type, "groups": groups}


def encode_scalar(value: float | bool | str | None) -> float | bool | str | None:
    """A setting: a number, a boolean, a string or None."""
    return value if value is None or isinstance(value, (bool, str)) else encode_number(value)


def encode_note(note: Note) -> JsonMapping:
    """A line of `notes.jsonl`."""
    return asdict(note)


def encode_curve_point(point: CurvePoint) -> JsonMapping:
    """A line of `curves.jsonl`."""
    line = {"group": point.group, "name": point.name, "type": point.type, "t": encode_number(point.t), "v": encode_number(point.v)}
    return {**line, "own": True} if point.is_own else line


def encode_gap(gap: Gap) -> JsonMapping:
    """A member of a step's `gaps`, or of those of a bundle."""
    return {"step": gap.step, "iteration": gap.iteration, "group": gap.group, "tensor": gap.tensor, "reason": gap.reason}


def encode_gap_line(gap: Gap) -> JsonMapping:
    """A line of `gaps.jsonl`. Only there can a gap stand for a whole step."""
    return {**encode_gap(gap), "whole_step": True} if gap.whole_step else encode_gap(gap)


def encode_journal_entry(entry: JournalEntry) -> JsonMapping:
    """A line of `journal.jsonl`."""
    line = {"event": entry.event, "session": entry.session, "step": entry.step, "time": _optional_number(entry.time)}
    if entry.end is None:
        return line
    end = entry.end._asdict()
    is_between = end.pop("between_steps")
    return {**line, **end, **({"between_steps": True} if is_between else {})}


def encode_sentinel_tensors(tensors: Sequence[tuple[str, str, int]]) -> JsonMapping:
    """A line of `sentinels.jsonl` that says what the ones after it are about."""
    return {"tensors": [list(tensor) for tensor in tensors]}


def encode_sentinel_point(point: SentinelPoint) -> JsonMapping:
    """A line of `sentinels.jsonl`: the check of one step."""
    return {
        "step": point.step,
        "type": point.type_of_execution,
        "largest": [_shortened(number) for number in point.largest],
        "triggered": point.triggered,
        **({} if point.origin is None else {"origin": _origin(point.origin)}),
        **({} if point.inputs is None else {"inputs": [{**each._asdict(), "rows": list(each.rows)} for each in point.inputs]}),
        **({} if point.loss is None else {"loss": encode_number(point.loss)}),
    }


def _origin(origin: NonFiniteOrigin) -> JsonMapping:
    return {
        "function": origin.function,
        "module": origin.module,
        "shape": list(origin.shape),
        "element": list(origin.element),
        "value": encode_number(origin.value),
        "operands": [
            {"smallest": encode_number(low), "largest": encode_number(high), "value": _optional_number(value)}
            for low, high, value in origin.operands
        ],
    }


def _shortened(number: float) -> float | int | str:
    """A number with four significant digits: one decimal more than the format asks for, and half the length of a float32."""
    if not math.isfinite(number):
        return encode_number(number)
    short = float(f"{number:.4g}")
    # Close to the largest float64, rounding up would make it infinite.
    return encode_number(short if math.isfinite(short) else number)


def _optional_number(number: float | None) -> float | int | str | None:
    return None if number is None else encode_number(number)


def encode_layout(layout: Layout) -> JsonMapping:
    """The content of `layouts/HASH.json`: a column per attribute of `TensorEntry`."""
    tensors = layout.tensors
    shards = [None if tensor.shard is None else asdict(tensor.shard) for tensor in tensors]
    histograms = [tensor.histogram for tensor in tensors]
    devices = [tensor.device for tensor in tensors]
    sources = list(dict.fromkeys(tensor.source for tensor in tensors if tensor.source is not None))
    units = [tensor.unit_dimension for tensor in tensors]
    return {
        "tensors": {
            **_columns(tensors, ("name", "iteration", "node", "role", "type", "kind", "dtype", "stored")),
            "shape": [list(tensor.shape) for tensor in tensors],
            **_columns(tensors, ("batch_dimension", "samples", "operation", "module")),
            **({"shard": shards} if any(shard is not None for shard in shards) else {}),
            **({"histogram": histograms} if any(histograms) else {}),
            **({"device": devices} if any(device is not None for device in devices) else {}),
            **({"source": _positions(tensors, sources)} if sources else {}),
            **({"unit_dimension": units} if any(dimension is not None for dimension in units) else {}),
        },
        **({"sources": _columns(sources, ("file", "line", "function"))} if sources else {}),
        "groups": [{"name": group.name, "tensors": list(group.tensors)} for group in layout.groups],
    }


def _positions(tensors: Sequence[TensorEntry], sources: Sequence[SourceLine]) -> list[int | None]:
    """Where the line of each tensor is in a list of lines."""
    position = {source: position for position, source in enumerate(sources)}
    return [None if tensor.source is None else position[tensor.source] for tensor in tensors]


def _columns(rows: Sequence[object], attributes: Sequence[str]) -> JsonMapping:
    """A column for each of some attributes of the rows."""
    return {name: [getattr(row, name) for row in rows] for name in attributes}


def encode_structure(structure: Structure) -> JsonMapping:
    """The content of `structures/HASH.json`: a column per attribute of `ShownTensor`, and the dependencies as two columns."""
    return {
        "tensors": _columns(structure.tensors, ("name", "node", "role", "type", "record_name", "record_iteration")),
        "from": [source for source, _ in structure.dependencies],
        "to": [sink for _, sink in structure.dependencies],
        "without_gradient": list(structure.without_gradient),
        **({"not_known": _pairs(structure.not_known)} if structure.not_known else {}),
    }


def _pairs(not_known: Sequence[tuple[int, NotKnown | None]]) -> JsonMapping:
    return {"tensor": [tensor for tensor, _ in not_known], "reason": [reason for _, reason in not_known]}


def encode_calls(tree: CallTree) -> JsonMapping:
    """The content of `calls/HASH.json`: a column per attribute of `CallEntry` and `PortEntry`."""
    calls, ports = tree
    has_gradients = any(port.gradient_record_name is not None for port in ports)
    return {
        "calls": _columns(calls, ("module", "parent", "number", "training", "raised")),
        "ports": {
            **_columns(ports, ("call", "side", "path", "record_name", "record_iteration", "text", "meaning")),
            **(_columns(ports, ("gradient_record_name", "gradient_record_iteration")) if has_gradients else {}),
        },
    }


def encode_step(description: StepDescription) -> JsonMapping:
    """The content of `steps/STEP.json`, in the order of the attributes. There is one for each step, so what has its default is left out."""
    rates = description.learning_rates
    members = {
        **vars(description),
        "samples": _known(asdict(description.samples)),
        "time": _optional_number(description.time),
        "session": description.session or None,
        "learning_rates": None if rates is None else [[encode_number(rate) for rate in of_optimizer] for of_optimizer in rates],
        "module_runs": None if description.module_runs is None else _module_runs(description.module_runs),
        "parameters": None if description.parameters is None else _parameters(description.parameters),
        "gradients": [_gradients(group) for group in description.gradients] or None,
        "gaps": [encode_gap(gap) for gap in description.gaps] or None,
        "calls": description.calls or None,
        "epoch": _optional_number(description.epoch),
        "flows": [encode_flow(flow) for flow in description.flows] or None,
        "losses": [_loss(loss) for loss in description.losses] or None,
        "backward_roots": [root._asdict() for root in description.backward_roots] or None,
        "target_facts": [_target_fact(fact) for fact in description.target_facts] or None,
        "token_facts": [{"tensor": fact.tensor._asdict(), "cosine": encode_number(fact.cosine)} for fact in description.token_facts]
        or None,
        "exceptions": [exception._asdict() for exception in description.exceptions] or None,
        "dropouts": [{**call._asdict(), "share": encode_number(call.share)} for call in description.dropouts] or None,
    }
    return _known(members)


def _known(members: JsonMapping) -> JsonMapping:
    """The members that are not null, which is what one that is missing means."""
    return {key: value for key, value in members.items() if value is not None}


def _module_runs(runs: ModuleRuns) -> JsonMapping:
    return {"module": list(runs.modules), "training": list(runs.training), "calls": list(runs.calls)}


def _parameters(changes: ParameterFacts) -> JsonMapping:
    members = {
        "parameter": list(changes.parameters),
        "norm": [encode_number(norm) for norm in changes.norm],
        "update_norm": [encode_number(norm) for norm in changes.update_norm],
        "accumulated_gradient_difference": [_optional_number(difference) for difference in changes.accumulated_gradient_difference],
        "estimated": {
            "parameter": [each.parameter for each in changes.estimated],
            "elements": [each.elements for each in changes.estimated],
            "error": [_optional_number(each.error) for each in changes.estimated],
        }
        if changes.estimated
        else None,
    }
    return _known(members)


def _loss(loss: LossCall) -> JsonMapping:
    tensors = {"prediction": loss.prediction, "target": loss.target, "result": loss.result}
    return {
        "function": loss.function,
        "options": {name: encode_scalar(value) for name, value in loss.options.items()},
        **{key: tensor._asdict() for key, tensor in tensors.items() if tensor is not None},
    }


def _target_fact(fact: TargetFact) -> JsonMapping:
    numbers = {"share": _optional_number(fact.share), "next_share": _optional_number(fact.next_share)}
    return _known({**vars(fact), "target": fact.target._asdict(), "input": fact.input._asdict(), **numbers})


def _gradients(group: GradientFacts) -> JsonMapping:
    return _known({**asdict(group), "loss_scale": _optional_number(group.loss_scale)})
