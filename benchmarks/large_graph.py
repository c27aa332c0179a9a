"""How long a reader waits in a dependency graph of 20,000 nodes: until it is there, and after each change."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from comgra_export.storage import (
    Blob,
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

__all__ = ["BLOCKS", "EDGES", "LAYERS", "NODES", "write_recording"]

NODES = 20_000
EDGES = 25_000
LAYERS = {"encoder": 13, "decoder": 12}
BLOCKS = 20
_HEADS = 8
_PARAMETERS = ("norm.weight", "norm.bias", "mlp.up.weight", "mlp.down.weight")


def write_recording(root: Path) -> Path:
    """Write one step of a network of layers and blocks, named as `encoder.layer12.block3.head5.q`; return the trial's folder.

    What is computed makes one long chain through all blocks; parameters lead into it, and edges past a block are added until there are
    as many as promised.
    """
    names = _block_names()
    position = {name: k for k, name in enumerate(names)}
    types = [_type_of(name) for name in names]
    chain = [k for k, kind in enumerate(types) if kind in ("input", "calculated", "loss")]
    edges = list(zip(chain, chain[1:], strict=False))
    edges += [(k, position[_user_of(name)]) for k, name in enumerate(names) if types[k] == "parameter"]
    edges.append((position["target"], position["loss"]))
    edges += [(chain[k], chain[k + 41]) for k in range(EDGES - len(edges))]

    folder = root / "large_graph" / "network" / "rank-0"
    writer = RecordingWriter(folder, Header("large_graph", "network"))
    tensors = tuple(TensorEntry(name, 0, name, name, kind, "kpis", "F32", "F32", (2, 3), 0, 0) for name, kind in zip(names, types, strict=True))
    layout = writer.write_layout(Layout(tensors, (Group("forward", tuple(range(len(tensors)))),)))
    shown = tuple(ShownTensor(name, name, name, kind, name, 0) for name, kind in zip(names, types, strict=True))
    graph = writer.write_structure(Structure(shown, tuple(sorted(edges))))
    blobs = [
        ("counts", Blob("I32", np.zeros((len(names), 5), np.int32))),
        ("extrema.F32", Blob("F32", np.zeros((len(names), 2), np.float32))),
        ("statistics.F32", Blob("F32", np.repeat(np.arange(len(names)), 4 * 3).astype(np.float32))),
    ]
    writer.write_step(StepDescription(0, "main", 2, layout, (graph,), RecordedSamples(())), blobs)
    writer.close()
    return folder.parent


def _block_names() -> list[str]:
    """Names in the order of computing; every block has 40, the last one three fewer, for the input, the target and the loss."""
    inner = ["norm", *(f"head{head}.{part}" for head in range(_HEADS) for part in ("q", "k", "v", "scores")), "mlp.up", "mlp.down", "out"]
    blocks = [f"{stack}.layer{layer}.block{block}." for stack, count in LAYERS.items() for layer in range(count) for block in range(BLOCKS)]
    names = ["input", *(block + name for block in blocks for name in (*inner, *_PARAMETERS))]
    return [*names[: NODES - 2], "target", "loss"]


def _type_of(name: str) -> str:
    return "parameter" if name.endswith(_PARAMETERS) else name if name in ("input", "target", "loss") else "calculated"


def _user_of(parameter: str) -> str:
    """What a parameter is used for: the module that it belongs to."""
    return parameter.rpartition(".")[0]
