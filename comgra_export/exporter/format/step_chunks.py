"""What is the same for many steps: calls, graphs, and facts."""

from __future__ import annotations

from typing import TypedDict

from comgra_export.exporter.format.constants import JsonNumber

__all__ = [
    "CallColumns",
    "Calls",
    "GradientColumns",
    "GradientFacts",
    "Graph",
    "GraphColumns",
    "GraphNodes",
    "GraphTensors",
    "ModuleRuns",
    "ParameterList",
    "PortColumns",
    "StepFacts",
]


class CallColumns(TypedDict):
    """The calls of watched modules in one iteration, in the order in which they began. `parent` is a row, or -1."""

    module: list[int]
    parent: list[int]
    number: list[int]
    training: list[bool]
    raised: list[bool]


class GradientColumns(TypedDict, total=False):
    """Where the gradients of inputs through their calls alone are. Either both columns are there or none."""

    gradient_record_name: list[str | None]
    gradient_record_iteration: list[int | None]


class PortColumns(GradientColumns):
    """What went into the calls and came out of them. If there are no numbers, `text` says what it was; `meaning` is as recorded."""

    call: list[int]
    side: list[str]
    path: list[str]
    record_name: list[str | None]
    record_iteration: list[int | None]
    text: list[str | None]
    meaning: list[str | None]


class Calls(TypedDict):
    """A member of a calls chunk."""

    calls: CallColumns
    ports: PortColumns


class GraphNodes(TypedDict):
    """The nodes of a graph, ordered by column, then row. `label` is the name without its column's heading."""

    name: list[str]
    type: list[str]
    label: list[str]
    column: list[int]
    row: list[int]


class GraphColumns(TypedDict):
    """The columns of a graph: what the names of all nodes of a column begin with, up to and with a dot, or the empty text."""

    heading: list[str]


class GraphTensors(TypedDict):
    """The tensors of a graph: `node` is a position in the nodes; their numbers are under (`record_name`, `record_iteration`)."""

    name: list[str]
    node: list[int]
    role: list[str]
    record_name: list[str]
    record_iteration: list[int]


class GraphNotKnown(TypedDict):
    """Which tensors of a graph may depend on more than it says, ascending, and why: reasons as in a structure of the recording format."""

    tensor: list[int]
    reason: list[str | None]


class _OptionalInGraph(TypedDict, total=False):
    not_known: GraphNotKnown


# `from` is a word of Python's, so this one cannot be written as a class.
_GraphMembers = TypedDict(
    "_GraphMembers",
    {
        "nodes": GraphNodes,
        "columns": GraphColumns,
        "tensors": GraphTensors,
        "from": list[int],
        "to": list[int],
        "without_gradient": list[int],
    },
)


class Graph(_GraphMembers, _OptionalInGraph):
    """A laid-out graph.

    `from[k]` is a direct dependency of `to[k]`; both are positions in the tensors. `without_gradient` holds the `k` through which no
    gradient flows, ascending. Without `not_known`, all dependencies are known.
    """


class GradientFacts(TypedDict):
    """What is known of the gradients of one group, as in a step of the recording format."""

    group: str
    backward_passes: int | None
    loss_scale: JsonNumber | None
    changed_in_place_by: list[str] | None
    averaged_over_ranks: bool | None


class StepFacts(TypedDict):
    """What is known of a step besides its tensors: a member of a facts chunk.

    `module_runs` and `parameter_list` are positions in the lists of the index, or -1 where nothing is known. The numbers of the
    parameters are in the array `parameters.*` of the step.
    """

    session: int
    learning_rates: list[list[JsonNumber]] | None
    gradients: list[GradientFacts]
    held_bytes: int | None
    module_runs: int
    parameter_list: int


class ModuleRuns(TypedDict):
    """Which modules ran: positions in the network, whether each was in training mode, and how often it ran."""

    module: list[int]
    training: list[bool]
    calls: list[int]


class EstimatedNorms(TypedDict):
    """The parameters whose norms were estimated: positions in the network, from how many elements, and the relative error."""

    parameter: list[int]
    elements: list[int]
    error: list[JsonNumber | None]


class EstimatedColumn(TypedDict, total=False):
    """Missing if no norm was estimated."""

    estimated: EstimatedNorms


class ParameterList(EstimatedColumn):
    """The parameters that a step says something about: positions in the network."""

    parameter: list[int]
