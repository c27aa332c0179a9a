"""Recordings written by hand, with all descriptions of steps: a resumed run, and a run of several ranks."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comgra_export.storage import (
    CurvePoint,
    Gap,
    GradientFacts,
    Group,
    Header,
    Layout,
    ModuleEntry,
    ModuleRuns,
    Network,
    Note,
    OptimizerEntry,
    OptimizerGroup,
    ParameterEntry,
    ParameterFacts,
    RecordedSamples,
    RecordingWriter,
    Shard,
    StepDescription,
    Structure,
    TensorEntry,
)
from support.browser.by_hand import items_of, over_batch, shown
from support.storage.entries import tensor_entry
from support.storage.strategies import Record, Step

__all__ = ["CATEGORIES", "REASON", "SAMPLE_IDS", "SAMPLE_INDICES", "STARTED", "STARTED_IN_WORDS", "write_described_group", "x_of_rank"]

Array = NDArray[np.float32]

BATCH = 6
SAMPLE_INDICES = (4, 0, 3)
SAMPLE_IDS = ("picture 9", "picture 1", "picture <7>")
CATEGORIES = ("cat", "dog", "dog")
REASON = "the largest magnitude of h is 812.5, 40 times the median of the steps before."
STARTED = "2025-01-02T03:04:05Z"
STARTED_IN_WORDS = "2025-01-02 03:04 UTC"

NETWORK = Network(
    modules=(
        ModuleEntry("net", "Net", -1),
        ModuleEntry("net.encoder", "Linear", 0),
        ModuleEntry("net.dropout", "Dropout", 0),
        ModuleEntry("net.critic", "Linear", 0),
    ),
    parameters=(
        ParameterEntry("net.encoder.weight", 1, (2, 3), "F32", True),
        ParameterEntry("net.encoder.bias", 1, (3,), "F32", True),
        ParameterEntry("net.critic.weight", 3, (2, 3), "F32", True, "net.encoder.weight"),
        ParameterEntry("net.critic.frozen", 3, (3,), "F32", False),
    ),
    optimizers=(
        OptimizerEntry(
            "generator",
            "AdamW",
            (OptimizerGroup((0,), {"lr": 0.001, "weight_decay": 0.01, "amsgrad": False}), OptimizerGroup((1,), {"lr": 0.01})),
        ),
        OptimizerEntry("critic", "SGD", (OptimizerGroup((), {"lr": 0.1, "momentum": 0.9, "nesterov": True}),)),
    ),
)

# Nodes and their types, and who depends on whom; through the last two no gradient flows.
NODES = {
    "x": "input",
    "h": "calculated",
    "mask": "calculated",
    "net.encoder.weight": "parameter",
    "net.encoder.bias": "parameter",
    "net.critic.weight": "parameter",
    "net.critic.frozen": "parameter",
    "loss": "loss",
}
EDGES = (("x", "h"), ("net.encoder.weight", "h"), ("net.encoder.bias", "h"), ("h", "loss"), ("net.critic.weight", "loss"),
         ("net.critic.frozen", "loss"), ("h", "mask"), ("mask", "loss"))  # fmt: skip
WITHOUT_GRADIENT = (6, 7)


def _record(entry: TensorEntry, tensor: Array | None, samples: tuple[int, ...]) -> Record:
    """The numbers of a tensor; None for an absent gradient."""
    x = np.zeros(entry.shape, np.float32) if tensor is None else tensor
    has_batch = entry.batch_dimension == 0
    flat = x.reshape(x.shape[0] if has_batch else 1, -1)
    items = [flat[:, 0]] if entry.kind == "single_value" else list(items_of(flat).values())
    nothing = np.zeros(0, np.float32)
    return Record(
        counts=np.array([0, 0, 0, (flat == 0).sum(), tensor is None], np.int32),
        extrema=np.array([flat.min(), flat.max()]),
        statistics=np.stack([np.concatenate([over_batch(item), item[list(samples)]]) if has_batch else item for item in items]),
        aggregates=over_batch(flat) if entry.kind == "neuron" and has_batch else nothing,
        values=(flat[list(samples)] if has_batch else flat) if entry.kind == "neuron" else nothing,
    )


def _entries(batch: int, samples: int, shard: Shard | None) -> tuple[TensorEntry, ...]:
    def entry(name: str, shape: tuple[int, ...], *, module: str | None = None, operation: str | None = None) -> TensorEntry:
        kind = NODES[name]
        iteration = -1 if kind == "parameter" else 0
        if kind in ("parameter", "loss"):
            stored = "single_value" if kind == "loss" else "neuron"
            part = shard if name == "net.encoder.bias" else None
            known = tensor_entry(
                name, iteration=iteration, type=kind, kind=stored, shape=shape, operation=operation, module=module, shard=part
            )
            return replace(known, device="cuda:0")
        return tensor_entry(
            name, iteration=iteration, type=kind, shape=shape, batch_dimension=0, samples=samples, operation=operation, module=module
        )

    return (
        entry("x", (batch, 2)),
        entry("h", (batch, 3), module="net.encoder", operation="AddmmBackward0"),
        entry("mask", (batch, 1), operation="argmax"),
        entry("net.encoder.weight", (2, 3)),
        entry("net.encoder.bias", (3,) if shard is None else (1,)),
        entry("net.critic.weight", (2, 3)),
        entry("net.critic.frozen", (3,)),
        entry("loss", ()),
    )


STRUCTURE = Structure(
    tuple(map(shown, _entries(BATCH, 0, None))),
    tuple((list(NODES).index(source), list(NODES).index(sink)) for source, sink in EDGES),
    WITHOUT_GRADIENT,
)


def x_of_rank(rank: int, step: int) -> Array:
    """The input of a step on a rank."""
    return ((np.arange(BATCH * 2).reshape(BATCH, 2) - 5) / 4 + rank + step / 100).astype(np.float32)


def _tensors(rank: int, step: int, shard: Shard | None) -> dict[str, Array]:
    x = x_of_rank(rank, step)
    weight = np.array([[1, -1, 0.5], [0.25, 2, -0.5]], np.float32) + step / 1000
    bias = np.array([0.5, -0.25, 0.125], np.float32)
    h = x @ weight + bias
    return {
        "x": x,
        "h": h,
        "mask": (h.argmax(axis=1)[:, None]).astype(np.float32),
        "net.encoder.weight": weight,
        "net.encoder.bias": bias if shard is None else bias[shard.index : shard.index + 1],
        "net.critic.weight": weight,
        "net.critic.frozen": np.ones(3, np.float32),
        "loss": np.float32(h.mean()).reshape(()),
    }


def _write_step(writer: RecordingWriter, step: int, rank: int, known: dict[str, Any], shard: Shard | None = None) -> None:
    samples = SAMPLE_INDICES
    entries = _entries(BATCH, len(samples), shard)
    layout = Layout(entries, (Group("forward", tuple(range(8))), Group("gradients", (1, 3, 4, 6))))
    tensors = _tensors(rank, step, shard)
    # What a weight of one reaches; a bias whose gradient is exactly zero, and a frozen parameter without. An evaluation lacks the weight's.
    gradients = [np.full((BATCH, 3), 0.25, np.float32), tensors["net.encoder.weight"], np.zeros_like(tensors["net.encoder.bias"]), None]
    if step % 20 == 10:
        gradients[1] = None
    given = [*((entry, tensors[entry.name]) for entry in entries), *zip([entries[k] for k in (1, 3, 4, 6)], gradients, strict=True)]
    records = tuple(_record(entry, tensor, samples) for entry, tensor in given)
    journal = writer.add_finished_step(step)
    description = StepDescription(
        step=step,
        type_of_execution="eval" if step % 20 == 10 else "train",
        batch_size=BATCH,
        layout=writer.write_layout(layout),
        structures=(writer.write_structure(STRUCTURE),),
        samples=RecordedSamples(samples, SAMPLE_IDS, CATEGORIES),
        time=step / 4,
        session=journal.session,
        **known,
    )
    writer.write_step(description, Step(layout, records, len(samples)).blobs())


def _known(step: int, *, averaged: bool | None = None) -> dict[str, Any]:
    training = step % 20 != 10
    return {
        "learning_rates": ((0.001 / (1 + step), 0.01), (0.1,)),
        "module_runs": ModuleRuns((0, 1, 2), (training,) * 3, (1, 2, 1)),
        "parameters": ParameterFacts((0, 1), (4.0, 0.5), (0.5 if training else 0.0, 0.0), (0.125 if step and training else 0.0, None)),
        "gradients": (GradientFacts("gradients", 2, 65536.0, ("_foreach_mul_",), averaged),) if training else (),
        "held_bytes": 12_345_678,
    }


def _write_resumed(folder: Path) -> None:
    """Resumed at 20, which leaves 35 behind and replaces 20 and 30; 43 is triggered; 50 and 60 were never written."""
    header = Header("described", "run", writer="comgra_export 0.1.0", torch_version="2.9.0", started=STARTED)
    writer = RecordingWriter(folder, header)
    writer.write_network(NETWORK)
    for step in (0, 10, 20, 30, 35):
        _write_step(writer, step, 0, _known(step))
    writer.close(ended=False)
    writer = RecordingWriter(folder, header, append=True)
    for step in (20, 30, 40):
        _write_step(writer, step, 0, _known(step))
        writer.add_note(Note(f"at {step}", step))
        writer.add_curve_point(CurvePoint("loss", "train", "train", step, step / 7))
    _write_step(writer, 43, 0, {**_known(43), "triggered": REASON})
    writer.add_note(Note("something odd", 43))
    writer.add_finished_step(50)
    writer.add_finished_step(60)
    writer.add_gap(Gap("No space left on device.", 60, whole_step=True))
    writer.close(ended=False)


def _write_ranks(folder: Path) -> None:
    """Three ranks of a run; the last one lacks a step, and each has a third of a bias."""
    for rank in range(3):
        header = Header("described", "wide", rank, 3, "comgra_export 0.1.0", "2.9.0", STARTED)
        writer = RecordingWriter(folder / f"rank-{rank}", header)
        writer.write_network(NETWORK)
        for step in (0, 10, 20) if rank < 2 else (0, 20):
            _write_step(writer, step, rank, _known(step, averaged=rank != 1 and step > 0), Shard((3,), rank, 3))
        writer.add_note(Note(f"from rank {rank}", 0))
        writer.add_curve_point(CurvePoint("loss", "train", "train", 0, float(rank)))
        writer.close()


def write_described_group(root: Path) -> Path:
    """Write both trials; return the group's folder."""
    _write_resumed(root / "described" / "run" / "rank-0")
    _write_ranks(root / "described" / "wide")
    return root / "described"
