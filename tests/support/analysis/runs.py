"""Runs written by hand: the values of every tensor in every step are given, and their statistics are computed here with numpy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comgra_export.analysis.history.run import Run, read_runs
from comgra_export.storage import (
    FLAG_GRADIENT_ABSENT,
    Blob,
    CallTree,
    CurvePoint,
    EstimatedNorms,
    GradientFacts,
    Group,
    Header,
    Layout,
    LossCall,
    ModuleEntry,
    ModuleRuns,
    Network,
    NonFiniteInput,
    OptimizerEntry,
    OptimizerGroup,
    ParameterEntry,
    ParameterFacts,
    RecordedSamples,
    RecordingWriter,
    SentinelPoint,
    ShownTensor,
    SourceLine,
    StepDescription,
    Structure,
    TensorEntry,
    TensorReference,
    TensorType,
)
from comgra_export.storage.arrays.histograms import encode_histograms, histogram_of
from comgra_export.storage.arrays.unit_arrays import UNITS_ARRAY, encode_units
from comgra_export.storage.model.layout import NotKnown

__all__ = ["Given", "RunByHand", "loss_call"]

Array = NDArray[np.float32]


@dataclass(frozen=True)
class Given:
    """A tensor of a run.

    Attributes:
        name: Its name, node and role.
        type: Its type.
        operation: The operation that made it.
        parents: Names of the tensors that it was computed from.
        cut: Those of them from which no gradient flows.
        batch: Whether its first dimension is that of the batch.
        module: The module that made it.
        iteration: Its iteration, unless it is a parameter.
        dtype: Its dtype, at most I16 if it is one of integers. Its values are given in float32 anyway.
        histogram: Whether its records have histograms.
        values: Whether the values of all samples are recorded.
        source: The line of the code that made it.
        unit_dimension: The dimension of the units whose statistics are recorded.
        not_known: Why it may depend on more than its parents.
    """

    name: str
    type: TensorType = "calculated"
    operation: str | None = None
    parents: tuple[str, ...] = ()
    cut: tuple[str, ...] = ()
    batch: bool = True
    module: str | None = None
    iteration: int = 0
    dtype: str = "F32"
    histogram: bool = False
    values: bool = False
    source: SourceLine | None = None
    unit_dimension: int | None = None
    not_known: NotKnown | None = None

    @property
    def recorded_iteration(self) -> int:
        """Its iteration; -1 for a parameter."""
        return -1 if self.type == "parameter" else self.iteration


def loss_call(
    function: str, prediction: str, target: str = "target", result: str = "loss", **options: float | bool | str | None
) -> LossCall:
    """A call of a loss function in iteration 0."""
    return LossCall(function, options, *(TensorReference(name, 0) for name in (prediction, target, result)))


@dataclass
class RunByHand:
    """Writes a recording step by step, and reads it as a `Run`.

    Args:
        folder: Where the recording is written.
        tensors: The tensors of every step, each after those that it was computed from.
        modules: Names and types of the modules, such as `{"model.1": "ReLU"}`; a parent comes before its parts.
        optimized: The names of the parameters that an optimizer holds, or of those that each of several does, by the names of the
            optimizers; None if no optimizer is known.
        trial: The name of the trial.
        sampled: The parameters whose norms are estimated from 100 elements.
        group: The name of the group.
        descriptions: The descriptions of modules, by name.
        options: The options of the optimizers, beside a learning rate of 0.1.
    """

    folder: Path
    tensors: Sequence[Given]
    modules: Mapping[str, str] = field(default_factory=lambda: {"model": "Net"})
    optimized: Sequence[str] | Mapping[str, Sequence[str]] | None = None
    trial: str = "trial"
    sampled: Sequence[str] = ()
    group: str = "group"
    descriptions: Mapping[str, str] = field(default_factory=dict)
    options: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._by_name = {given.name: given for given in self.tensors}
        self._parameters = [given.name for given in self.tensors if given.type == "parameter"]
        self._writer = RecordingWriter(self.folder / self.group / self.trial / "rank-0", Header(self.group, self.trial))
        self._has_network = False

    def step(
        self,
        number: int,
        values: Mapping[str, Any],
        gradients: Mapping[str, Any] | None = None,
        *,
        updates: Mapping[str, tuple[float, float] | tuple[float, float, float | None]] | None = None,
        training: bool | None = True,
        changed_by: tuple[str, ...] | None = None,
        loss_scale: float | None = None,
        **others: Any,  # noqa: ANN401
    ) -> None:
        """Writes a step.

        Args:
            number: Its number.
            values: The values of its tensors by name: arrays, or numbers.
            gradients: Their gradients; None for one that is absent. Without it, no gradients were recorded.
            updates: Per parameter its norm, the norm of its update, and what its gradient still held of earlier steps (0 if left out).
            training: Whether the modules ran in training mode; None if they did not run.
            changed_by: What changed gradients in place before they were recorded.
            loss_scale: What a `GradScaler` had multiplied the loss by.
            others: Further arguments of `StepDescription`.
        """
        self._write_network(values)
        names = [given.name for given in self.tensors if given.name in values]
        arrays = {name: np.asarray(values[name], np.float32) for name in names}
        entries = tuple(self._entry(name, arrays[name]) for name in names)
        groups = [Group("forward", tuple(range(len(names))))]
        records: list[tuple[TensorEntry, Array | None]] = list(zip(entries, arrays.values(), strict=True))
        if gradients is not None:
            positions = tuple(names.index(name) for name in names if name in gradients)
            groups.append(Group("gradients", positions))
            for position in positions:
                gradient = gradients[names[position]]
                shape = arrays[names[position]].shape
                full = None if gradient is None else np.broadcast_to(np.asarray(gradient, np.float32), shape)
                records.append((entries[position], full))
        layout = self._writer.write_layout(Layout(entries, tuple(groups)))
        structure = self._writer.write_structure(self._structure(names))
        batches = [array.shape[0] for name, array in arrays.items() if self._by_name[name].batch and array.ndim]
        known = {
            "type_of_execution": "train" if gradients is not None or updates else "eval",
            "parameters": None if updates is None else self._updates(updates),
            "gradients": () if gradients is None else (GradientFacts("gradients", 1, loss_scale, changed_by),),
            "module_runs": None if training is None else self._module_runs(training),
            "samples": RecordedSamples(tuple(range(max((entry.samples for entry in entries), default=0)))),
            **others,
        }
        description = StepDescription(
            step=number,
            batch_size=max(batches, default=1),
            layout=layout,
            structures=(structure,),
            **known,
        )
        self._writer.write_step(description, _blobs(records))

    def write_calls(self, calls: CallTree) -> str:
        """Writes calls of modules, and returns their hash for the argument `calls` of steps."""
        return self._writer.write_calls(calls)

    def curve(self, name: str, points: Mapping[float, float], group: str = "loss", kind: str = "train") -> None:
        """Writes a curve of a type of steps."""
        for t, value in points.items():
            self._writer.add_curve_point(CurvePoint(group, name, kind, t, value))

    def check(self, number: int, largest: Mapping[tuple[str, str], float], *, inputs: tuple[NonFiniteInput, ...] | None = None) -> None:
        """Writes the check of a step, recorded or not: the largest magnitude by group and name, and the inputs that are not finite."""
        tensors = tuple((group, name, self._by_name[name].recorded_iteration) for group, name in largest)
        self._writer.add_sentinel_point(SentinelPoint(number, "train", tensors, tuple(largest.values()), inputs=inputs))

    def read(self) -> Run:
        """Ends the recording, and reads it."""
        self._writer.close()
        return next(run for run in read_runs(self.folder) if run.name == f"group/{self.trial}")

    def _write_network(self, values: Mapping[str, Any]) -> None:
        if self._has_network:
            return
        self._has_network = True
        names = list(self.modules)
        modules = tuple(
            ModuleEntry(name, kind, _position_of_parent(name, names), self.descriptions.get(name, ""))
            for name, kind in self.modules.items()
        )
        parameters = tuple(
            ParameterEntry(name, max(_position_of_parent(name, names), 0), np.asarray(values[name]).shape, self._by_name[name].dtype, True)
            for name in self._parameters
        )
        optimizers = None
        if self.optimized is not None:
            by_name = self.optimized if isinstance(self.optimized, Mapping) else {"SGD": self.optimized}
            positions = {name: tuple(map(self._parameters.index, held)) for name, held in by_name.items()}
            optimizers = tuple(
                OptimizerEntry(name, "SGD", (OptimizerGroup(held, {"lr": 0.1, **self.options}),)) for name, held in positions.items()
            )
        self._writer.write_network(Network(modules, parameters, optimizers))

    def _entry(self, name: str, array: Array) -> TensorEntry:
        given = self._by_name[name]
        batch = 0 if given.batch and given.type != "parameter" and array.ndim else None
        return TensorEntry(
            name,
            given.recorded_iteration,
            node=name,
            role=name,
            type=given.type,
            kind=("neuron" if given.values else "kpis") if array.ndim else "single_value",
            dtype=given.dtype,
            stored=given.dtype if given.dtype.startswith(("I", "B")) else "F32",
            shape=array.shape,
            batch_dimension=batch,
            samples=array.shape[0] if given.values and batch == 0 else 0,
            operation=given.operation,
            module=given.module,
            histogram=given.histogram,
            source=given.source,
            unit_dimension=given.unit_dimension,
        )

    def _structure(self, names: Sequence[str]) -> Structure:
        given = [self._by_name[name] for name in names]
        shown = tuple(ShownTensor(each.name, each.name, each.name, each.type, each.name, each.recorded_iteration) for each in given)
        edges = [(parent, name) for name in names for parent in self._by_name[name].parents if parent in names]
        cut = tuple(k for k, (parent, name) in enumerate(edges) if parent in self._by_name[name].cut)
        not_known = tuple((position, each.not_known) for position, each in enumerate(given) if each.not_known is not None)
        return Structure(shown, tuple((names.index(parent), names.index(name)) for parent, name in edges), cut, not_known)

    def _updates(self, updates: Mapping[str, tuple[float, ...] | tuple[float, float, float | None]]) -> ParameterFacts:
        rows = [(*updates[name], 0.0)[:3] for name in self._parameters if name in updates]
        positions = tuple(self._parameters.index(name) for name in self._parameters if name in updates)
        norms, differences, leftovers = zip(*rows, strict=True) if rows else ((), (), ())
        estimated = tuple(EstimatedNorms(place, 100, None) for place in positions if self._parameters[place] in self.sampled)
        return ParameterFacts(positions, norms, differences, leftovers, estimated)

    def _module_runs(self, training: bool) -> ModuleRuns:
        count = len(self.modules)
        return ModuleRuns(tuple(range(count)), (training,) * count, (1,) * count)


def _position_of_parent(name: str, modules: Sequence[str]) -> int:
    """The module that a parameter or another module is a direct part of; -1 if there is none."""
    parent = name.rpartition(".")[0]
    return modules.index(parent) if parent in modules else -1


def _blobs(records: Sequence[tuple[TensorEntry, Array | None]]) -> list[tuple[str, Blob]]:
    """The arrays of a step."""
    counts, extrema, statistics, aggregates, histograms, quantiles, units = [], [], [], [], [], [], []
    samples: dict[str, list[Array]] = {"F32": [], "I16": []}
    for number, (entry, array) in enumerate(records):
        values = np.zeros(entry.shape, np.float32) if array is None else array
        finite = values[np.isfinite(values)].astype(np.float64)
        absent = FLAG_GRADIENT_ABSENT if array is None else 0
        counts.append([np.isnan(values).sum(), (values == np.inf).sum(), (values == -np.inf).sum(), (values == 0).sum(), absent])
        extrema.append([finite.min(), finite.max()] if finite.size else [np.nan, np.nan])
        statistics.append(_statistics(entry, values.astype(np.float64)))
        if entry.aggregates_count:
            flat = values.reshape(len(values), -1)
            aggregates.append(np.concatenate([flat.mean(axis=0), np.abs(flat).max(axis=0), flat.std(axis=0, ddof=1)]))
        if entry.values_count:
            samples[entry.stored].append(values.reshape(-1))
        # A tensor comes first with its values, and then with its gradients.
        if entry.unit_dimension is not None and entry not in [other for other, _ in records[:number]]:
            by_unit = np.abs(np.moveaxis(values, entry.unit_dimension, 0)).reshape(entry.units_count, -1)
            units.append(np.concatenate([by_unit.max(axis=1), by_unit.mean(axis=1)]))
        if entry.histogram:
            histogram, of_record = histogram_of(values)
            histograms.append(histogram)
            quantiles.append(of_record)
    bins, counts_of_bins = encode_histograms(histograms)
    arrays = [
        ("counts", Blob("I64", np.array(counts, np.int64))),
        ("extrema.F32", Blob("F32", np.array(extrema, np.float32))),
        ("statistics.F32", Blob("F32", np.concatenate(statistics).astype(np.float32))),
        ("aggregates.F32", Blob("F32", np.concatenate([np.zeros(0), *aggregates]).astype(np.float32))),
        ("values.F32", Blob("F32", np.concatenate([np.zeros(0), *samples["F32"]]).astype(np.float32))),
        ("values.I16", Blob("I16", np.concatenate([np.zeros(0), *samples["I16"]]).astype(np.int16))),
        (UNITS_ARRAY, encode_units(np.concatenate([np.zeros(0), *units]).astype(np.float32))),
        ("histograms.bins", Blob("I64", bins)),
        ("histograms.counts", Blob("I64", counts_of_bins)),
        ("histograms.quantiles.F32", Blob("F32", np.array(quantiles, np.float32))),
    ]
    return [(name, blob) for name, blob in arrays if blob.data.size]


def _statistics(entry: TensorEntry, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Per item the mean, the largest magnitude and the deviation over the batch; or the item alone."""
    if entry.kind == "single_value":
        return values.reshape(1)
    if not values.size:
        return np.full(entry.statistics_count, np.nan)
    flat = values.reshape(values.shape[0] if entry.batch_dimension == 0 else 1, -1)
    with np.errstate(invalid="ignore"):
        deviation = flat.std(axis=1, ddof=1) if flat.shape[1] > 1 else np.zeros(len(flat))
        items = [flat.mean(axis=1), np.abs(flat).mean(axis=1), deviation, np.abs(flat).max(axis=1)]
        if entry.batch_dimension is None:
            return np.concatenate(items)
        over_batch = [
            [item.mean(), np.abs(item).max(), item.std(ddof=1) if len(item) > 1 else 0.0, *(item if entry.samples else ())]
            for item in items
        ]
    return np.array(over_batch).reshape(-1)
