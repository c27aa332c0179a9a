"""What it costs to estimate gradient flows while a page is built."""

from __future__ import annotations

import sys
from pathlib import Path
from time import process_time

import numpy as np

from benchmarks.harness.memory import peak_memory
from benchmarks.harness.own_process import Series, Unavailable, run_alone
from benchmarks.harness.recorders import RecorderMaker
from benchmarks.harness.table import Row
from benchmarks.harness.workload import Workload
from comgra_export import export
from comgra_export.storage import Blob, Group, Header, Layout, RecordedSamples, RecordingWriter, StepDescription, TensorEntry

__all__ = ["HEADING", "measure", "watch_estimates"]

HEADING = "Estimating the gradient flow through three tensors, by two methods, while a folder is written"

_NAMES = ("x", "y", "z")


def measure(workload: Workload) -> list[Row]:
    """Build a page with estimates and one without, each in a process of its own."""
    size = 100 if workload.quick else 2500
    root = workload.folder / "estimates"
    _write(root, size)
    flows = 4 * size**2
    remark = f"{size:,} elements each: {flows:,} flows"
    try:
        series = run_alone(Path(sys.executable), "our recorder", watch_estimates, 600, root=str(root), times=1 if workload.quick else 3)
    except Unavailable as reason:
        series, remark = {}, str(reason)
    return [
        Row("estimates: time of a processor", [seconds / flows * 1e6 for seconds in series.get("seconds", [])], "us/flow", remark),
        Row("estimates: bytes per flow", [held / flows for held in series.get("bytes", [])], "bytes", "in the folder"),
        Row(
            "estimates: memory added at the peak",
            [held / 1e6 for held in series.get("memory", [])],
            "MB",
            "one pair of tensors is there at a time",
        ),
    ]


def watch_estimates(_: RecorderMaker, folder: Path, *, root: str, times: int) -> Series:
    """Export without estimates, then with them, in a process that has done nothing else.

    Returns:
        What the estimates add. `memory`: bytes at the peak of the process; `seconds`: of a processor; `bytes`: of the bundle.
    """
    plain, plain_seconds = _export(root, folder, None)
    before = peak_memory()
    built = [_export(root, folder, ", ".join(_NAMES)) for _ in range(times)]
    return {
        "memory": [peak_memory() - before],
        "seconds": [seconds - plain_seconds for _, seconds in built],
        "bytes": [built[0][0] - plain],
    }


def _export(root: str, folder: Path, estimate_flow: str | None) -> tuple[int, float]:
    """Bytes of the bundle, and seconds of a processor."""
    start = process_time()
    size = export(root, folder / "page", estimate_flow=estimate_flow, force=True).bytes
    return size, process_time() - start


def _write(root: Path, size: int) -> None:
    """A step with gradients that nothing compresses."""
    entries = tuple(
        TensorEntry(
            name,
            0,
            node=name,
            role=name,
            type="calculated",
            kind="neuron",
            dtype="F32",
            stored="F32",
            shape=(size,),
            batch_dimension=None,
            samples=0,
        )
        for name in _NAMES
    )
    layout = Layout(entries, (Group("forward", (0, 1, 2)), Group("gradients", (0, 1, 2))))
    records = 2 * len(_NAMES)
    generator = np.random.default_rng(0)
    blobs = [
        ("counts", Blob("I32", np.zeros((records, 5), np.int32))),
        ("extrema.F32", Blob("F32", np.ones((records, 2), np.float32))),
        ("statistics.F32", Blob("F32", np.ones(4 * records, np.float32))),
        ("values.F32", Blob("F32", generator.normal(size=records * size).astype(np.float32))),
    ]
    writer = RecordingWriter(root / "group" / "trial" / "rank-0", Header("group", "trial"))
    writer.write_step(StepDescription(0, "train", 1, writer.write_layout(layout), (None,), RecordedSamples(())), blobs)
    writer.close()
