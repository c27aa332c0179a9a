"""Recordings of any size, written by the storage writer itself, without training anything, and bundles of them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Literal

import numpy as np

from benchmarks.harness.workload import Workload
from comgra_export import export
from comgra_export.storage import (
    BATCH_AGGREGATIONS,
    Blob,
    CurvePoint,
    Group,
    Header,
    Layout,
    RecordedSamples,
    RecordingWriter,
    ShownTensor,
    StepDescription,
    Structure,
    TensorEntry,
)

__all__ = ["Size", "exported", "write_recording", "written"]

Size = Literal["10 MB", "1 GB", "steps of 1 MB"]

_STEPS: dict[Size, int] = {"10 MB": 20, "1 GB": 2000, "steps of 1 MB": 88}
_VALUES: dict[Size, int] = {"10 MB": 768, "1 GB": 768, "steps of 1 MB": 1536}
_SAMPLES = 4
_QUICK_STEPS = 20

_TENSORS = 24
_BATCH_SIZE = 64
_DRAWN_STEPS = 16


def written(workload: Workload, size: Size) -> Path:
    """Return the folder of a recording of this size, made when it is first asked for; in a quick run it has fewer steps."""
    root = workload.folder / "written" / size.replace(" ", "-")
    if not root.exists():
        steps = min(_STEPS[size], _QUICK_STEPS) if workload.quick else _STEPS[size]
        write_recording(root, steps=steps, samples=_SAMPLES, values=_VALUES[size])
    return root


def exported(workload: Workload, size: Size, name: str) -> Path:
    """Return the page of a bundle of such a recording, made when it is first asked for; `name` decides whether it is a file or a folder."""
    path = workload.folder / name
    if not path.exists():
        export(written(workload, size), path)
    return path / "index.html" if path.is_dir() else path


def write_recording(
    root: Path, *, steps: int, samples: int, values: int, curves: Iterable[CurvePoint] = (), rank: int = 0, ranks: int = 1
) -> None:
    """Write a recording of activations, half of them after a ReLU, and of small gradients: 12 tensors, and as many gradients.

    A step has 96 * `values` * (`samples` + 3) bytes of numbers, and a little more. The numbers of every 16th step are the same.

    Args:
        root: Where to write.
        steps: How many steps.
        samples: How many samples of each; three or more, as their statistics stand in for those of the batch.
        values: Values of a tensor per sample.
        curves: What to write beside them.
        rank: Which rank it is of.
        ranks: How many ranks the trial has.
    """
    tensors = tuple(
        TensorEntry(
            f"layer.{k}",
            0,
            node=f"layer.{k}",
            role=f"layer.{k}",
            type="calculated",
            kind="neuron",
            dtype="F32",
            stored="F32",
            shape=(_BATCH_SIZE, values),
            batch_dimension=0,
            samples=samples,
        )
        for k in range(_TENSORS // 2)
    )
    layout = Layout(tensors, (Group("forward", tuple(range(len(tensors)))), Group("gradients", tuple(range(len(tensors))))))
    shown = tuple(ShownTensor(entry.name, entry.node, entry.role, "calculated", entry.name, 0) for entry in tensors)
    generator = np.random.default_rng(0)
    drawn = [_blobs(generator, samples, values) for _ in range(min(steps, _DRAWN_STEPS))]
    writer = RecordingWriter(root / "group" / "trial" / f"rank-{rank}", Header("group", "trial", rank=rank, world_size=ranks))
    layout_hash = writer.write_layout(layout)
    graph = writer.write_structure(Structure(shown, tuple((k, k + 1) for k in range(len(shown) - 1))))
    for step in range(steps):
        description = StepDescription(step, "train", _BATCH_SIZE, layout_hash, (graph,), RecordedSamples(tuple(range(samples))))
        writer.write_step(description, drawn[step % _DRAWN_STEPS])
    for point in curves:
        writer.add_curve_point(point)
    writer.close()


def _blobs(generator: np.random.Generator, samples: int, count: int) -> list[tuple[str, Blob]]:
    scales = np.repeat([1.0, 1e-3], _TENSORS // 2)
    values = generator.standard_normal((_TENSORS, samples, count), np.float32) * scales[:, None, None].astype(np.float32)
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
