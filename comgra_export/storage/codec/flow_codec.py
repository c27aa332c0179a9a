"""Gradient flows to and from what the files of a recording hold, distrusting what is read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from io import BufferedReader
from typing import cast, get_args

import numpy as np
from numpy.typing import NDArray

from comgra_export.errors import MisuseError
from comgra_export.storage.arrays.safetensors import ARRAY_DTYPES, StoredArray, encode_blobs, read_array, read_index
from comgra_export.storage.codec.checked import JsonObject
from comgra_export.storage.model.gradient_flows import (
    MAX_FLOWS_OF_STEP,
    MAX_LAYER_SIZE,
    FlowLayer,
    FlowNumbers,
    FlowPair,
    FlowRole,
    GradientFlow,
    PairNumbers,
    contradiction,
)
from comgra_export.storage.model.layout import Blob
from comgra_export.storage.text.json_codec import damaged

__all__ = ["decode_flows", "encode_flow", "encode_flow_numbers", "read_flow_numbers"]

_ROLES = frozenset(get_args(FlowRole))


def encode_flow(flow: GradientFlow) -> Mapping[str, object]:
    """A member of a step's `flows`."""
    return {**asdict(flow), "pairs": [{"from": pair.source, "to": pair.target} for pair in flow.pairs]}


def decode_flows(step: JsonObject) -> tuple[GradientFlow, ...]:
    """Reads `flows` of `steps/STEP.json`.

    Raises:
        DamagedRecordingError: A value is not allowed, a pair names layers that are not there or stand in the wrong order, or a flow, layer
            or pair is there twice.
    """
    flows = tuple(_flow(member) for member in step.objects("flows"))
    if len(flows) > MAX_FLOWS_OF_STEP:
        raise step.wrong("flows", f"has more than {MAX_FLOWS_OF_STEP} entries")
    if len({flow.name for flow in flows}) != len(flows):
        raise step.wrong("flows", "has a name twice")
    return flows


def _flow(flow: JsonObject) -> GradientFlow:
    samples = tuple(flow.integers("samples", 0))
    layers = tuple(_layer(layer) for layer in flow.objects("layers"))
    pairs = tuple(_pair(pair, len(layers)) for pair in flow.objects("pairs"))
    for key, names in (("samples", samples), ("layers", [layer.name for layer in layers]), ("pairs", pairs)):
        if len(set(names)) != len(names):
            raise flow.wrong(key, "has an entry twice")
    return GradientFlow(flow.text("name"), flow.integer("iteration", 0), flow.text("method"), samples, layers, pairs)


def _layer(layer: JsonObject) -> FlowLayer:
    record = (layer.optional_text("record_name"), layer.optional_integer("record_iteration", -1))
    if (record[0] is None) != (record[1] is None):
        raise layer.wrong("record_name", "and record_iteration are not both there or both null")
    shape = tuple(layer.shape("shape"))
    decoded = FlowLayer(layer.text("name"), shape, cast("FlowRole", layer.choice("role", _ROLES)), *record)
    if decoded.size > MAX_LAYER_SIZE:
        raise layer.wrong("shape", f"has more than {MAX_LAYER_SIZE} elements")
    return decoded


def _pair(pair: JsonObject, layers: int) -> FlowPair:
    source = pair.integer("from", 0, layers - 1)
    return FlowPair(source, pair.integer("to", source + 1, layers - 1))


def encode_flow_numbers(flow: GradientFlow, numbers: FlowNumbers, *, checksums: bool) -> Iterator[bytes | memoryview]:
    """Yields the bytes of `flows/STEP-K.safetensors`, piece by piece. Arrays without elements are written too.

    Raises:
        MisuseError: The numbers are not as many as the flow says, or contradict each other.
    """
    if not (len(numbers.values) == len(numbers.gradients) == len(flow.layers) and len(numbers.pairs) == len(flow.pairs)):
        raise MisuseError(f"The gradient flow {flow.name!r} has other layers or pairs than its numbers. Give numbers for each of them.")
    arrays = _arrays_of(numbers)
    shapes = _shapes(flow, {name: array.size for name, array in arrays.items()})
    blobs = []
    for name, array in arrays.items():
        dtype, shape = shapes[name]
        if array.shape != shape or array.dtype != ARRAY_DTYPES[dtype]:
            raise MisuseError(
                f"The gradient flow {flow.name!r} has {name} of the shape {list(array.shape)} and dtype {array.dtype}. "
                f"Give {list(shape)} and {ARRAY_DTYPES[dtype]}."
            )
        blobs.append((name, Blob(dtype, array)))
    fault = contradiction(flow, numbers)
    if fault is not None:
        raise MisuseError(f"The gradient flow {flow.name!r} cannot be written: {fault}. Give compressed sparse rows as FlowNumbers says.")
    return encode_blobs(blobs, checksums=checksums)


def read_flow_numbers(flow: GradientFlow, stream: BufferedReader, file: str, *, checksums: bool) -> FlowNumbers:
    """Reads `flows/STEP-K.safetensors`. Arrays with other names are ignored.

    Raises:
        DamagedRecordingError: An array is missing, has another dtype or shape than the flow implies, or contradicts another.
    """
    stored = read_index(stream, file, checksums=checksums)
    shapes = _shapes(flow, {name: array.shape[0] for name, array in stored.items() if len(array.shape) == 1})

    def read(name: str, *, optional: bool = False) -> NDArray[np.generic] | None:
        if name not in stored and optional:
            return None
        _check(name, stored.get(name), *shapes[name], file)
        return read_array(stream, stored[name], file).data

    def pair(position: int) -> PairNumbers:
        starts, targets, flows = (read(f"{name}.{position}") for name in ("starts", "targets", "flows"))
        optional = (read(f"{name}.{position}", optional=True) for name in ("computed", "residuals"))
        return PairNumbers(starts, targets, flows, *optional)  # type: ignore[arg-type]

    layers = range(len(flow.layers))
    values, gradients = (tuple(read(f"{name}.{layer}", optional=True) for layer in layers) for name in ("values", "gradients"))
    numbers = FlowNumbers(values, gradients, tuple(pair(position) for position in range(len(flow.pairs))))  # type: ignore[arg-type]
    fault = contradiction(flow, numbers)
    if fault is not None:
        raise damaged(file, fault)
    return numbers


def _arrays_of(numbers: FlowNumbers) -> dict[str, NDArray[np.generic]]:
    """The arrays that are there, by their names in the file."""
    arrays: dict[str, NDArray[np.generic] | None] = {}
    for layer, (values, gradients) in enumerate(zip(numbers.values, numbers.gradients, strict=True)):
        arrays.update({f"values.{layer}": values, f"gradients.{layer}": gradients})
    for position, pair in enumerate(numbers.pairs):
        arrays.update({f"{name}.{position}": getattr(pair, name) for name in ("starts", "targets", "flows", "computed", "residuals")})
    return {name: array for name, array in arrays.items() if array is not None}


def _shapes(flow: GradientFlow, sizes: Mapping[str, int]) -> dict[str, tuple[str, tuple[int, ...]]]:
    """Dtype and shape of every array that a flow may have, by name. `sizes` has the sizes of flat arrays: how many flows a pair has."""
    samples = flow.sample_count
    shapes: dict[str, tuple[str, tuple[int, ...]]] = {}
    for position, layer in enumerate(flow.layers):
        shapes[f"values.{position}"] = shapes[f"gradients.{position}"] = ("F32", (samples, layer.size))
    for position, pair in enumerate(flow.pairs):
        source, target = flow.layers[pair.source].size, flow.layers[pair.target].size
        flows = sizes.get(f"flows.{position}", 0)
        shapes[f"starts.{position}"] = ("I64", (samples * source + 1,))
        shapes[f"targets.{position}"] = ("I32", (flows,))
        shapes[f"flows.{position}"] = ("F32", (flows,))
        shapes[f"computed.{position}"] = ("U8", (samples, target))
        shapes[f"residuals.{position}"] = ("F32", (samples, source))
    return shapes


def _check(name: str, stored: StoredArray | None, dtype: str, shape: tuple[int, ...], file: str) -> None:
    if stored is None:
        raise damaged(file, f"the array {name} is missing")
    if stored.dtype != dtype:
        raise damaged(file, f"the array {name} has the dtype {stored.dtype[:20]!a} and not {dtype}")
    if stored.shape != shape:
        raise damaged(file, f"the array {name} has the shape {list(stored.shape)}, but the flow implies {list(shape)}")
