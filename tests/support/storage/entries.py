"""Tensors of a layout, of which a test says only what it is about."""

from __future__ import annotations

from typing import Any

from comgra_export.storage import TensorEntry

__all__ = ["tensor_entry"]


def tensor_entry(name: str, **attributes: Any) -> TensorEntry:  # noqa: ANN401
    """A tensor of the first iteration: a calculated scalar of float32 in a node of its own, without a batch. `attributes` say otherwise."""
    defaults = {
        "iteration": 0,
        "node": name,
        "role": name,
        "type": "calculated",
        "kind": "neuron",
        "dtype": "F32",
        "stored": attributes.get("dtype", "F32"),
        "shape": (),
        "batch_dimension": None,
        "samples": 0,
    }
    return TensorEntry(name, **{**defaults, **attributes})
