"""The graphs and modules of a step, which comgra keeps in pickles. They are read as plain data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from comgra_export.errors import ForeignDataError
from comgra_export.importers.pickles.machine import Names, PickleMachine
from comgra_export.importers.pickles.numpy_values import PickledGlobal, RefusedError
from comgra_export.importers.pickles.plain_objects import plain_object
from comgra_export.importers.pickles.reader import run_pickle
from comgra_export.storage import ModuleEntry, Network, ParameterEntry, ShownTensor, Structure
from comgra_export.storage.model.layout import TensorType

__all__ = ["NODE", "RecordKey", "StepGraphs", "read_graphs"]

NODE = "node__"
"""What comgra puts before names of nodes."""

_OLD = "*old"
_CLASSES = (
    "TrainingStepConfiguration", "GraphConfigurationOfOneIteration", "TensorGraphStructure", "TensorReference", "ModuleRepresentation",
    "ParameterRepresentation", "NodeGraphStructure", "Node",
)  # fmt: skip
_NAMES: Names = {PickledGlobal("comgra.objects", name): ((0,), plain_object) for name in _CLASSES}
_TYPES: tuple[TensorType, ...] = ("input", "calculated", "target", "loss", "parameter")
_MAX_DEPTH = 64
# A reference names the one of the iteration before, and so on.
_LONGEST_CHAIN = 100_000


class RecordKey(NamedTuple):
    """How comgra names a tensor's numbers: its iteration, node and role."""

    iteration: int
    node: str
    role: str


@dataclass(frozen=True)
class StepGraphs:
    """What the pickles of a step hold.

    Attributes:
        structures: One for each iteration.
        names: The name of each tensor that has numbers.
        types: Its type.
    """

    network: Network
    structures: tuple[Structure, ...]
    names: Mapping[RecordKey, str]
    types: Mapping[RecordKey, TensorType]


def read_graphs(configuration: Path, structures: Path) -> StepGraphs:
    """Reads the configuration of a step, and the graphs of nodes that it names.

    Raises:
        ForeignDataError: A pickle is damaged, or holds something else.
        OSError: A file cannot be read.
    """
    step = _read(configuration)
    names: dict[RecordKey, str] = {}
    types: dict[RecordKey, TensorType] = {}
    made = []
    try:
        network = _network(step["modules_and_parameters"])
        for iteration in step["graph_configuration_per_iteration"]:
            digest = iteration["hash_of_node_graph_structure"]
            if not isinstance(digest, str) or not digest.removeprefix("node_graph_hash_").lstrip("-").isalnum():
                raise ForeignDataError(f"{configuration.name} is not read: it names a graph that cannot be a file.")
            nodes = _read(structures / f"{digest}.pkl")["name_to_node"]
            made.append(_structure(iteration["tensor_graph_structure"], nodes, names, types))
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ForeignDataError(f"{configuration.name} is not read: it is not one of comgra's.") from error
    return StepGraphs(network, tuple(made), names, types)


def _read(path: Path) -> Any:  # noqa: ANN401
    machine = PickleMachine(path.read_bytes(), _NAMES)
    try:
        return run_pickle(machine)
    except RefusedError as refused:
        raise ForeignDataError(f"{path.name} is not read: at byte {machine.stream.at:,}, {refused}.") from None


def _structure(graph: Any, nodes: Any, names: dict[RecordKey, str], types: dict[RecordKey, TensorType]) -> Structure:  # noqa: ANN401
    shown: list[ShownTensor] = []
    positions: dict[tuple[RecordKey, str], int] = {}
    for reference in graph["tensor_references"]:
        kind = nodes[reference["node_name"]]["type_of_tensor"]
        if kind not in _TYPES:
            raise ValueError(kind)
        record = reference
        for _ in range(_LONGEST_CHAIN):
            if record["is_canonical_reference"]:
                break
            record = record["previous_reference"]
        key = _key(record)
        names[key], types[key] = str(record["tensor_name"]), kind
        # The suffix of what is older than the iteration stays at its node, but for parameters.
        name, node = str(reference["tensor_name"]).removesuffix(_OLD), str(reference["node_name"]).removeprefix(NODE)
        if kind == "parameter":
            node = node.removesuffix(_OLD)
        positions[_key(reference), name] = len(shown)
        shown.append(ShownTensor(name, node, str(reference["role_within_node"]), kind, names[key], key.iteration))
    pairs = []
    for ends in graph["tensor_connections"]:
        source, target = (_position(end, positions) for end in ends)
        pairs.append((source, target))
    return Structure(tuple(shown), tuple(dict.fromkeys(pairs)))


def _position(reference: Any, positions: Mapping[tuple[RecordKey, str], int]) -> int:  # noqa: ANN401
    """The place of an end of a connection."""
    return positions[_key(reference), str(reference["tensor_name"]).removesuffix(_OLD)]


def _key(reference: Any) -> RecordKey:  # noqa: ANN401
    return RecordKey(int(reference["iteration"]), str(reference["node_name"]), str(reference["role_within_node"]))


def _network(modules: Any) -> Network:  # noqa: ANN401
    entries: list[ModuleEntry] = []
    parameters: list[ParameterEntry] = []

    def add(module: Any, parent: int, depth: int) -> None:  # noqa: ANN401
        if depth > _MAX_DEPTH:
            raise ValueError
        place = len(entries)
        entries.append(ModuleEntry(str(module["full_unique_name"]), "", parent))
        for parameter in module["parameters"].values():
            shape = tuple(int(size) for size in parameter["shape"])
            parameters.append(ParameterEntry(str(parameter["full_unique_name"]), place, shape, "F32", requires_grad=True))
        for part in module["submodules"].values():
            add(part, place, depth + 1)

    for module in modules.values():
        add(module, -1, 0)
    return Network(tuple(entries), tuple(parameters))
