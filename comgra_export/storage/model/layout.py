"""Which tensors a step holds numbers of, and the graph that shows them.

Letters: `B` samples in the batch, `S` samples recorded one by one, `N` values per sample, `A` aggregations, `I` items, `R` records (a
record is one tensor of one group).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "BATCH_AGGREGATIONS",
    "FLAG_GRADIENT_ABSENT",
    "MAX_UNITS",
    "NO_BATCH_AGGREGATION",
    "UNIT_STATISTICS",
    "Blob",
    "Group",
    "Kind",
    "Layout",
    "NotKnown",
    "Shard",
    "ShownTensor",
    "SourceLine",
    "Structure",
    "TensorEntry",
    "TensorType",
    "positions_of_units",
]

BATCH_AGGREGATIONS = ("batch_mean", "batch_abs_max", "batch_std")
NO_BATCH_AGGREGATION = "has_no_batch_dimension"
FLAG_GRADIENT_ABSENT = 1

UNIT_STATISTICS = ("abs_max", "abs_mean")
"""What is recorded of single units of a tensor, over all samples and positions."""

MAX_UNITS = 1024
"""If a tensor has more units, so many of them are recorded."""

TensorType = Literal["input", "calculated", "target", "loss", "parameter"]

Kind = Literal["neuron", "kpis", "kpis_and_svd", "single_value"]

NotKnown = Literal["unseen", "outside", "autograd"]
"""Why a tensor may depend on more than is known: no call that was seen has made it; it may have been made of values that had left PyTorch;
or part of it is known from autograd alone, which leaves out what carries no gradient."""

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


class SourceLine(NamedTuple):
    """A line of the code that was recorded.

    Attributes:
        file: The file, relative to the folder of the project, with `/` between folders.
        line: Which line, counted from 1.
        function: The function that it is part of; `<module>` for none.
    """

    file: str
    line: int
    function: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line} in {self.function}"


@dataclass(frozen=True)
class TensorEntry:
    """A row of a layout: one tensor that a step holds numbers of.

    `histogram` says whether its records have histograms, `device` where it was, `source` which line of the code made it. Its values in
    `forward` have statistics of single units if there is a `unit_dimension`: the dimension of features or channels.
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
    source: SourceLine | None = None
    unit_dimension: int | None = None

    @property
    def is_floating(self) -> bool:
        """Whether it holds floating-point numbers: no tokens, classes or masks."""
        return self.dtype.startswith(("F", "BF"))

    @property
    def precision(self) -> str:
        """Dtype of its statistics: `F64` if float32 cannot hold its values exactly, else `F32`."""
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

    @cached_property
    def units_count(self) -> int:
        """`U`: how many of its units have statistics."""
        return 0 if self.unit_dimension is None else min(self.shape[self.unit_dimension], MAX_UNITS)


def positions_of_units(size: int) -> range | list[int]:
    """Which units of a dimension of this size have statistics: all of them, or `MAX_UNITS` that are evenly spaced."""
    return range(size) if size <= MAX_UNITS else [place * size // MAX_UNITS for place in range(MAX_UNITS)]


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
        not_known: Positions in `tensors`, ascending, of those that may depend on more than `dependencies` says, and why.
    """

    tensors: tuple[ShownTensor, ...]
    dependencies: tuple[tuple[int, int], ...]
    without_gradient: tuple[int, ...] = ()
    not_known: tuple[tuple[int, NotKnown | None], ...] = ()
