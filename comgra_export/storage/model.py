"""What a recording holds, as plain data. `docs/recording-format.md` is the specification; these classes mirror it.

Letters: `B` samples in the batch, `S` samples recorded one by one, `N` values per sample, `A` aggregations, `I` items,
`R` records (a record is one tensor of one group).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from math import prod
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from comgra_export.storage.flow_model import GradientFlow

__all__ = [
    "BATCH_AGGREGATIONS",
    "FLAG_GRADIENT_ABSENT",
    "FORMAT",
    "NO_BATCH_AGGREGATION",
    "VERSION",
    "Blob",
    "CurvePoint",
    "Gap",
    "GradientFacts",
    "Group",
    "Header",
    "JournalEntry",
    "JournalEvent",
    "Kind",
    "Layout",
    "ModuleEntry",
    "ModuleRuns",
    "Network",
    "Note",
    "OptimizerEntry",
    "OptimizerGroup",
    "ParameterEntry",
    "ParameterFacts",
    "RecordedSamples",
    "SentinelPoint",
    "Shard",
    "ShownTensor",
    "StepDescription",
    "Structure",
    "TensorEntry",
    "TensorType",
]

FORMAT = "comgra-recording"
VERSION = 2

BATCH_AGGREGATIONS = ("batch_mean", "batch_abs_max", "batch_std")
NO_BATCH_AGGREGATION = "has_no_batch_dimension"
FLAG_GRADIENT_ABSENT = 1

TensorType = Literal["input", "calculated", "target", "loss", "parameter"]
Kind = Literal["neuron", "kpis", "kpis_and_svd", "single_value"]

_STATISTICS = ("mean", "abs_mean", "std", "abs_max")
_ITEMS: dict[Kind, tuple[str, ...]] = {
    "neuron": _STATISTICS,
    "kpis": _STATISTICS,
    "kpis_and_svd": (*_STATISTICS, "svd"),
    "single_value": ("single_value",),
}
_WIDE_DTYPES = frozenset({"F64", "I64", "I32", "U64", "U32"})


@dataclass(frozen=True)
class Blob:
    """A flat array as it is stored.

    Attributes:
        dtype: Its type in safetensors' spelling, such as `F32` or `BF16`.
        data: Its elements, C-contiguous. numpy has no bfloat16: there the elements are uint16 with the same bits. `BOOL` is uint8 or bool.
    """

    dtype: str
    data: NDArray[np.generic]


@dataclass(frozen=True)
class Header:
    """`recording.json`. `version` is that of the format."""

    group: str
    trial: str
    rank: int = 0
    world_size: int = 1
    writer: str = ""
    torch_version: str = ""
    started: str = ""
    prefixes_for_grouping_module_parameters_visually: tuple[str, ...] = ("",)
    max_num_batch_size_to_record: int | None = None
    version: int = VERSION


@dataclass(frozen=True)
class ModuleEntry:
    """A module of the network: dotted name, class name, position of the parent (-1: tracked by the user), settings as text."""

    name: str
    type: str
    parent: int
    description: str = ""


@dataclass(frozen=True)
class ParameterEntry:
    """A parameter: dotted name, position of its module, shape, dtype in safetensors' spelling."""

    name: str
    module: int
    shape: tuple[int, ...]
    dtype: str
    requires_grad: bool
    alias_of: str | None = None


@dataclass(frozen=True)
class OptimizerGroup:
    """A parameter group of an optimizer.

    Attributes:
        parameters: Positions in `Network.parameters`; those of parameters outside of the tracked modules are left out.
        options: Its settings when it was handed over, such as `lr` and `weight_decay`: numbers, booleans, strings and nulls.
    """

    parameters: tuple[int, ...]
    options: Mapping[str, float | bool | str | None] = field(default_factory=dict)


@dataclass(frozen=True)
class OptimizerEntry:
    """An optimizer that the user handed over: its name, its class name and its groups."""

    name: str
    type: str
    groups: tuple[OptimizerGroup, ...]


@dataclass(frozen=True)
class Network:
    """`network.json`: parents come before their children.

    Attributes:
        optimizers: None where none was handed over.
        session: The first session whose steps mean these lists when they give positions in them.
    """

    modules: tuple[ModuleEntry, ...] = ()
    parameters: tuple[ParameterEntry, ...] = ()
    optimizers: tuple[OptimizerEntry, ...] | None = None
    session: int = 0


@dataclass(frozen=True)
class Note:
    """A line of `notes.jsonl`; `step` is None before the first step."""

    text: str
    step: int | None = None


@dataclass(frozen=True)
class CurvePoint:
    """A line of `curves.jsonl`: the point `(t, v)` of the curve `(group, name, type)`. `t` is finite, `v` any float."""

    group: str
    name: str
    type: str
    t: float
    v: float


@dataclass(frozen=True)
class Gap:
    """Something that could not be recorded, and why.

    Attributes:
        reason: Why, as a sentence.
        step: Of which step; None where it is of none.
        iteration: Of which of its iterations; None where it is of all or none.
        group: Of which group of its records, likewise.
        tensor: The name of the tensor, likewise.
        whole_step: Whether the step is missing as a whole. Such a gap belongs to no recorded step.
    """

    reason: str
    step: int | None = None
    iteration: int | None = None
    group: str | None = None
    tensor: str | None = None
    whole_step: bool = False


@dataclass(frozen=True)
class Shard:
    """Which part of a tensor this process holds.

    Attributes:
        shape: Sizes of the whole tensor.
        index: Number of the part; processes with the same number hold the same values.
        count: How many parts there are.
    """

    shape: tuple[int, ...]
    index: int
    count: int


@dataclass(frozen=True)
class TensorEntry:
    """A row of a layout: one tensor that a step holds numbers of.

    `histogram` says whether its records have histograms, `device` where it was.
    """

    name: str
    iteration: int
    node: str
    role: str
    type: TensorType
    kind: Kind
    dtype: str
    stored: str
    shape: tuple[int, ...]
    batch_dimension: int | None
    samples: int
    operation: str | None = None
    module: str | None = None
    shard: Shard | None = None
    histogram: bool = False
    device: str | None = None

    @property
    def precision(self) -> str:
        """Dtype of its statistics: `F64` where float32 cannot hold its values exactly, else `F32`."""
        return "F64" if self.dtype in _WIDE_DTYPES else "F32"

    @property
    def items(self) -> tuple[str, ...]:
        """Names of its statistics, in order (`I` of them)."""
        return _ITEMS[self.kind]

    @cached_property
    def aggregation_count(self) -> int:
        """`A`: 3 + S with a batch dimension, else 1."""
        return 1 if self.batch_dimension is None else len(BATCH_AGGREGATIONS) + self.samples

    @cached_property
    def values_per_sample(self) -> int:
        """`N`: the product of the shape without the batch dimension."""
        return prod(size for axis, size in enumerate(self.shape) if axis != self.batch_dimension)

    @cached_property
    def statistics_count(self) -> int:
        """Numbers it has in `statistics.P`: I * A."""
        return len(self.items) * self.aggregation_count

    @cached_property
    def aggregates_count(self) -> int:
        """Numbers it has in `aggregates.P`: 3 * N, or 0."""
        if self.kind != "neuron" or self.batch_dimension is None:
            return 0
        return len(BATCH_AGGREGATIONS) * self.values_per_sample

    @cached_property
    def values_count(self) -> int:
        """Numbers it has in `values.D`: S * N, N without a batch dimension, or 0."""
        if self.kind != "neuron":
            return 0
        return (1 if self.batch_dimension is None else self.samples) * self.values_per_sample


@dataclass(frozen=True)
class Group:
    """The records of one recording type (`forward`, or a loss group): positions in the layout's tensors."""

    name: str
    tensors: tuple[int, ...]


@dataclass(frozen=True)
class Layout:
    """`layouts/HASH.json`: what a step holds, in which order. Records are numbered through the groups in order."""

    tensors: tuple[TensorEntry, ...]
    groups: tuple[Group, ...]


@dataclass(frozen=True)
class ShownTensor:
    """A tensor shown in the graph of an iteration, and where its numbers are: under (`record_name`, `record_iteration`) of the layout."""

    name: str
    node: str
    role: str
    type: TensorType
    record_name: str
    record_iteration: int


@dataclass(frozen=True)
class Structure:
    """`structures/HASH.json`: the dependency graph of one iteration.

    Attributes:
        tensors: What is shown.
        dependencies: Pairs (from, to) of positions in `tensors`: `from` is a direct dependency of `to`. No duplicates, no cycles.
        without_gradient: Positions in `dependencies` of those through which no gradient flows: values only. Ascending.
    """

    tensors: tuple[ShownTensor, ...]
    dependencies: tuple[tuple[int, int], ...]
    without_gradient: tuple[int, ...] = ()


@dataclass(frozen=True)
class RecordedSamples:
    """The samples recorded one by one: positions in the batch (`S` of them), and, where known, an id and a category for each."""

    index: tuple[int, ...]
    id: tuple[str, ...] | None = None
    category: tuple[str, ...] | None = None


@dataclass(frozen=True)
class ModuleRuns:
    """Which tracked modules ran in a step. One entry per module that did.

    Attributes:
        modules: Positions in `Network.modules`, ascending.
        training: Whether it was in training mode when it ran last.
        calls: How often it ran forwards. The recomputation of checkpointed blocks is not counted.
    """

    modules: tuple[int, ...]
    training: tuple[bool, ...]
    calls: tuple[int, ...]


@dataclass(frozen=True)
class ParameterFacts:
    """What a step did to the parameters. One entry per parameter.

    Attributes:
        parameters: Positions in `Network.parameters`, ascending.
        norm: Euclidean norm before the step.
        update_norm: Euclidean norm of the difference between the values after the step and before it.
        accumulated_gradient_difference: Euclidean norm of what the gradient still held of earlier steps when the first backward pass of
            this step reached it; None where it is not known or nothing was recorded.
    """

    parameters: tuple[int, ...]
    norm: tuple[float, ...]
    update_norm: tuple[float, ...]
    accumulated_gradient_difference: tuple[float | None, ...]


@dataclass(frozen=True)
class GradientFacts:
    """What is known of the gradients of one loss group.

    Attributes:
        group: Its name.
        backward_passes: How many backward passes of this step they are the sum of; None where it is not known.
        loss_scale: The factor by which a `GradScaler` had multiplied the loss. The gradients are recorded without it. None: no scaler is
            known.
        changed_in_place_by: What changed gradients of parameters in place between the backward pass and the recording, such as `mul_` of
            clipping. Names of operations, each once, in their order. None where it is not known.
        averaged_over_ranks: Whether the gradients of parameters are averaged over the processes of a distributed run (True) or those of
            this process alone (False); None where the run is not distributed or it is not known.
    """

    group: str
    backward_passes: int | None = None
    loss_scale: float | None = None
    changed_in_place_by: tuple[str, ...] | None = None
    averaged_over_ranks: bool | None = None


@dataclass(frozen=True)
class StepDescription:
    """`steps/STEP.json`. `layout`, `structures` and `calls` hold hashes; a structure is None where the graph is missing.

    Attributes:
        session: Which opening of the recording wrote it.
        triggered: Why it was recorded although the schedule did not ask for it, or None.
        learning_rates: Per optimizer, in the order of `Network.optimizers`, and parameter group, at the end of the step.
        held_bytes: The most memory that the recorder held for this step, its parts added up.
        calls: The calls of watched modules, per iteration; None where there are none. Empty where no module was watched.
        epoch: In which epoch it was made, as the user counts them; None where they did not say.
        flows: The gradient flows, whose numbers are in files of their own.
    """

    step: int
    type_of_execution: str
    batch_size: int
    layout: str
    structures: tuple[str | None, ...]
    samples: RecordedSamples
    time: float | None = None
    session: int = 0
    triggered: str | None = None
    learning_rates: tuple[tuple[float, ...], ...] | None = None
    module_runs: ModuleRuns | None = None
    parameters: ParameterFacts | None = None
    gradients: tuple[GradientFacts, ...] = ()
    held_bytes: int | None = None
    gaps: tuple[Gap, ...] = field(default_factory=tuple)
    calls: tuple[str | None, ...] = ()
    epoch: float | None = None
    flows: tuple[GradientFlow, ...] = ()


JournalEvent = Literal["opened", "finished", "closed"]


@dataclass(frozen=True)
class JournalEntry:
    """A line of `journal.jsonl`.

    Attributes:
        event: `opened`: a process began to write. `finished`: a recorded step was finished, and handed over to be written. `closed`: the
            process ended the recording; nothing is missing.
        session: Which opening of the recording, counted from 0.
        step: The step that was finished; for `opened`, None.
        time: Seconds since `started` in the header.
    """

    event: JournalEvent
    session: int
    step: int | None = None
    time: float | None = None


@dataclass(frozen=True)
class SentinelPoint:
    """The cheap check of one step, recorded or not: a line of `sentinels.jsonl`.

    Attributes:
        step: The step.
        type_of_execution: Its type.
        tensors: What was checked: (group, name, iteration), as in a layout.
        largest: The largest magnitude of each; NaN where it holds a NaN, infinity where it holds an infinity.
        triggered: Why the step was recorded for it, or None.
    """

    step: int
    type_of_execution: str
    tensors: tuple[tuple[str, str, int], ...]
    largest: tuple[float, ...]
    triggered: str | None = None
