"""Whether exporting a large recording takes little longer than encoding its bytes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from statistics import median

import numpy as np
from numpy.typing import NDArray

from benchmarks.table import Row
from benchmarks.timing import in_turn, ratios
from benchmarks.workload import Workload
from comgra_export import export
from comgra_export.exporter.chunks import encode_lane_chunk
from comgra_export.storage import (
    BATCH_AGGREGATIONS,
    Blob,
    Group,
    Header,
    Layout,
    RecordedSamples,
    Recording,
    RecordingWriter,
    ShownTensor,
    StepDescription,
    Structure,
    TensorEntry,
    find_recordings,
    open_recording,
)

__all__ = ["HEADING", "measure", "write_recording"]

HEADING = "Export of a large recording, compared with shuffling, compressing and base64-encoding its numbers alone"

_THREADS = 2
_CHUNK_BYTES = 4 * 1024 * 1024
_TENSORS = 24
_SAMPLES = 8
_VALUES = 12_288
_TARGET = 1.5


def measure(workload: Workload) -> list[Row]:
    """Export to a file and to a folder, and with a limit; encode alone."""
    root = workload.folder / "large"
    write_recording(root, steps=2 if workload.quick else 16)
    calls: dict[str, Callable[[], object]] = {
        "alone": partial(_encode_alone, root),
        "to one file": partial(export, root, workload.folder / "large.html", force=True),
        "to a folder": partial(export, root, workload.folder / "large-folder", force=True),
        "to one file of a third of the size": partial(
            export, root, workload.folder / "large-third.html", force=True, max_size=_size(root) * 4 // 9
        ),
    }
    times = in_turn(calls, rounds=1 if workload.quick else 3)
    alone = times.pop("alone")
    remark = f"{median(alone):.2f} s alone, {_THREADS} threads, {_size(root) / 1e6:.0f} MB of blobs"
    return [Row(name, ratios(taken, alone), "x", remark, None if "third" in name else _TARGET) for name, taken in times.items()]


def write_recording(root: Path, steps: int) -> None:
    """Write a recording of about 13 MB of numbers a step: activations, half of them after a ReLU, and small gradients."""
    tensors = tuple(
        TensorEntry(f"layer.{k}", 0, f"layer.{k}", f"layer.{k}", "calculated", "neuron", "F32", "F32", (64, _VALUES), 0, _SAMPLES)
        for k in range(_TENSORS // 2)
    )
    layout = Layout(tensors, (Group("forward", tuple(range(len(tensors)))), Group("gradients", tuple(range(len(tensors))))))
    shown = tuple(ShownTensor(entry.name, entry.node, entry.role, "calculated", entry.name, 0) for entry in tensors)
    generator = np.random.default_rng(0)
    writer = RecordingWriter(root / "group" / "trial" / "rank-0", Header("group", "trial"))
    layout_hash = writer.write_layout(layout)
    graph = writer.write_structure(Structure(shown, tuple((k, k + 1) for k in range(len(shown) - 1))))
    for step in range(steps):
        description = StepDescription(step, "train", 64, layout_hash, (graph,), RecordedSamples(tuple(range(_SAMPLES))))
        writer.write_step(description, _blobs(generator))
    writer.close()


def _blobs(generator: np.random.Generator) -> list[tuple[str, Blob]]:
    scales = np.repeat([1.0, 1e-3], _TENSORS // 2)
    values = generator.standard_normal((_TENSORS, _SAMPLES, _VALUES), np.float32) * scales[:, None, None].astype(np.float32)
    values[: _TENSORS // 4] = np.maximum(values[: _TENSORS // 4], 0)
    aggregates = np.stack([values.mean(axis=1), np.abs(values).max(axis=1), values.std(axis=1, ddof=1)], axis=1)
    of_samples = np.stack([values.mean(2), np.abs(values).mean(2), values.std(2, ddof=1), np.abs(values).max(2)], axis=1)
    statistics = np.concatenate([of_samples[:, :, : len(BATCH_AGGREGATIONS)], of_samples], axis=2)
    counts = np.zeros((_TENSORS, 5), np.int32)
    counts[:, 3] = (values == 0).sum(axis=(1, 2))
    extrema = np.stack([values.min(axis=(1, 2)), values.max(axis=(1, 2))], axis=1)
    flat = {"extrema.F32": extrema, "statistics.F32": statistics.reshape(-1), "aggregates.F32": aggregates.reshape(-1)}
    numbers = [(name, Blob("F32", array.astype(np.float32))) for name, array in flat.items()]
    return [("counts", Blob("I32", counts)), *numbers, ("values.F32", Blob("F32", values.reshape(-1)))]


def _encode_alone(root: Path) -> int:
    """Encode the numbers of all steps, four megabytes at a time, and return how many characters they take."""
    with ThreadPoolExecutor(_THREADS) as threads:
        (folder,) = find_recordings(root)
        recording = open_recording(folder)
        return sum(sum(threads.map(_encoded_length, _chunks(recording, step))) for step in recording.steps)


def _chunks(recording: Recording, step: int) -> Iterator[NDArray[np.uint8]]:
    for blob in recording.blobs(step).values():
        raw = blob.data.reshape(-1).view(np.uint8)
        yield from (raw[start : start + _CHUNK_BYTES] for start in range(0, raw.size, _CHUNK_BYTES))


def _encoded_length(raw: NDArray[np.uint8]) -> int:
    return len(encode_lane_chunk(raw, 4).base64)


def _size(root: Path) -> int:
    return sum(path.stat().st_size for path in root.rglob("*.safetensors"))
