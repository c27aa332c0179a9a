"""From the classes of the model to the objects that the JSON files hold."""

from __future__ import annotations

from collections.abc import Mapping

from comgra_export.storage.json_codec import encode_number
from comgra_export.storage.model import FORMAT, VERSION, CurvePoint, Gap, Header, Layout, Network, Note, StepDescription, Structure

__all__ = [
    "encode_curve_point",
    "encode_gap",
    "encode_header",
    "encode_layout",
    "encode_network",
    "encode_note",
    "encode_step",
    "encode_structure",
]

JsonMapping = Mapping[str, object]


def encode_header(header: Header) -> JsonMapping:
    """The content of `recording.json`."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "writer": header.writer,
        "group": header.group,
        "trial": header.trial,
        "rank": header.rank,
        "world_size": header.world_size,
        "torch_version": header.torch_version,
        "started": header.started,
        "prefixes_for_grouping_module_parameters_visually": list(header.prefixes_for_grouping_module_parameters_visually),
        "max_num_batch_size_to_record": header.max_num_batch_size_to_record,
        "optimizers": None,
    }


def encode_network(network: Network) -> JsonMapping:
    """The content of `network.json`."""
    return {
        "modules": [{"name": module.name, "type": module.type, "parent": module.parent} for module in network.modules],
        "parameters": [
            {
                "name": parameter.name,
                "module": parameter.module,
                "shape": list(parameter.shape),
                "dtype": parameter.dtype,
                "requires_grad": parameter.requires_grad,
                "alias_of": parameter.alias_of,
            }
            for parameter in network.parameters
        ],
    }


def encode_note(note: Note) -> JsonMapping:
    """A line of `notes.jsonl`."""
    return {"text": note.text, "step": note.step}


def encode_curve_point(point: CurvePoint) -> JsonMapping:
    """A line of `curves.jsonl`."""
    return {"group": point.group, "name": point.name, "type": point.type, "t": encode_number(point.t), "v": encode_number(point.v)}


def encode_gap(gap: Gap) -> JsonMapping:
    """A line of `gaps.jsonl`, or a member of a step's `gaps`."""
    return {"step": gap.step, "iteration": gap.iteration, "group": gap.group, "tensor": gap.tensor, "reason": gap.reason}


def encode_layout(layout: Layout) -> JsonMapping:
    """The content of `layouts/HASH.json`: a column per attribute of `TensorEntry`."""
    tensors = layout.tensors
    return {
        "tensors": {
            "name": [tensor.name for tensor in tensors],
            "iteration": [tensor.iteration for tensor in tensors],
            "node": [tensor.node for tensor in tensors],
            "role": [tensor.role for tensor in tensors],
            "type": [tensor.type for tensor in tensors],
            "kind": [tensor.kind for tensor in tensors],
            "dtype": [tensor.dtype for tensor in tensors],
            "stored": [tensor.stored for tensor in tensors],
            "shape": [list(tensor.shape) for tensor in tensors],
            "batch_dimension": [tensor.batch_dimension for tensor in tensors],
            "samples": [tensor.samples for tensor in tensors],
            "operation": [tensor.operation for tensor in tensors],
            "module": [tensor.module for tensor in tensors],
        },
        "groups": [{"name": group.name, "tensors": list(group.tensors)} for group in layout.groups],
    }


def encode_structure(structure: Structure) -> JsonMapping:
    """The content of `structures/HASH.json`: a column per attribute of `ShownTensor`, and the dependencies as two columns."""
    tensors = structure.tensors
    return {
        "tensors": {
            "name": [tensor.name for tensor in tensors],
            "node": [tensor.node for tensor in tensors],
            "role": [tensor.role for tensor in tensors],
            "type": [tensor.type for tensor in tensors],
            "record_name": [tensor.record_name for tensor in tensors],
            "record_iteration": [tensor.record_iteration for tensor in tensors],
        },
        "from": [source for source, _ in structure.dependencies],
        "to": [sink for _, sink in structure.dependencies],
    }


def encode_step(description: StepDescription) -> JsonMapping:
    """The content of `steps/STEP.json`. Keys that the format reserves are null."""
    samples = description.samples
    return {
        "step": description.step,
        "type_of_execution": description.type_of_execution,
        "batch_size": description.batch_size,
        "layout": description.layout,
        "structures": list(description.structures),
        "samples": {
            "index": list(samples.index),
            "id": None if samples.id is None else list(samples.id),
            "category": None if samples.category is None else list(samples.category),
        },
        "time": None if description.time is None else encode_number(description.time),
        "triggered": None,
        "learning_rates": None,
        "module_modes": None,
        "loss_scale": None,
        "parameters": None,
        "gaps": [encode_gap(gap) for gap in description.gaps],
    }
