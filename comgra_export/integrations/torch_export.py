"""Records the graph of a program of `torch.export`: its operations with their shapes and dtypes, and no values."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from operator import getitem
from pathlib import Path
from typing import NamedTuple

import torch
from torch import Tensor
from torch.export import ExportedProgram
from torch.export.graph_signature import InputKind, OutputKind
from torch.fx import Node

from comgra_export.importers.target import trial_folder
from comgra_export.storage import (
    Group,
    Header,
    Layout,
    ModuleEntry,
    Network,
    Note,
    ParameterEntry,
    RecordedSamples,
    RecordingWriter,
    SessionEnd,
    ShownTensor,
    StepDescription,
    Structure,
    TensorEntry,
    TensorType,
)
from comgra_export.version import __version__

__all__ = ["record_program"]

_STEP_TYPE = "program"
_NOTE = (
    "This is the graph of a program of torch.export. The program was not run, so there are no values. Sizes that it leaves open are those "
    "of the example that it was exported with, or 0 if not even that has them."
)
_DTYPES = {
    torch.float64: "F64", torch.float32: "F32", torch.float16: "F16", torch.bfloat16: "BF16", torch.float8_e4m3fn: "F8_E4M3",
    torch.float8_e5m2: "F8_E5M2", torch.int64: "I64", torch.int32: "I32", torch.int16: "I16", torch.int8: "I8", torch.uint8: "U8",
    torch.uint16: "U16", torch.uint32: "U32", torch.uint64: "U64", torch.bool: "BOOL",
}  # fmt: skip
_HELD: Mapping[InputKind, str] = {InputKind.PARAMETER: "parameter", InputKind.BUFFER: "buffer", InputKind.CONSTANT_TENSOR: "constant"}


class _ProgramTensor(NamedTuple):
    """A tensor of the program, and the positions of those that it is computed from."""

    entry: TensorEntry
    sources: tuple[int, ...]


def record_program(
    program: ExportedProgram,
    comgra_root_path: str | os.PathLike[str],
    *,
    group: str = "default",
    trial_id: str = "program",
    name: str = "model",
    replace: bool = False,
) -> Path:
    """Writes the graph of an exported program as a recording of one step without values.

    A node is a tensor that the program is given, holds or computes. It has its shape, its dtype, its operation, and the module that
    computes it. Complex tensors, and what is computed of sizes alone, have no node: what depends on them depends on what they were computed
    from. Whether a gradient flows is not in a program, so it is taken to flow through all floating-point numbers.

    Args:
        program: What `torch.export.export` returned. It is neither run nor changed.
        comgra_root_path: The folder of recordings, which is created.
        group: The group of the trial.
        trial_id: The name of the trial.
        name: What the program's outermost module is called.
        replace: Whether to replace a program that was recorded under this name. Recordings of a run are never replaced.

    Returns:
        The folder of the trial, for `comgra_export.export`.

    Raises:
        MisuseError: The trial exists already, or a name cannot be the name of a folder.
        OSError: A file cannot be written.
    """
    tensors = _tensors_of(program, name)
    folder = trial_folder(comgra_root_path, group, trial_id, {_STEP_TYPE}, replace=replace)
    writer = RecordingWriter(folder, Header(group, trial_id, writer=f"comgra_export {__version__}", checksums=True))
    try:
        writer.add_note(Note(_NOTE))
        writer.write_network(_network_of(program, tensors, name))
        layout = writer.write_layout(Layout(tuple(tensor.entry for tensor in tensors), (Group("forward", ()),)))
        structures = (writer.write_structure(_structure_of(tensors)),)
        writer.add_finished_step(0)
        writer.write_step(StepDescription(0, _STEP_TYPE, 1, layout, structures, RecordedSamples(())), [])
    finally:
        writer.close(end=SessionEnd(trained=0))
    return folder.parent


def _tensors_of(program: ExportedProgram, name: str) -> list[_ProgramTensor]:
    """The tensors in the order in which they are computed."""
    signature = program.graph_signature
    given = {getattr(spec.arg, "name", ""): spec for spec in signature.input_specs}
    losses = {getattr(spec.arg, "name", "") for spec in signature.output_specs if spec.kind is OutputKind.LOSS_OUTPUT}
    tensors: list[_ProgramTensor] = []
    # What each node stands for: itself, or what it is computed from if it has no entry.
    behind: dict[Node, tuple[int, ...]] = {}
    for node in program.graph.nodes:
        sources = tuple(dict.fromkeys(position for source in node.all_input_nodes for position in behind[source]))
        value = node.meta.get("val")
        behind[node] = sources
        if node.op == "output" or not isinstance(value, Tensor) or value.dtype not in _DTYPES:
            continue
        own = role = node.name
        kind: TensorType = "loss" if node.name in losses else "calculated"
        if node.op == "placeholder":
            spec = given[node.name]
            kind = "parameter" if spec.kind in _HELD else "input"
            if kind == "parameter":
                own, role = _full(name, spec.target or node.name), _HELD[spec.kind]
        behind[node] = (len(tensors),)
        tensors.append(_ProgramTensor(_entry(node, value, own, role, kind, name), sources))
    return tensors


def _entry(node: Node, value: Tensor, own: str, role: str, kind: TensorType, name: str) -> TensorEntry:
    modules = _modules_around(node)
    # What is one of several results was made by the operation that has them.
    maker = node.all_input_nodes[0] if node.target is getitem else node
    dtype = _DTYPES[value.dtype]
    return TensorEntry(
        own,
        iteration=-1 if kind == "parameter" else 0,
        node=own,
        role=role,
        type=kind,
        kind="kpis",
        dtype=dtype,
        stored=dtype,
        shape=tuple(map(_size, value.shape)),
        batch_dimension=None,
        samples=0,
        operation=None if node.op == "placeholder" else str(maker.target),
        module=_full(name, modules[-1][0]) if modules else None,
    )


def _size(size: int | torch.SymInt) -> int:
    """A size as an integer. To turn an open size into one would close it."""
    return size if isinstance(size, int) else int(size.node.hint or 0)


def _modules_around(node: Node) -> list[tuple[str, str]]:
    """The dotted paths and types of the modules around an operation, from the outermost on, without the numbers of further calls."""
    stack: Iterable[tuple[str, object]] = node.meta.get("nn_module_stack", {}).values()
    return [(path.partition("@")[0], str(kind).rpartition(".")[2]) for path, kind in stack]


def _full(name: str, path: str) -> str:
    return f"{name}.{path}" if path else name


def _network_of(program: ExportedProgram, tensors: Sequence[_ProgramTensor], name: str) -> Network:
    types = {_full(name, path): kind for node in program.graph.nodes for path, kind in _modules_around(node)}
    parameters = [tensor.entry for tensor in tensors if tensor.entry.role == "parameter"]
    owners = {entry.name: entry.name.rpartition(".")[0] for entry in parameters}
    names = {name}
    for module in (*types, *owners.values()):
        parts = module.removeprefix(f"{name}.").split(".") if module != name else []
        names |= {_full(name, ".".join(parts[: end + 1])) for end in range(len(parts))}
    places = {module: place for place, module in enumerate(sorted(names))}
    modules = tuple(
        ModuleEntry(module, types.get(module, ""), -1 if module == name else places[module.rpartition(".")[0]]) for module in places
    )
    held = program.state_dict
    return Network(
        modules,
        tuple(
            ParameterEntry(
                entry.name, places[owners[entry.name]], entry.shape, entry.dtype, held[entry.name.removeprefix(f"{name}.")].requires_grad
            )
            for entry in parameters
        ),
    )


def _structure_of(tensors: Sequence[_ProgramTensor]) -> Structure:
    shown = tuple(
        ShownTensor(entry.name, entry.node, entry.role, entry.type, entry.name, entry.iteration)
        for entry in (tensor.entry for tensor in tensors)
    )
    pairs = [(source, sink) for sink, tensor in enumerate(tensors) for source in tensor.sources]
    without = tuple(place for place, pair in enumerate(pairs) if not all(tensors[end].entry.is_floating for end in pair))
    return Structure(shown, tuple(pairs), without)
