"""How steps are recorded."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from comgra_export.recorder.cuda.memory import DeviceScratch
from comgra_export.recorder.host.source_lines import SourceLines
from comgra_export.recorder.numbers.buffers import HistogramMemory, Scratch, SnapshotMemory
from comgra_export.recorder.numbers.placement import KnownLayouts
from comgra_export.storage.model.layout import Structure

__all__ = ["GraphSource", "StepOptions"]

GraphSource = Literal["data_flow", "autograd"]
"""Where dependencies are read from: the functions that are called, or autograd's graph."""


@dataclass(frozen=True)
class StepOptions:
    """How steps are recorded, and what is kept from one step to the next.

    Attributes:
        max_samples: How many samples are recorded one by one; None for all.
        node_prefixes: Parameters whose name begins with one of these share a node.
        with_svd: Whether singular values of parameters are computed.
        request_gradients: Whether tensors that require no gradient still get one.
        graph: Where dependencies are read from.
        source_lines: Finds the line of the project that made a tensor; None if lines are not recorded.
        snapshot_memory: Memory for the values of parameters before a step.
        histogram_memory: Memory for the values that histograms count.
        scratch: Memory for intermediate results of the training thread.
        scratch_of_writing: The same for the thread that writes.
        device_scratch: Memory of devices for intermediate results.
        known_structures: The dependency graphs of the last steps, by iteration.
        known_layouts: The layouts of the last steps, for the thread that writes.
    """

    max_samples: int | None
    node_prefixes: tuple[str, ...]
    with_svd: bool
    request_gradients: bool
    graph: GraphSource = "data_flow"
    source_lines: SourceLines | None = None
    snapshot_memory: SnapshotMemory = field(default_factory=SnapshotMemory)
    histogram_memory: HistogramMemory = field(default_factory=HistogramMemory)
    scratch: Scratch = field(default_factory=Scratch)
    scratch_of_writing: Scratch = field(default_factory=Scratch)
    device_scratch: DeviceScratch = field(default_factory=DeviceScratch)
    known_structures: dict[int, Structure] = field(default_factory=dict)
    known_layouts: KnownLayouts = field(default_factory=KnownLayouts)
