"""Small recordings for the exporter's tests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comgra_export.storage import (
    CurvePoint,
    Gap,
    Group,
    Header,
    Layout,
    ModuleEntry,
    Network,
    Note,
    ParameterEntry,
    RecordedSamples,
    RecordingWriter,
    ShownTensor,
    StepDescription,
    Structure,
    TensorType,
)
from support.storage.entries import tensor_entry
from support.storage.strategies import Step, record_of

HOSTILE_NAMES = [
    "</script><script>alert(1)</script>", "<!--", "-->", "</template><img src=x onerror=alert(1)>", "\"quotes\" 'and' &amp;",
    "\u202eright to left\u200f",
    "n" * 10_000, "\u2028\u2029 \x00 \x7f", "🦔 é", "{{ 7 * 7 }}{% raw %}", "]]>", "</main></title></style>",
]  # fmt: skip


def shown(name: str, kind: TensorType = "calculated", node: str | None = None, iteration: int = 0) -> ShownTensor:
    return ShownTensor(name, name if node is None else node, name, kind, name, iteration)


LAYOUT = Layout(
    (
        tensor_entry("x", type="input", shape=(4, 3), batch_dimension=0, samples=2),
        tensor_entry("count", dtype="I64", shape=(2, 4), batch_dimension=1, samples=2, operation="AddBackward0"),
        tensor_entry("half", dtype="BF16", shape=(4, 2), batch_dimension=0, samples=2),
        tensor_entry("mask", dtype="BOOL", shape=(4, 5), batch_dimension=0, samples=2),
        tensor_entry("net.weight", iteration=-1, role="", type="parameter", kind="kpis_and_svd", shape=(3, 2)),
    ),
    (Group("forward", (0, 1, 2, 3, 4)), Group("gradients", (4, 0))),
)
STRUCTURE = Structure(
    (
        shown("net.weight", "parameter", iteration=-1),
        shown("x", "input"),
        shown("count"),
        shown("half"),
        shown("mask"),
    ),
    ((0, 2), (1, 2), (2, 3), (2, 4)),
    without_gradient=(1,),
)
NETWORK = Network((ModuleEntry("net", "Linear", -1),), (ParameterEntry("net.weight", 0, (3, 2), "F32", True),))


def random_step(seed: int, layout: Layout = LAYOUT, samples: int = 2) -> Step:
    generator = np.random.default_rng(seed)
    records = tuple(record_of(generator, layout.tensors[tensor]) for group in layout.groups for tensor in group.tensors)
    return Step(layout, records, samples)


def write_trial(
    root: Path,
    trial: str = "trial",
    *,
    group: str = "group",
    rank: int = 0,
    world_size: int = 1,
    steps: tuple[int, ...] = (0, 7, 1200),
    seed: int = 0,
    prefixes: tuple[str, ...] = ("",),
    structure: Structure = STRUCTURE,
) -> dict[int, Step]:
    """Writes a recording with everything in it, and returns its steps."""
    header = Header(
        group=group,
        trial=trial,
        rank=rank,
        world_size=world_size,
        writer="comgra_export 0.1.0",
        torch_version="2.9.0",
        started="2025-01-02T03:04:05Z",
        prefixes_for_grouping_module_parameters_visually=prefixes,
    )
    writer = RecordingWriter(root / group / trial / f"rank-{rank}", header)
    writer.write_network(NETWORK)
    layout = writer.write_layout(LAYOUT)
    graph = writer.write_structure(structure)
    recorded = {}
    writer.add_gap(Gap("no disk", 3))
    for number in steps:
        writer.add_note(Note(f"before {number}", number))
        writer.add_curve_point(CurvePoint("loss", "train", "main", number, float("nan") if number == 7 else number / 3))
        writer.add_curve_point(CurvePoint("loss", "test", "main", number, float("inf")))
        recorded[number] = random_step(seed + number)
        kind = "even" if number % 2 == 0 else "odd"
        gaps = (Gap("too large", None, 0, "forward", "z"),)
        description = StepDescription(number, kind, 4, layout, (graph, None, graph), RecordedSamples((0, 3)), number / 8, gaps=gaps)
        writer.write_step(description, recorded[number].blobs())
    writer.close()
    return recorded


def expected_arrays(step: Step) -> list[tuple[str, str, NDArray[Any]]]:
    """Name, dtype and elements of a step's arrays in the order of the bundle format: by kind, then dtype; no empty ones, no histograms."""
    kinds = ["counts", "extrema", "statistics", "aggregates", "values"]
    arrays = [(name, blob.dtype, blob.data.reshape(-1)) for name, blob in step.blobs() if blob.data.size and name.split(".")[0] in kinds]
    return sorted(arrays, key=lambda array: (kinds.index(array[0].split(".")[0]), array[0]))


def assert_same_arrays(actual: list[tuple[str, str, NDArray[Any]]], expected: list[tuple[str, str, NDArray[Any]]]) -> None:
    """Equal names, dtypes and bits."""
    assert [(name, dtype) for name, dtype, _ in actual] == [(name, dtype) for name, dtype, _ in expected]
    for (name, _, actual_elements), (_, _, expected_elements) in zip(actual, expected, strict=True):
        assert actual_elements.tobytes() == expected_elements.tobytes(), name
