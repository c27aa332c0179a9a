"""Files in vnittest's format, made by hand."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np

from support.places import DATA

SAMPLE = DATA / "vnittest"
CHAIN_RULE, VNITTEST = "gradient flow by the chain rule", "gradient flow as vnittest estimates it"

# Which of the four pixels of conv2 (3x3 kernel, stride 2, padding 1) see each of the sixteen of conv1, row by row.
SEEN_BY = [[0], [0, 1], [1], [1], [0, 2], [0, 1, 2, 3], [1, 3], [1, 3], [2], [2, 3], [3], [3], [2], [2, 3], [3], [3]]


def write_files(
    folder: Path,
    gradients: Any,  # noqa: ANN401
    flows: Any,  # noqa: ANN401
    picture: np.ndarray | None = None,
    target: np.ndarray | None = None,
    *,
    prefix: str = "",
    protocol: int = 3,
) -> Path:
    """Writes the three files, without the pictures that are None, and returns the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    info = {"activation_gradients": gradients, "gradient_flows": flows}
    (folder / f"{prefix}flow_info.pkl").write_bytes(pickle.dumps(info, protocol))
    for name, array in (("input", picture), ("target", target)):
        if array is not None:
            np.save(folder / f"{prefix}{name}_representation.npy", array)
    return folder


def connectivity() -> np.ndarray:
    """conv1 to conv2: 1 where they are connected, .99 elsewhere."""
    matrix = np.full((16, 4), 0.99, np.float32)
    for source, targets in enumerate(SEEN_BY):
        matrix[source, targets] = 1
    return matrix


def write_debug_data(folder: Path) -> Path:
    """Three layers whose "gradients" are the sums of the flows' rows. The layers and pairs have another order."""
    first, second = connectivity(), np.ones((4, 1), np.float32)
    gradients = {
        "conv3": np.ones((1, 1), np.float32),
        "conv1": first.sum(axis=1).reshape(4, 4),
        "conv2": second.sum(axis=1).reshape(2, 2),
    }
    picture = np.arange(16, dtype=np.float32).reshape(4, 4)
    return write_files(folder, gradients, {("conv2", "conv3"): second, ("conv1", "conv2"): first}, picture, np.ones((1, 1), np.int64))


def write_explicit(folder: Path) -> Path:
    """Nine planes of 3 x 4 pixels in both layers; only two gradients of the first are not zero."""
    first = np.zeros((9, 3, 4), np.float32)
    first[8, 1, 2] = -0.5
    first[4, 0, 0] = 2
    # Above the first row, so outside.
    first[0, 0, 1] = 1
    rest = np.ones((9, 3, 4), np.float32)
    picture = np.zeros((9, 3, 4), np.float32)
    picture[4] = 1
    return write_files(folder, {"a": first, "b": rest}, {("a", "b"): None}, picture, np.ones((1, 3, 4), np.int64))
