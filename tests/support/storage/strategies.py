"""Random recordings and their expected numbers, worked out from the format page alone."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any, get_args

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from comgra_export.storage import (
    Blob,
    CallEntry,
    CallTree,
    CurvePoint,
    EstimatedNorms,
    FlowLayer,
    FlowNumbers,
    FlowPair,
    Gap,
    GradientFacts,
    GradientFlow,
    Group,
    Header,
    Kind,
    Layout,
    ModuleEntry,
    ModuleRuns,
    Network,
    NonFiniteInput,
    NonFiniteOrigin,
    Note,
    OptimizerEntry,
    OptimizerGroup,
    OriginOperand,
    PairNumbers,
    ParameterEntry,
    ParameterFacts,
    PortEntry,
    RecordedSamples,
    RecordingWriter,
    SentinelPoint,
    Shard,
    ShownTensor,
    SourceLine,
    StepDescription,
    Structure,
    TensorEntry,
    TensorType,
)
from comgra_export.storage.arrays.histograms import StepHistograms, encode_histograms, histogram_of
from comgra_export.storage.model.layout import NotKnown
from support.storage.entries import tensor_entry

NUMPY_DTYPES = {
    "F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2", "I64": "<i8", "I32": "<i4", "I16": "<i2", "I8": "<i1",
    "U64": "<u8", "U32": "<u4", "U16": "<u2", "U8": "<u1", "BOOL": "<u1",
}  # fmt: skip
WIDE = {"F64", "I64", "I32", "U64", "U32"}
ITEMS = {"neuron": 4, "kpis": 4, "kpis_and_svd": 5, "single_value": 1}

HOSTILE_TEXTS = [
    "</script><script>alert(1)</script>", "\"quotes\" and 'more'", "\u202eright to left\u200f", "n" * 10_000, "../../etc/passwd", "a\\b/c",
    "nul\0inside", "line\nbreak\r\n", "\u2028\u2029", "🦔 é", "", "__proto__", "NaN", "null",
]  # fmt: skip
texts = st.one_of(st.text(max_size=12), st.sampled_from(HOSTILE_TEXTS))
steps = st.integers(0, 999_999_999_999)
sizes = st.integers(0, 3)
shards = st.integers(1, 9).flatmap(
    lambda count: st.builds(Shard, st.lists(sizes, max_size=3).map(tuple), st.integers(0, count - 1), st.just(count))
)


@dataclass(frozen=True)
class Record:
    """The numbers of one record, as raw arrays, before they are put together."""

    counts: NDArray[Any]
    extrema: NDArray[Any]
    statistics: NDArray[Any]
    aggregates: NDArray[Any]
    values: NDArray[Any]


@dataclass(frozen=True)
class Step:
    layout: Layout
    records: tuple[Record, ...]
    samples: int
    histograms: StepHistograms | None = None

    def blobs(self) -> list[tuple[str, Blob]]:
        """The arrays of the step, each record's numbers behind the ones before."""
        parts: defaultdict[tuple[str, str], list[NDArray[Any]]] = defaultdict(list)
        entries = [self.layout.tensors[tensor] for group in self.layout.groups for tensor in group.tensors]
        for entry, record in zip(entries, self.records, strict=True):
            precision = "F64" if entry.dtype in WIDE else "F32"
            parts["counts", "I32"].append(record.counts)
            parts[f"extrema.{precision}", precision].append(record.extrema)
            parts[f"statistics.{precision}", precision].append(record.statistics)
            parts[f"aggregates.{precision}", precision].append(record.aggregates)
            parts[f"values.{entry.stored}", entry.stored].append(record.values)
        if self.histograms is not None:
            parts["histograms.bins", "I64"].append(self.histograms.bins)
            parts["histograms.counts", "I64"].append(self.histograms.counts)
            precisions = ["F64" if entry.dtype in WIDE else "F32" for entry in entries if entry.histogram]
            for precision, quantiles in zip(precisions, self.histograms.quantiles, strict=True):
                parts[f"histograms.quantiles.{precision}", precision].append(quantiles.astype(NUMPY_DTYPES[precision]))
        return [(name, Blob(dtype, np.concatenate([part.reshape(-1) for part in arrays]))) for (name, dtype), arrays in parts.items()]


@st.composite
def tensor_entries(draw: st.DrawFn, samples: int) -> TensorEntry:
    dtype = draw(st.sampled_from([*NUMPY_DTYPES, "F8_E4M3", "F8_E5M2"]))
    shape = draw(st.lists(sizes, max_size=3))
    batch_dimension = draw(st.none() | st.integers(0, len(shape) - 1)) if shape else None
    recorded = draw(st.sampled_from([0, samples])) if batch_dimension is not None and shape[batch_dimension] >= samples else 0
    return TensorEntry(
        name=draw(texts),
        iteration=draw(st.integers(-1, 3)),
        node=draw(texts),
        role=draw(texts),
        type=draw(st.sampled_from(get_args(TensorType))),
        kind=draw(st.sampled_from(get_args(Kind))),
        dtype=dtype,
        stored="F32" if dtype.startswith("F8") else dtype,
        shape=tuple(shape),
        batch_dimension=batch_dimension,
        samples=recorded,
        operation=draw(st.none() | texts),
        module=draw(st.none() | texts),
        shard=draw(st.none() | shards),
        histogram=draw(st.booleans()),
        device=draw(st.none() | texts),
        source=draw(st.none() | st.builds(SourceLine, texts, st.integers(1, 2**53 - 1), texts)),
    )


@st.composite
def layouts(draw: st.DrawFn, samples: int) -> Layout:
    tensors = draw(st.lists(tensor_entries(samples), max_size=5, unique_by=lambda entry: (entry.name, entry.iteration)))
    positions = st.lists(st.integers(0, len(tensors) - 1), unique=True) if tensors else st.just([])
    groups = draw(st.lists(st.builds(Group, texts, positions.map(tuple)), max_size=3, unique_by=lambda group: group.name))
    return Layout(tuple(tensors), tuple(groups))


def raw_numbers(generator: np.random.Generator, dtype: str, count: int) -> NDArray[Any]:
    """Random bits, which include NaN payloads, infinities and denormals, plus some deliberate non-finite values."""
    numpy_dtype = np.dtype(NUMPY_DTYPES[dtype])
    numbers: NDArray[Any] = np.frombuffer(generator.bytes(count * numpy_dtype.itemsize), numpy_dtype).copy()
    if numpy_dtype.kind == "f":
        numbers[::3] = generator.choice([np.nan, np.inf, -np.inf, -0.0], len(numbers[::3]))
    return numbers


def record_of(generator: np.random.Generator, entry: TensorEntry) -> Record:
    """Numbers for a record, with the sizes that the format page gives."""
    precision = "F64" if entry.dtype in WIDE else "F32"
    has_batch = entry.batch_dimension is not None
    per_sample = prod(size for axis, size in enumerate(entry.shape) if axis != entry.batch_dimension)
    neuron = entry.kind == "neuron"
    return Record(
        counts=raw_numbers(generator, "I32", 5),
        extrema=raw_numbers(generator, precision, 2),
        statistics=raw_numbers(generator, precision, ITEMS[entry.kind] * (3 + entry.samples if has_batch else 1)),
        aggregates=raw_numbers(generator, precision, 3 * per_sample if neuron and has_batch else 0),
        values=raw_numbers(generator, entry.stored, (entry.samples if has_batch else 1) * per_sample if neuron else 0),
    )


def histograms_of(generator: np.random.Generator, layout: Layout) -> StepHistograms:
    """Histograms of random values for a layout: of large ones, of zeros, of NaN and infinities, of none."""
    entries = [layout.tensors[tensor] for group in layout.groups for tensor in group.tensors if layout.tensors[tensor].histogram]
    counted = []
    for entry in entries:
        values = generator.standard_normal(generator.choice([0, 1, 30])) * 10.0 ** generator.integers(-30, 30)
        values[::5] = generator.choice([0, np.nan, np.inf, -np.inf])
        counted.append(histogram_of(values.astype(NUMPY_DTYPES["F64" if entry.dtype in WIDE else "F32"])))
    quantiles = np.array([own for _, own in counted], np.float64).reshape(-1, 7)
    return StepHistograms(*encode_histograms([histogram for histogram, _ in counted]), quantiles)


@st.composite
def recorded_steps(draw: st.DrawFn) -> Step:
    samples = draw(st.integers(0, 3))
    layout = draw(layouts(samples))
    generator = np.random.default_rng(draw(st.integers(0, 2**32)))
    records = tuple(record_of(generator, layout.tensors[tensor]) for group in layout.groups for tensor in group.tensors)
    return Step(layout, records, samples, histograms_of(generator, layout))


@st.composite
def structures(draw: st.DrawFn) -> Structure:
    shown = st.builds(ShownTensor, texts, texts, texts, st.sampled_from(get_args(TensorType)), texts, st.integers(-1, 3))
    tensors = draw(st.lists(shown, max_size=5))
    positions = st.integers(0, len(tensors) - 1)
    pairs = st.lists(st.tuples(positions, positions), unique=True, max_size=6) if tensors else st.just([])
    dependencies = draw(pairs)
    without_gradient = draw(st.sets(st.integers(0, len(dependencies) - 1))) if dependencies else set()
    reasons = st.none() | st.sampled_from(get_args(NotKnown))
    not_known = draw(st.dictionaries(positions, reasons, max_size=3)) if tensors else {}
    return Structure(tuple(tensors), tuple(dependencies), tuple(sorted(without_gradient)), tuple(sorted(not_known.items())))


@st.composite
def call_trees(draw: st.DrawFn) -> CallTree:
    """Calls of the modules of `FULL_NETWORK`."""
    modules = draw(st.lists(st.integers(0, 3), max_size=6))
    calls = tuple(
        CallEntry(module, draw(st.integers(-1, position - 1)), modules[:position].count(module), draw(st.booleans()), draw(st.booleans()))
        for position, module in enumerate(modules)
    )
    meanings = st.none() | st.sampled_from(["attention", "attention_after_dropout"])
    contents = st.tuples(texts, st.integers(-1, 3), st.none(), meanings) | st.tuples(st.none(), st.none(), texts, st.none())
    gradients = st.tuples(st.none(), st.none()) | st.tuples(texts, st.integers(-1, 3))
    ports = st.tuples(st.integers(0, len(calls) - 1), st.sampled_from(["input", "output"]), texts, contents, gradients)
    drawn = draw(st.lists(ports, max_size=5)) if calls else []
    return CallTree(
        calls,
        tuple(
            PortEntry(call, side, path, *content, *(gradient if side == "input" and content[0] is not None else ()))  # type: ignore[arg-type]
            for call, side, path, content, gradient in drawn
        ),
    )


@st.composite
def networks(draw: st.DrawFn) -> Network:
    count = draw(st.integers(0, 4))
    modules = tuple(ModuleEntry(draw(texts), draw(texts), draw(st.integers(-1, position - 1)), draw(texts)) for position in range(count))
    parameter = st.builds(
        ParameterEntry, texts, st.integers(0, count - 1), st.lists(sizes, max_size=3).map(tuple), texts, st.booleans(), st.none() | texts
    )
    parameters = tuple(draw(st.lists(parameter, max_size=4))) if count else ()
    positions = st.lists(st.integers(0, len(parameters) - 1), unique=True) if parameters else st.just([])
    # Non-finite numbers are written as texts, so they look like texts of the same letters.
    words = texts.filter(lambda text: text not in ("NaN", "Infinity", "-Infinity"))
    options = st.dictionaries(words, st.none() | st.booleans() | words | st.integers(-5, 5) | st.floats(allow_nan=False), max_size=3)
    groups = st.lists(st.builds(OptimizerGroup, positions.map(tuple), options), max_size=2).map(tuple)
    optimizers = st.lists(st.builds(OptimizerEntry, texts, texts, groups), max_size=2).map(tuple)
    return Network(modules, parameters, draw(st.none() | optimizers))


FULL_NETWORK = Network(
    tuple(ModuleEntry(f"m{position}", "Linear", position - 1) for position in range(4)),
    tuple(ParameterEntry(f"m{position}.weight", position, (2,), "F32", True) for position in range(4)),
    (
        OptimizerEntry("generator", "Adam", (OptimizerGroup((0, 1), {"lr": 1e-3}), OptimizerGroup((2,)))),
        OptimizerEntry("critic", "SGD", (OptimizerGroup((3,), {"lr": 0.1, "nesterov": True, "momentum": None}),)),
    ),
)
"""What the facts of `step_facts` refer to."""

numbers = st.floats(allow_nan=False)


@st.composite
def step_facts(draw: st.DrawFn) -> dict[str, Any]:
    """The members of a description that add to the numbers."""
    modules = sorted(draw(st.sets(st.integers(0, 3))))
    parameters = sorted(draw(st.sets(st.integers(0, 3))))

    def column(elements: st.SearchStrategy[Any], rows: list[int]) -> tuple[Any, ...]:
        return tuple(draw(st.lists(elements, min_size=len(rows), max_size=len(rows))))

    runs = ModuleRuns(tuple(modules), column(st.booleans(), modules), column(st.integers(0, 2**53 - 1), modules))
    norms = (column(numbers, parameters), column(numbers, parameters), column(st.none() | numbers, parameters))
    sampled = parameters[: draw(st.integers(0, len(parameters)))]
    estimated = tuple(map(EstimatedNorms, sampled, column(st.integers(1, 2**53 - 1), sampled), column(st.none() | numbers, sampled)))
    gradients = st.builds(
        GradientFacts,
        texts,
        st.none() | st.integers(0, 9),
        st.none() | numbers,
        st.none() | st.lists(texts).map(tuple),
        st.none() | st.booleans(),
    )
    return {
        "time": draw(st.none() | numbers),
        "session": draw(st.integers(0, 3)),
        "triggered": draw(st.none() | texts),
        "learning_rates": draw(st.none() | st.tuples(st.tuples(numbers, numbers), st.tuples(numbers)) | st.tuples(st.tuples(numbers))),
        "module_runs": draw(st.sampled_from([None, runs])),
        "parameters": draw(st.sampled_from([None, ParameterFacts(tuple(parameters), *norms, estimated)])),
        "gradients": tuple(draw(st.lists(gradients, max_size=2, unique_by=lambda facts: facts.group))),
        "held_bytes": draw(st.none() | st.integers(0, 2**53 - 1)),
        "gaps": tuple(draw(st.lists(gaps, max_size=2))),
        "epoch": draw(st.none() | st.integers(0, 9) | numbers),
    }


@st.composite
def sentinel_points(draw: st.DrawFn) -> list[SentinelPoint]:
    """Checks of steps. Neighbours are often about the same tensors."""
    checked = st.lists(st.tuples(texts, texts, st.integers(-1, 3)), max_size=3).map(tuple)
    points = []
    for tensors in draw(st.lists(checked, max_size=3)):
        largest = st.lists(st.floats(0) | st.just(math.nan), min_size=len(tensors), max_size=len(tensors)).map(tuple)
        points += draw(
            st.lists(st.builds(SentinelPoint, steps, texts, st.just(tensors), largest, st.none() | texts), min_size=1, max_size=3)
        )
    return points


notes = st.builds(Note, texts, st.none() | steps)
curve_points = st.builds(
    CurvePoint,
    st.sampled_from(["a", "b"]) | texts,
    st.sampled_from(["a", "b"]),
    st.just("t"),
    st.integers(0, 5) | st.floats(0, 9),
    st.floats(),
)
gaps = st.builds(Gap, texts, st.none() | steps, st.none() | st.integers(-1, 5), st.none() | texts, st.none() | texts)
gap_lines = gaps | st.builds(Gap, texts, steps, whole_step=st.just(True))
"""Lines of gaps.jsonl. A gap of a step that is there stands for no whole step."""

folder_names = st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="/\\"), min_size=1, max_size=40).filter(
    lambda name: not name.startswith(".") and not name.endswith((" ", "."))
)
headers = st.builds(
    Header,
    group=folder_names,
    trial=folder_names,
    rank=st.integers(0, 3),
    world_size=st.integers(4, 2**31),
    writer=texts,
    torch_version=texts,
    started=texts,
    prefixes_for_grouping_module_parameters_visually=st.lists(texts, max_size=3).map(tuple),
    max_num_batch_size_to_record=st.none() | st.integers(0, 100),
)


def pair_numbers_of(generator: np.random.Generator, samples: int, source: int, target: int, has_residuals: bool) -> PairNumbers:
    """Flows between some elements of two layers; with a row for every element of the source, none of which needs to have any."""
    dense = raw_numbers(generator, "F32", samples * source * target).reshape(samples * source, target)
    is_there = generator.random(dense.shape) < 0.5
    rows, targets = np.nonzero(is_there)
    return PairNumbers(
        starts=np.searchsorted(rows, np.arange(samples * source + 1)).astype(np.int64),
        targets=targets.astype(np.int32),
        flows=dense[is_there],
        computed=generator.integers(0, 2, (samples, target)).astype(np.uint8) if generator.random() < 0.5 else None,
        residuals=raw_numbers(generator, "F32", samples * source).reshape(samples, source) if has_residuals else None,
    )


@st.composite
def gradient_flows(draw: st.DrawFn) -> tuple[GradientFlow, FlowNumbers]:
    """A gradient flow through up to four layers, some of which may be empty, and its numbers."""
    records: st.SearchStrategy[Any] = st.tuples(texts, st.integers(-1, 3)) | st.just((None, None))
    layer = st.builds(
        lambda name, shape, role, record: FlowLayer(name, shape, role, *record),
        texts,
        st.lists(sizes, max_size=3).map(tuple),
        st.sampled_from(["input", "layer", "target"]),
        records,
    )
    layers = draw(st.lists(layer, max_size=4, unique_by=lambda layer: layer.name))
    possible = [FlowPair(source, target) for target in range(len(layers)) for source in range(target)]
    pairs = draw(st.lists(st.sampled_from(possible), unique=True)) if possible else []
    samples = draw(st.lists(st.integers(0, 9), max_size=3, unique=True))
    methods = texts | st.sampled_from(["exact", "given", "chain_rule_estimate", "vnittest_estimate"])
    flow = GradientFlow(draw(texts), draw(st.integers(0, 3)), draw(methods), tuple(samples), tuple(layers), tuple(pairs))

    generator = np.random.default_rng(draw(st.integers(0, 2**32)))
    count = len(samples) or 1

    def numbers_of_layer(layer: FlowLayer) -> NDArray[Any] | None:
        return raw_numbers(generator, "F32", count * layer.size).reshape(count, layer.size) if draw(st.booleans()) else None

    values = tuple(map(numbers_of_layer, layers))
    gradients = tuple(map(numbers_of_layer, layers))
    numbers = tuple(
        pair_numbers_of(generator, count, layers[pair.source].size, layers[pair.target].size, gradients[pair.source] is not None)
        for pair in pairs
    )
    return flow, FlowNumbers(values, gradients, numbers)


EXAMPLE_FLOW = GradientFlow(
    "gradient flow", 0, "exact", (0, 3), (FlowLayer("x", (3,), "input", "x", 0), FlowLayer("y", (2, 1))), (FlowPair(0, 1),)
)
"""Two samples, three elements to two."""

EXAMPLE_FLOW_NUMBERS = FlowNumbers(
    values=(np.arange(6, dtype=np.float32).reshape(2, 3), None),
    gradients=(np.array([[3, 3, 0.5], [4, math.nan, 5]], np.float32), np.ones((2, 2), np.float32)),
    pairs=(
        PairNumbers(
            starts=np.array([0, 2, 3, 3, 4, 5, 5], np.int64),
            targets=np.array([0, 1, 1, 0, 0], np.int32),
            flows=np.array([1, 2, 3, 4, math.nan], np.float32),
            computed=np.array([[1, 1], [1, 0]], np.uint8),
            residuals=np.array([[0, 0, 0.5], [0, math.nan, 5]], np.float32),
        ),
    ),
)


def example_layout() -> Layout:
    """A small layout written by hand: two tensors with a batch dimension, one of them an integer, and a parameter."""
    entries = (
        tensor_entry("x", type="input", shape=(4, 3), batch_dimension=0, samples=2, histogram=True),
        tensor_entry("count", node="x", dtype="I64", shape=(2, 4), batch_dimension=1, samples=2, operation="AddBackward0"),
        tensor_entry("net.weight", iteration=-1, role="", type="parameter", kind="kpis_and_svd", dtype="BF16", shape=(3, 2)),
    )
    return Layout(entries, (Group("forward", (0, 1, 2)), Group("gradients", (2, 0))))


def write_example(folder: Path, *, checksums: bool = False) -> None:
    """Writes a small recording with everything in it: steps 0, 7 and 1200, notes, curves, gaps, sentinels, a network and a graph."""
    writer = RecordingWriter(
        folder, Header("group", "trial", writer="comgra_export 0.1.0", started="2025-01-02T03:04:05Z", checksums=checksums)
    )
    writer.write_network(
        Network(
            (ModuleEntry("net", "Linear", -1, "in_features=2, out_features=3"),),
            (ParameterEntry("net.weight", 0, (3, 2), "BF16", True), ParameterEntry("net.tied", 0, (3, 2), "BF16", True, "net.weight")),
            (OptimizerEntry("SGD", "SGD", (OptimizerGroup((0,), {"lr": 0.5, "nesterov": False}),)),),
        )
    )
    layout = example_layout()
    layout_hash = writer.write_layout(layout)
    shown = (
        ShownTensor("net.weight", "net.weight", "", "parameter", "net.weight", -1),
        ShownTensor("x", "x", "x", "input", "x", 0),
        ShownTensor("count", "x", "count", "calculated", "count", 0),
    )
    structure = writer.write_structure(Structure(shown, ((0, 2), (1, 2)), (1,)))
    calls = writer.write_calls(
        CallTree(
            (CallEntry(0, -1, 0, True, False), CallEntry(0, 0, 1, True, True)),
            (
                PortEntry(
                    call=0,
                    side="input",
                    path="x",
                    record_name="x",
                    record_iteration=0,
                    text=None,
                    meaning=None,
                    gradient_record_name="net: gradient of input x",
                    gradient_record_iteration=0,
                ),
                PortEntry(1, "input", "scale", None, None, "2"),
                PortEntry(0, "output", "output", "count", 0, None, "attention"),
            ),
        )
    )
    generator = np.random.default_rng(0)
    for number in (0, 7, 1200):
        writer.add_note(Note(f"before {number}", number))
        writer.add_curve_point(CurvePoint("loss", "train", "main", number, float("nan") if number == 7 else number / 3))
        writer.add_gap(Gap("because", number))
        records = tuple(record_of(generator, layout.tensors[tensor]) for group in layout.groups for tensor in group.tensors)
        step = Step(layout, records, 2, histograms_of(generator, layout))
        gap = Gap("too large", number, 0, "forward", "z")
        writer.add_sentinel_point(
            SentinelPoint(
                number,
                "main",
                (("forward", "x", 0), ("gradients", "x", 0)),
                (number / 3, math.inf),
                "why",
                NonFiniteOrigin("div", "net", (2, 3), (1, 2), math.inf, (OriginOperand(-1.5, 2.0, 2.0), OriginOperand(0.0, 1.0, None))),
                (NonFiniteInput("net: input x", 2, 0, 1, (0, 3)), NonFiniteInput("net: input y", 1, 0, 0, ())),
                math.inf if number == 7 else None,
            )
        )
        writer.add_finished_step(number)
        description = StepDescription(
            number,
            "main",
            4,
            layout_hash,
            (structure, None),
            RecordedSamples((0, 3)),
            time=number / 8,
            triggered="why",
            learning_rates=((0.5,),),
            module_runs=ModuleRuns((0,), (True,), (2,)),
            parameters=ParameterFacts((0, 1), (1.5, math.inf), (0.25, 0.0), (None, 0.0), (EstimatedNorms(1, 7, None),)),
            gradients=(GradientFacts("gradients", 1, 65536.0, ("mul_",), False),),
            held_bytes=1234,
            gaps=(gap,),
            calls=(calls, None),
            epoch=number / 4,
            flows=(EXAMPLE_FLOW,),
        )
        writer.write_step(description, step.blobs(), [EXAMPLE_FLOW_NUMBERS])
    writer.close()
